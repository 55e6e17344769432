from __future__ import annotations

from skillgrade.checks.gate import Decision, GateResult, TaskGate
from skillgrade.reports.terminal.gate import print_gate
from tests.support.terminals import plain_console, written


def test_each_task_has_its_verdict_and_the_gate_its_own() -> None:
    console = plain_console()
    good = TaskGate("good", 0.8, Decision.PASSES_WEAKLY, "mean reward 0.9 reaches 0.8")
    bad = TaskGate("bad\x1b[2J", 0.8, Decision.FAILS, "mean reward 0.1 is below the threshold 0.8")
    print_gate(console, GateResult((good, bad)))
    assert written(console).splitlines() == [
        "",
        "passes weakly  good: mean reward 0.9 reaches 0.8",
        "fails          bad\ufffd[2J: mean reward 0.1 is below the threshold 0.8",
        "gate not passed",
    ]


def test_a_gate_that_passes_says_so() -> None:
    console = plain_console()
    print_gate(console, GateResult((TaskGate("good", 0.8, Decision.PASSES, "fine"),)))
    assert written(console).splitlines()[-1] == "gate passed"
