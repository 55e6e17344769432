"""What was found wrong, or suspicious, while a suite is read; gathered, so that one run reports everything."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from dataclasses import dataclass, field

from skillgrade.errors import Problem, SuiteError
from skillgrade.yaml_values import Mark


@dataclass(slots=True)
class Findings:
    """Problems so far.

    Attributes:
        errors: What keeps the suite from being used.
        warnings: What is suspicious.
    """

    errors: list[Problem] = field(default_factory=list)
    warnings: list[Problem] = field(default_factory=list)

    def error(self, mark: Mark, path: str, message: str) -> None:
        """Add an error."""
        self.errors.append(Problem(message, *mark, path=path))

    def warn(self, mark: Mark, path: str, message: str) -> None:
        """Add a warning."""
        self.warnings.append(Problem(message, *mark, path=path))

    def raise_errors(self) -> None:
        """Raise what was found, in the order of the files; each place and message once.

        Raises:
            SuiteError: There is an error.
        """
        if self.errors:
            raise SuiteError(in_order(self.errors))


def in_order(problems: Iterable[Problem]) -> list[Problem]:
    """Problems by file, line and column, without doubles."""
    return sorted(set(problems), key=lambda one: (str(one.file), one.line or 0, one.column or 0, one.path, one.message))


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """A hint at the nearest known word, ready to be appended; empty when none is near."""
    near = difflib.get_close_matches(word.lower(), list(known), n=1, cutoff=0.6) if len(word) <= 100 else []
    return f' (did you mean "{near[0]}"?)' if near else ""


def shown(value: object) -> str:
    """A value as a message quotes it: short, and recognisable as what YAML made of it."""
    if isinstance(value, str):
        return f'"{value}"' if len(value) <= 60 else f'"{value[:57]}..."'
    if value is None or isinstance(value, bool):
        return {None: "nothing", True: "true", False: "false"}[value]
    if isinstance(value, (dict, list)):
        return "a mapping" if isinstance(value, dict) else "a list"
    text = str(value)
    return text if len(text) <= 60 else f"{text[:57]}..."
