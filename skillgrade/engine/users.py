"""Who speaks with the agent after the first instruction: nobody, a script, or a model that plays a person."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Protocol

import regex

from skillgrade.errors import AgentError
from skillgrade.judges.base import Judging
from skillgrade.judges.simulated_user import next_message
from skillgrade.stop import Stop
from skillgrade.suite.model import Reply, SimulatedUser, Task
from skillgrade.wording import shown

_PATIENCE = 5.0
"""Seconds for one pattern; what it searches was written by an agent, which may know how to keep it busy."""


class User(Protocol):
    """Whoever answers an agent."""

    def answer(self, said: str, conversation: str) -> str | None:
        """What comes next; None when there is nothing more to say.

        Args:
            said: What the agent said last; empty when the user begins.
            conversation: All that was said so far.

        Raises:
            InfrastructureError: No answer could be had.
            Cancelled: The stop came.
        """


class ScriptedUser:
    """Answers by rules; each of them once, so that every conversation ends.

    Args:
        replies: The rules, in the order in which they are tried.
    """

    def __init__(self, replies: Iterable[Reply] = ()) -> None:
        self._replies = list(replies)

    def answer(self, said: str, conversation: str) -> str | None:
        """What the first rule says whose pattern is found in what the agent said last; None where there is none.

        Raises:
            AgentError: A pattern took too long.
        """
        for reply in self._replies:
            try:
                found = regex.search(reply.when, said, timeout=_PATIENCE)
            except TimeoutError as error:
                raise AgentError(
                    f"the pattern {shown(reply.when)} of a reply took more than {_PATIENCE:g} s to search what the "
                    "agent said: write it without nested repetitions"
                ) from error
            if found:
                self._replies.remove(reply)
                return reply.content
        return None


@dataclass(slots=True)
class PlayedUser:
    """A user whom a model plays, up to its number of messages.

    Attributes:
        user: Whom.
        task: The task.
        judging: Asks models.
        variables: `.env` and the shell as one.
        stop: Ends it early.
    """

    user: SimulatedUser
    task: Task
    judging: Judging
    variables: Mapping[str, str]
    stop: Stop
    _left: int = field(init=False)

    def __post_init__(self) -> None:
        """Count the instruction, where there is one, as the first message."""
        self._left = self.user.max_turns - bool(self.task.instruction)

    def answer(self, said: str, conversation: str) -> str | None:
        """What the model says in the user's place.

        Raises:
            ReplyError: It cannot be read.
            ModelError: There is none.
            RecordingError: Replaying, and it was not recorded.
            Cancelled: The stop came.
        """
        if self._left <= 0:
            return None
        self._left -= 1
        return next_message(self.user, self.task, conversation, self.judging, self.variables, self.stop).text
