"""What a format is: a kind of file that another tool reads, turned into what eval.yaml would say.

The document that comes out is read like any other, so a file of another tool means the same when it is run directly as
when `skillgrade init --from` has made an eval.yaml of it. Its values keep the places that they have in their own file.
"""

from __future__ import annotations

from pathlib import Path
from typing import Protocol

from skillgrade.suite.cursor import Cursor
from skillgrade.suite.findings import Findings
from skillgrade.yaml_values import MarkedMap


class Format(Protocol):
    """One kind of file. Stateless."""

    @property
    def name(self) -> str:
        """Its key in `skillgrade.suite.formats.FORMATS`, as people call it."""

    def recognises(self, value: object) -> bool:
        """Whether a document is of this kind, by its keys; the file's name says nothing."""

    def convert(self, document: Cursor, file: Path, findings: Findings) -> MarkedMap:
        """What eval.yaml would say.

        Args:
            document: The whole file.
            file: Where it is, absolute: paths in the result are relative to its folder.
            findings: Gets what is wrong with the file, as errors with their places, and what is only odd, as warnings.
        """
