"""Trials for real, in the provider that every machine has."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from skillgrade.engine.spec import TrialSpec
from skillgrade.engine.trial import run_trial
from skillgrade.judges.base import Verdicts
from skillgrade.results.folder import RunFolder, create_run_folder
from skillgrade.results.records import TrialRecord
from skillgrade.stop import Stop
from skillgrade.suite.model import AgentSpec, DockerSpec, Task
from skillgrade.workspace import provider_named
from skillgrade.workspace.base import EnvironmentSpec
from tests.support.judges import judging
from tests.support.tasks import grader, make_task


class Bench:
    """Runs single trials in a run folder of their own."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.folder: RunFolder = create_run_folder(root / "results")
        self.stop = Stop()

    def spec(self, task: Task, *, agent: str = "command", act: bool = True, trial: int = 0) -> TrialSpec:
        prepared = provider_named("local").prepare(EnvironmentSpec(DockerSpec()), self.folder.run_id, self.stop)
        return TrialSpec(
            task, trial, 0, agent, "local", prepared, (), self.env_file(), frozenset(), self.folder.path, act=act
        )

    def env_file(self) -> Path | None:
        file = self.root / ".env"
        return file if file.exists() else None

    def run(self, command: str, run: str, *, act: bool = True, trial: int = 0, **fields: Any) -> TrialRecord:
        """One trial of a `command` agent under one grader."""
        task = make_task(graders=(grader(run),), agent=AgentSpec("command", command=command), **fields)
        return self.run_spec(self.spec(task, act=act, trial=trial))

    def run_spec(self, spec: TrialSpec, verdicts: Verdicts = Verdicts.REPLAY) -> TrialRecord:
        with closing(judging(self.root, verdicts)) as session:
            return run_trial(spec, self.stop, session)

    def text(self, record: TrialRecord, name: str) -> str:
        return (self.folder.path / record.files[name]).read_text("utf-8")


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    made = Bench(tmp_path)
    yield made
    provider_named("local").end_run(made.folder.run_id)
