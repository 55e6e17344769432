"""What a reviewer enters, and the review that it amounts to."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from skillgrade.results.records import Review

_LONGEST_COMMENT = 100_000


@dataclass(frozen=True, slots=True)
class Entry:
    """What stands in the fields: the score as it was typed, the comment, the ticked items of the checklist."""

    score: str = ""
    comment: str = ""
    ticked: frozenset[int] = frozenset()


def read_entry(fields: Mapping[str, Sequence[str]], checklist: Sequence[str]) -> Entry:
    """The entry that a form holds; what is not of it is left out."""
    ticked = {number for number in range(len(checklist)) if str(number) in fields.get("tick", ())}
    score, comment = (fields.get(name, [""])[-1] for name in ("score", "comment"))
    return Entry(score.strip(), comment.replace("\r\n", "\n").strip(), frozenset(ticked))


def entry_of(review: Review, checklist: Sequence[str]) -> Entry:
    """The entry that a review came from."""
    lines = review.details.split("\n")
    marks = dict(_marks(checklist))
    ticked = frozenset(marks[line] for line in lines if line in marks and line.startswith("[x]"))
    comment = "\n".join(line for line in lines if line not in marks).strip()
    return Entry(f"{review.score:g}", comment, ticked)


def review_of(entry: Entry, checklist: Sequence[str], reviewer: str | None) -> Review | str:
    """The review that an entry amounts to, or what is wrong with it.

    A score that was given counts; else it is the share of the checklist that is ticked.
    """
    if len(entry.comment) > _LONGEST_COMMENT:
        return f"The comment is longer than {_LONGEST_COMMENT} characters; shorten it."
    if entry.score:
        score = _number(entry.score)
        if score is None:
            return f"“{entry.score[:40]}” is no score; give a number from 0 to 1."
    elif entry.ticked:
        score = round(len(entry.ticked) / len(checklist), 4)
    else:
        return "Give a score from 0 to 1" + (", or tick what holds." if checklist else ".")
    return Review(score, _details(entry, checklist), reviewer)


def _number(text: str) -> float | None:
    try:
        number = float(text.replace(",", "."))
    except ValueError:
        return None
    return number if math.isfinite(number) and 0 <= number <= 1 else None


def _details(entry: Entry, checklist: Sequence[str]) -> str:
    marks = [line for line, number in _marks(checklist) if (number in entry.ticked) == line.startswith("[x]")]
    parts = [entry.comment, "\n".join(marks) if entry.ticked else ""]
    return "\n\n".join(part for part in parts if part)


def _marks(checklist: Sequence[str]) -> list[tuple[str, int]]:
    return [(f"[{mark}] {item}", number) for number, item in enumerate(checklist) for mark in "x "]
