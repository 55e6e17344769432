"""Types of option values that several commands share."""

from __future__ import annotations

import math
import os
from pathlib import Path
from typing import Any

import click

from skillgrade.errors import UsageError
from skillgrade.results.folder import BASE_NAME

EVAL_FILE = "eval.yaml"


class Fraction(click.ParamType[float]):
    """A finite number from 0 to 1."""

    name = "number"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """Read it; refuses what `float` alone would let through, such as nan."""
        try:
            number = float(value)
        except (TypeError, ValueError):
            number = math.nan
        if not 0.0 <= number <= 1.0:
            self.fail(f"{value!r} is no number from 0 to 1", param, ctx)
        return number


def suite_file(given: Path | None) -> Path:
    """The suite's file: the one that was given, `eval.yaml` in the folder that was given, or `./eval.yaml`.

    Raises:
        UsageError: There is no such file.
    """
    path = Path() if given is None else given
    file = path / EVAL_FILE if path.is_dir() else path
    if not file.is_file():
        hint = "`skillgrade init` writes one" if given is None else "--file takes an eval.yaml or its folder"
        raise UsageError(f"{file}: there is no such file: {hint}")
    return file.absolute()


def results_base(file: Path, output: Path | None) -> Path:
    """Where runs of a suite are: `--output`, else `.skillgrade` beside its file."""
    return output.absolute() if output is not None else file.parent / BASE_NAME


def core_count() -> int:
    """The processors that this process may use."""
    affinity = getattr(os, "sched_getaffinity", None)
    return len(affinity(0)) if affinity else os.cpu_count() or 1
