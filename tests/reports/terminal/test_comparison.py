from __future__ import annotations

from typing import Any

from skillgrade.reports.terminal.comparison import print_comparison
from skillgrade.results.comparison import (
    ArmNumbers,
    ComparedRun,
    Comparison,
    TaskComparison,
    compare_task,
    compare_totals,
)
from tests.support.terminals import plain_console, written

RUN = ComparedRun("20261130-142233-5f1c", ("lint (sha256:5k111)",), ("codex 0.171.0",), ("small",), ("docker",))


def arm(passed: int, graded: int, **fields: Any) -> ArmNumbers:
    rate = passed / graded if graded else None
    return ArmNumbers(
        **{"planned": graded, "mean_reward": rate, **fields}, graded=graded, passed=passed, pass_rate=rate
    )


def printed(*tasks: TaskComparison, after: ComparedRun = RUN, differs: tuple[str, ...] = ()) -> list[str]:
    console = plain_console()
    print_comparison(console, Comparison(RUN, after, differs, compare_totals(tasks), tasks), "old", "new")
    return [line.strip() for line in written(console).splitlines()]


def test_the_head_says_what_is_compared() -> None:
    after = ComparedRun("x", (), ("codex 0.171.0",), ("large",), ("docker",))
    lines = printed(compare_task("a", arm(1, 2), arm(2, 2)), after=after, differs=("skills", "models"))
    assert lines[1] == "old → new: skills lint (sha256:5k111) → none · models small → large"
    assert printed()[1] == "old → new: the same skills, agents, models and providers; what differs is luck"


def test_too_many_trials_for_the_test_are_decided_by_the_interval() -> None:
    tasks = [compare_task(f"t{i}", arm(50, 100), arm(70 + i, 100)) for i in range(12)]
    assert "better on these tasks (by the interval)" in printed(*tasks)


def test_a_single_task_has_no_row_of_totals_and_no_interval() -> None:
    lines = printed(compare_task("a", arm(2, 5), arm(5, 5)))
    assert not any(line.startswith("all 1 tasks") for line in lines)
    assert "pass rate +60.0 pp, mean reward +60.0 pp" in lines
    assert (
        "not enough trials to tell (exact test, p = 0.17): 4 more per task and arm would show a difference of this "
        "size, if it is real, with a chance of 80%"
    ) in lines


def test_trials_without_a_verdict_are_shown_with_the_count() -> None:
    lines = printed(
        compare_task("a", arm(3, 4, planned=5), arm(4, 4)), compare_task("b", arm(0, 0, planned=2), arm(2, 2))
    )
    assert any("3 of 4 (5 planned)" in line for line in lines)
    assert "old: 3 of 7 trials have no verdict and are left out" in lines
    assert "only 1 of 2 tasks have graded trials in both arms" in lines


def test_costs_are_said_as_far_as_they_are_known() -> None:
    before = arm(1, 1, tokens={"input": 1000, "output": 200}, cost_usd=0.0125, duration_ms=12_000)
    lines = printed(compare_task("a", before, arm(1, 1, duration_ms=9000)))
    assert "the agent, mean of a graded trial: old 12 s, 1200 tokens, $0.0125; new 9.0 s" in lines


def test_names_from_files_are_printed_as_they_are_but_cannot_steer_the_terminal() -> None:
    task = compare_task("[red]a\x1b[2J", arm(2, 2), arm(1, 2), passes_anyway=("deterministic 0: [bold]x\x1b",))
    text = "\n".join(printed(task))
    assert "[red]a\ufffd[2J" in text
    assert "[bold]x\ufffd" in text
    assert "\x1b" not in text
