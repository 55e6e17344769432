"""The attempts that wait for a place."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator

from skillgrade.engine.plan import TaskPlan
from skillgrade.engine.preparation import Preparation
from skillgrade.engine.resume import Recorded
from skillgrade.engine.spec import TrialSpec
from skillgrade.errors import Stage
from skillgrade.results.records import Outcome, TrialError, TrialRecord


class Waiting:
    """Every trial of the plan that has no verdict yet, and then those to be tried again.

    Args:
        preparation: Makes the specs.
        recorded: What an earlier session of the run has done.
    """

    def __init__(self, preparation: Preparation, recorded: Recorded) -> None:
        self._preparation = preparation
        self._recorded = recorded
        self._plans = {task_plan.task.name: task_plan for task_plan in preparation.plan.tasks}
        self._trials = self._missing()
        self._again: deque[TrialSpec] = deque()

    def take(self) -> TrialSpec | None:
        """The one that waits longest; None when none waits."""
        for task_plan, trial in self._trials:
            return self._preparation.spec(task_plan, trial, self._first_attempt(task_plan.task.name, trial))
        return self._again.popleft() if self._again else None

    def put_back(self, spec: TrialSpec, record: TrialRecord) -> bool:
        """Let an errored trial wait once more, if it has a try left.

        Errors are tried again, failures never; an environment that could not be built stays unbuilt. Where only judges
        failed, which were asked more than once already, the agent's work is not thrown away: the trial can be graded
        again from its record. A session of a resumed run has all its retries again.

        Returns:
            Whether it waits.
        """
        if record.outcome is not Outcome.ERRORED or isinstance(spec.prepared, TrialError):
            return False
        if record.error is not None and record.error.stage is Stage.JUDGE:
            return False
        if spec.attempt - self._first_attempt(spec.task.name, spec.trial) >= spec.task.retries:
            return False
        self._again.append(self._preparation.spec(self._plans[spec.task.name], spec.trial, spec.attempt + 1))
        return True

    def _missing(self) -> Iterator[tuple[TaskPlan, int]]:
        for task_plan, trial in self._preparation.plan.trials():
            if (task_plan.task.name, trial) not in self._recorded.done:
                yield task_plan, trial

    def _first_attempt(self, task: str, trial: int) -> int:
        return self._recorded.attempts.get((task, trial), 0)
