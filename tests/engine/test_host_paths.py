"""The same work reads the same, wherever and whenever it was done: no prompt may tell one machine from another."""

from __future__ import annotations

import dataclasses
import uuid
from pathlib import Path

import pytest

from skillgrade.engine.spec import TrialSpec
from skillgrade.engine.trial import run_trial
from skillgrade.results import evidence
from skillgrade.results.evidence import Evidence
from skillgrade.results.folder import create_run_folder
from skillgrade.stop import Stop
from skillgrade.suite.model import AgentSpec, DockerSpec, LlmRubricSpec, Task
from skillgrade.workspace import provider_named
from skillgrade.workspace.base import EnvironmentSpec
from tests.support.judges import judging
from tests.support.tasks import make_task

TELLS = """
echo "I work in $PWD, my home is $HOME, I hear from $SKILLGRADE_CONVERSATION"
echo "see $PWD/report.txt" >report.txt
ln -s "$PWD/report.txt" link
"""


def kept(root: Path, provider: str, task: Task) -> Evidence:
    """What is kept of one trial of a task."""
    folder = create_run_folder(root / uuid.uuid4().hex)
    prepared = provider_named(provider).prepare(EnvironmentSpec(DockerSpec()), folder.run_id, Stop())
    try:
        spec = TrialSpec(task, 0, 0, "command", provider, prepared, (), None, frozenset(), folder.path)
        run_trial(spec, Stop(), judging(root))
    finally:
        provider_named(provider).end_run(folder.run_id)
    (file,) = folder.path.rglob(evidence.FILE)
    return dataclasses.replace(evidence.load(file.parent), agent_ms=None)  # the one thing that is never the same


@pytest.fixture
def task() -> Task:
    rubric = LlmRubricSpec("llm_rubric", 0, rubric="Is it good?", artifacts=("report.txt",))
    one = make_task(graders=(rubric,), agent=AgentSpec("command", command=TELLS))
    return dataclasses.replace(one, turns=one.each_turn)


def test_a_trial_on_the_host_reads_like_the_next_one(tmp_path: Path, task: Task) -> None:
    first, second = (kept(tmp_path, "local", task) for _ in range(2))
    assert first == second
    assert first.artifacts == {"report.txt": "see /workspace/report.txt\n"}
    assert "+see /workspace/report.txt" in (first.diff or "")
    told = "I work in /workspace, my home is /home/agent, I hear from /run/skillgrade/conversation.txt"
    assert told in first.transcript


@pytest.mark.bubblewrap
def test_a_trial_in_a_sandbox_reads_like_one_on_the_host(tmp_path: Path, task: Task) -> None:
    assert kept(tmp_path, "bubblewrap", task) == kept(tmp_path, "local", task)


@pytest.mark.docker
def test_a_trial_in_a_container_reads_like_one_on_the_host(tmp_path: Path, task: Task) -> None:
    assert kept(tmp_path, "docker", task) == kept(tmp_path, "local", task)
