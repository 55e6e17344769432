"""A headless browser for pages."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from playwright.sync_api import Browser

_QUIET = (
    "--no-sandbox",  # it refuses to have one as root
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)


def find_chromium() -> Path | None:
    """The chromium of this machine."""
    found = shutil.which("chromium") or shutil.which("chromium-browser")
    return None if found is None else Path(found)


@contextmanager
def chromium() -> Iterator[Browser]:
    """It, started for the body."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find_chromium(), args=list(_QUIET))
        try:
            yield browser
        finally:
            browser.close()
