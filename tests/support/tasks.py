"""Suites and tasks made by hand, for tests of what comes after loading."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from skillgrade.suite.model import DeterministicSpec, GraderSpec, Suite, Task


def make_task(name: str = "task", graders: tuple[GraderSpec, ...] | None = None, **fields: Any) -> Task:
    """A task with one trivial grader."""
    given = {"instruction": "do it", "file": Path("/eval/eval.yaml"), "line": 1, "trials": 1, **fields}
    return Task(name=name, graders=graders or (grader(),), **given)


def grader(run: str = """echo '{"score": 1, "details": "ok"}'""", index: int = 0, **fields: Any) -> DeterministicSpec:
    """A deterministic grader."""
    return DeterministicSpec(type="deterministic", index=index, run=run, **fields)


def make_suite(root: Path, *tasks: Task, **fields: Any) -> Suite:
    """A suite in a folder."""
    return Suite(file=root / "eval.yaml", root=root, tasks=tasks, digest="sha256:0", **fields)
