"""A digest of everything in a suite that the outcome of a trial depends on.

It covers the resolved tasks, the contents of every file that goes into a workspace or to a grader, and the skills as
agents get them. It does not cover where the suite lies, comments and formatting, nor how many trials run and what
`--ci` asks of them: results of five trials and of fifty are of one suite.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
import os
from collections.abc import Iterable, Mapping
from pathlib import Path, PurePath

from skillgrade.errors import Problem, SuiteError
from skillgrade.reading import reason
from skillgrade.skill.contents import skill_files
from skillgrade.skill.model import Skill
from skillgrade.suite.eval_files import EvalFiles
from skillgrade.suite.model import Suite, Task

_NOT_OF_THE_OUTCOME = ("file", "line", "trials", "threshold", "retries")


def suite_digest(suite: Suite, contents: Iterable[Path], files: EvalFiles) -> str:
    """The digest, as ``sha256:`` and 64 hexadecimal digits.

    Args:
        suite: The suite; its own digest is not looked at.
        contents: Files and folders whose contents count, absolute, readable.
        files: Lists what is in folders.

    Raises:
        SuiteError: A file of a skill cannot be read.
    """
    referenced = (file for path in contents for file in files.scan(path).files)
    document = {
        "tasks": [_task(task, suite.root) for task in suite.tasks],
        "files": _contents(referenced, suite.root),
        "skills": [_skill(skill, suite) for skill in suite.skills],
    }
    text = json.dumps(document, sort_keys=True, ensure_ascii=True, separators=(",", ":"))
    return f"sha256:{hashlib.sha256(text.encode()).hexdigest()}"


def _task(task: Task, root: Path) -> Mapping[str, object]:
    names = (field.name for field in dataclasses.fields(task) if field.name not in _NOT_OF_THE_OUTCOME)
    return {name: _relative(getattr(task, name), root) for name in names}


def _relative(value: object, root: Path) -> object:
    """A value as JSON, with paths relative to the suite."""
    if isinstance(value, PurePath):
        return _name(value, root)
    if dataclasses.is_dataclass(value):
        return {field.name: _relative(getattr(value, field.name), root) for field in dataclasses.fields(value)}
    if isinstance(value, dict):
        return {key: _relative(item, root) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_relative(item, root) for item in value]
    return value


def _skill(skill: Skill, suite: Suite) -> Mapping[str, object]:
    return {"name": skill.name, "files": _contents(skill_files(skill.folder, suite.own_files), skill.folder)}


def _contents(paths: Iterable[Path], root: Path) -> Mapping[str, str]:
    try:
        return {_name(path, root): _content(path) for path in sorted(set(paths))}
    except OSError as error:
        raise SuiteError([Problem(f"cannot be read: {reason(error)}", Path(error.filename or root))]) from None


def _content(path: Path) -> str:
    """What a path holds; of its mode only whether it is executable, which is all that version control keeps."""
    if path.is_symlink():
        return f"link {path.readlink()}"
    if not path.is_file():
        return "special"
    with path.open("rb") as stream:
        kind = "program" if os.fstat(stream.fileno()).st_mode & 0o100 else "file"
        return f"{kind} {hashlib.file_digest(stream, 'sha256').hexdigest()}"


def _name(path: PurePath, root: Path) -> str:
    return PurePath(os.path.relpath(path, root)).as_posix()
