"""What nobody will use any more, and can be removed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from skillgrade.reading import reason


@dataclass(frozen=True, slots=True)
class Leftover:
    """One thing of ours, such as a container or a folder.

    Attributes:
        what: What it is, as the object of a sentence; parts of it may come from others.
        measure: Says how many bytes its removal frees; None where that cannot be told.
        remove: Removes it; the answer is why it is still there, None when it is gone.
    """

    what: str
    measure: Callable[[], int | None]
    remove: Callable[[], str | None]


def empty_folder(what: str, path: Path) -> Leftover:
    """A folder that goes only if nothing is in it."""

    def remove() -> str | None:
        try:
            path.rmdir()
        except FileNotFoundError:  # somebody else was faster
            return None
        except OSError as error:
            return reason(error)
        return None

    return Leftover(f"{what} {path}", lambda: None, remove)
