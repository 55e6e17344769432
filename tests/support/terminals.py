"""Consoles whose output a test can read."""

from __future__ import annotations

import io

from rich.console import Console


def plain_console(*, terminal: bool = False, width: int = 200) -> Console:
    """A console like the product's, but writing to memory: read it with `written`."""
    return Console(
        file=io.StringIO(),
        markup=False,
        highlight=False,
        emoji=False,
        width=width,
        force_terminal=terminal,
        color_system="standard" if terminal else None,
        _environ={},
    )


def written(console: Console) -> str:
    """Everything that was printed."""
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()
