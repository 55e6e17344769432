"""Which tasks a refinement works on, and which it keeps back."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence


def split(names: Sequence[str], share: float, seed: int) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Draw the tasks that are kept back, by a hash of the seed and each name: the same in every version of Python.

    Args:
        names: The tasks, at least two, each once.
        share: The share to keep back, above 0 and below 1; at least one task is kept back, and one is not.
        seed: Another one draws others.

    Returns:
        The tasks to work on, and those kept back, both in the order given.

    Raises:
        ValueError: There are fewer than two tasks.
    """
    if len(names) < 2:
        raise ValueError("needs two tasks")
    count = min(max(round(len(names) * share), 1), len(names) - 1)
    drawn = set(sorted(names, key=lambda name: _rank(name, seed))[:count])
    return tuple(name for name in names if name not in drawn), tuple(name for name in names if name in drawn)


def _rank(name: str, seed: int) -> str:
    return hashlib.sha256(f"{seed}\0{name}".encode("utf-8", "surrogatepass")).hexdigest()
