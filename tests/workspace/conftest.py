from __future__ import annotations

import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest

from skillgrade.stop import Stop
from skillgrade.suite.model import DockerSpec
from skillgrade.workspace import PROVIDERS
from skillgrade.workspace.base import EnvironmentSpec, Prepared, Provider
from tests.support.workspaces import Bench

Environment = tuple[Provider, Prepared, str]


@pytest.fixture(scope="module", params=["local", pytest.param("docker", marks=pytest.mark.docker)])
def environment(request: pytest.FixtureRequest) -> Iterator[Environment]:
    """A provider, what it prepared, and the id of a run that ends with the module."""
    provider = PROVIDERS[request.param]()
    run = f"test-{uuid.uuid4().hex[:12]}"
    yield provider, provider.prepare(EnvironmentSpec(DockerSpec()), run, Stop()), run
    provider.end_run(run)


@pytest.fixture
def bench(environment: Environment, tmp_path: Path) -> Iterator[Bench]:
    folder = tmp_path / "output"
    folder.mkdir()
    bench = Bench(*environment, folder)
    yield bench
    bench.close()
