from __future__ import annotations

from pathlib import Path

import pytest

from skillgrade.errors import SuiteError
from skillgrade.suite.load import load_suite
from tests.support.suites import write

SUITE = """\
tasks:
- name: a
  dataset: [{n: one, town: Lima}, {n: two, town: Oslo}]
  graders: [{type: deterministic, run: 'true'}]
"""


def faults(root: Path, task: str, **files: str) -> list[str]:
    write(root, {"eval.yaml": SUITE + task, **files})
    with pytest.raises(SuiteError) as caught:
        load_suite(root)
    return [f"{Path(str(one.file)).name}:{one.line}: {one.message}" for one in caught.value.problems]


def test_a_turn_s_instruction_may_be_a_file_of_each_row(tmp_path: Path) -> None:
    turns = "  turns: [{instruction: 'prompts/{{ row.n }}.md'}, {instruction: Thank you.}]\n"
    write(tmp_path, {"eval.yaml": SUITE + turns, "prompts/one.md": "Do one.", "prompts/two.md": "Do two."})
    found = load_suite(tmp_path).tasks
    assert [(task.instruction, task.turns[0].instruction) for task in found] == [
        ("Do one.", "Do one."),
        ("Do two.", "Do two."),
    ]


def test_a_fault_in_a_file_of_the_instruction_is_named_with_its_line(tmp_path: Path) -> None:
    (fault,) = faults(tmp_path, "  instruction: ask.md\n", **{"ask.md": "Hello.\nWhere is {{ row.twon }}?\n"})
    assert fault == (
        'ask.md:2: line 2 of the text, "Where is {{ row.twon }}?": '
        'there is no column "twon" (did you mean "town"?); there are "n", "town"'
    )


def test_statements_are_refused_also_where_nothing_else_is_a_template(tmp_path: Path) -> None:
    (fault,) = faults(tmp_path, "  instruction: '{% if row.n %}x{% endif %}'\n")
    assert fault == 'eval.yaml:5: "{% if row.n %}x{% endif %}": if is not allowed; use {{ row.column }} and filters'


def test_a_missing_file_of_a_row_is_an_error_said_once(tmp_path: Path) -> None:
    (fault,) = faults(tmp_path, "  instruction: 'prompts/{{ row.n }}.md'\n")
    assert fault == (
        'eval.yaml:5: "prompts/one.md" looks like a path, but there is no such file; a text needs a second word'
    )
