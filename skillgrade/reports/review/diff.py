"""A unified diff, taken apart for people: file by file, line by line."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

_LINES_SHOWN = 2000
"""Lines of one file that are shown."""

_LINE_SHOWN = 2000
"""Characters of one line that are shown."""

_HUNK = re.compile(r"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")
_ESCAPE = re.compile(r'\\([0-7]{3}|[abtnvfr"\\])')
_LETTERS = {"a": 7, "b": 8, "t": 9, "n": 10, "v": 11, "f": 12, "r": 13, '"': 34, "\\": 92}


class Mark(StrEnum):
    """What a line of a diff is."""

    ADDED = "added"
    REMOVED = "removed"
    SAME = "same"
    PLACE = "place"
    NOTE = "note"


@dataclass(frozen=True, slots=True)
class DiffLine:
    """A line, with its numbers before and after where it has them."""

    mark: Mark
    text: str
    before: int | None = None
    after: int | None = None


@dataclass(frozen=True, slots=True)
class FileDiff:
    """What became of one file.

    Attributes:
        path: Its path, relative to the workspace.
        change: ``new``, ``deleted`` or ``changed``.
        added: Lines that came.
        removed: Lines that went.
        lines: As many of its lines as are shown.
        left_out: How many more there are.
    """

    path: str
    change: str
    added: int
    removed: int
    lines: tuple[DiffLine, ...]
    left_out: int


@dataclass(frozen=True, slots=True)
class Diff:
    """What changed: files line by line, and what is told in a sentence, such as ``logo.png: a binary file, ...``."""

    files: tuple[FileDiff, ...]
    notes: tuple[str, ...]


def read_diff(text: str) -> Diff:
    """Take a unified diff apart, as git, diff or `skillgrade.workspace.changes` writes it."""
    notes: list[str] = []
    files = tuple(_file(block) for block in _blocks(text.split("\n"), notes))
    return Diff(files, tuple(notes))


class _Block:
    """The lines of one file while they are gathered."""

    def __init__(self) -> None:
        self.head: list[str] = []
        self.lines: list[DiffLine] = []

    @property
    def is_without_lines(self) -> bool:
        """Whether a file was named of which no line was shown; then a sentence says why."""
        return bool(self.head) and self.head[-1].startswith("+++ ") and not self.lines

    def goes_on_with(self, line: str) -> bool:
        """Whether a line outside of hunks belongs to the head of the file."""
        if not self.head or self.lines or line.startswith("diff "):
            return False
        return self.head[0].startswith("diff ") or line.startswith("+++ ")


def _blocks(lines: Sequence[str], notes: list[str]) -> Iterator[_Block]:
    block = _Block()
    before = after = left_before = left_after = 0
    for line in lines:
        if left_before > 0 or left_after > 0:
            mark = {"+": Mark.ADDED, "-": Mark.REMOVED, "\\": Mark.NOTE}.get(line[:1], Mark.SAME)
            old, new = mark in (Mark.REMOVED, Mark.SAME), mark in (Mark.ADDED, Mark.SAME)
            text = line[2:] if mark is Mark.NOTE else line[1:]
            block.lines.append(DiffLine(mark, text[:_LINE_SHOWN], before if old else None, after if new else None))
            before, after, left_before, left_after = before + old, after + new, left_before - old, left_after - new
        elif block.head and (place := _HUNK.match(line)):
            before, after = int(place[1]), int(place[3])
            left_before, left_after = int(place[2] or 1), int(place[4] or 1)
            block.lines.append(DiffLine(Mark.PLACE, line[:_LINE_SHOWN]))
        elif line.startswith("\\") and block.lines:
            block.lines.append(DiffLine(Mark.NOTE, line[2:]))
        elif block.goes_on_with(line):
            block.head.append(line)
        elif line.startswith(("diff ", "--- ")):
            if block.head:
                yield block
            block = _Block()
            block.head.append(line)
        elif line.strip() and block.is_without_lines:
            block.lines.append(DiffLine(Mark.NOTE, line[:_LINE_SHOWN]))
        elif line.strip():
            notes.append(line[:_LINE_SHOWN])
    if block.head:
        yield block


def _file(block: _Block) -> FileDiff:
    old, new = _named(block.head, "--- "), _named(block.head, "+++ ")
    change = "changed"
    if old == "/dev/null" or any(line.startswith("new file") for line in block.head):
        change = "new"
    elif new == "/dev/null" or any(line.startswith("deleted file") for line in block.head):
        change = "deleted"
    named = [name for name in (new, old) if name and name != "/dev/null"]
    lines = block.lines or [DiffLine(Mark.NOTE, "no text that could be shown line by line")]
    return FileDiff(
        path=_without_prefix(named[0]) if named else _from_command(block.head),
        change=change,
        added=sum(line.mark is Mark.ADDED for line in lines),
        removed=sum(line.mark is Mark.REMOVED for line in lines),
        lines=tuple(lines[:_LINES_SHOWN]),
        left_out=max(0, len(lines) - _LINES_SHOWN),
    )


def _named(head: Sequence[str], start: str) -> str:
    for line in head:
        if line.startswith(start):
            return _unquoted(line.removeprefix(start).rstrip("\r").split("\t")[0])
    return ""


def _from_command(head: Sequence[str]) -> str:
    """The path in ``diff --git a/PATH b/PATH``: both are alike, so the second is the last half."""
    names = next((line.removeprefix("diff --git ") for line in head if line.startswith("diff ")), "")
    second = names[len(names) // 2 + 1 :]
    return _without_prefix(_unquoted(second))


def _without_prefix(path: str) -> str:
    return path[2:] if path.startswith(("a/", "b/")) else path


def _unquoted(name: str) -> str:
    r"""A name as git quotes it where it has odd characters: ``"a/caf\303\251"``."""
    if not (len(name) > 1 and name.startswith('"') and name.endswith('"')):
        return name
    raw = _ESCAPE.sub(lambda found: chr(_LETTERS.get(found[1]) or int(found[1], 8) & 0xFF), name[1:-1])
    try:
        return raw.encode("latin-1").decode("utf-8", "replace")
    except UnicodeEncodeError:  # a quoted name that holds letters as they are
        return raw
