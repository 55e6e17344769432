"""A place where a trial is judged: what was kept of it, a provider's server of ours, sessions, recordings."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType

from skillgrade.graders import RECORD_GRADERS
from skillgrade.graders.base import RecordContext
from skillgrade.judges.base import JudgeSettings, Verdicts
from skillgrade.judges.session import JudgeSession
from skillgrade.models.access import Models
from skillgrade.models.keys import KEY_NAMES
from skillgrade.results.evidence import Evidence
from skillgrade.results.records import GraderResult
from skillgrade.results.redaction import Redactor
from skillgrade.stop import Stop
from skillgrade.suite.model import GraderSpec
from tests.support.model_server import Answer, Asked, ModelServer
from tests.support.tasks import make_task

Reply = Answer | Callable[[str], Answer]


def tag_of(prompt: str) -> str:
    """The tag that an answer to a prompt must echo."""
    tags: list[str] = re.findall(r'"tag" is "(answer-[0-9a-f]{16})"', prompt)
    return tags[-1]


def verdict(prompt: str, score: float | tuple[float, str], *more: str | tuple[float, str]) -> str:
    """What a good judge replies: one score and its reasoning, or a pair of them per section."""
    fields: dict[str, object] = {"tag": tag_of(prompt)}
    if isinstance(score, tuple):
        pairs = [score, *(pair for pair in more if isinstance(pair, tuple))]
        fields |= {f"section_{n}": {"reasoning": why, "score": points} for n, (points, why) in enumerate(pairs, 1)}
    else:
        fields |= {"reasoning": more[0] if more else "So it is.", "score": score}
    return json.dumps(fields)


def decision(system: str, holds: Mapping[str, str | bool], **changes: object) -> str:
    """What a good judge of criteria replies.

    Args:
        system: The instructions, which name the criteria.
        holds: By criterion, the words that show that it holds, or whether it does; the others do not.
        changes: Fields to reply otherwise.
    """
    ids = re.findall(r"(?m)^- ((?:pass|fail)-\d+): ", system)
    criteria = [
        {"id": each, "holds": holds.get(each, False) is not False, "quote": found if isinstance(found, str) else ""}
        for each in ids
        for found in (holds.get(each, False),)
    ]
    passes = all(one["holds"] is str(one["id"]).startswith("pass-") for one in criteria)
    fields = {"criteria": criteria, "verdict": "pass" if passes else "fail", "reason": "So it is."}
    return json.dumps({**fields, **changes})


class Desk:
    """A trial to be judged. Use it as a context manager.

    Attributes:
        server: The providers.
        folder: Where graders keep what they leave.
        recording: Where verdicts are recorded.
        transcript: What the agent said and did.
        answer: What it said last.
        files: Files of its workspace.
        variables: Keys and addresses.
        stop: The run's.
    """

    def __init__(self, folder: Path) -> None:
        self.server = ModelServer()
        self.folder = folder
        self.recording = folder / "judge-recordings" / "eval.json"
        self.transcript = "I did it."
        self.answer: str | None = "I did it."
        self.files: dict[str, str | None] = {}
        self.stop = Stop()
        self.variables: dict[str, str] = {}
        for provider in KEY_NAMES:
            self.variables |= self.server.variables(provider)

    def __enter__(self) -> Desk:
        self.server.__enter__()
        return self

    def __exit__(self, *error: type[BaseException] | BaseException | TracebackType | None) -> None:
        self.server.__exit__(*error)

    @property
    def asked(self) -> int:
        """Requests that judges got."""
        return len(self.server.asked)

    def answers(self, *answers: Reply) -> None:
        """Reply with these from now on, one after another; the last one stays."""
        left = list(answers)

        def answer(asked: Asked) -> Answer:
            reply = left.pop(0) if len(left) > 1 else left[0]
            return reply(asked.user) if callable(reply) else reply

        self.server.always(answer)

    @contextmanager
    def session(self, verdicts: Verdicts, models: Mapping[str, str] | None = None) -> Iterator[JudgeSession]:
        """The judging of a run."""
        settings = JudgeSettings(verdicts, self.recording, models or {})
        session = JudgeSession(settings, Models(), Redactor(["sesame-open"]), "skillgrade --verdicts=record")
        try:
            yield session
        finally:
            session.close()

    def grade(
        self, spec: GraderSpec, verdicts: Verdicts = Verdicts.LIVE, models: Mapping[str, str] | None = None
    ) -> GraderResult:
        """Judge the trial in a run of its own."""
        with self.session(verdicts, models) as session:
            return self.grade_with(session, spec)

    def grade_with(self, session: JudgeSession, spec: GraderSpec, trial: int = 0) -> GraderResult:
        """Judge the trial in a run."""
        context = RecordContext(
            task=make_task("the task", graders=(spec,)),
            trial=trial,
            evidence=Evidence(2, "Do it.", self.transcript, "", artifacts=self.files, answer=self.answer),
            earlier=(),
            folder=self.folder,
            variables=self.variables,
            redactor=Redactor(["sesame-open"]),
            judging=session,
        )
        return RECORD_GRADERS[spec.type].grade(spec, context, self.stop)
