"""Which files of a skill's folder are the skill, and which belong to its evals, to version control or to tools.

An eval often lives in the folder of the skill that it tests. What grades the agent, and what could tell it the answers,
must not reach it together with the skill.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Iterator, Set
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath
from typing import Literal

from skillgrade.file_trees import inner_target, special_kind
from skillgrade.own_folder import OWN_FOLDER

EVAL_NAMES = frozenset(("eval.yaml", "eval.yml", "evals.json", "evals", "judge-recordings"))
"""Names, in lower case, that mean an evaluation wherever they stand."""

EVAL_NAMES_AT_TOP = frozenset(("cases.yaml", "cases.yml", "graders", "rubrics", "solutions", "datasets", "gate.yaml"))
"""Names that mean an evaluation beside SKILL.md; deeper they may well be the skill's own material."""

TOOL_NAMES = frozenset(
    (
        *(".git", ".gitmodules", ".gitattributes", ".github", ".hg", ".svn", ".jj", ".bzr", "cvs"),
        *("__pycache__", ".mypy_cache", ".pytest_cache", ".ruff_cache", ".hypothesis", ".ipynb_checkpoints"),
        *(".idea", ".vscode", ".venv", ".tox", ".nox", ".ds_store", OWN_FOLDER, ".review"),
    )
)
"""Names, in lower case, of what tools and version control leave anywhere."""

_SKILL_FILE = PurePosixPath("SKILL.md")
_EVIDENCE = PurePosixPath("governance/eval.json")  # holds answers with their verdicts


def is_of_the_skill(path: PurePosixPath) -> bool:
    """Whether a file or folder belongs to the skill, by its name alone.

    Args:
        path: Relative to the folder of SKILL.md.
    """
    name = path.name.lower()
    if name in TOOL_NAMES or name.startswith(".env"):
        return False
    if "node_modules" in path.parts:  # packages name their folders as they like
        return True
    if path == _EVIDENCE:
        return False
    return name not in EVAL_NAMES and not (len(path.parts) == 1 and name in EVAL_NAMES_AT_TOP)


@dataclass(frozen=True, slots=True)
class SkillEntry:
    """One thing of a skill.

    Attributes:
        path: Relative to the folder of SKILL.md.
        kind: What it is.
        mode: Permission bits, without set-ID and sticky bits.
        target: What a link points at, relative to the folder it stands in; empty for anything else.
    """

    path: PurePosixPath
    kind: Literal["file", "folder", "link"]
    mode: int
    target: str = ""


@dataclass(frozen=True, slots=True)
class SkillContents:
    """What an agent gets of a skill's folder.

    Attributes:
        root: The folder of SKILL.md, absolute and resolved.
        entries: In the order of their paths, so that folders stand before what they hold.
        left_out: One sentence for each thing that is left out though it is not the eval's.
    """

    root: Path
    entries: tuple[SkillEntry, ...]
    left_out: tuple[str, ...]


def skill_contents(folder: Path, own_files: Iterable[Path]) -> SkillContents:
    """Look through the folder of a skill.

    Links are kept unless they leave the skill or lead to something that is left out; special files are left out.

    Args:
        folder: The folder of SKILL.md.
        own_files: Files and folders of the eval, absolute; whatever of them lies in the skill's folder, also by way of
            links, is left out with everything below it, but for SKILL.md.

    Raises:
        OSError: Something cannot be read.
    """
    root = folder.resolve()
    own = {place for path in own_files for place in (path.resolve(), path.parent.resolve() / path.name)}
    left_out: list[str] = []
    found = sorted(_walk(root, own, left_out), key=lambda entry: entry.path)
    kept = {entry.path for entry in found}
    entries: list[SkillEntry] = []
    for entry in found:
        target = _link_target(root, entry.path, kept) if entry.kind == "link" else ""
        if target is None:
            message = "left out of the skill, the link leads out of what the agent may see"
            left_out.append(f"{root / entry.path}: {message}")
        else:
            entries.append(replace(entry, target=target))
    return SkillContents(root, tuple(entries), tuple(left_out))


def _walk(root: Path, own: Set[Path], left_out: list[str]) -> Iterator[SkillEntry]:
    pending = [PurePosixPath()]
    while pending:
        folder = pending.pop()
        with os.scandir(root / folder) as entries:
            for entry in entries:
                path = folder / entry.name
                if not is_of_the_skill(path) or (root / path in own and path != _SKILL_FILE):
                    continue
                mode = entry.stat(follow_symlinks=False).st_mode
                special = special_kind(mode)
                if special is not None:
                    left_out.append(f"{root / path}: left out of the skill, it is a {special}")
                elif stat.S_ISDIR(mode):
                    pending.append(path)
                    yield SkillEntry(path, "folder", stat.S_IMODE(mode) & 0o777)
                else:
                    yield SkillEntry(path, "link" if stat.S_ISLNK(mode) else "file", stat.S_IMODE(mode) & 0o777)


def _link_target(root: Path, path: PurePosixPath, kept: Set[PurePosixPath]) -> str | None:
    text = inner_target(root / path, root)
    if text is None:
        return None
    try:
        end = (root / path).resolve(strict=True)
    except (FileNotFoundError, NotADirectoryError, RuntimeError):  # broken, or a loop: leads to nothing
        return text
    inner = PurePosixPath(end.relative_to(root).as_posix())
    return text if inner in kept or inner == PurePosixPath() else None
