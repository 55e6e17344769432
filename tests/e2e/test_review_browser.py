"""People review in a browser: by keyboard, by mouse on a phone, and without scripts."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from skillgrade.results.folder import RunFolder
from tests.support.browsers import chromium
from tests.support.reviews import FILES, INJECTION, waiting_run
from tests.support.shell import Shell

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = pytest.mark.browser

PROMPT = f"Is it good? {INJECTION}\n\n- It is blue\n- It is narrow {INJECTION}"


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    root = tmp_path / "eval"
    root.mkdir()
    return Shell(root)


@pytest.fixture
def run(shell: Shell) -> RunFolder:
    diff = f"--- /dev/null\n+++ b/{INJECTION}\n@@ -0,0 +1,1 @@\n+{INJECTION}\n"
    files = {**FILES, "<img src=x onerror=document.title=1>.svg": FILES["logo.svg"]}
    return waiting_run(shell.root / ".skillgrade", prompt=PROMPT, transcript=INJECTION, diff=diff, files=files)


@contextmanager
def page_of(shell: Shell, **options: Any) -> Iterator[Page]:
    """A browser's page on the running command; whatever it is refused or stumbles over fails the test."""
    with shell.start("review", env={"PYTHONUNBUFFERED": "1"}) as process, chromium() as browser:
        assert process.stdout is not None
        address = re.search(r"http://\S+/", process.stdout.readline())
        assert address is not None
        page = browser.new_page(**options)
        complaints: list[str] = []
        page.on("console", lambda message: complaints.append(message.text))
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("dialog", lambda dialog: complaints.append(dialog.message))
        page.goto(address[0])
        yield page
        assert complaints == []


def results(run: RunFolder) -> list[object]:
    return [json.loads(path.read_text("utf-8")) for path in sorted(run.path.rglob("*.result.json"))]


def test_three_trials_are_reviewed_by_keyboard(shell: Shell, run: RunFolder) -> None:
    titles = []
    with page_of(shell) as page:
        page.on("framenavigated", lambda frame: titles.append(frame.title()))
        page.keyboard.press("Enter")
        page.wait_for_url("**/trials/*")
        first = page.url
        assert not page.locator("text=secretly perfect").is_visible()
        page.keyboard.press("g")
        assert page.locator("text=secretly perfect").is_visible()
        page.keyboard.press("8")
        page.keyboard.press("c")
        page.keyboard.type("solid: 10 of 10 tiles")  # digits in a comment are no scores
        page.keyboard.press("Control+Enter")

        page.wait_for_url("**?saved=*")
        assert page.url.partition("?")[0] != first
        page.keyboard.press("t")
        page.keyboard.press("Enter")

        page.wait_for_selector("text=1 left")
        page.focus('input[name="tick"]')
        page.keyboard.press("Space")
        assert page.input_value("#score") == "0.5"
        page.keyboard.press("Enter")
        page.wait_for_selector("text=All reviewed")
        assert page.title() == "0 to review"
    assert results(run) == [
        {"score": 0.8, "details": "solid: 10 of 10 tiles"},
        {"score": 1, "details": ""},
        {"score": 0.5, "details": f"[x] It is blue\n[ ] It is narrow {INJECTION}"},
    ]
    assert "taken over" not in titles
    totals = json.loads(shell.run("preview", "--json").out)["totals"]
    assert (totals["graded"], totals["passed"]) == (3, 3)


def test_no_script_of_others_runs(shell: Shell, run: RunFolder) -> None:
    with page_of(shell) as page:
        page.keyboard.press("Enter")
        page.wait_for_url("**/trials/*")
        page.wait_for_load_state("networkidle")
        assert page.title() == "redesign #0"
        pictures = page.locator(".pictures img")
        assert pictures.count() == 3
        for number in range(3):
            pictures.nth(number).scroll_into_view_if_needed()
            page.wait_for_function("image => image.complete", arg=pictures.nth(number).element_handle())
        assert pictures.first.evaluate("image => image.naturalWidth") == 80  # the drawing is shown, without its script
        assert page.locator("script").count() == 1
        drawing = pictures.first.get_attribute("src")
        with page.expect_download():  # opened by itself it is saved, never shown
            page.evaluate("address => { location.href = address }", drawing)
        assert page.title() == "redesign #0"


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_phone_shows_all_without_scrolling_sideways(shell: Shell, run: RunFolder, scheme: str) -> None:
    with page_of(shell, viewport={"width": 390, "height": 844}, color_scheme=scheme, has_touch=True) as page:
        assert page.evaluate("document.documentElement.scrollWidth") == 390
        page.tap("text=Start")
        page.wait_for_url("**/trials/*")
        assert page.evaluate("document.documentElement.scrollWidth") == 390
        page.tap(".jump")
        page.tap('[data-score="0.3"]')
        assert page.input_value("#score") == "0.3"
        dark = page.evaluate("getComputedStyle(document.body).backgroundColor")
        assert (dark == "rgb(20, 22, 26)") == (scheme == "dark")
        page.tap("button[type=submit]")
        page.wait_for_selector("text=2 left")
    assert results(run) == [{"score": 0.3, "details": ""}]


def test_it_works_without_scripts(shell: Shell, run: RunFolder) -> None:
    with page_of(shell, java_script_enabled=False) as page:
        page.click("text=Start")
        assert page.locator(".scale").is_hidden()
        page.fill("#score", "0.45")
        page.fill("#comment", "plain")
        page.click("button[type=submit]")
        page.wait_for_selector("text=2 left")
    assert results(run) == [{"score": 0.45, "details": "plain"}]


def test_what_is_worked_with_has_a_name(shell: Shell, run: RunFolder) -> None:
    """Whoever hears the page instead of seeing it is told what each control is."""
    with page_of(shell) as page:
        page.keyboard.press("Enter")
        page.wait_for_url("**/trials/*")
        for role, name in (("spinbutton", "Score"), ("slider", "Score, as a slider"), ("textbox", "Why")):
            assert page.get_by_role(role, name=name, exact=True).count() == 1  # type: ignore[arg-type]  # its literals
        assert page.get_by_role("checkbox", name="It is blue").count() == 1
        nameless = page.locator("button, a, input, textarea").evaluate_all(
            "all => all.filter(e => !(e.textContent.trim() || e.labels?.length || e.ariaLabel)).map(e => e.outerHTML)"
        )
        assert nameless == []
