"""Reviewing in a terminal: one trial after another, a score and a comment for each."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from skillgrade.reports.review.answer import Entry, review_of
from skillgrade.reports.review.diff import FileDiff, Mark
from skillgrade.reports.review.items import ReviewItem, review_list
from skillgrade.reports.review.view import readable, trial_view
from skillgrade.results.folder import RunFolder
from skillgrade.results.review_file import write_review

if TYPE_CHECKING:
    from rich.console import Console

_TRANSCRIPT_END = 3000
"""Characters of a transcript's end that are shown."""

_DIFF_LINES = 200
"""Lines of a diff that are shown."""

_STYLES = {Mark.ADDED: "green", Mark.REMOVED: "red", Mark.PLACE: "cyan", Mark.NOTE: "dim"}
_SIGNS = {Mark.ADDED: "+", Mark.REMOVED: "-", Mark.SAME: " "}


def review_in_terminal(console: Console, run: RunFolder, reviewer: str | None, saved: Callable[[], None]) -> None:
    """Ask for the review of everything that waits; the end of the input ends it.

    Args:
        console: Where to write; answers are read from the standard input.
        run: The run's folder.
        reviewer: Who is reviewing; None without a name.
        saved: Called when a review was written.

    Raises:
        UserError: The run cannot be read.
        StorageError: A review could not be written.
    """
    skipped: set[str] = set()
    while True:
        waiting = [item for item in review_list(run, reviewer).open if item.id not in skipped]
        if not waiting:
            console.print("nothing waits for a review" + (" but what was skipped" if skipped else ""))
            return
        item = waiting[0]
        _show(console, item, len(waiting))
        try:
            answered = _ask(console, item)
        except EOFError:
            console.print()
            return
        if answered:
            saved()
        else:
            skipped.add(item.id)


def _ask(console: Console, item: ReviewItem) -> bool:
    """Ask until there is a score; whether it was not skipped."""
    while True:
        score = console.input("score, 0 to 1 (empty: skip): ").strip()
        if not score:
            return False
        review = review_of(Entry(score), (), item.reviewer)
        if isinstance(review, str):
            console.print(review, style="red")
            continue
        comment = console.input("why: ").strip()
        review = review_of(Entry(score, comment), (), item.reviewer)
        if isinstance(review, str):
            console.print(review, style="red")
            continue
        write_review(item.place.result(item.reviewer), review)
        return True


def _show(console: Console, item: ReviewItem, waiting: int) -> None:
    view = trial_view(item)
    console.rule(readable(f"{item.record.task} #{item.record.trial} · {waiting} to review"))
    for title, text in (("instruction", view.instruction), ("transcript", view.folds[-1].text)):
        _section(console, title, text if len(text) <= _TRANSCRIPT_END else f"[…]{text[-_TRANSCRIPT_END:]}")
    console.print("changes", style="bold")
    if view.changes is None:
        console.print("  not kept", style="dim")
    left = _DIFF_LINES
    for change in view.changes or ():
        _show_diff(console, change.diff, left)
        left = max(0, left - len(change.diff.lines))
    for note, _ in view.notes:
        console.print(f"  {readable(note)}", soft_wrap=True)
    console.print(f"files: {item.place.workspace}", style="dim", soft_wrap=True)
    _section(console, "question", item.prompt)


def _section(console: Console, title: str, text: str) -> None:
    console.print(title, style="bold")
    for line in readable(text).rstrip("\n").split("\n"):
        console.print(f"  {line}", soft_wrap=True)


def _show_diff(console: Console, diff: FileDiff, limit: int) -> None:
    counts = f"+{diff.added} -{diff.removed}"
    console.print(f"  {readable(diff.path)} ({diff.change}, {counts})", style="bold", soft_wrap=True)
    for line in diff.lines[:limit]:
        console.print(
            f"  {_SIGNS.get(line.mark, '')}{readable(line.text)}", style=_STYLES.get(line.mark, ""), soft_wrap=True
        )
    if len(diff.lines) > limit or diff.left_out:
        console.print("  […]", style="dim")
