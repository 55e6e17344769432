from pathlib import Path

import pytest

from skillgrade.errors import SuiteError
from skillgrade.suite.eval_files import EvalFiles
from skillgrade.suite.imports import load_yaml
from skillgrade.suite.load import load_suite
from skillgrade.yaml_values import MarkedMap, plain
from tests.support.suites import GRADERS, problems, write


def task(name: str) -> str:
    return f"name: {name}\ninstruction: do it\n{GRADERS}\n"


def expand(root: Path, **files: str) -> object:
    write(root, {name.replace("__", "/") + ".yaml": text for name, text in files.items()})
    return plain(load_yaml(root / "eval.yaml", EvalFiles(root, allow_outside=False)).value)


def refusal(root: Path, **files: str) -> str:
    with pytest.raises(SuiteError) as caught:
        expand(root, **files)
    return str(caught.value).replace(f"{root}/", "")


def test_a_mapping_is_merged_in_place_and_its_siblings_win(tmp_path: Path) -> None:
    text = "defaults:\n  trials: 3\n  $import: shared.yaml\n"
    assert expand(tmp_path, eval=text, shared="{trials: 9, timeout: 5}") == {"defaults": {"trials": 3, "timeout": 5}}


def test_lists_and_single_documents_are_spliced_into_a_list(tmp_path: Path) -> None:
    value = expand(tmp_path, eval="- a\n- $import: [one.yaml, two.yaml]\n- z\n", one="{n: 1}", two="[{n: 2}, {n: 3}]")
    assert value == ["a", {"n": 1}, {"n": 2}, {"n": 3}, "z"]


def test_a_list_of_one_stays_a_list_where_a_mapping_could_stand(tmp_path: Path) -> None:
    assert expand(tmp_path, eval="tasks: {$import: one.yaml}", one="[{n: 1}]") == {"tasks": [{"n": 1}]}


def test_siblings_override_every_imported_item(tmp_path: Path) -> None:
    value = expand(tmp_path, eval="- {$import: many.yaml, trials: 10}", many="[{n: 1, trials: 1}, {n: 2}]")
    assert value == [{"n": 1, "trials": 10}, {"n": 2, "trials": 10}]


def test_imports_nest_and_are_relative_to_the_file_that_says_them(tmp_path: Path) -> None:
    value = expand(
        tmp_path,
        eval="tasks: [{$import: evals/all.yaml}]",
        evals__all="- $import: easy/a.yaml\n- {$import: ../top.yaml, k: 2}\n",
        evals__easy__a="{n: a}",
        top="{n: top, k: 1}",
    )
    assert value == {"tasks": [{"n": "a"}, {"n": "top", "k": 2}]}


@pytest.mark.parametrize(
    ("pattern", "found"),
    [
        ("evals", ["a", "b", "c", "d"]),
        ("evals/*.yaml", ["a", "b"]),
        ("evals/**/*.yaml", ["a", "b", "c"]),
        ("./evals/*/*", ["c", "d"]),
        ("evals/**", ["a", "b", "c", "d"]),
        ("evals/d**p/*.y*ml", ["c", "d"]),
        ("**/c.yaml", ["c"]),
    ],
)
def test_folders_and_globs_bring_their_files_sorted(tmp_path: Path, pattern: str, found: list[str]) -> None:
    files = {"evals/b.yaml": "b", "evals/a.yaml": "a", "evals/deep/c.yaml": "c", "evals/deep/d.yml": "d"}
    write(tmp_path, {name: f"n: {text}" for name, text in files.items()})
    write(tmp_path, {"evals/node_modules/x.yaml": "n: x", "evals/.git/y.yaml": "n: y"})
    value = expand(tmp_path, eval=f"- $import: {pattern!r}\n")
    assert value == [{"n": name} for name in found]


def test_only_the_star_is_magic(tmp_path: Path) -> None:
    write(tmp_path, {"e/a[1]?.yaml": "n: 1", "e/a11.yaml": "n: 2"})
    assert expand(tmp_path, eval="- $import: 'e/a[1]?*'\n") == [{"n": 1}]


def test_a_glob_of_many_stars_does_not_backtrack_without_end(tmp_path: Path) -> None:
    write(tmp_path, {f"e/{'a' * 200}.yaml": "n: 1"})
    assert "matches no file" in refusal(tmp_path, eval=f"- $import: e/{'a*' * 40}b\n")
    assert "matches no file" in refusal(tmp_path, eval=f"- $import: '{'**/' * 60}b'\n")


@pytest.mark.parametrize(
    ("files", "message"),
    [
        ({"eval": "a: {$import: no.yaml}"}, 'eval.yaml:1:14: a.$import: "no.yaml" does not exist'),
        ({"eval": "- $import: no/*.yaml"}, 'eval.yaml:1:12: [0].$import: "no/*.yaml" matches no file'),
        ({"eval": "- $import: 3"}, "eval.yaml:1:12: [0].$import: must be a path or a list of paths, not 3"),
        (
            {"eval": "- $import: [{}]"},
            "eval.yaml:1:13: [0].$import: must be a path or a list of paths, not a mapping",
        ),
        ({"eval": "- $import: ''"}, 'eval.yaml:1:12: [0].$import: must be a path or a list of paths, not ""'),
        (
            {"eval": "- {$import: t.yaml, k: 1}", "t": "[a]"},
            'eval.yaml:1:13: [0].$import: brings "a", which the keys beside it cannot be merged into',
        ),
        ({"eval": "- $import: t.yaml", "t": "# nothing"}, "eval.yaml:1:12: [0].$import: t.yaml is empty"),
        (
            {"eval": "- $import: t.yaml", "t": "a: b: c"},
            "t.yaml:1:5: is not valid YAML: mapping values are not allowed",
        ),
        (
            {"eval": "- $import: a.yaml", "a": "- $import: b.yaml", "b": "- $import: a.yaml"},
            "b.yaml:1:12: [0].$import: the files import each other in a circle: a.yaml -> b.yaml -> a.yaml",
        ),
        (
            {"eval": "- $import: eval.yaml"},
            "eval.yaml:1:12: [0].$import: the files import each other in a circle: eval.yaml -> eval.yaml",
        ),
    ],
)
def test_what_is_wrong_is_said_at_the_import(tmp_path: Path, files: dict[str, str], message: str) -> None:
    assert refusal(tmp_path, **files).startswith(message)


def test_every_import_that_is_wrong_is_named_at_once(tmp_path: Path) -> None:
    said = refusal(
        tmp_path,
        eval="a: {$import: no.yaml}\nb: [{$import: [3, empty.yaml, torn.yaml]}, {$import: one.yaml, k: 1}]\n",
        empty="# nothing",
        torn="a: b: c",
        one="[x]",
    )
    assert [line.split(" ")[0] for line in said.splitlines()] == [
        "eval.yaml:1:14:",
        "eval.yaml:2:16:",
        "eval.yaml:2:19:",
        "eval.yaml:2:54:",
        "torn.yaml:1:5:",
    ]


def test_a_flood_of_wrong_imports_ends(tmp_path: Path) -> None:
    many = ", ".join(["no.yaml"] * 500)
    said = refusal(tmp_path, eval=f"- $import: [{', '.join(['b.yaml'] * 500)}]", b=f"- $import: [{many}]")
    assert len(said.splitlines()) == 100


def test_chains_and_multiplication_are_bounded(tmp_path: Path) -> None:
    write(tmp_path, {f"f{n}.yaml": f"- $import: f{n + 1}.yaml" for n in range(40)})
    assert "imports are nested more than 32 files deep" in refusal(tmp_path, eval="- $import: f0.yaml")
    write(tmp_path, {f"f{n}.yaml": f"- $import: [f{n + 1}.yaml, f{n + 1}.yaml]" for n in range(25)})
    write(tmp_path, {"f25.yaml": "a"})
    assert "imports bring more than 10000 files or 64 MiB" in refusal(tmp_path, eval="- $import: f0.yaml")


def test_deep_values_in_deep_values_are_refused(tmp_path: Path) -> None:
    deep = "[" * 60 + "{$import: two.yaml}" + "]" * 60
    assert "is nested more than 100 levels deep" in refusal(tmp_path, eval=deep, two="[" * 60 + "]" * 60)


@pytest.mark.parametrize("reference", ["../out.yaml", "../*.yaml", "link.yaml", "linked", "{root}/../out.yaml", ".."])
def test_nothing_outside_is_imported_without_leave(tmp_path: Path, reference: str) -> None:
    write(tmp_path, {"out.yaml": task("out")})
    root = tmp_path / "eval"
    root.mkdir()
    (root / "link.yaml").symlink_to("../out.yaml")
    (root / "linked").symlink_to("..")
    reference = reference.replace("{root}", str(root))
    (problem,) = problems(root, f"tasks: [{{$import: {reference!r}}}]")
    assert problem.endswith(f"lies outside {root}; pass --allow-outside if it may be read")
    if reference.endswith("out.yaml"):
        assert load_suite(root, allow_outside=True).tasks[0].name == "out"


def test_places_stay_right_in_imported_files(tmp_path: Path) -> None:
    write(tmp_path, {"evals/one.yaml": f"# note\n- name: a\n  instruction: do it\n  trials: 0\n  {GRADERS}\n"})
    assert problems(tmp_path, "tasks:\n- $import: evals/*.yaml\n  timout: 3\n") == [
        'eval.yaml:3:3: tasks[0].timout: unknown key (did you mean "timeout"?)',
        "evals/one.yaml:4:11: tasks[0].trials: must be at least 1, not 0",
    ]


def test_paths_are_relative_to_the_tasks_own_file_then_to_the_root(tmp_path: Path) -> None:
    write(
        tmp_path,
        {
            "evals/easy/one.yaml": "name: a\ninstruction: text.md\nworkspace: [here.js, there.js]\n"
            "graders: [{type: deterministic, run: bash graders/check.sh}]\n",
            "evals/easy/text.md": "beside the task",
            "evals/easy/here.js": "",
            "text.md": "at the root",
            "there.js": "",
            "graders/check.sh": "",
            "eval.yaml": "tasks:\n- $import: evals/easy\n  solution: solve.sh\n",
            "solve.sh": "",
        },
    )
    suite = load_suite(tmp_path)
    (one,) = suite.tasks
    assert one.instruction == "beside the task"
    assert [file.src for file in one.workspace] == [tmp_path / "evals/easy/here.js", tmp_path / "there.js"]
    assert one.solution == tmp_path / "solve.sh"
    assert (one.file, one.line) == (tmp_path / "evals/easy/one.yaml", 1)
    assert {tmp_path / "evals/easy/one.yaml", tmp_path / "eval.yaml"} <= suite.own_files


def test_an_override_can_name_a_file_beside_the_file_that_says_it(tmp_path: Path) -> None:
    write(
        tmp_path,
        {
            "eval.yaml": "tasks: [{$import: groups/all.yaml}]",
            "groups/all.yaml": "- $import: deep/one.yaml\n  solution: solve.sh\n",
            "groups/solve.sh": "",
            "groups/deep/one.yaml": task("a"),
        },
    )
    assert load_suite(tmp_path).tasks[0].solution == tmp_path / "groups/solve.sh"


def test_the_mark_of_an_override_is_the_one_of_the_importing_file(tmp_path: Path) -> None:
    write(tmp_path, {"eval.yaml": "- $import: a.yaml\n  k: 2\n", "a.yaml": "k: 1\nl: 1\n"})
    value = load_yaml(tmp_path / "eval.yaml", EvalFiles(tmp_path, allow_outside=False)).value
    assert isinstance(value, list)
    item = value[0]
    assert isinstance(item, MarkedMap)
    assert item.value_marks["k"] == (tmp_path / "eval.yaml", 2, 6)
    assert item.value_marks["l"] == (tmp_path / "a.yaml", 2, 4)
    assert item.mark.file == tmp_path / "a.yaml"
