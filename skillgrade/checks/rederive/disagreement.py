"""A number that does not follow from what it was made of."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

_CLOSE = 1e-9


@dataclass(frozen=True, slots=True)
class Disagreement:
    """A number that does not follow from what it was made of.

    Attributes:
        file: The file that holds it.
        place: What it is, such as ``writes #0 assertions 1 score``.
        recorded: What stands there.
        derived: What follows.
    """

    file: Path
    place: str
    recorded: object
    derived: object

    def __str__(self) -> str:
        """In one sentence."""
        return f"{self.file}: {self.place} is {self.recorded}, and {self.derived} follows from the record"


def differing(file: Path, place: str, recorded: object, derived: object) -> Iterator[Disagreement]:
    """A disagreement where two values are not the same; numbers may differ by rounding."""
    if isinstance(recorded, float) and isinstance(derived, float) and math.isclose(recorded, derived, abs_tol=_CLOSE):
        return
    if recorded != derived:
        yield Disagreement(file, place, recorded, derived)
