from __future__ import annotations

import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest

from skillgrade.stop import Stop
from skillgrade.suite.model import DockerSpec
from skillgrade.workspace import PROVIDERS
from skillgrade.workspace.base import EnvironmentSpec, Prepared, Provider
from tests.support.sandboxes import provider_without_overlays
from tests.support.workspaces import Bench

Environment = tuple[Provider, Prepared, str]


MAKERS = {**PROVIDERS, "no overlays": provider_without_overlays}
PARAMS = [
    "local",
    pytest.param("bubblewrap", marks=pytest.mark.bubblewrap),
    pytest.param("no overlays", marks=pytest.mark.bubblewrap),
    pytest.param("docker", marks=pytest.mark.docker),
]


@pytest.fixture(scope="module", params=PARAMS)
def environment(request: pytest.FixtureRequest) -> Iterator[Environment]:
    """A provider, what it prepared, and the id of a run that ends with the module."""
    provider = MAKERS[request.param]()
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
