"""Where and how to print: the console, the colours of outcomes, how much of a text is shown."""

from __future__ import annotations

from typing import TYPE_CHECKING

from skillgrade.results.records import Outcome

if TYPE_CHECKING:
    from rich.console import Console

STYLES = {
    Outcome.PASSED: "green",
    Outcome.FAILED: "red",
    Outcome.ERRORED: "magenta",
    Outcome.UNGRADED: "yellow",
    Outcome.CANCELLED: "dim",
}
"""How each outcome is coloured."""

NAME_LIMIT = 60
"""Characters of a name that are shown."""

REASON_LIMIT = 400
"""Characters of a reason that are shown."""


def make_console(*, to_stderr: bool) -> Console:
    """A console on stdout or stderr; colours follow the terminal and ``NO_COLOR``.

    Text is never read as markup, and output that is no terminal is not folded.
    """
    from rich.console import Console

    console = Console(stderr=to_stderr, markup=False, highlight=False, emoji=False, soft_wrap=False)
    if not console.is_terminal:
        console.width = 200
    return console
