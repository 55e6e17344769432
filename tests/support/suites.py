"""Suites on disk for tests: folders from text, and what loading them says."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from skillgrade.errors import SuiteError
from skillgrade.suite.load import load_suite
from skillgrade.suite.model import Suite, Task

GRADERS = "graders: [{type: deterministic, run: 'true'}]"


def write(root: Path, files: Mapping[str, str | bytes]) -> Path:
    """Write files below a folder."""
    for name, content in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
    return root


def load(root: Path, text: str, **files: str) -> Suite:
    """Load an eval.yaml with this text; keyword names stand for paths, with ``__`` for a slash and ``_`` for a dot."""
    names = {name.replace("__", "/").replace("_", "."): content for name, content in files.items()}
    return load_suite(write(root, {"eval.yaml": text, **names}))


def load_task(root: Path, keys: str, **files: str) -> Task:
    """Load a suite of one task, given its keys beside name, instruction and, where they are not among them, graders."""
    graders = "" if "graders:" in keys else f"    {GRADERS}\n"
    lines = "".join(f"    {line}\n" for line in keys.splitlines())
    (task,) = load(root, f"tasks:\n  - name: one\n    instruction: Do it now.\n{graders}{lines}", **files).tasks
    return task


def problems(root: Path, text: str | bytes, name: str = "eval.yaml") -> list[str]:
    """What loading this text is refused for, without the folder's own path."""
    write(root, {name: text})
    with pytest.raises(SuiteError) as caught:
        load_suite(root / name)
    return str(caught.value).replace(f"{root}/", "").splitlines()


RULES = "name: one, instruction: do it"
"""The keys that every task needs beside its graders."""


def task(keys: str) -> str:
    """A suite of one task with these keys besides."""
    return f"tasks:\n- {{{RULES}, {GRADERS}, {keys}}}\n"


def grader(keys: str) -> str:
    """A suite of one task whose grader has these keys."""
    return f"tasks:\n- {{{RULES}, graders: [{{{keys}}}]}}\n"
