from __future__ import annotations

from pathlib import Path

import pytest

from skillgrade.errors import SuiteError
from skillgrade.suite.load import load_suite
from skillgrade.suite.model import DeterministicSpec
from tests.support.suites import write

TASK = "tasks:\n- name: a\n  instruction: Do it now.\n"
CHECK = "  graders: [{type: deterministic, run: 'true'}]\n"
ROWS = "  dataset: [{n: one}]\n"
ONLY = (
    "templates are filled in only in `instruction`, `name`, `workspace`, `expected`, `metadata`, `expect_skill`, "
    "`solution`"
)
NO_ROWS = "nothing fills in this template, since the task has no `dataset`"


@pytest.mark.parametrize(
    ("keys", "fault"),
    [
        (CHECK + "  workspace: ['in/{{ row.n }}']\n", f'5:15: "in/{{{{ row.n }}}}": {NO_ROWS}'),
        (CHECK + "  workspace: [{src: 'x', dest: '{{ n }}'}]\n", f'5:32: "{{{{ n }}}}": {NO_ROWS}'),
        (CHECK + "  solution: '{{ row.n }}.sh'\n", f'5:13: "{{{{ row.n }}}}.sh": {NO_ROWS}'),
        (CHECK + "  dataset: '{{ row.n }}.csv'\n", f'5:12: "{{{{ row.n }}}}.csv": {ONLY}'),
        (CHECK + "  dataset: {path: '{{ x }}.csv'}\n", f'5:19: "{{{{ x }}}}.csv": {ONLY}'),
        (
            ROWS + "  graders: [{type: deterministic, run: 'true {{row.n}}'}]\n",
            f'5:40: "true {{{{row.n}}}}": {ONLY}; graders find the row as `expected` in SKILLGRADE_INPUT',
        ),
        (
            ROWS + "  graders: [{type: deterministic, run: 'true', files: ['{{ n }}']}]\n",
            f'5:56: "{{{{ n }}}}": {ONLY}',
        ),
    ],
)
def test_a_template_that_nothing_fills_in_is_an_error(tmp_path: Path, keys: str, fault: str) -> None:
    write(tmp_path, {"eval.yaml": TASK + keys, "x": ""})
    with pytest.raises(SuiteError) as caught:
        load_suite(tmp_path)
    assert [f"{one.line}:{one.column}: {one.message}" for one in caught.value.problems] == [fault]


def test_a_text_may_be_about_templates(tmp_path: Path) -> None:
    text = "tasks:\n- name: a\n  instruction: Show {{ row.n }} and {{ n }} in the table.\n"
    suite = load_suite(write(tmp_path, {"eval.yaml": text + CHECK}))
    assert suite.tasks[0].instruction == "Show {{ row.n }} and {{ n }} in the table."
    (warning,) = suite.warnings
    assert warning.endswith(NO_ROWS)


def test_braces_of_other_programs_stay(tmp_path: Path) -> None:
    run = "  graders: [{type: deterministic, run: \"docker ps --format '{{.Names}}' || true\"}]\n"
    (task,) = load_suite(write(tmp_path, {"eval.yaml": TASK + ROWS + run})).tasks
    (grader,) = task.graders
    assert isinstance(grader, DeterministicSpec)
    assert grader.run == "docker ps --format '{{.Names}}' || true"


def test_rows_are_data(tmp_path: Path) -> None:
    rows = "  dataset: [{n: '{{ row.n }}', path: '{{ x }}'}]\n"
    text = TASK.replace("Do it now.", "Do {{ row.n }}.") + rows + CHECK
    (task,) = load_suite(write(tmp_path, {"eval.yaml": text})).tasks
    assert (task.instruction, task.expected) == ("Do {{ row.n }}.", {"n": "{{ row.n }}", "path": "{{ x }}"})
