"""What a grader that asks judges says about them: who they are, and which files of the workspace they get to read."""

from __future__ import annotations

from skillgrade.suite.cursor import Cursor
from skillgrade.suite.findings import Findings
from skillgrade.suite.model import JudgeChoice
from skillgrade.suite.references import TEMPLATE_MARK, inside_path
from skillgrade.wording import shown

JUDGE_KEYS = frozenset({"provider", "model", "judges"})
"""The keys that say who judges."""


def read_judges(grader: Cursor, findings: Findings) -> tuple[JudgeChoice, ...]:
    """The judges that a grader names with `judges`, or with `provider` and `model`; empty where it names none."""
    judges = grader.get("judges")
    own = _choice(grader)
    if judges is None:
        return () if own == JudgeChoice() else (own,)
    if own != JudgeChoice():
        message = "`judges` stand instead of `provider` and `model`; move what these say into the list"
        findings.error(grader.key_mark("judges"), judges.path, message)
    chosen: list[JudgeChoice] = []
    for item in judges.items():
        choice = _choice(item)
        if choice in chosen:
            findings.error(item.mark, item.path, "is there already; to ask a judge several times, set `samples`")
        chosen.append(choice)
    return tuple(chosen)


def read_artifacts(grader: Cursor, findings: Findings) -> tuple[str, ...]:
    """The files of the workspace that a grader names; a path that leads out of it is noted as an error."""
    listed = grader.get("artifacts")
    paths: list[str] = []
    for item in listed.items() if listed else ():
        text = item.text() or ""
        path = text if TEMPLATE_MARK in text else inside_path(text)
        if text and path is None:
            message = f"{shown(text)} is no path in the workspace; name a file relative to it"
            findings.error(item.mark, item.path, message)
        elif path:
            paths.append(path)
    return tuple(dict.fromkeys(paths))


def _choice(holder: Cursor) -> JudgeChoice:
    provider, model = holder.get("provider"), holder.get("model")
    return JudgeChoice(provider.text() if provider else None, model.label() if model else None)
