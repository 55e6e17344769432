"""Workspaces ahead and behind, with a provider whose every step waits for the test."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import cast

import pytest

from skillgrade.engine.pipeline import Pipeline
from skillgrade.engine.spec import TrialSpec
from skillgrade.errors import Cancelled, ProviderError
from skillgrade.stop import Stop
from skillgrade.workspace import PROVIDERS, provider_named
from skillgrade.workspace.base import Prepared, Provider, Workspace, WorkspaceSpec
from tests.support.tasks import make_task

PATIENCE = 30


class GatedWorkspace:
    """Its removal waits for the gate and may leave a note."""

    def __init__(self, trial: str, provider: Gated) -> None:
        self.trial = trial
        self.notes: list[str] = []
        self._provider = provider

    def close(self) -> None:
        self._provider.closing.release()
        assert self._provider.may_close.wait(PATIENCE)
        self._provider.closed.append((self.trial, threading.current_thread().name))
        self.notes.extend(self._provider.leaves)


class Gated:
    """Makes workspaces once the gate is open."""

    def __init__(self) -> None:
        self.may_open = threading.Event()
        self.may_close = threading.Event()
        self.opening = threading.Semaphore(0)
        self.closing = threading.Semaphore(0)
        self.opened: list[tuple[str, str]] = []
        self.closed: list[tuple[str, str]] = []
        self.leaves: list[str] = []
        self.broken: set[str] = set()

    def open(self, spec: WorkspaceSpec, stop: Stop) -> Workspace:
        self.opened.append((spec.trial, threading.current_thread().name))
        self.opening.release()
        with stop.waking(self.may_open.set):
            assert self.may_open.wait(PATIENCE)
        stop.check()
        if spec.trial in self.broken:
            raise ProviderError("no container to be had")
        return cast(Workspace, GatedWorkspace(spec.trial, self))


@pytest.fixture
def provider(monkeypatch: pytest.MonkeyPatch) -> Iterator[Gated]:
    made = Gated()
    monkeypatch.setitem(PROVIDERS, "gated", lambda: cast(Provider, made))
    provider_named.cache_clear()
    yield made
    provider_named.cache_clear()


@pytest.fixture
def pipeline(provider: Gated) -> Iterator[Pipeline]:
    made = Pipeline(slots=1)
    yield made
    provider.may_open.set()
    provider.may_close.set()
    made.close()


def spec(trial: int) -> TrialSpec:
    return TrialSpec(
        make_task(), trial, 0, "command", "gated", Prepared("gated"), (), None, frozenset(), Path("/run-1")
    )


def test_an_attempt_gets_what_was_made_ahead_of_it(pipeline: Pipeline, provider: Gated) -> None:
    provider.may_open.set()
    stop = Stop()
    pipeline.expect(spec(1), stop)
    assert provider.opening.acquire(timeout=PATIENCE)
    first, second = pipeline.open(spec(0), stop), pipeline.open(spec(1), stop)
    assert [cast(GatedWorkspace, workspace).trial for workspace in (first, second)] == ["task 0.0", "task 1.0"]
    assert sorted(trial for trial, _ in provider.opened) == ["task 0.0", "task 1.0"]
    assert next(thread for trial, thread in provider.opened if trial == "task 1.0").startswith("skillgrade-ahead")


def test_one_at_a_time_is_made_ahead_and_an_attempt_whose_turn_has_not_come_makes_its_own(
    pipeline: Pipeline, provider: Gated
) -> None:
    stop = Stop()
    pipeline.expect(spec(0), stop)
    pipeline.expect(spec(1), stop)
    assert provider.opening.acquire(timeout=PATIENCE)
    with ThreadPoolExecutor(1, thread_name_prefix="trial") as trial:
        opened = trial.submit(pipeline.open, spec(1), stop)
        assert provider.opening.acquire(timeout=PATIENCE)
        assert [name.partition("_")[0] for _, name in provider.opened] == ["skillgrade-ahead", "trial"]
        provider.may_open.set()
        assert cast(GatedWorkspace, opened.result(PATIENCE)).trial == "task 1.0"


def test_what_goes_wrong_ahead_is_the_error_of_its_attempt_and_of_no_other(pipeline: Pipeline, provider: Gated) -> None:
    provider.broken.add("task 0.0")
    provider.may_open.set()
    stop = Stop()
    pipeline.expect(spec(0), stop)
    assert provider.opening.acquire(timeout=PATIENCE)
    pipeline.expect(spec(1), stop)
    with pytest.raises(ProviderError, match="no container to be had"):
        pipeline.open(spec(0), stop)
    assert cast(GatedWorkspace, pipeline.open(spec(1), stop)).trial == "task 1.0"


def test_a_stop_ends_what_is_being_made_ahead(pipeline: Pipeline, provider: Gated) -> None:
    stop = Stop()
    pipeline.expect(spec(0), stop)
    assert provider.opening.acquire(timeout=PATIENCE)
    stop.set()
    with pytest.raises(Cancelled):
        pipeline.open(spec(0), stop)
    pipeline.expect(spec(1), stop)
    assert pipeline.close() == ()
    assert provider.closed == []


def test_what_nobody_came_for_is_removed_at_the_end(pipeline: Pipeline, provider: Gated) -> None:
    provider.may_open.set()
    provider.may_close.set()
    pipeline.expect(spec(0), Stop())
    assert provider.opening.acquire(timeout=PATIENCE)
    pipeline.close()
    assert [trial for trial, _ in provider.closed] == ["task 0.0"]


def test_removal_is_behind_and_bounded_and_what_it_leaves_is_told_at_the_end(
    pipeline: Pipeline, provider: Gated
) -> None:
    provider.may_open.set()
    provider.leaves.append("the container could not be removed")
    first, second = (pipeline.open(spec(number), Stop()) for number in range(2))
    assert pipeline.dispose(first) == ()  # though it cannot be removed yet
    with ThreadPoolExecutor(1, thread_name_prefix="trial") as trial:
        disposed = trial.submit(pipeline.dispose, second)
        assert provider.closing.acquire(timeout=PATIENCE)
        assert provider.closing.acquire(timeout=PATIENCE)  # both at once: the second attempt removes its own
        provider.may_close.set()
        assert disposed.result(PATIENCE) == ["the container could not be removed"]
    assert pipeline.close() == ("the container could not be removed",)
    threads = {trial: thread.partition("_")[0] for trial, thread in provider.closed}
    assert threads == {"task 0.0": "skillgrade-behind", "task 1.0": "trial"}
