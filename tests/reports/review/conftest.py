"""The review pages of a run whose trials wait."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from skillgrade.results.folder import RunFolder
from tests.support.review_site import Site, served
from tests.support.reviews import waiting_run


@pytest.fixture
def run(tmp_path: Path) -> RunFolder:
    return waiting_run(tmp_path)


@pytest.fixture
def site(run: RunFolder) -> Iterator[Site]:
    with served(run) as site:
        yield site
