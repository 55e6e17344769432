from collections.abc import Mapping
from pathlib import Path

import pytest

from skillgrade.suite.load import load_suite
from skillgrade.suite.model import DeterministicSpec, Suite
from tests.support.suites import problems, write

FILES = {
    "graders/check.sh": "",
    "graders/lib/x.sh": "",
    "top.py": "",
    "fixtures/app.js": "",
    "tests/a b.py": "",
    "d/e.f": "",
}


def load(root: Path, run: str, keys: str = "", task: str = "", extra: Mapping[str, str] | None = None) -> Suite:
    lines = run.replace("\n", "\n        ")
    text = (
        f"tasks:\n- name: a\n  instruction: do it\n{task}  graders:\n  - type: deterministic\n"
        f"    run: |\n        {lines}\n{keys}"
    )
    return load_suite(write(root, {**FILES, "eval.yaml": text, **(extra or {})}))


def grader(suite: Suite) -> DeterministicSpec:
    spec = suite.tasks[0].graders[0]
    assert isinstance(spec, DeterministicSpec)
    return spec


def brought(suite: Suite) -> dict[str, str]:
    return {file.dest: file.src.relative_to(suite.root).as_posix() for file in grader(suite).files}


@pytest.mark.parametrize(
    ("run", "files"),
    [
        ("bash graders/check.sh", {"graders": "graders"}),
        ("bash ./graders/check.sh --strict", {"graders": "graders"}),
        ("bash graders/../graders/check.sh", {"graders": "graders"}),
        ("cat <graders/check.sh|bash;python top.py", {"graders": "graders", "top.py": "top.py"}),
        ("run --config=graders/lib/x.sh", {"graders": "graders"}),
        ("python 'tests/a b.py'", {"tests": "tests"}),
        ('node "tests/a b.py" && true', {"tests": "tests"}),
        ("X=$(graders/check.sh) && echo $X", {"graders": "graders"}),
        ("test -f graders", {}),
        ("ls ./graders", {"graders": "graders"}),
        ("ls . .. ./", {}),
        ("true; bash graders/nope.sh nope/check.sh", {}),
        ("cat /etc/passwd", {}),
        ("# see graders/check.sh\ntrue\n", {}),
        ("set -e\nbash graders/check.sh\npython d/e.f\n", {"graders": "graders", "d": "d"}),
    ],
)
def test_a_command_brings_the_top_folders_that_it_names(tmp_path: Path, run: str, files: dict[str, str]) -> None:
    suite = load(tmp_path, run)
    assert brought(suite) == files
    assert grader(suite).run == run.strip()
    assert grader(suite).script is None


@pytest.mark.parametrize(
    ("run", "files"),
    [
        ("graders/check.sh", {"graders": "graders"}),
        ("./top.py", {"top.py": "top.py"}),
        ("tests/a b.py", {"tests": "tests"}),
    ],
)
def test_one_line_that_names_a_file_is_a_script(tmp_path: Path, run: str, files: dict[str, str]) -> None:
    suite = load(tmp_path, run)
    assert (grader(suite).run, grader(suite).script) == ("", run.removeprefix("./"))
    assert brought(suite) == files


def test_a_script_above_the_eval_lands_at_the_top(tmp_path: Path) -> None:
    write(tmp_path, {".git/HEAD": "", "shared/check.py": ""})
    suite = load(tmp_path / "eval", "../shared/check.py")
    assert grader(suite).script == "check.py"
    assert [(file.src, file.dest) for file in grader(suite).files] == [(tmp_path / "shared/check.py", "check.py")]
    assert tmp_path / "shared/check.py" in suite.own_files


def test_a_path_above_the_eval_in_a_command_is_a_warning(tmp_path: Path) -> None:
    write(tmp_path, {".git/HEAD": "", "shared/check.py": ""})
    suite = load(tmp_path / "eval", "python ../shared/check.py")
    assert grader(suite).files == ()
    (warning,) = suite.warnings
    assert warning.endswith(
        'run: names "../shared/check.py", which has no place in the workspace; write it relative to the eval\'s folder'
    )


def test_what_the_workspace_provides_stays_the_agents(tmp_path: Path) -> None:
    suite = load(tmp_path, "node fixtures/app.js && bash graders/check.sh", task="  workspace: [fixtures]\n")
    assert brought(suite) == {"graders": "graders"}
    assert suite.warnings == ()


def test_a_folder_that_holds_the_agents_work_is_not_brought_whole(tmp_path: Path) -> None:
    suite = load(tmp_path, "bash graders/check.sh", task="  workspace: [{src: top.py, dest: graders/data.py}]\n")
    assert brought(suite) == {"graders/check.sh": "graders/check.sh"}
    (warning,) = suite.warnings
    assert warning.endswith(
        'run: names "graders/check.sh"; only that goes along, because the workspace has "graders/data.py" in its folder'
    )


def test_an_absolute_destination_is_no_part_of_the_workspace(tmp_path: Path) -> None:
    suite = load(tmp_path, "bash graders/check.sh", task="  workspace: [{src: top.py, dest: /graders/check.sh}]\n")
    assert brought(suite) == {"graders": "graders"}


def test_listed_files_get_the_place_that_is_written(tmp_path: Path) -> None:
    suite = load(tmp_path, "bash graders/check.sh", keys="    files: [./d/, fixtures/app.js]\n")
    assert brought(suite) == {"graders": "graders", "d": "d", "fixtures/app.js": "fixtures/app.js"}
    assert {tmp_path / "d", tmp_path / "fixtures/app.js"} <= suite.own_files


def test_a_task_in_its_own_folder_finds_its_grader_there_and_shared_ones_at_the_root(tmp_path: Path) -> None:
    run = "bash graders/own.sh && bash graders/check.sh"
    task = f"name: a\ninstruction: do it\ngraders: [{{type: deterministic, run: {run}}}]\n"
    suite = "tasks: [{$import: evals/a.yaml}]"
    write(tmp_path, {**FILES, "evals/a.yaml": task, "evals/graders/own.sh": "", "eval.yaml": suite})
    assert brought(load_suite(tmp_path)) == {"graders": "evals/graders", "graders/check.sh": "graders/check.sh"}


def test_of_a_folder_of_the_skill_only_the_named_file_is_the_evals(tmp_path: Path) -> None:
    skill = {"SKILL.md": "# S", "scripts/check.py": "", "scripts/tool.py": ""}
    suite = load(tmp_path, "python scripts/check.py && bash tests/run.sh", extra={**skill, "tests/run.sh": ""})
    assert brought(suite) == {"scripts": "scripts", "tests": "tests"}
    assert suite.own_files == {tmp_path / name for name in ("eval.yaml", "scripts/check.py", "tests")}


def test_a_folder_that_holds_the_skill_is_not_the_evals_as_a_whole(tmp_path: Path) -> None:
    suite = load(tmp_path, "bash skills/s/check.sh", extra={"skills/s/SKILL.md": "# S", "skills/s/check.sh": ""})
    assert brought(suite) == {"skills": "skills"}
    assert suite.own_files == {tmp_path / "eval.yaml", tmp_path / "skills/s/check.sh"}


def test_a_grader_folder_with_a_link_out_is_refused(tmp_path: Path) -> None:
    write(tmp_path, {"eval/graders/check.sh": "", "secret": ""})
    (tmp_path / "eval/graders/link").symlink_to("../../secret")
    graders = "graders: [{type: deterministic, run: bash graders/check.sh}]"
    (problem,) = problems(tmp_path / "eval", f"tasks: [{{name: a, instruction: do it, {graders}}}]")
    assert f'run: names "graders", but link in it lies outside {tmp_path}/eval' in problem


def test_the_script_that_decides_is_the_evals_also_where_the_agent_was_given_it(tmp_path: Path) -> None:
    suite = load(tmp_path, "bash tests/check.sh", task="  workspace: [tests]\n", extra={"tests/check.sh": ""})
    assert brought(suite) == {"tests/check.sh": "tests/check.sh"}
    (warning,) = suite.warnings
    assert 'names "tests/check.sh", which the workspace gives to the agent; the eval\'s own is put back' in warning


@pytest.mark.parametrize(
    ("run", "task"),
    [
        ("node fixtures/app.js | grep -q ok && echo '{}'", "  workspace: [fixtures]\n"),
        ("node fixtures/app.js", "  workspace: [{src: d/e.f, dest: fixtures/app.js}]\n"),
        ("diff fixtures/app.js fixtures/app.js", "  workspace: [fixtures]\n"),
    ],
)
def test_other_files_that_the_agent_was_given_stay_its_work(tmp_path: Path, run: str, task: str) -> None:
    assert brought(load(tmp_path, run, task=task)) == {}


@pytest.mark.parametrize(
    ("run", "task"),
    [
        ("python3 top.py", ""),
        ("set -e\npython3 -u top.py\n", ""),
        ("python3 d/x.py", "  workspace: [{src: top.py, dest: d/data}]\n"),
    ],
)
def test_a_script_that_runs_beside_the_agents_files_is_a_warning(tmp_path: Path, run: str, task: str) -> None:
    suite = load(tmp_path, run, task=task, extra={"d/x.py": ""})
    assert "could load modules that the agent puts beside it; keep it in a folder of its own" in suite.warnings[-1]


@pytest.mark.parametrize("run", ["python3 -I top.py", "./top.py", "bash graders/check.sh", "python3 d/x.py"])
def test_a_script_that_runs_where_the_agent_cannot_plant_anything_is_fine(tmp_path: Path, run: str) -> None:
    assert load(tmp_path, run, extra={"d/x.py": ""}).warnings == ()
