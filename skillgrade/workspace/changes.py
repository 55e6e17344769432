"""What an agent changed in its workspace, as one text: a unified diff, the same wherever the work was done.

The start is known from what was put in. Files that differ stand in the order of their paths, without times. What no
reader wants line by line (binary and very large files, folders of packages and of version control) is one line each.
"""

from __future__ import annotations

import difflib
import os
import stat
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from functools import partial
from itertools import chain
from pathlib import Path, PurePosixPath

from skillgrade.stop import Stop
from skillgrade.workspace.base import Place, SkillSnapshot, StagedFile
from skillgrade.workspace.export import target_inside
from skillgrade.workspace.skills import SKILL_FOLDERS
from skillgrade.workspace.staging import WORKSPACE_PATH, Item, flatten

DIFF_LIMIT = 1024 * 1024
"""Characters of the whole text."""

_FILE_LIMIT = 512 * 1024
"""Bytes of a file that is compared line by line."""

_TEXT_LIMIT = 100_000
"""Bytes from which on a file is not taken as a text that the agent wrote."""

_LINE_LIMIT = 1000
"""Lines between the first and the last difference that are compared; the time for it grows with their square."""

_CONTEXT = 3
_SUMMED_UP = frozenset(
    (".git", ".hg", ".svn", "node_modules", "__pycache__", ".venv", "venv", ".tox", ".mypy_cache", ".pytest_cache",
     ".ruff_cache", ".cache", ".npm")
)  # fmt: skip
"""Folders whose files are counted and not shown."""

_NOT_ALL = "[... the workspace holds more than was compared: new files may be missing here, deleted ones are ...]\n"

_REVIEWS = ".review"


@dataclass(frozen=True, slots=True)
class _Entry:
    """A file or a link: where its content is, whether it can be executed, or what it points at."""

    source: Path | None = None
    data: bytes = b""
    size: int = 0
    executable: bool = False
    target: str | None = None

    def content(self) -> bytes:
        return self.data if self.source is None else self.source.read_bytes()


def describe_changes(
    files: Sequence[StagedFile], skills: Sequence[SkillSnapshot], exported: Path, stop: Stop, *, is_whole: bool = True
) -> str:
    """The difference between what went into a workspace and what was taken out of it.

    Args:
        files: What went in at the start; only what is in the workspace counts.
        skills: The skills that went in; of them only changes are told, not that one is gone.
        exported: What was taken out; nobody changes it meanwhile.
        stop: Ends it between two files: what an agent wrote may take its time to compare.
        is_whole: Whether that is all; else a file that is not there may have been left out, and is not called deleted.

    Returns:
        The text; empty when nothing changed.

    Raises:
        WorkspaceError: What went in cannot be read any more.
        OSError: What was taken out cannot be read.
        Cancelled: The stop came.
    """
    given, in_skills = _given(files, skills)
    start = {**in_skills, **given}
    end = dict(_walked(exported))
    shown = _shown((*start, *end))
    counted = _counted(start, end)
    unknown = (in_skills if is_whole else start).keys() - (given.keys() if is_whole else ())
    changed = _changed(shown, start, end, unknown)

    def difference(name: str, before: _Entry | None, after: _Entry | None) -> str:
        stop.check()
        return _difference(name, before, after)

    text = "".join(_bounded(chain((partial(difference, *change) for change in changed), counted)))
    return text if is_whole else text + _NOT_ALL


def made_texts(
    files: Sequence[StagedFile], skills: Sequence[SkillSnapshot], exported: Path, stop: Stop
) -> Mapping[str, str]:
    """The text files in a workspace that are new or changed, by path.

    They are those of less than 100,000 bytes that are UTF-8, as the format of cases.yaml has it.

    Args:
        files: What went in at the start.
        skills: The skills that went in.
        exported: What was taken out; nobody changes it meanwhile.
        stop: Ends it between two files.

    Raises:
        WorkspaceError: What went in cannot be read any more.
        OSError: What was taken out cannot be read.
        Cancelled: The stop came.
    """
    given, in_skills = _given(files, skills)
    start, end = {**in_skills, **given}, dict(_walked(exported))
    texts = {}
    for path in _shown(end):
        stop.check()
        entry = end[path]
        if entry.target is not None or entry.size >= _TEXT_LIMIT or _is_same(start.get(path), entry):
            continue
        lines = _lines(entry.content())
        if lines is not None:
            texts[path] = "".join(lines)
    return texts


def _given(files: Sequence[StagedFile], skills: Sequence[SkillSnapshot]) -> tuple[dict[str, _Entry], dict[str, _Entry]]:
    """What went into a workspace: files, and what belongs to skills."""
    given = _entries_of(flatten(files, lambda _warning: None))
    return given, _entries_of(flatten(_skill_files(skills), lambda _warning: None))


def _shown(paths: Iterable[str]) -> list[str]:
    """The paths that readers want line by line, in order."""
    ordered = sorted(set(paths), key=lambda path: path.split("/"))
    return [path for path in ordered if _summed_up_in(path) is None and path.split("/", 1)[0] != _REVIEWS]


def _skill_files(skills: Iterable[SkillSnapshot]) -> list[StagedFile]:
    return [StagedFile(f"{folder}/{skill.name}", src=skill.folder) for skill in skills for folder in SKILL_FOLDERS]


def _entries_of(items: Iterable[Item]) -> dict[str, _Entry]:
    entries = {}
    for item in items:
        if item.place is not Place.WORKSPACE or item.kind == "folder":
            continue
        if item.target is not None:
            # As links are that were taken out.
            entries[item.path] = _Entry(target=target_inside(item.path, item.target, WORKSPACE_PATH) or item.target)
            continue
        size = len(item.data or b"") if item.source is None else item.source.stat().st_size
        entries[item.path] = _Entry(item.source, item.data or b"", size, bool(item.mode & 0o100))
    return entries


def _walked(folder: Path) -> Iterator[tuple[str, _Entry]]:
    """The files and links of a folder that is ours, by their paths in it."""
    pending = [folder]
    while pending:
        with os.scandir(pending.pop()) as entries:
            for entry in entries:
                path = PurePosixPath(os.path.relpath(entry.path, folder)).as_posix()
                status = entry.stat(follow_symlinks=False)
                if stat.S_ISLNK(status.st_mode):
                    yield path, _Entry(target=str(Path(entry.path).readlink()))
                elif stat.S_ISDIR(status.st_mode):
                    pending.append(Path(entry.path))
                else:
                    yield path, _Entry(Path(entry.path), b"", status.st_size, bool(status.st_mode & 0o100))


def _summed_up_in(path: str) -> str | None:
    """The folder on the way to a path whose files are only counted."""
    steps = path.split("/")
    for number, step in enumerate(steps[:-1], 1):
        if step in _SUMMED_UP:
            return "/".join(steps[:number])
    return None


def _counted(start: Iterable[str], end: Iterable[str]) -> Iterator[Callable[[], str]]:
    before, after = (Counter(filter(None, map(_summed_up_in, paths))) for paths in (start, end))
    for folder in sorted(before.keys() | after.keys()):
        if before[folder] != after[folder]:
            text = f"{_name(folder)}/: {before[folder]} files before, {after[folder]} after, not shown\n"
            yield partial(str, text)


def _changed(
    paths: Iterable[str], start: Mapping[str, _Entry], end: Mapping[str, _Entry], unknown: Set[str]
) -> Iterator[tuple[str, _Entry | None, _Entry | None]]:
    """What differs: as it is called, as it was and as it is; nothing is said of those of `unknown` that are missing."""
    for path in paths:
        before, after = start.get(path), end.get(path)
        if not (after is None and path in unknown) and not _is_same(before, after):
            yield _name(path), before, after


def _is_same(before: _Entry | None, after: _Entry | None) -> bool:
    if before is None or after is None:
        return False
    if (before.target, before.executable, before.size) != (after.target, after.executable, after.size):
        return False
    return before.target is not None or before.content() == after.content()


def _difference(name: str, before: _Entry | None, after: _Entry | None) -> str:
    """How a path changed, in text."""
    old, new = _describe(before), _describe(after)
    if old[0] == new[0] == "file":
        assert before is not None  # noqa: S101 - it is a file
        assert after is not None  # noqa: S101 - it is a file
        mode = ""
        if before.executable != after.executable:
            mode = f"{name}: {'is' if after.executable else 'is no longer'} executable\n"
        return mode + _file_difference(name, before, after)
    if before is None and after is not None and after.target is None:
        return _file_difference(name, None, after)
    if after is None and before is not None and before.target is None:
        return _file_difference(name, before, None)
    return f"{name}: {' '.join(old)} before, {' '.join(new)} after\n"


def _describe(entry: _Entry | None) -> tuple[str, ...]:
    if entry is None:
        return ("nothing",)
    return ("file",) if entry.target is None else ("a link to", _name(entry.target))


def _file_difference(name: str, before: _Entry | None, after: _Entry | None) -> str:
    sizes = [entry.size for entry in (before, after) if entry is not None]
    if max(sizes) > _FILE_LIMIT:
        same = len(sizes) > 1 and sizes[0] == sizes[1] and before.content() == after.content()  # type: ignore[union-attr]
        return "" if same else f"{name}: {_size(before)} before, {_size(after)} after, too large to show\n"
    old = None if before is None else before.content()
    new = None if after is None else after.content()
    if old == new:
        return ""
    lines = [_lines(content) for content in (old, new)]
    if lines[0] is None or lines[1] is None:
        return f"{name}: a binary file, {_size(before)} before, {_size(after)} after\n"
    header = f"--- {'/dev/null' if old is None else f'a/{name}'}\n+++ {'/dev/null' if new is None else f'b/{name}'}\n"
    return header + "".join(_hunks(lines[0], lines[1]))


def _size(entry: _Entry | None) -> str:
    return "nothing" if entry is None else f"{entry.size} bytes"


def _lines(content: bytes | None) -> list[str] | None:
    """The lines of a text, with their ends; None for what is no text."""
    if content is None:
        return []
    if b"\0" in content:
        return None
    try:
        lines = content.decode("utf-8").split("\n")
    except UnicodeDecodeError:
        return None
    return [f"{line}\n" for line in lines[:-1]] + ([lines[-1]] if lines[-1] else [])


def _hunks(old: list[str], new: list[str]) -> Iterator[str]:
    head = _common(old, new)
    tail = _common(old[head:][::-1], new[head:][::-1])
    old_middle, new_middle = old[head : len(old) - tail], new[head : len(new) - tail]
    if max(len(old_middle), len(new_middle)) > _LINE_LIMIT and old_middle and new_middle:
        yield f"{len(old_middle)} lines became {len(new_middle)}, not shown\n"
        return
    matcher = difflib.SequenceMatcher(None, old, new, autojunk=False)
    matcher.opcodes = [  # type: ignore[attr-defined]  # what it would find, without looking at all lines
        *([("equal", 0, head, 0, head)] if head else []),
        *(
            (tag, i1 + head, i2 + head, j1 + head, j2 + head)
            for tag, i1, i2, j1, j2 in difflib.SequenceMatcher(None, old_middle, new_middle).get_opcodes()
        ),
        *([("equal", len(old) - tail, len(old), len(new) - tail, len(new))] if tail else []),
    ]
    for group in matcher.get_grouped_opcodes(_CONTEXT):
        yield f"@@ -{_range(group[0][1], group[-1][2])} +{_range(group[0][3], group[-1][4])} @@\n"
        for tag, i1, i2, j1, j2 in group:
            if tag == "equal":
                yield from (_line(" ", line) for line in old[i1:i2])
                continue
            yield from (_line("-", line) for line in old[i1:i2])
            yield from (_line("+", line) for line in new[j1:j2])


def _common(one: Sequence[str], other: Sequence[str]) -> int:
    """How many lines two texts have in common at their beginning."""
    count = 0
    for left, right in zip(one, other, strict=False):
        if left != right:
            break
        count += 1
    return count


def _line(mark: str, line: str) -> str:
    return f"{mark}{line}" if line.endswith("\n") else f"{mark}{line}\n\\ No newline at end of file\n"


def _range(start: int, stop: int) -> str:
    """Lines as the unified format counts them (GNU diffutils, "Detailed Description of Unified Format")."""
    length = stop - start
    first = start + 1 if length else start
    return f"{first}" if length == 1 else f"{first},{length}"


def _name(path: str) -> str:
    """A path that cannot be taken for more than one line, nor hide characters."""
    return "".join(char if char.isprintable() else f"\\u{{{ord(char):x}}}" for char in path)


def _bounded(parts: Iterable[Callable[[], str]]) -> Iterator[str]:
    """As many parts as there is room for; the others are only counted, and never made."""
    left, dropped = DIFF_LIMIT, 0
    for make in parts:
        part = "" if dropped else make()
        dropped += bool(dropped) or len(part) > left
        if not dropped:
            yield part
            left -= len(part)
    if dropped:
        yield f"[... changes of {dropped} more files are not shown ...]\n"
