"""Which skills a tool call opened: through a tool made for it, or by reading a SKILL.md.

A skill is opened by what reads the whole text of its SKILL.md, as agents without a skill tool do. Naming the file is
not enough: to list it, search it, test for it, write it, or read a file beside it opens nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from skillgrade.transcript.events import CallStatus, SkillUse, ToolCall
from skillgrade.transcript.shell import files_read

_FILE = "SKILL.md"
_LONGEST_NAME = 200
_FOLDERS = ("skills", "skill")
_NAME_KEYS = ("skill", "name", "id")
_PATH_KEYS = ("file_path", "filePath", "absolute_path", "path", "paths", "file")
_GUTTER = r"[ \t\d|→:]*"
"""What stands before a line where a program numbers them."""

_FRONTMATTER = re.compile(
    rf"^{_GUTTER}---[ \t]*\r?\n(?:[^\n]*\n){{0,10}}?{_GUTTER}name:[ \t]*(['\"]?)([\w.-]{{1,200}})\1[ \t]*\r?$",
    re.MULTILINE,
)
_MISSING = re.compile(
    r"SKILL\.md['\"’]?:? (?:No such file|Permission denied|Is a directory)|cannot open [^\n]*SKILL\.md"
)


def skill_uses(call: ToolCall) -> Iterator[SkillUse]:
    """The skills that a call opened or tried to open, each once."""
    if call.tool == "Skill":
        name = next((call.args[key] for key in _NAME_KEYS if isinstance(call.args.get(key), str)), "")
        if 0 < len(name) <= _LONGEST_NAME:
            yield SkillUse(name.removeprefix("/"), call.status, call.id, "tool")
    elif call.tool in ("Read", "read_many_files"):
        for name in dict.fromkeys(filter(None, map(_skill_of, _paths(call)))):
            yield SkillUse(name, call.status, call.id, "read")
    elif call.tool == "Bash":
        yield from _read_by_command(call)


def _paths(call: ToolCall) -> Iterator[str]:
    for key in _PATH_KEYS:
        value = call.args.get(key)
        for path in value if isinstance(value, list) else [value]:
            if isinstance(path, str):
                yield path


def _skill_of(path: str) -> str:
    """The skill whose SKILL.md a path names; empty when it names none."""
    parts = path.replace("\\", "/").split("/")
    if len(parts) < 3 or parts[-1] != _FILE or len(parts[-2]) > _LONGEST_NAME:
        return ""
    if parts[-3] in _FOLDERS and not set(parts[-2]) & set("*?[$"):
        return parts[-2]
    return ""


def _read_by_command(call: ToolCall) -> Iterator[SkillUse]:
    command = call.args.get("command")
    # Most commands are not worth the time that taking them apart takes.
    if _FILE not in (command if isinstance(command, str) else str(command)):
        return
    read = [path for path in files_read(command) if path.rsplit("/", 1)[-1] == _FILE]
    if not read:
        return
    shown = {match[2] for match in _FRONTMATTER.finditer(call.output)}
    named = {name for path in read if (name := _skill_of(path))}
    # What a path does not name, such as a bare SKILL.md or one behind a wildcard, the file's own beginning does.
    found = named | shown if any(not _skill_of(path) for path in read) else named
    for name in sorted(found):
        yield SkillUse(name, _status(call, is_shown=name in shown), call.id, "read")


def _status(call: ToolCall, *, is_shown: bool) -> CallStatus:
    """A command may fail after it read the file, and succeed without having found it."""
    if is_shown:
        return CallStatus.OK
    if call.status is CallStatus.OK and (not call.output.strip() or _MISSING.search(call.output)):
        return CallStatus.ERROR
    return call.status
