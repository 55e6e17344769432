"""What every test may rely on: Docker tests run only where an engine answers, and no example has a time limit."""

from __future__ import annotations

import functools
import os

import hypothesis
import pytest

from skillgrade.workspace.bubblewrap_binary import find_bubblewrap
from skillgrade.workspace.docker_client import daemon_problem

# How long an example takes says more about the machine's load than about the code.
hypothesis.settings.register_profile("skillgrade", deadline=None)
hypothesis.settings.load_profile("skillgrade")


@functools.cache
def _docker_problem() -> str | None:
    return daemon_problem()


def pytest_runtest_setup(item: pytest.Item) -> None:
    if item.get_closest_marker("bubblewrap") is not None:
        found = find_bubblewrap()
        if isinstance(found, str):
            pytest.skip(found)
    if item.get_closest_marker("docker") is None:
        return
    problem = _docker_problem()
    if problem is None:
        return
    if os.environ.get("SKILLGRADE_REQUIRE_DOCKER") == "1":
        pytest.fail(f"Docker is required here, but {problem}", pytrace=False)
    pytest.skip(problem)
