from __future__ import annotations

from pathlib import Path

from skillgrade.agents.solution import SolutionAgent
from skillgrade.workspace.base import Place, StagedFile
from tests.support.tasks import make_task

AGENT = SolutionAgent()


def test_a_solution_in_a_folder_of_its_own_brings_its_neighbours() -> None:
    task = make_task(file=Path("/eval/eval.yaml"), solution=Path("/eval/solutions/one/solve.sh"))
    assert AGENT.files(task) == (StagedFile("solution-0", Place.CONTROL, src=Path("/eval/solutions/one")),)


def test_a_solution_beside_the_suite_comes_alone() -> None:
    alone = (StagedFile("solution-0/solve.sh", Place.CONTROL, src=Path("/eval/solve.sh")),)
    assert AGENT.files(make_task(file=Path("/eval/eval.yaml"), solution=Path("/eval/solve.sh"))) == alone
    assert AGENT.files(make_task(file=Path("/eval/evals/hard/one.yaml"), solution=Path("/eval/solve.sh"))) == alone


def test_without_a_solution_it_cannot_work() -> None:
    assert AGENT.problem(make_task(), {}) == "it has no `solution`"
    assert AGENT.files(make_task()) == ()


def test_a_solution_that_nothing_says_how_to_run_is_a_problem(tmp_path: Path) -> None:
    (tmp_path / "solve.xyz").write_text("x")
    assert "nothing says how to run" in str(AGENT.problem(make_task(solution=tmp_path / "solve.xyz"), {}))
    (tmp_path / "solve.sh").write_text("x")
    assert AGENT.problem(make_task(solution=tmp_path / "solve.sh"), {}) is None
