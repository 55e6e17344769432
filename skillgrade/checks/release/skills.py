"""What is to be released: a pack of skills, or one skill."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from skillgrade.checks.calibration.places import PACK_FILE, pack_around
from skillgrade.errors import UserError
from skillgrade.reading import UnreadableError, read_bytes, read_text
from skillgrade.skill.catalog import Scope, skills_in_scope
from skillgrade.skill.discover import SKILL_FILE
from skillgrade.skill.frontmatter import MAX_SKILL_FILE, read_skill
from skillgrade.skill.model import Skill
from skillgrade.skill.scorer import Catalog, Entry
from skillgrade.suite.load import load_suite
from skillgrade.suite.model import Suite
from skillgrade.suite.source import SUITE_FILES

_LARGEST = 16 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Release:
    """What is to be released.

    Attributes:
        folder: The pack's folder, or the skill's.
        name: The pack's name; of a lone skill, that of the folder above it.
        skills: The folders of its skills.
    """

    folder: Path
    name: str
    skills: tuple[Path, ...]

    def id_of(self, skill: Path) -> str:
        """The id of a skill: ``pack/skill``."""
        return f"{self.name}/{skill.name}"


def release_at(folder: Path) -> Release:
    """The pack or skill at a folder.

    Raises:
        UserError: There is neither, or the pack says what is not so.
    """
    folder = folder.resolve()
    file = folder / PACK_FILE
    if not file.is_file():
        if not (folder / SKILL_FILE).is_file():
            raise UserError(f"{folder}: holds neither pack.json nor SKILL.md: name a pack, or one skill")
        return Release(folder, folder.parent.name, (folder,))
    try:
        document: Any = json.loads(read_text(file, _LARGEST))
    except (UnreadableError, ValueError, RecursionError) as error:
        raise UserError(f"{file}: cannot be read as JSON: {error}") from None
    groups = document.get("skills") if isinstance(document, dict) else None
    if not isinstance(groups, dict) or not all(isinstance(group, list) for group in groups.values()):
        raise UserError(f'{file}: needs "skills": lists of names, by group')
    if document.get("id") != folder.name:
        raise UserError(f'{file}: its "id" must be the name of its folder, {folder.name}, not {document.get("id")!r}')
    names = sorted({str(name) for group in groups.values() for name in group})
    if not names:
        raise UserError(f"{file}: lists no skills")
    return Release(folder, folder.name, tuple(folder / "skills" / name for name in names))


def suite_of(skill: Path) -> Suite:
    """The evals of a skill.

    Raises:
        SuiteError: There are none, or they are wrong.
    """
    return load_suite(skill, with_digests=False)


def skill_digest(skill: Path) -> str:
    """What names a skill with its evals: the sha256 of SKILL.md, a separator and the file of its evals.

    Raises:
        UserError: A file cannot be read.
    """
    evals = next((skill / name for name in SUITE_FILES if (skill / name).is_file()), None)
    try:
        text = read_bytes(skill / SKILL_FILE, MAX_SKILL_FILE) + b"\n\0\n"
        return hashlib.sha256(text + (read_bytes(evals, _LARGEST) if evals is not None else b"")).hexdigest()
    except UnreadableError as error:
        raise UserError(f"{skill}: {error}") from None


def catalog_of(release: Release, scope: Scope) -> tuple[Catalog, str]:
    """The skills among which prompts find the ones to be released, and what names all of them.

    Args:
        release: What is to be released.
        scope: Which skills are looked at.
    """
    found = {skill.folder.resolve(): skill for skill in skills_in_scope(release.folder, scope, Path.home())}
    for folder in release.skills:
        if (folder / SKILL_FILE).is_file():
            found[folder.resolve()] = read_skill(folder.resolve() / SKILL_FILE)
    entries = {folder: _entry(skill) for folder, skill in found.items()}
    return Catalog(entries.values()), _digest((entry.id, folder) for folder, entry in entries.items())


def _entry(skill: Skill) -> Entry:
    pack = pack_around(skill.folder)
    return Entry.of_skill(skill, pack.name if pack else None)


def _digest(skills: Iterable[tuple[str, Path]]) -> str:
    digest = hashlib.sha256()
    for identity, folder in sorted(skills):
        try:
            text = read_text(folder / SKILL_FILE, MAX_SKILL_FILE)
        except UnreadableError:
            text = ""
        digest.update(f"{identity}\0{hashlib.sha256(text.encode()).hexdigest()}\n".encode())
    return digest.hexdigest()
