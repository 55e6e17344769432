from __future__ import annotations

from pathlib import Path

from skillgrade.reports.terminal.listing import print_tasks
from skillgrade.suite.model import GraderSpec
from tests.support.tasks import grader, make_suite, make_task
from tests.support.terminals import plain_console, written


def test_a_task_is_one_line_with_its_labels() -> None:
    console = plain_console()
    many = make_task(
        "fix\x1b[2J",
        (grader(), grader(index=1), GraderSpec("human", 2)),
        trials=5,
        metadata={"tags": ["a", 1], "x": None},
    )
    print_tasks(console, make_suite(Path("/"), many, make_task("one")))
    assert written(console).splitlines() == [
        "fix\ufffd[2J  5 trials  deterministic+human  tags=a,1 x=None",
        "one      1 trial  deterministic",
        "metadata keys: tags, x",
    ]


def test_a_suite_without_metadata_says_so() -> None:
    console = plain_console()
    print_tasks(console, make_suite(Path("/"), make_task("one")))
    assert written(console).splitlines()[-1] == "metadata keys: (none)"


def test_names_of_many_tasks_are_shown_in_one_line_each() -> None:
    console = plain_console()
    print_tasks(console, make_suite(Path("/"), make_task("a  b"), make_task("é" * 500), make_task("c")))
    first, second, third, _ = written(console).splitlines()
    assert first.startswith("a b ")
    assert second.startswith("é")
    assert "…" in second
    assert first.index("1 trial") == second.index("1 trial") == third.index("1 trial")
