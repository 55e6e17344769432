"""Who scores: one module per grader type, and the dict that names them."""

from __future__ import annotations

from skillgrade.graders.base import Grader
from skillgrade.graders.deterministic import DeterministicGrader

GRADERS: dict[str, Grader] = {
    "deterministic": DeterministicGrader(),
}
"""Every grader type that this version can run, by name."""
