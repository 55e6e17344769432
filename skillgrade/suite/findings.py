"""What was found wrong, or suspicious, while a suite is read; gathered, so that one run reports everything."""

from __future__ import annotations

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
