"""Judging for runs in which nobody is asked, and for those that ask judges of ours."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from skillgrade.judges.base import JudgeSettings, Verdicts
from skillgrade.judges.session import JudgeSession
from skillgrade.models.access import Models
from skillgrade.results.redaction import Redactor


def judging(root: Path, verdicts: Verdicts = Verdicts.REPLAY, models: Mapping[str, str] | None = None) -> JudgeSession:
    """The judging of a run whose suite lies in a folder; as it is, nothing is recorded and nobody can be asked."""
    settings = JudgeSettings(verdicts, root / "judge-recordings" / "eval.json", models or {})
    return JudgeSession(settings, Models(), Redactor([]), "skillgrade --verdicts=record")
