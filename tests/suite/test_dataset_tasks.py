"""Dataset tasks as a suite has them: one task per row, and every fault with its place."""

from __future__ import annotations

import copy
import dataclasses
import pickle
from pathlib import Path
from typing import Any

import pytest

from skillgrade.errors import SuiteError
from skillgrade.skill.contents import skill_contents
from skillgrade.suite.load import load_suite
from skillgrade.suite.model import Suite, Task, WorkspaceFile
from skillgrade.suite.selection import Selection, select
from tests.support.suites import write

GRADERS = "graders: [{type: deterministic, run: 'true'}]"
ROWS = "country,capital,tier\nFrance,Paris,easy\nPeru,Lima,hard\nMali,Bamako,easy\n"
CAPITAL = f"""
tasks:
- name: capital
  dataset: rows.csv
  instruction: What is the capital of {{{{ row.country }}}}?
  metadata: {{tier: "{{{{ row.tier }}}}", fixed: 1}}
  {GRADERS}
"""


def load(root: Path, text: str, **files: str) -> Suite:
    write(root, {"eval.yaml": text, "rows.csv": ROWS, **{name.replace("__", "/"): it for name, it in files.items()}})
    return load_suite(root)


def tasks(root: Path, text: str, **files: str) -> tuple[Task, ...]:
    return load(root, text, **files).tasks


def faults(root: Path, text: str, **files: str) -> list[str]:
    with pytest.raises(SuiteError) as caught:
        load(root, text, **files)
    return [f"{Path(str(one.file)).name}:{one.line}: {one.message}" for one in caught.value.problems]


def test_each_row_becomes_a_task(tmp_path: Path) -> None:
    found = tasks(tmp_path, CAPITAL)
    assert [task.name for task in found] == ["capital-1", "capital-2", "capital-3"]
    assert [task.instruction for task in found] == [
        f"What is the capital of {country}?" for country in ("France", "Peru", "Mali")
    ]
    assert found[0].expected == {"country": "France", "capital": "Paris", "tier": "easy"}
    assert [task.metadata for task in found] == [{"tier": tier, "fixed": 1} for tier in ("easy", "hard", "easy")]
    assert {task.dataset for task in found} == {"capital"}
    assert found[0].graders is found[2].graders


def test_names_and_expected_may_be_templates(tmp_path: Path) -> None:
    (task,) = tasks(
        tmp_path,
        f"""
tasks:
- name: 'c-{{{{ row.country | lower }}}}'
  dataset: [{{country: Peru, answers: [Lima, 3]}}]
  instruction: Which city?
  expected: {{all: '{{{{ row.answers }}}}', first: 'is {{{{ row.answers[0] }}}}', deep: [x, '{{{{ row.country }}}}']}}
  {GRADERS}
""",
    )
    assert task.name == "c-peru"
    assert task.expected == {"all": ["Lima", 3], "first": "is Lima", "deep": ["x", "Peru"]}


def test_files_may_differ_by_row(tmp_path: Path) -> None:
    found = _with_files(tmp_path)
    assert [task.instruction for task in found] == ["Do one.", "Do two."]
    assert found[1].workspace == (
        WorkspaceFile(tmp_path / "in" / "two.txt", "two.txt"),
        WorkspaceFile(tmp_path / "same.txt", "to/two"),
    )
    assert [task.solution for task in found] == [tmp_path / "solve" / f"{n}.sh" for n in ("one", "two")]


def _with_files(root: Path) -> tuple[Task, ...]:
    text = f"""
tasks:
- name: a
  dataset: [{{n: one}}, {{n: two}}]
  instruction: prompts/{{{{ row.n }}}}.md
  workspace: ['in/{{{{ row.n }}}}.txt', {{src: same.txt, dest: 'to/{{{{ row.n }}}}'}}]
  solution: solve/{{{{ row.n }}}}.sh
  {GRADERS}
"""
    places = (("prompts", "md"), ("in", "txt"), ("solve", "sh"))
    files = {f"{folder}/{n}.{end}": f"Do {n}." for folder, end in places for n in ("one", "two")}
    write(root, {"eval.yaml": text, "same.txt": "", **files})
    return load_suite(root).tasks


def test_a_part_of_the_rows_can_be_asked_for(tmp_path: Path) -> None:
    where = CAPITAL.replace("dataset: rows.csv", "dataset: {path: rows.csv, where: row.tier == 'easy'}")
    assert [task.name for task in tasks(tmp_path, where)] == ["capital-1", "capital-3"]
    some = CAPITAL.replace("dataset: rows.csv", "dataset: {path: rows.csv, sample: 2, seed: 3, stratify: tier}")
    assert len(tasks(tmp_path, some)) == 2


def test_turns_may_be_templates(tmp_path: Path) -> None:
    text = f"""
tasks:
- name: a
  dataset: rows.csv
  turns: [{{instruction: 'Where is {{{{ row.capital }}}}?'}}, {{instruction: Thank you.}}]
  {GRADERS}
"""
    task = tasks(tmp_path, text)[1]
    assert [turn.instruction for turn in task.turns] == ["Where is Lima?", "Thank you."]
    assert task.instruction == "Where is Lima?"


def test_rows_are_selected_by_both_names_and_by_their_metadata(tmp_path: Path) -> None:
    suite = load(tmp_path, CAPITAL + f"- {{name: other, instruction: x y, {GRADERS}}}\n")

    def names(**selection: Any) -> list[str]:
        return [task.name for task in select(suite, Selection(**selection)).tasks]

    assert names(names=("capital",)) == ["capital-1", "capital-2", "capital-3"]
    assert names(names=("capital-2",)) == ["capital-2"]
    assert names(filters=("tier=hard",)) == ["capital-2"]


def test_the_file_of_the_rows_is_the_eval_s_own_and_counts_in_the_digest(tmp_path: Path) -> None:
    before = load(tmp_path, CAPITAL)
    assert tmp_path / "rows.csv" in before.own_files
    after = load(tmp_path, CAPITAL, **{"rows.csv": ROWS.replace("Lima", "Cusco")})
    assert before.digest != after.digest


def test_the_rows_do_not_reach_the_agent_with_the_skill(tmp_path: Path) -> None:
    skill = "---\nname: atlas\ndescription: Knows capitals.\n---\n"
    files = {"SKILL.md": skill, "data__list.csv": ROWS, "data__help.csv": "a\n1\n"}
    suite = load(tmp_path, CAPITAL.replace("rows.csv", "data/list.csv"), **files)
    (found,) = suite.skills
    sent = {str(entry.path) for entry in skill_contents(found.folder, suite.own_files).entries}
    assert "data/help.csv" in sent
    assert "data/list.csv" not in sent


COLUMNS = 'there are "country", "capital", "tier"'
FILE = "dataset: rows.csv"


@pytest.mark.parametrize(
    ("change", "rows", "fault"),
    [
        (
            ("row.country", "row.land"),
            ROWS,
            f'eval.yaml:5: "What is the capital of {{{{ row.land }}}}?": there is no column "land"; {COLUMNS}',
        ),
        (("rows.csv", "gone.csv"), ROWS, 'eval.yaml:4: "gone.csv" does not exist'),
        (
            (FILE, "dataset: {path: rows.csv, where: row.tier == 'x'}"),
            ROWS,
            "eval.yaml:4: no row is left",
        ),
        (
            (FILE, "dataset: {path: rows.csv, sample: 1, stratify: x}"),
            ROWS,
            f'eval.yaml:4: there is no column "x"; {COLUMNS}',
        ),
        (
            ("name: capital", "name: 'c-{{ row.tier }}'"),
            ROWS,
            'rows.csv:4: row 3 gives the name "c-easy", which row 1 (line 2) has already',
        ),
        (
            (FILE, "dataset: {path: rows.csv, where: row.tier > 3}"),
            ROWS,
            "rows.csv:2: row 1: \"row.tier > 3\": '>' not supported between instances of 'str' and 'int'",
        ),
        (
            ("What is the capital of {{ row.country }}?", "'{{ row.country | trim }}'"),
            'country,tier\nPeru,x\n" ",y\n',
            "rows.csv:3: row 2: the instruction is blank",
        ),
        (
            ("metadata:", "expected: ['{{ row.tier }}', '{{ row.tier | upper }}', '{{ row.tier }}']\n  metadata:"),
            f"country,tier\nPeru,{'y' * 50_000}\n",
            "rows.csv:2: row 1: `expected` and `metadata` make SKILLGRADE_INPUT",
        ),
        ((FILE, FILE), "country,tier\nFrance,easy,more\n", "rows.csv:2: row 1 does not fit the header: 3 of 2 cells"),
        (
            (FILE, FILE),
            f"country,tier\nPeru,{'y' * 140_000}\n",
            "rows.csv:2: row 1: `expected` and `metadata` make SKILLGRADE_INPUT",
        ),
    ],
)
def test_what_is_wrong_is_said_with_its_place(tmp_path: Path, change: tuple[str, str], rows: str, fault: str) -> None:
    found = faults(tmp_path, CAPITAL.replace(*change), **{"rows.csv": rows})
    assert any(line.startswith(fault) for line in found), found


def test_only_the_first_row_whose_file_is_missing_is_reported(tmp_path: Path) -> None:
    text = CAPITAL.replace("metadata:", "solution: 'solve/{{ row.country }}.sh'\n  metadata:")
    assert faults(tmp_path, text) == ['eval.yaml:6: "solve/France.sh" does not exist']


def test_a_wrong_template_of_a_turn_is_said_where_it_stands(tmp_path: Path) -> None:
    text = f"""
tasks:
- name: a
  dataset: rows.csv
  turns:
  - instruction: Hello.
  - instruction: '{{{{ row.gone }}}}'
  {GRADERS}
"""
    assert faults(tmp_path, text) == [f'eval.yaml:7: "{{{{ row.gone }}}}": there is no column "gone"; {COLUMNS}']


def test_two_datasets_of_one_name_both_count_in_the_digest(tmp_path: Path) -> None:
    def digest(run: str) -> str:
        entries = "".join(
            f"- {{name: '{{{{ row.n }}}}', dataset: [{{n: {n}}}], instruction: a b, "
            f"graders: [{{type: deterministic, run: {command}}}]}}\n"
            for n, command in (("x", "'true'"), ("y", run))
        )
        return load(tmp_path, f"tasks:\n{entries}").digest

    assert digest("echo 1") != digest("echo 2")


def test_a_row_s_task_behaves_like_any_other(tmp_path: Path) -> None:
    first, *_ = tasks(tmp_path, CAPITAL)
    changed = dataclasses.replace(first, trials=9)
    assert (changed.trials, changed.name, changed.graders) == (9, "capital-1", first.graders)
    assert pickle.loads(pickle.dumps(first)) == first == copy.copy(first)
    with pytest.raises(AttributeError):
        first.name = "x"  # type: ignore[misc]  # what must not be possible
    with pytest.raises(AttributeError):
        _ = first.nothing  # type: ignore[attr-defined]  # what must not be there


@pytest.mark.parametrize(
    ("dataset", "fault"),
    [
        ("[]", "eval.yaml:4: must not be empty"),
        ("[{n: 1}, {}]", "eval.yaml:4: must not be empty"),
        ("[{n: 1}, 2]", "eval.yaml:4: must be a mapping, not 2"),
        ("{path: rows.csv, sample: 0}", "eval.yaml:4: must be at least 1, not 0"),
        ("{path: rows.csv, where: ''}", "eval.yaml:4: must not be empty"),
        ("{path: rows.csv, where: true}", "eval.yaml:4: must be text, not true"),
        ("{path: rows.csv, seed: 1}", "eval.yaml:4: `seed` has no effect without `sample`"),
        (
            "{path: rows.csv, seed: 1, stratify: tier}",
            "eval.yaml:4: `seed` and `stratify` have no effect without `sample`",
        ),
        ("{where: row.n}", 'eval.yaml:4: "path" is missing'),
    ],
)
def test_what_the_schema_refuses_is_said_once(tmp_path: Path, dataset: str, fault: str) -> None:
    assert faults(tmp_path, CAPITAL.replace(FILE, f"dataset: {dataset}")) == [fault]


@pytest.mark.parametrize(
    ("earlier", "later", "double"),
    [
        (("capital", "x"), None, "capital"),
        (("capital-2", "x"), None, "capital-2"),
        (None, ("capital", "x"), "capital"),
        (None, ("capital-3", "x"), "capital-3"),
        (("'{{ row.capital }}'", "x\n  dataset: rows.csv"), ("'{{ row.capital }}'", "y\n  dataset: rows.csv"), "Paris"),
    ],
)
def test_a_name_selects_one_thing(
    tmp_path: Path, earlier: tuple[str, str] | None, later: tuple[str, str] | None, double: str
) -> None:
    def other(keys: tuple[str, str] | None) -> str:
        return f"- name: {keys[0]}\n  instruction: {keys[1]}\n  {GRADERS}\n" if keys else ""

    tasks = CAPITAL.removeprefix("\ntasks:\n")
    (fault,) = faults(tmp_path, f"tasks:\n{other(earlier)}{tasks}{other(later)}")
    assert f'another task is called "{double}" already' in fault


def test_a_long_name_counts_in_what_graders_are_told(tmp_path: Path) -> None:
    text = CAPITAL.replace("name: capital", "name: '" + "{{ row.country }}" * 20 + "'")
    (fault,) = faults(tmp_path, text, **{"rows.csv": f"country,tier\n{'y' * 7_000},easy\n"})
    assert fault.startswith("rows.csv:2: row 1: `expected` and `metadata` make SKILLGRADE_INPUT")
