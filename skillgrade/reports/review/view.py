"""What the page of one trial shows, read from what was kept of it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from skillgrade.errors import StorageError
from skillgrade.reports.review.diff import FileDiff, read_diff
from skillgrade.reports.review.files import FileList, TrialFile, list_files
from skillgrade.reports.review.items import ReviewItem, earlier_turns
from skillgrade.reports.terminal.text import printable
from skillgrade.results.evidence import Evidence, load
from skillgrade.results.reviews import read_context

_FILES_SHOWN = 200
"""Changed files that are shown."""

_LINES_SHOWN = 10_000
"""Lines of all of them together that are shown."""

_TEXT_SHOWN = 300_000
"""Characters of a transcript that are shown."""

_PICTURES_SHOWN = 24
_STEERING = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[@-Z\\-_])")


@dataclass(frozen=True, slots=True)
class Fold:
    """A part of the conversation that can be folded away: its title and its text."""

    title: str
    text: str


@dataclass(frozen=True, slots=True)
class ChangedFile:
    """A file that changed: how, and as it is now, where it still is."""

    diff: FileDiff
    file: TrialFile | None


@dataclass(frozen=True, slots=True)
class TrialView:
    """What is shown of a trial beside the question.

    Attributes:
        instruction: What the agent was told.
        folds: The conversation, turn by turn.
        changes: What changed; None where that was not kept.
        more_changes: How many more files changed.
        notes: Changes that are told in a sentence, each with its file where that still is.
        pictures: The images among the files, those that changed first.
        files: All files.
    """

    instruction: str
    folds: tuple[Fold, ...]
    changes: tuple[ChangedFile, ...] | None
    more_changes: int
    notes: tuple[tuple[str, TrialFile | None], ...]
    pictures: tuple[TrialFile, ...]
    files: FileList


def trial_view(item: ReviewItem) -> TrialView:
    """Gather what the page of a trial shows.

    Raises:
        UserError: The question is gone or cannot be read.
    """
    context = read_context(item.place)
    files = list_files(item.place.workspace)
    by_path = {file.path: file for file in files.files}
    evidence = _evidence(item.folder)
    kept = None if evidence is None else evidence.diff
    diff = read_diff(kept or "")
    changed = [ChangedFile(each, by_path.get(each.path)) for each in _within_budget(diff.files)]
    notes = [(note, by_path.get(note.split(": ")[0])) for note in diff.notes]
    touched = [*(change.file for change in changed), *(file for _, file in notes)]
    return TrialView(
        instruction=context.instruction,
        folds=tuple(_folds(item, context.transcript)),
        changes=None if kept is None else tuple(changed[:_FILES_SHOWN]),
        more_changes=max(0, len(changed) - _FILES_SHOWN),
        notes=tuple(notes),
        pictures=tuple(_pictures(touched, files.files)),
        files=files,
    )


def readable(text: str) -> str:
    """The text without what steers a terminal, and with anything else invisible made visible."""
    return printable(_STEERING.sub("", text))


def shortened(text: str, limit: int = _TEXT_SHOWN) -> str:
    """The text without its middle, where it is long."""
    if len(text) <= limit:
        return text
    head, tail = limit // 3, limit - limit // 3
    return f"{text[:head]}\n\n[… {len(text) - limit} characters are left out here …]\n\n{text[-tail:]}"


def _folds(item: ReviewItem, whole: str) -> Iterator[Fold]:
    """The conversation, cut where each turn began: what was kept of a turn begins with all that came before it."""
    before = ""
    for turn, folder in earlier_turns(item):
        evidence = _evidence(folder)
        if evidence is not None and evidence.transcript.startswith(before):
            yield Fold(f"Turn {turn + 1}", shortened(evidence.transcript[len(before) :]))
            before = evidence.transcript
    title = f"Turn {item.result.turn + 1}" if before else "What the agent said and did"
    yield Fold(title, shortened(whole.removeprefix(before)))


def _within_budget(diffs: Iterable[FileDiff]) -> Iterator[FileDiff]:
    left = _LINES_SHOWN
    for diff in diffs:
        shown = diff.lines[:left]
        yield replace(diff, lines=shown, left_out=diff.left_out + len(diff.lines) - len(shown))
        left -= len(shown)


def _evidence(folder: Path) -> Evidence | None:
    try:
        return load(folder)
    except StorageError:
        return None


def _pictures(touched: Iterable[TrialFile | None], files: Iterable[TrialFile]) -> list[TrialFile]:
    """The images among the files, those that the agent touched first."""
    ordered = dict.fromkeys(file for file in (*touched, *files) if file is not None and file.is_picture)
    return list(ordered)[:_PICTURES_SHOWN]
