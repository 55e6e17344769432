"""What every test may rely on: tests that need a Docker engine run only where one answers."""

from __future__ import annotations

import functools
import os

import pytest

from skillgrade.workspace.docker_client import daemon_problem


@functools.cache
def _docker_problem() -> str | None:
    return daemon_problem()


def pytest_runtest_setup(item: pytest.Item) -> None:
    if item.get_closest_marker("docker") is None:
        return
    problem = _docker_problem()
    if problem is None:
        return
    if os.environ.get("SKILLGRADE_REQUIRE_DOCKER") == "1":
        pytest.fail(f"Docker is required here, but {problem}", pytrace=False)
    pytest.skip(problem)
