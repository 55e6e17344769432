"""SKILL.md against the specification of agent skills (agentskills.io/specification)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from skillgrade.checks.findings import Finding, Rule, warning
from skillgrade.errors import SuiteError
from skillgrade.reading import UnreadableError, read_text
from skillgrade.skill.discover import SKILL_FILE
from skillgrade.skill.frontmatter import MAX_SKILL_FILE, read_frontmatter
from skillgrade.wording import shown
from skillgrade.yaml_values import MarkedMap

READABLE = Rule(
    "skill-readable", "SKILL.md can be read.",
    "Agents cannot load what is no YAML between two lines of ---.", "mend the place that is named",
)  # fmt: skip
NAME = Rule(
    "skill-name", "The name is the folder's: lower-case letters, digits and single hyphens, 64 characters at most.",
    "Agents look a skill up by its folder, and skip names that are none.", "give the folder and `name` one such name",
)  # fmt: skip
DESCRIPTION = Rule(
    "skill-description", "There is a description of 1024 characters at most.",
    "It is all that an agent sees of a skill before it opens it.", "say what the skill does and when to use it",
)  # fmt: skip
FIELDS = warning(
    "skill-fields", "The frontmatter has the fields of the specification.",
    "No agent reads others, and some refuse them.", "put it into `metadata`",
)  # fmt: skip
LENGTH = warning(
    "skill-length", "The body has 500 lines at most.",
    "All of it is read whenever the skill is used.", "move details into files of their own that the body names",
)  # fmt: skip
LINKS = warning(
    "skill-links", "Files that SKILL.md links to are there.",
    "An agent looks for them and finds nothing.", "mend the path, relative to SKILL.md",
)  # fmt: skip
RULES = (READABLE, NAME, DESCRIPTION, FIELDS, LENGTH, LINKS)

_FIELDS = ("name", "description", "license", "compatibility", "metadata", "allowed-tools")
_OURS = ("triggers",)
"""What the scorer of triggers reads besides."""

_NAME = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
_LONGEST_NAME, _LONGEST_DESCRIPTION, _LONGEST_COMPATIBILITY, _MOST_LINES = 64, 1024, 500, 500
_LINK = re.compile(r"\[[^\]\n]*\]\(([^()\s]+)\)")
_CODE = re.compile(r"(?ms)^ {0,3}```.*?^ {0,3}```[ \t]*$|`[^`\n]*`")
_ELSEWHERE = re.compile(r"[a-z][a-z0-9+.-]*:|//|#|/", re.IGNORECASE)


def skill_findings(folder: Path) -> Iterator[Finding]:
    """What is wrong with a skill.

    Args:
        folder: Its folder, absolute.
    """
    file = folder / SKILL_FILE
    try:
        fields, body = read_frontmatter(file)
        text = read_text(file, MAX_SKILL_FILE)
    except SuiteError as error:
        yield from (Finding(READABLE, one.message, file, one.line) for one in error.problems)
        return
    except UnreadableError as error:
        yield Finding(READABLE, str(error), file, error.line)
        return
    if fields is None:
        yield Finding(DESCRIPTION, "there is no frontmatter, and so no description", file, 1)
    else:
        yield from _fields(fields, file)
    lines = text.splitlines()[body:]
    if len(lines) > _MOST_LINES:
        yield Finding(LENGTH, f"the body has {len(lines)} lines", file, body + 1)
    yield from _links(text, file)


def _fields(fields: MarkedMap, file: Path) -> Iterator[Finding]:
    def line(key: str) -> int:
        return fields.key_marks[key].line if key in fields.key_marks else 1

    name = str(fields.written.get("name", fields.get("name") or ""))
    if not name:
        yield Finding(NAME, "there is no `name`", file, 1)
    elif not _NAME.fullmatch(name) or len(name) > _LONGEST_NAME:
        yield Finding(NAME, f"{shown(name)} is no such name", file, line("name"))
    elif name != file.parent.name:
        yield Finding(
            NAME, f"the folder is called {shown(file.parent.name)}, and the skill {shown(name)}", file, line("name")
        )
    description = fields.get("description")
    if not isinstance(description, str) or not description.strip():
        yield Finding(DESCRIPTION, "there is no `description`", file, line("description"))
    elif len(description) > _LONGEST_DESCRIPTION:
        yield Finding(DESCRIPTION, f"the description has {len(description)} characters", file, line("description"))
    for key in fields:
        if key not in (*_FIELDS, *_OURS):
            yield Finding(FIELDS, f"{shown(key)} is no field of a skill", file, line(key))
    compatibility = fields.get("compatibility")
    if isinstance(compatibility, str) and len(compatibility) > _LONGEST_COMPATIBILITY:
        yield Finding(FIELDS, f"`compatibility` has {len(compatibility)} characters", file, line("compatibility"))


def _links(text: str, file: Path) -> Iterator[Finding]:
    """Links to files that are not there; what stands in code is no link."""
    prose = _CODE.sub(lambda match: re.sub(r"[^\n]", " ", match[0]), text)
    for match in _LINK.finditer(prose):
        target = match[1].partition("#")[0]
        if not target or _ELSEWHERE.match(match[1]) or ".." in PurePosixPath(target).parts:
            continue
        try:
            exists = (file.parent / target).exists()
        except (OSError, ValueError):
            exists = False
        if not exists:
            yield Finding(LINKS, f"{shown(target)} is not there", file, text.count("\n", 0, match.start()) + 1)
