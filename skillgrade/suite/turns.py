"""The turns of a task: from what the file says to `Turn`s and the graders that run after each."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace

from skillgrade.suite.cursor import Cursor
from skillgrade.suite.findings import Findings
from skillgrade.suite.grader_specs import GraderReader
from skillgrade.suite.model import GraderSpec, Reply, SimulatedUser, Turn
from skillgrade.suite.references import Missing, References
from skillgrade.wording import shown


@dataclass(frozen=True, slots=True)
class TurnReader:
    """Reads the turns of one task.

    Attributes:
        references: Finds files, and gets the problems.
        graders: Makes the reader of the graders that run after a turn, for its instruction.
    """

    references: References
    graders: Callable[[str], GraderReader]

    def read(self, turns: Cursor | None, task: Cursor) -> tuple[tuple[Turn, ...], tuple[GraderSpec, ...]]:
        """The turns, and the graders of all of them; what is wrong is noted as an error."""
        if turns is None:
            return (), ()
        for key in ("instruction", "solution"):
            if task.get(key) is not None:
                message = f"`turns` stand instead of `{key}`; write one into each turn"
                self.references.findings.error(task.key_mark(key), f"{task.path}.{key}", message)
        read: list[Turn] = []
        specs: tuple[GraderSpec, ...] = ()
        for number, turn in enumerate(turns.items()):
            read.append(self._turn(turn, task))
            reader = self.graders(read[-1].instruction)
            specs += reader.read(turn.get("graders"), start=len(specs), turn=number)
        return tuple(read), specs

    def _turn(self, turn: Cursor, task: Cursor) -> Turn:
        written, solution = turn.get("instruction"), turn.get("solution")
        path = self.references.path(solution, task.mark, only_file=True) if solution else None
        if path is not None:
            self.references.claim(path)
        replies = turn.get("reply")
        return Turn(
            instruction=self.references.text(written, task.mark, Missing.WARNING) if written else "",
            solution=path,
            replies=tuple(self._reply(reply) for reply in replies.items()) if replies else (),
        )

    def _reply(self, reply: Cursor) -> Reply:
        when, content = reply.get("when"), reply.get("content")
        pattern = (when.text() if when else None) or ""
        try:
            re.compile(pattern)
        except re.error as error:
            place = when or reply
            message = f"{shown(pattern)} is no regular expression: {error}"
            self.references.findings.error(place.mark, place.path, message)
        return Reply(pattern, (content.text() if content else None) or "")


def read_user(task: Cursor, findings: Findings) -> SimulatedUser | None:
    """The user whom a model plays, where a task has one."""
    user = task.get("user")
    if user is None:
        return None
    if task.get("turns") is not None:
        message = "a simulated user stands instead of written `turns`; keep one of them"
        findings.error(task.key_mark("user"), user.path, message)
    facts = user.get("facts")
    most = user.get("max_turns")
    number = most.number() if most else None

    def text(key: str) -> str | None:
        value = user.get(key)
        return value.text() if value else None

    read = SimulatedUser(
        persona=text("persona") or "",
        facts=tuple(fact.label() or "" for fact in facts.items()) if facts else (),
        provider=text("provider"),
        model=text("model"),
    )
    return read if number is None else replace(read, max_turns=int(number))
