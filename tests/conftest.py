"""What holds for every test: those of Docker run only where an engine answers, those of pages only where a browser is;
no example has a time limit; none leaves a process, thread, file descriptor, temporary folder or container behind.
"""

from __future__ import annotations

import functools
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import NoReturn

import hypothesis
import pytest

from skillgrade.workspace.bubblewrap.binary import find_bubblewrap
from skillgrade.workspace.docker.client import daemon_problem
from tests.support.browsers import find_chromium
from tests.support.leaks import adopt_orphans, containers_left, held, left

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
    if item.get_closest_marker("browser") is not None and find_chromium() is None:
        _refuse("BROWSER", "no chromium is installed")
    if item.get_closest_marker("docker") is not None and (problem := _docker_problem()) is not None:
        _refuse("DOCKER", problem)


def _refuse(what: str, problem: str) -> NoReturn:
    """Skip a test, or fail it where what it lacks is required."""
    if os.environ.get(f"SKILLGRADE_REQUIRE_{what}") == "1":
        pytest.fail(f"{what.title()} is required here, but {problem}", pytrace=False)
    pytest.skip(problem)


SHARED = {"environment"}
"""Fixtures that keep what they need for the tests of a module, whose end is the time to look then."""


@pytest.fixture(autouse=True, scope="session")
def temporary_root() -> Iterator[Path]:
    """A temporary folder that no other process uses, so that whatever appears in it is a test's.

    Its path is short: programs such as tsx make sockets below it, whose paths the system cuts at 107 bytes.
    """
    adopt_orphans()
    with tempfile.TemporaryDirectory(prefix="sg-") as folder, pytest.MonkeyPatch.context() as patch:
        patch.setenv("TMPDIR", folder)
        patch.setattr(tempfile, "tempdir", folder)
        yield Path(folder)


@pytest.fixture(autouse=True, scope="module")
def _module_leaves_nothing(temporary_root: Path) -> Iterator[None]:
    before = held(temporary_root, sockets=False)
    yield
    found = left(before, temporary_root, sockets=False)
    assert not found, f"the module left {found}"


@pytest.fixture(autouse=True)
def _test_leaves_nothing(
    request: pytest.FixtureRequest, temporary_root: Path, _module_leaves_nothing: None
) -> Iterator[None]:
    if SHARED.intersection(request.fixturenames):
        yield
        return
    uses_docker = request.node.get_closest_marker("docker") is not None
    before = held(temporary_root, sockets=not uses_docker)
    yield
    found = left(before, temporary_root, sockets=not uses_docker)
    folder = request.node.funcargs.get("tmp_path")
    if folder is not None:
        found += [f"temporary {path}" for path in folder.parent.glob(f"{folder.name}-tmp/skillgrade-*")]  # of a `Shell`
        found += containers_left(folder) if uses_docker else []
    assert not found, f"the test left {found}"
