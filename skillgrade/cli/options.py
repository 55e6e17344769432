"""Types of option values that several commands share."""

from __future__ import annotations

import math
import os
from pathlib import Path
from typing import Any

import click

from skillgrade.models.keys import KEY_NAMES
from skillgrade.own_folder import OWN_FOLDER


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


class Text(click.ParamType[str]):
    """A text that is not empty: ``--grader=$TYPES`` with an unset variable must not mean "no filter"."""

    name = "text"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Refuse what is empty."""
        if not str(value).strip():
            self.fail("is empty: give a value or leave it out", param, ctx)
        return str(value)


class JudgeName(click.ParamType[tuple[str, str | None]]):
    """``PROVIDER`` or ``PROVIDER:MODEL``, as a pair."""

    name = "judge"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[str, str | None]:
        """Refuse providers that are unknown, and a colon without a model."""
        provider, colon, model = str(value).partition(":")
        if provider not in KEY_NAMES:
            self.fail(f"{value!r} names no provider that is known: {', '.join(KEY_NAMES)}", param, ctx)
        if colon and not model.strip():
            self.fail(f"{value!r} names no model behind its colon", param, ctx)
        return provider, model.strip() or None


class GivenPath(click.Path):
    """A path that is not empty."""

    def __init__(self) -> None:
        super().__init__(path_type=Path)

    def convert(
        self, value: str | os.PathLike[str], param: click.Parameter | None, ctx: click.Context | None
    ) -> str | bytes | os.PathLike[str]:
        """Refuse what is empty."""
        if not os.fspath(value):
            self.fail("is empty: give a path or leave it out", param, ctx)
        return super().convert(value, param, ctx)


def eval_folder(given: Path | None) -> Path:
    """The folder beside whose eval.yaml runs are looked for; the file itself need not be there any more."""
    path = Path() if given is None else given
    return path if path.is_dir() else path.parent


def results_base(eval_folder: Path, output: Path | None) -> Path:
    """Where runs of a suite are: `--output`, else `.skillgrade` beside its file."""
    return (eval_folder / OWN_FOLDER if output is None else output).absolute()


def core_count() -> int:
    """The processors that this process may use."""
    affinity = getattr(os, "sched_getaffinity", None)
    return len(affinity(0)) if affinity else os.cpu_count() or 1
