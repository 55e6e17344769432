"""What a suite says by naming a file: texts that live in files of their own, and paths that must exist."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path, PurePosixPath

from skillgrade.reading import UnreadableError
from skillgrade.skill.model import Skill
from skillgrade.suite.cursor import Cursor
from skillgrade.suite.eval_files import EvalFiles
from skillgrade.suite.findings import Findings
from skillgrade.wording import shown
from skillgrade.yaml_values import Mark

TEMPLATE_MARK = "{{"
"""What a text contains that is only known per row of a dataset."""

_TEMPLATE = re.compile(r"\{\{[^{}]*\}\}")

GRADING_FOLDERS = frozenset(
    ("evals", "eval", "graders", "rubrics", "solutions", "datasets", "fixtures", "testdata", "tests", "test", "checks")
)
"""Names of top folders of which what an eval uses is the eval's, not the skill's."""

_TEXT_SUFFIXES = frozenset(
    (".md", ".markdown", ".txt", ".rst", ".adoc", ".yaml", ".yml", ".json", ".html", ".j2", ".prompt")
)


class Missing(Enum):
    """What it means when a one-line text looks like a path and no such file is there."""

    ERROR = "error"
    WARNING = "warning"


@dataclass(frozen=True, slots=True)
class References:
    """Resolves what tasks refer to.

    Attributes:
        files: The files of the eval.
        skills: The skills under test.
        findings: Where problems go.
        is_foreign: Whether they stand in a file of another tool, in which a check may be broken.
        own: Every file and folder that was referred to, absolute; it is filled here.
        contents: Those of them whose content decides the outcome of trials; it is filled here.
    """

    files: EvalFiles
    skills: Sequence[Skill]
    findings: Findings
    is_foreign: bool = False
    own: set[Path] = field(default_factory=set)
    contents: set[Path] = field(default_factory=set)

    def folders(self, task: Mark, value: Mark) -> Sequence[Path]:
        """Where a relative path is looked for: beside the task's file, beside an override's file, at the root."""
        return tuple(dict.fromkeys((task.file.parent, value.file.parent, self.files.root)))

    def text(self, cursor: Cursor, task: Mark, missing: Missing) -> str:
        """A text, or the contents of the file that its only line names; without white space around it."""
        text = (cursor.text() or "").strip()
        if not text:
            if cursor.text() is not None:
                self.findings.error(cursor.mark, cursor.path, "is blank")
            return ""
        path = None if TEMPLATE_MARK in text else self.files.find(text, self.folders(task, cursor.mark))
        if path is None or path.is_dir():
            self._judge_missing(cursor, text, missing)
            return text
        try:
            content = self.files.read(path)
        except UnreadableError as error:
            self.findings.error(cursor.mark, cursor.path, f"{shown(text)} {error}")
            return text
        if not content:
            self.findings.error(cursor.mark, cursor.path, f"{shown(text)} is an empty file")
        self.claim(path)
        self.contents.add(path)
        return content

    def path(self, cursor: Cursor, task: Mark, *, only_file: bool = False) -> Path | None:
        """A file or folder that must exist; None, with an error noted, where it cannot be used."""
        text = cursor.text()
        if text is None or TEMPLATE_MARK in text:
            return None
        path = self.files.find(text, self.folders(task, cursor.mark))
        if path is None:
            self.findings.error(cursor.mark, cursor.path, f"{shown(text)} does not exist")
            return None
        fault = self.files.scan(path).fault
        if fault is None and only_file and path.is_dir():
            fault = "is a folder, not a file"
        if fault is not None:
            self.findings.error(cursor.mark, cursor.path, f"{shown(text)} {fault}")
            return None
        self.contents.add(path)
        return path

    def claim(self, path: Path) -> None:
        """Note that a path, and what links in it lead to, belongs to the eval; never a skill as a whole."""
        for one in (path, *self.files.scan(path).targets):
            if not self.holds_skill(one):
                self.own.add(one)

    def holds_skill(self, path: Path) -> bool:
        """Whether a path is the folder of a skill, or has one in it."""
        return any(skill.folder.is_relative_to(path) for skill in self.skills)

    def skill_around(self, path: Path) -> Skill | None:
        """The skill in whose folder a path lies."""
        return next((skill for skill in self.skills if path.is_relative_to(skill.folder)), None)

    def _judge_missing(self, cursor: Cursor, text: str, missing: Missing) -> None:
        if TEMPLATE_MARK in text or not looks_like_path(text):
            return
        if missing is Missing.ERROR:
            message = f"{shown(text)} looks like a path, but there is no such file; a text needs a second word"
            self.findings.error(cursor.mark, cursor.path, message)
        else:
            message = f"{shown(text)} looks like a path, but there is no such file; it is taken as the text itself"
            self.findings.warn(cursor.mark, cursor.path, message)


def inside_path(text: str) -> str | None:
    """A relative POSIX path, normalised; None where it is absolute, leads out, or is nothing at all."""
    if text.startswith(("/", "~")) or not text.isprintable():
        return None
    steps: list[str] = []
    for step in PurePosixPath(text).parts:
        if step != "..":
            steps.append(step)
        elif steps:
            steps.pop()
        else:
            return None
    return "/".join(steps) or None


def looks_like_path(text: str) -> bool:
    """Whether a text, with its templates put aside, could be meant as the path of a text file."""
    text = _TEMPLATE.sub("x", text)
    if any(character.isspace() for character in text):
        return False
    return "/" in text or PurePosixPath(text).suffix.lower() in _TEXT_SUFFIXES
