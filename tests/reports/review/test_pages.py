"""What the pages show, and what saving writes."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from skillgrade.results.review_file import ReviewProblem, read_review
from tests.support.review_site import TOKEN, Site, served
from tests.support.reviews import INJECTION, waiting_run

CHECKLIST = "Look at the page.\n\n- The header is blue\n- [ ] Nothing is cut off\n\nThat is all."


def written(site: Site, number: int = 0, reviewer: str | None = None) -> object:
    path = site.items()[number].place.result(reviewer)
    return json.loads(path.read_text("utf-8")) if path.exists() else None


def test_the_overview_lists_what_waits(site: Site) -> None:
    page = site.get()
    assert page.status == 200
    assert "<h1>3 to review</h1>" in page.text
    assert page.text.count("Does the page match the design?") == 3
    assert all(f"/{TOKEN}/trials/{item.id}" in page.text for item in site.items())


def test_a_trial_s_page_has_everything_to_judge_by(site: Site) -> None:
    page = site.get(f"/trials/{site.items()[1].id}").text
    for text in ("redesign", "#1", "Bring the page in line", "I changed index.html.", "index.html", "shots/wide.png"):
        assert text in page
    assert re.search(r'<tr class="removed">.*?&lt;p&gt;Old&lt;/p&gt;', page)
    assert re.search(r'<tr class="added">.*?&lt;p&gt;New&lt;/p&gt;', page)


def test_what_other_graders_said_is_hidden_until_asked_for(site: Site) -> None:
    page = site.get(f"/trials/{site.items()[0].id}").text
    hidden = re.search(r'<details class="others"[^>]*>(.*?)</details>', page, re.DOTALL)
    assert hidden is not None
    assert "secretly perfect" in hidden[1]
    assert "secretly perfect" not in page.replace(hidden[0], "")
    assert " open" not in hidden[0].partition(">")[0]
    assert "secretly perfect" not in site.get().text


def test_saving_writes_the_result_file_and_goes_on(site: Site) -> None:
    first, second, _ = site.items()
    answer = site.post(f"/trials/{first.id}", {"score": "0.8", "comment": "Colours – “off”\r\non a phone"})
    assert answer.status == 303
    assert answer.headers["Location"] == f"/{TOKEN}/trials/{second.id}?saved={first.id}"
    assert written(site) == {"score": 0.8, "details": "Colours – “off”\non a phone"}
    assert len(site.saves) == 1
    following = site.get(f"/trials/{second.id}?saved={first.id}").text
    assert "Saved: redesign #0 <strong>0.8</strong>" in following
    assert "2 left" in following
    assert sorted(path.name for path in first.place.folder.iterdir()) == ["redesign-0.json", "redesign-0.result.json"]


def test_after_the_last_one_comes_the_overview(site: Site) -> None:
    for item in site.items():
        last = site.post(f"/trials/{item.id}", {"score": "1"})
    assert last.headers["Location"] == f"/{TOKEN}/?saved={site.items()[2].id}"
    assert "<h1>All reviewed</h1>" in site.get().text


def test_a_review_can_be_changed(site: Site) -> None:
    item = site.items()[0]
    site.post(f"/trials/{item.id}", {"score": "0.8", "comment": "first thought"})
    page = site.get(f"/trials/{item.id}").text
    assert 'value="0.8"' in page
    assert ">first thought</textarea>" in page
    site.post(f"/trials/{item.id}", {"score": "0,25", "comment": ""})
    assert written(site) == {"score": 0.25, "details": ""}


@pytest.mark.parametrize("score", ["", "1.1", "-0.1", "nan", "inf", "good", "0x1", "1" * 5000])
def test_what_is_no_score_is_asked_again_with_the_comment_kept(site: Site, score: str) -> None:
    item = site.items()[0]
    answer = site.post(f"/trials/{item.id}", {"score": score, "comment": "<b>kept</b>"})
    assert answer.status == 422
    assert 'role="alert"' in answer.text
    assert "&lt;b&gt;kept&lt;/b&gt;</textarea>" in answer.text
    assert written(site) is None
    assert site.saves == []


def test_a_checklist_scores_by_its_share(tmp_path: Path) -> None:
    with served(waiting_run(tmp_path, prompt=CHECKLIST)) as site:
        item = site.items()[0]
        page = site.get(f"/trials/{item.id}").text
        assert page.count('type="checkbox"') == 2
        assert "or tick what holds" in site.post(f"/trials/{item.id}", {}).text
        site.post(f"/trials/{item.id}", [("score", ""), ("tick", "1"), ("tick", "7"), ("comment", "narrow is fine")])
        assert written(site) == {
            "score": 0.5,
            "details": "narrow is fine\n\n[ ] The header is blue\n[x] Nothing is cut off",
        }
        again = site.get(f"/trials/{item.id}").text
        assert [" checked" in line for line in again.splitlines() if 'name="tick"' in line] == [False, True]
        assert ">narrow is fine</textarea>" in again
        site.post(f"/trials/{item.id}", [("score", "0.9"), ("tick", "0"), ("tick", "1")])
        assert written(site) == {"score": 0.9, "details": "[x] The header is blue\n[x] Nothing is cut off"}


def test_reviewers_do_not_see_each_other(tmp_path: Path) -> None:
    run = waiting_run(tmp_path)
    with served(run, "ann") as site:
        site.post(f"/trials/{site.items()[0].id}", {"score": "0.31", "comment": "hers alone"})
        assert written(site, 0, "ann") == {"score": 0.31, "details": "hers alone"}
        assert written(site, 0) is None
        assert "as ann" in site.get().text
    with served(run, "zoe") as site:
        assert "<h1>3 to review</h1>" in site.get().text
        page = site.get(f"/trials/{site.items()[0].id}").text
        assert "hers alone" not in page
        assert "0.31" not in page
    with served(run) as site:  # whoever has no name is asked only what nobody has answered
        assert "<h1>2 to review</h1>" in site.get().text


def test_a_file_that_is_no_review_is_said_and_replaced(site: Site) -> None:
    item = site.items()[0]
    item.place.result().write_text('{"score": 8}')
    assert isinstance(read_review(item.place.result()), ReviewProblem)
    page = site.get(f"/trials/{item.id}").text
    assert "must be a number from 0 to 1, not 8" in page
    assert "<h1>3 to review</h1>" in site.get().text
    site.post(f"/trials/{item.id}", {"score": "1"})
    assert written(site) == {"score": 1.0, "details": ""}


def test_a_question_that_is_lost_is_named(site: Site) -> None:
    site.items()[1].place.context.unlink()
    page = site.get().text
    assert "<h1>2 to review</h1>" in page
    assert "redesign-1.json: what was asked of the reviewer is lost" in page


def test_everything_that_was_written_by_others_is_text(tmp_path: Path) -> None:
    hostile = f"\x1b[31m{INJECTION}\u202e\udc80"
    diff = f"--- /dev/null\n+++ b/{INJECTION}\n@@ -0,0 +1,1 @@\n+{INJECTION}\n"
    run = waiting_run(
        tmp_path, 1, prompt=INJECTION, transcript=hostile, files={"<img src=x onerror=1>.png": b"x"}, diff=diff
    )
    with served(run) as site:
        (item,) = site.items()
        for page in (site.get(), site.get(f"/trials/{item.id}"), site.post(f"/trials/{item.id}", {"score": INJECTION})):
            assert "<script>" not in page.text
            assert "<img src=x" not in page.text
            assert "\u202e" not in page.text
            assert "\x1b" not in page.text
        assert "&lt;script&gt;" in site.get(f"/trials/{item.id}").text


def test_a_page_that_is_not_there_says_so(site: Site) -> None:
    for path in ("/nothing", "/trials/0", f"/trials/{site.items()[0].id}/files/0", "/static/app.py"):
        page = site.get(path)
        assert page.status == 404
        assert "That did not work" in page.text


def test_a_run_that_vanished_is_an_error_in_words(site: Site) -> None:
    site.run.journal.unlink()
    page = site.get()
    assert page.status == 500
    assert "journal.jsonl: cannot be read" in page.text
    assert "Traceback" not in page.text


def test_a_review_that_cannot_be_written_is_an_error_in_words(site: Site) -> None:
    item = site.items()[0]
    item.place.result().mkdir()
    answer = site.post(f"/trials/{item.id}", {"score": "1"})
    assert answer.status == 500
    assert "redesign-0.result.json: cannot be written" in answer.text
    assert site.saves == []


def test_pages_work_without_scripts_and_show_nothing_that_needs_them(site: Site) -> None:
    page = site.get(f"/trials/{site.items()[0].id}").text
    assert re.search(r'<form [^>]*method="post"', page)
    for shown in re.findall(r'<[^>]*class="[^"]*scripted[^"]*"[^>]*>', page):
        assert " hidden" in shown
    assert "<script>" not in page
    assert " style=" not in page
    assert not re.search(r" on[a-z]+=", page)
