"""Checks of files in the workspace."""

from __future__ import annotations

from skillgrade.graders.assertions.base import Finding, Look
from skillgrade.suite.model import Assertion


def file_exists(assertion: Assertion, look: Look) -> Finding:
    """There is such a file when the turn is over."""
    path = str(assertion.target)
    exists = look.subjects.file(path) is not None
    return Finding(exists, f"the file {path} is {'there' if exists else 'not there'}")
