"""Reading a file of another tool: its values by what they must be, with what is wrong noted at its place."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass

from skillgrade.suite.cursor import Cursor
from skillgrade.suite.findings import Findings
from skillgrade.wording import shown


@dataclass(frozen=True, slots=True)
class Fields:
    """Reads values of one file.

    Attributes:
        findings: Gets what is wrong.
    """

    findings: Findings

    def error(self, place: Cursor, message: str) -> None:
        """Note an error at a value."""
        self.findings.error(place.mark, place.path, message)

    def text(self, holder: Cursor, *keys: str, is_required: bool = False) -> Cursor | None:
        """The text that is not blank under the first of some keys that is there; None where none is."""
        for key in keys:
            value = holder.get(key)
            if value is None:
                continue
            if (value.text() or "").strip():
                return value
            self.error(value, "must be text, and not blank")
            return None
        if is_required:
            self.error(holder, f"needs {' or '.join(map(shown, keys))}: text that is not blank")
        return None

    def mappings(self, holder: Cursor, key: str) -> Iterator[Cursor]:
        """The items of the list under a key, each of which must be a mapping."""
        for item in self.items(holder, key):
            if isinstance(item.value, dict):
                yield item
            else:
                self.error(item, "must be a mapping")

    def texts(self, holder: Cursor, key: str) -> Iterator[Cursor]:
        """The items of the list under a key, each of which must be text that is not blank."""
        for item in self.items(holder, key):
            if (item.text() or "").strip():
                yield item
            else:
                self.error(item, "must be text, and not blank")

    def items(self, holder: Cursor, key: str) -> Iterator[Cursor]:
        """The items of the list under a key; none where there is none."""
        listed = holder.get(key)
        if listed is None:
            return
        if not isinstance(listed.value, list):
            self.error(listed, "must be a list")
            return
        yield from listed.items()

    def flag(self, holder: Cursor, key: str) -> bool | None:
        """The value under a key where it is true or false; None where there is none."""
        value = holder.get(key)
        if value is None or isinstance(value.value, bool):
            return None if value is None else bool(value.value)
        self.error(value, "must be true or false")
        return None


class Names:
    """Gives each task a name; one that is there already is noted as an error.

    Args:
        fields: Notes what is wrong.
    """

    def __init__(self, fields: Fields) -> None:
        self._fields = fields
        self._taken: set[str] = set()

    def take(self, place: Cursor, name: str) -> str:
        """Take a name for what stands at a place."""
        if name in self._taken:
            self._fields.error(place, f"{shown(name)} is there already; every one needs a name of its own")
        self._taken.add(name)
        return name


class Unread:
    """Warns of keys that are not read, once each: most are notes, but one may be misspelt.

    Args:
        findings: Gets the warnings.
        read: The keys that are read.
        notes: Keys that say nothing about what is expected.
    """

    def __init__(self, findings: Findings, read: Collection[str], notes: Collection[str] = ()) -> None:
        self._findings = findings
        self._known = {*read, *notes}

    def note(self, holder: Cursor) -> None:
        """Look at the keys of a mapping."""
        for key, value in holder.pairs():
            if key not in self._known:
                self._known.add(key)
                self._findings.warn(value.mark, value.path, f"{shown(key)} is not read here")
