"""The steps of one attempt: open, let the agent work turn by turn, grade in the workspace, close, grade the record."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from skillgrade.agents import AGENTS
from skillgrade.engine.acting import Acting
from skillgrade.engine.collecting import Collector, Start
from skillgrade.engine.env_file import effective_variables
from skillgrade.engine.host_paths import without_host_paths
from skillgrade.engine.record_grading import RecordGrading, not_reached, spared, turn_of
from skillgrade.engine.spec import TrialSpec
from skillgrade.engine.workspace_grading import WorkspaceGrading
from skillgrade.engine.workspaces import Workspaces, workspace_files
from skillgrade.errors import Stage
from skillgrade.graders import RECORD_GRADERS, WORKSPACE_GRADERS
from skillgrade.graders.verdict import TrialVerdict, turn_failed, weigh
from skillgrade.judges.base import Judging
from skillgrade.results.evidence import Call, Evidence, output_digest, prompt_digest, turn_folder
from skillgrade.results.folder import RunFolder
from skillgrade.results.records import AgentRun, GraderResult, Trigger
from skillgrade.results.redaction import Redactor
from skillgrade.stop import Stop
from skillgrade.storage import storing
from skillgrade.suite.model import GraderSpec, Turn
from skillgrade.transcript.events import Usage
from skillgrade.transcript.usage import total_usage
from skillgrade.workspace.base import Workspace


class Attempt:
    """One attempt while it goes on.

    Attributes:
        stage: What it is at.
        notes: What the reader of the record should know.

    All of them hold what is known at any moment, so they outlast whatever ends the attempt.
    """

    def __init__(
        self,
        spec: TrialSpec,
        workspaces: Workspaces,
        judging: Judging,
        env_file: Mapping[str, str],
        redactor: Redactor,
        stop: Stop,
    ) -> None:
        self.stage = Stage.SETUP
        self.notes: list[str] = []
        self._results: dict[int, GraderResult] = {}
        self._kept: list[Evidence] = []
        self._spec = spec
        self._task = spec.task
        self._workspaces = workspaces
        self._judging = judging
        self._env_file = env_file
        self._redactor = redactor
        self._stop = stop
        self._run = RunFolder(spec.run_folder)
        self._folder = self._run.attempt_folder(spec.task.name, spec.trial, spec.attempt)
        self._acting = Acting(spec, AGENTS[spec.agent], judging, env_file, redactor, self.notes, stop)
        start = Start(workspace_files(spec), spec.skills)
        self._collector = Collector(self._run.run_id, start, redactor)

    @property
    def agent_run(self) -> AgentRun | None:
        """How the agent ended, once it did."""
        return self._acting.agent_run

    @property
    def usage(self) -> Usage | None:
        """What the agent's model used, as far as the agent says."""
        return total_usage([turn.summary for turn in self._acting.observed])

    @property
    def triggers(self) -> tuple[Trigger, ...]:
        """What was observed of each skill so far."""
        return self._acting.triggers

    @property
    def prompt_digest(self) -> str | None:
        """What names all that the agent was told; None before anything was kept of it."""
        return prompt_digest(kept.instruction for kept in self._kept) if self._kept else None

    @property
    def output_digest(self) -> str | None:
        """What names its last answer; None before that."""
        return output_digest(self._kept[-1].answer or "") if self._kept else None

    @property
    def grader_results(self) -> tuple[GraderResult, ...]:
        """What graders said so far, in the order of the graders."""
        return tuple(self._results[index] for index in sorted(self._results))

    def files(self) -> dict[str, str]:
        """What it has left in its folder: by name there, the path relative to the run's folder."""
        return {
            path.relative_to(self._folder).as_posix(): path.relative_to(self._run.path).as_posix()
            for path in sorted(_left_in(self._folder))
        }

    def run(self) -> TrialVerdict:
        """Take every step.

        Raises:
            InfrastructureError: Something that is not the agent's doing went wrong.
            StorageError: Output could not be written.
            Cancelled: The stop came.
        """
        turns = self._task.each_turn
        with self._open() as workspace:
            for number, turn in enumerate(turns):
                self._take_turn(workspace, number, turn)
                if number + 1 < len(turns) and (reason := self._ending_after(number)):
                    self._skip_turns_after(number, reason)
                    break
        if self._spec.act:
            self.stage = Stage.JUDGE
            self._grade_record()
        return weigh(self.grader_results, self._task.pass_threshold, self._timed_out)

    @contextmanager
    def _open(self) -> Iterator[Workspace]:
        workspace = self._workspaces.open(self._spec, self._stop)
        try:
            yield workspace
        finally:
            self.notes += self._workspaces.dispose(workspace)

    @property
    def _timed_out(self) -> bool:
        return self.agent_run is not None and self.agent_run.timed_out

    def _folder_of(self, turn: int) -> Path:
        """Where a turn leaves what it leaves."""
        return turn_folder(self._folder, turn) if self._task.turns else self._folder

    def _take_turn(self, workspace: Workspace, number: int, turn: Turn) -> None:
        folder = self._folder_of(number)
        if folder != self._folder:
            with storing(folder):
                folder.mkdir()
        if self._spec.act:
            self.stage = Stage.AGENT
            self._acting.take_turn(workspace, number, turn, folder)
        self.stage = Stage.COLLECT
        workspace.end_processes()
        specs = self._task.graders_after(number)
        if self._spec.act and not self._timed_out:
            said = self._said(workspace, number, turn)
            self._kept.append(said)
            self.notes += self._collector.collect(workspace, specs, said, folder, self._stop)
        self.stage = Stage.GRADE
        self._grade_workspace(workspace, number, specs, folder)

    def _said(self, workspace: Workspace, number: int, turn: Turn) -> Evidence:
        """What is kept of a turn whatever the workspace holds."""
        usage, agent_run, calls = self.usage, self.agent_run, self._acting.calls
        return Evidence(
            turn=number,
            instruction=self._redactor.text(turn.instruction),
            transcript=without_host_paths(self._acting.conversation.text(), workspace),
            triggers=self.triggers,
            answer=without_host_paths(self._acting.answer, workspace),
            calls=None if calls is None else tuple(_without_host_paths(call, workspace) for call in calls),
            tokens=usage.tokens if usage else None,
            cost_usd=usage.cost_usd if usage else None,
            agent_ms=agent_run.duration_ms if agent_run else None,
        )

    def _grade_workspace(self, workspace: Workspace, number: int, specs: tuple[GraderSpec, ...], folder: Path) -> None:
        """Run the workspace graders of a turn; after the last one in the trial's own workspace, else in a copy."""
        graders = tuple(spec for spec in specs if spec.type in WORKSPACE_GRADERS)
        grading = WorkspaceGrading(self._spec, self._env_file, self._redactor, self.notes, self._stop)
        is_last = number + 1 == len(self._task.each_turn)
        place = grading.last_place(workspace) if is_last else grading.copied_place(workspace, bool(graders))
        with place as grading_place:
            for result in grading.grade(grading_place, number, graders, self._acting.conversation, folder):
                self._results[result.grader] = result

    def _ending_after(self, number: int) -> str:
        """Why no further turn is taken; empty when one is."""
        if self._timed_out:
            return "the agent ran into its deadline"
        if self._task.on_turn_failure != "stop" or not self._spec.act:
            return ""
        if self.agent_run is not None and self.agent_run.exit_code != 0:
            return f"the agent ended with exit code {self.agent_run.exit_code} (on_turn_failure: stop)"
        results = [result for result in self._results.values() if result.turn == number]
        if turn_failed(results, self._task.pass_threshold):
            return "its graders did not pass (on_turn_failure: stop)"
        return ""

    def _skip_turns_after(self, number: int, reason: str) -> None:
        """Give what was not reached its 0."""
        for spec in self._task.graders:
            turn = turn_of(spec, self._task)
            if turn > number:
                why = f"the conversation ended after turn {number}: {reason}"
                self._results[spec.index] = not_reached(spec, turn, why)

    def _grade_record(self) -> None:
        variables = effective_variables(self._env_file, os.environ)
        grading = RecordGrading(self._task, self._spec.trial, self._folder, variables, self._redactor, self._judging)
        for spec in self._task.graders:
            if spec.type not in RECORD_GRADERS or spec.index in self._results:
                continue
            turn = turn_of(spec, self._task)
            if self._timed_out:
                self._results[spec.index] = spared(spec, turn)
                continue
            self._results[spec.index] = grading.grade(spec, self._results.values(), self._folder_of(turn), self._stop)


def _without_host_paths(call: Call, workspace: Workspace) -> Call:
    args = json.loads(without_host_paths(json.dumps(call.args, ensure_ascii=False), workspace))
    return replace(call, args=args)


def _left_in(folder: Path) -> Iterator[Path]:
    """The files of an attempt; of a workspace that was kept for people, the folder."""
    for path in folder.iterdir():
        if path.is_dir() and path.name.startswith("turn-"):
            yield from _left_in(path)
        else:
            yield path
