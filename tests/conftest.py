"""What holds for every test: Docker tests run only where an engine answers, no example has a time limit, none leaves a
process, a thread, a file descriptor, a temporary folder or a container behind.
"""

from __future__ import annotations

import functools
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

import hypothesis
import pytest

from skillgrade.workspace.bubblewrap.binary import find_bubblewrap
from skillgrade.workspace.docker.client import daemon_problem
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
    if item.get_closest_marker("docker") is None:
        return
    problem = _docker_problem()
    if problem is None:
        return
    if os.environ.get("SKILLGRADE_REQUIRE_DOCKER") == "1":
        pytest.fail(f"Docker is required here, but {problem}", pytrace=False)
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
