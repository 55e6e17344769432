"""What SKILL.md says about itself: the name and the description in its YAML frontmatter.

The file is read strictly and never changed. Without a name there, the first heading gives one, else the folder.
"""

from __future__ import annotations

import re
from pathlib import Path

from skillgrade.errors import Problem, SuiteError
from skillgrade.reading import UnreadableError, read_text
from skillgrade.skill.model import Skill
from skillgrade.yaml_reader import parse_yaml
from skillgrade.yaml_values import MarkedMap

MAX_SKILL_FILE = 4 * 1024 * 1024
"""Bytes of a SKILL.md."""

_FENCE = "---"
_LONGEST_NAME = 200
_CODE_FENCE = re.compile(r"^ {0,3}(```|~~~)")
_HEADING = re.compile(r"^#[ \t]+(.*\S)")


def read_skill(file: Path) -> Skill:
    """Read a SKILL.md.

    Args:
        file: The SKILL.md, absolute.

    Raises:
        SuiteError: It cannot be read, its frontmatter is no YAML mapping, or its name cannot be the name of a folder.
    """
    try:
        lines = read_text(file, MAX_SKILL_FILE).splitlines()
    except UnreadableError as error:
        raise SuiteError([Problem(str(error), file, error.line, error.column)]) from None
    end = _frontmatter_end(lines, file)
    fields = _fields(lines[1:end], file) if end else None
    name, line, column = _name(fields, lines[end + 1 :] if end else lines, file)
    fault = _name_fault(name)
    if fault:
        raise SuiteError([Problem(f"the name {ascii(name)[:80]} {fault}", file, line, column, "name")])
    return Skill(name, _text(fields, "description", file) or "", file.parent, _triggers(fields))


def read_frontmatter(file: Path) -> tuple[MarkedMap | None, int]:
    """The frontmatter of a SKILL.md, None where it has none, and the line after which its body begins.

    Raises:
        SuiteError: The file cannot be read, or its frontmatter is no YAML mapping.
    """
    try:
        lines = read_text(file, MAX_SKILL_FILE).splitlines()
    except UnreadableError as error:
        raise SuiteError([Problem(str(error), file, error.line, error.column)]) from None
    end = _frontmatter_end(lines, file)
    return (_fields(lines[1:end], file), end + 1) if end else (None, 0)


def _frontmatter_end(lines: list[str], file: Path) -> int:
    """The index of the line that closes the frontmatter; 0 where there is none."""
    if not lines or lines[0].rstrip() != _FENCE:
        return 0
    end = next((index for index, line in enumerate(lines[1:], 1) if line.rstrip() == _FENCE), 0)
    if not end:
        raise SuiteError([Problem("the frontmatter that begins here is never closed with ---", file, 1, 1)])
    return end


def _fields(lines: list[str], file: Path) -> MarkedMap | None:
    # An empty first line stands for the opening fence, so that places in the file come out right.
    document = parse_yaml("\n".join(("", *lines)), file)
    if document.value is None:
        return None
    if not isinstance(document.value, MarkedMap):
        message = 'the frontmatter must be a mapping such as "name: my-skill"'
        raise SuiteError([Problem(message, *document.mark)])
    return document.value


def _name(fields: MarkedMap | None, body: list[str], file: Path) -> tuple[str, int, int]:
    """The name, and the place that it comes from."""
    name = _text(fields, "name", file)
    if fields is not None and name is not None:
        mark = fields.value_marks["name"]
        return name, mark.line, mark.column
    return _heading_slug(body) or file.parent.resolve().name, 1, 1


def _text(fields: MarkedMap | None, key: str, file: Path) -> str | None:
    if fields is None or fields.get(key) is None:
        return None
    value = fields.written.get(key, fields[key])
    if not isinstance(value, str):
        _, line, column = fields.value_marks[key]
        raise SuiteError([Problem("must be text", file, line, column, key)])
    return value.strip()


def _triggers(fields: MarkedMap | None) -> tuple[str, ...]:
    """What `triggers` lists; agents do not read it, so what is no text in it does no harm."""
    listed = fields.get("triggers") if fields is not None else None
    items = listed if isinstance(listed, list) else ()
    return tuple(item.strip() for item in items if isinstance(item, str) and item.strip())


def _heading_slug(body: list[str]) -> str:
    in_code = False
    for line in body:
        if _CODE_FENCE.match(line):
            in_code = not in_code
        elif not in_code and (match := _HEADING.match(line)):
            return re.sub(r"[\W_]+", "-", match[1].lower()).strip("-")[:_LONGEST_NAME]
    return ""


def _name_fault(name: str) -> str | None:
    """Why a name cannot be the name of one folder; None when it can."""
    if not name:
        return "is empty"
    if name in (".", "..") or "/" in name or "\\" in name:
        return "must be one folder's name, without slashes"
    if not name.isprintable():
        return "contains characters that cannot be printed"
    return f"is longer than {_LONGEST_NAME} bytes" if len(name.encode()) > _LONGEST_NAME else None
