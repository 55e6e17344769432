from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from skillgrade.reports.review.items import review_list
from skillgrade.reports.review.view import Fold, readable, shortened, trial_view
from skillgrade.results.evidence import Evidence, save
from skillgrade.results.folder import RunFolder
from skillgrade.results.reviews import ReviewPlace, read_context, write_context
from tests.support.reviews import waiting_run


def test_what_steers_terminals_is_taken_out_and_the_invisible_is_shown() -> None:
    assert readable("\x1b[1;31mred\x1b[0m \x1b]0;title\x07ok\x1bM\n\ttab") == "red ok\n\ttab"
    assert readable("a\u202eb\x00c\x1b") == "a\ufffdb\ufffdc\ufffd"


def test_long_texts_lose_their_middle() -> None:
    assert shortened("abc", 3) == "abc"
    cut = shortened("a" * 30 + "b" * 70, 30)
    assert cut == "a" * 10 + "\n\n[… 70 characters are left out here …]\n\n" + "b" * 20


def test_pictures_that_changed_come_first(run: RunFolder) -> None:
    view = trial_view(review_list(run, None).items[0])
    assert [file.path for file in view.pictures] == ["logo.svg", "shots/wide.png"]
    assert view.changes is not None
    assert [change.file.path if change.file else None for change in view.changes] == ["index.html", "logo.svg"]


def test_what_was_not_kept_is_none_and_no_change_is_empty(tmp_path: Path) -> None:
    kept = waiting_run(tmp_path / "kept", diff="")
    lost = waiting_run(tmp_path / "lost", diff=None)
    assert trial_view(review_list(kept, None).items[0]).changes == ()
    assert trial_view(review_list(lost, None).items[0]).changes is None


def test_one_turn_is_one_fold(run: RunFolder) -> None:
    (fold,) = trial_view(review_list(run, None).items[0]).folds
    assert fold == Fold("What the agent said and did", "I changed index.html.\n")


def test_several_turns_are_folded_each(run: RunFolder, tmp_path: Path) -> None:
    item = review_list(run, None).items[0]
    attempt = tmp_path / "attempt"
    for turn, transcript in enumerate(["one\n", "one\ntwo\n"]):
        (attempt / f"turn-{turn}").mkdir(parents=True)
        save(Evidence(turn, "Go on.", transcript), attempt / f"turn-{turn}")
    place = ReviewPlace(attempt / "turn-2" / "workspace", "redesign", 0, 1)
    write_context(place, replace(read_context(item.place), turn=2, transcript="one\ntwo\nthree\n"))
    third = replace(
        item,
        result=replace(item.result, turn=2),
        place=place,
    )
    assert trial_view(third).folds == (Fold("Turn 1", "one\n"), Fold("Turn 2", "two\n"), Fold("Turn 3", "three\n"))


def test_of_very_much_that_changed_the_first_is_shown(tmp_path: Path) -> None:
    one = "@@ -0,0 +1,1900 @@\n" + "+x\n" * 1900
    diff = "".join(f"--- /dev/null\n+++ b/{number:03}\n{one}" for number in range(250))
    view = trial_view(review_list(waiting_run(tmp_path, 1, diff=diff), None).items[0])
    assert view.changes is not None
    assert (len(view.changes), view.more_changes) == (200, 50)
    shown = [len(change.diff.lines) for change in view.changes]
    assert shown == [1901] * 5 + [495] + [0] * 194
    assert [change.diff.left_out for change in view.changes] == [0] * 5 + [1406] + [1901] * 194
    assert view.changes[199].diff.added == 1900


def test_a_picture_that_changed_is_told_and_comes_first(tmp_path: Path) -> None:
    note = "shots/wide.png: a binary file, nothing before, 68 bytes after"
    view = trial_view(review_list(waiting_run(tmp_path, 1, diff=f"{note}\n"), None).items[0])
    assert [(text, file.path if file else None) for text, file in view.notes] == [(note, "shots/wide.png")]
    assert [file.path for file in view.pictures] == ["shots/wide.png", "logo.svg"]
