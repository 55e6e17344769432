"""The agent's part of an attempt: each message of the user, and what the agent did about it."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path, PurePosixPath

from skillgrade.agents.base import Agent, AgentTurn
from skillgrade.capture import OutputSink
from skillgrade.engine.conversation import Conversation
from skillgrade.engine.env_file import effective_variables
from skillgrade.engine.host_paths import without_host_paths
from skillgrade.engine.model_access import behind_gateway
from skillgrade.engine.spec import TrialSpec
from skillgrade.engine.users import PlayedUser, ScriptedUser, User
from skillgrade.engine.variables import agent_variables
from skillgrade.errors import AgentError
from skillgrade.judges.base import Judging
from skillgrade.results.evidence import Call
from skillgrade.results.records import AgentRun, Trigger, TriggerStatus
from skillgrade.results.redaction import Redactor
from skillgrade.stop import Stop
from skillgrade.suite.model import Turn
from skillgrade.transcript import TEXT
from skillgrade.transcript.conversion import convert, events_in
from skillgrade.transcript.events import ToolCall
from skillgrade.transcript.failure import notes
from skillgrade.transcript.render import last_words, render, spoken
from skillgrade.transcript.triggers import ObservedTurn, observed_trigger
from skillgrade.workspace.base import CommandResult, Place, StagedFile, Workspace

CONVERSATION = "conversation.txt"
"""The conversation so far, for the agent, in the control folder."""


class Acting:
    """Lets the agent act, turn by turn.

    Args:
        spec: The attempt.
        agent: The agent.
        judging: Asks the model that plays a user.
        env_file: The variables of the eval's `.env`.
        redactor: Takes secrets out of what is kept.
        notes: Takes what the reader of the record should know.
        stop: Ends it early.

    Attributes:
        agent_run: How the agent ended, over all that it was told; None until it did.
        conversation: What was said so far.
        observed: What each stream of the agent came to; none where it prints plain text.
        answer: What it said last, redacted.
        calls: The tools that it called so far, redacted; None where it prints plain text.
    """

    def __init__(
        self,
        spec: TrialSpec,
        agent: Agent,
        judging: Judging,
        env_file: Mapping[str, str],
        redactor: Redactor,
        notes: list[str],
        stop: Stop,
    ) -> None:
        self.agent_run: AgentRun | None = None
        task = spec.task
        self.conversation = Conversation(several=task.is_conversation)
        self._task = task
        self._agent = agent
        self._judging = judging
        self._env_file = env_file
        self._env = agent_variables(task, agent, env_file, os.environ, spec.withheld)
        if spec.gateway is not None:
            self._env = behind_gateway(task, agent, spec.provider, self._env)
        self._redactor = redactor
        self._notes = notes
        self._stop = stop
        self._skills = tuple(skill.name for skill in spec.skills)
        self._skill_folders = tuple(skill.folder for skill in spec.skills)
        self.observed: list[ObservedTurn] = []
        self.answer = ""
        self.calls: tuple[Call, ...] | None = None
        self._told = 0

    @property
    def triggers(self) -> tuple[Trigger, ...]:
        """What is known so far of each skill of the run; empty while the agent has printed nothing."""
        if not self.observed:
            plain = "the agent prints plain text, which does not show what it does"
            return tuple(Trigger(name, TriggerStatus.UNKNOWN, plain) for name in self._skills if self.agent_run)
        found = [observed_trigger(name, self.observed) for name in self._skills]
        return tuple(replace(trigger, evidence=self._redactor.text(trigger.evidence)) for trigger in found)

    def take_turn(self, workspace: Workspace, number: int, turn: Turn, folder: Path) -> None:
        """Tell the agent what the turn says, and what a scripted user answers to what it says.

        Args:
            workspace: Where it works.
            number: The turn, from 0.
            turn: What it is told.
            folder: The turn's folder in the run.

        Raises:
            AgentError: It could not be started, could not work, or was killed for want of memory.
            WorkspaceError: The workspace broke.
            StorageError: Its output could not be written.
            Cancelled: The stop came.
        """
        user = self._user(turn)
        message: str | None = turn.instruction or user.answer("", "")
        told = 0
        while message is not None:
            said = self._tell(message, workspace, number, folder, told)
            told += 1
            is_over = self.agent_run is None or self.agent_run.timed_out
            so_far = without_host_paths(self.conversation.text(), workspace)
            message = None if is_over else user.answer(said, so_far)

    def _user(self, turn: Turn) -> User:
        if self._agent.name == "solution":  # it does the whole turn at once
            return ScriptedUser()
        if self._task.user is None:
            return ScriptedUser(turn.replies)
        variables = effective_variables(self._env_file, os.environ)
        return PlayedUser(self._task.user, self._task, self._judging, variables, self._stop)

    def _tell(self, message: str, workspace: Workspace, number: int, folder: Path, told: int) -> str:
        suffix = f"-{told + 1}" if told else ""
        result = self._agent.act(
            self._task,
            AgentTurn(
                instruction=message,
                env={**self._env, **self._turn_variables(workspace, number)},
                timeout=self._task.timeout,
                stdout=OutputSink(folder / f"agent{suffix}.stdout", byte_filter=self._redactor.filter()),
                stderr=OutputSink(folder / f"agent{suffix}.stderr", byte_filter=self._redactor.filter()),
                number=self._told,
                turn=number,
                skills=self._skill_folders,
            ),
            workspace,
            self._stop,
        )
        self._told += 1
        self.agent_run = _added(self.agent_run, result)
        self._judge_memory(result)
        self.conversation.add(number, "user", self._redactor.text(message))
        place = "" if not self._task.is_conversation else f"in turn {number}" + (f", answer {told + 1}" if told else "")
        did, said = self._understand(result, message, place, folder / f"transcript{suffix}.jsonl")
        self.conversation.add(number, "agent", did)
        return said

    def _understand(self, result: CommandResult, message: str, place: str, events: Path) -> tuple[str, str]:
        """Read what the agent printed: what it did, and what of that it said to the user.

        Args:
            result: How it ended.
            message: What it was told.
            place: Where in the conversation that was, in words.
            events: Where its events are kept, for an agent that prints some.

        Raises:
            AgentError: It could not work, which says nothing about the task.
            StorageError: The events could not be written.
        """
        format_name = self._agent.output_format(self._task.agent)
        if format_name == TEXT:
            text = _printed(result)
            self.answer = result.stdout.text()
            return text, text
        summary = convert(result.stdout, format_name, events)
        self.observed.append(ObservedTurn(message, summary, place))
        if reason := self._agent.failure(result, summary):
            raise AgentError(self._redactor.text(reason))
        self._notes += [note for note in notes(summary) if note not in self._notes]
        self.answer = last_words(events_in(events))
        if summary.shows_calls:
            self.calls = (*(self.calls or ()), *self._calls_in(events))
        return render(events_in(events)), spoken(events_in(events))

    def _calls_in(self, events: Path) -> Iterator[Call]:
        for event in events_in(events):
            if isinstance(event, ToolCall):
                yield Call(event.name, event.tool, self._redactor.value(dict(event.args)), event.status)

    def _turn_variables(self, workspace: Workspace, number: int) -> Mapping[str, str]:
        """What tells a program which turn it is in, and what was said before."""
        if not self._task.is_conversation:
            return {}
        workspace.put([StagedFile(CONVERSATION, Place.CONTROL, data=self.conversation.text().encode())])
        return {
            "SKILLGRADE_TURN": str(number),
            "SKILLGRADE_CONVERSATION": str(PurePosixPath(workspace.control) / CONVERSATION),
        }

    def _judge_memory(self, result: CommandResult) -> None:
        if not result.out_of_memory:
            return
        limit = f"the workspace ran out of its {self._task.limits.memory_mb} MiB of memory (environment.memory_mb)"
        if result.exit_code != 0:
            raise AgentError(f"{limit} and the agent was killed or lost a process by it")
        self._notes.append(f"{limit}: a process of the agent was killed, the agent went on")


def _added(before: AgentRun | None, result: CommandResult) -> AgentRun:
    """How the agent ended, with what it did before."""
    now = AgentRun(
        exit_code=result.exit_code,
        timed_out=result.timed_out,
        duration_ms=round(result.duration * 1000),
        out_of_memory=result.out_of_memory,
        output_bytes=result.stdout.size + result.stderr.size,
        output_truncated=result.stdout.truncated or result.stderr.truncated,
    )
    if before is None:
        return now
    return replace(
        now,
        duration_ms=before.duration_ms + now.duration_ms,
        out_of_memory=before.out_of_memory or now.out_of_memory,
        output_bytes=before.output_bytes + now.output_bytes,
        output_truncated=before.output_truncated or now.output_truncated,
    )


def _printed(result: CommandResult) -> str:
    stdout, stderr = result.stdout.text(), result.stderr.text()
    return "\n[stderr]\n".join(part for part in (stdout, stderr) if part)
