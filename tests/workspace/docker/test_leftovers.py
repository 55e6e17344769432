"""What nobody uses any more in a real engine."""

from __future__ import annotations

import socket
import time
import uuid
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from skillgrade.errors import ProviderError
from skillgrade.stop import Stop
from skillgrade.suite.model import DockerSpec
from skillgrade.workspace import owner
from skillgrade.workspace.base import EnvironmentSpec
from skillgrade.workspace.docker.client import connect
from skillgrade.workspace.docker.images import ensure_image
from skillgrade.workspace.docker.leftovers import IMAGE_LIFE, UNFINISHED_LIFE, labels_of, of_dead_runs, unused_images
from skillgrade.workspace.leftover import Leftover
from tests.support.containers import DockerRun, docker_run

pytestmark = pytest.mark.docker

MOMENT = timedelta(minutes=5)


@pytest.fixture
def run(tmp_path: Path) -> Iterator[DockerRun]:
    with docker_run(tmp_path) as made:
        yield made


@pytest.fixture
def own_host(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A host that no other run of this machine is on, so that none sweeps what the test made."""
    name = uuid.uuid4().hex
    monkeypatch.setattr(socket, "gethostname", lambda: name)
    owner._this.cache_clear()
    yield
    owner._this.cache_clear()


@pytest.fixture
def environment() -> EnvironmentSpec:
    """One that no other test has."""
    return EnvironmentSpec(DockerSpec(setup=f": {uuid.uuid4().hex}"))


@pytest.fixture
def image(environment: EnvironmentSpec) -> Iterator[str]:
    made = ensure_image(connect(), environment, Stop())
    yield str(connect().images.get(made).tags[0])
    for name in connect().images.get(made).tags:
        connect().api.remove_image(name)


def listed(what: str, now: datetime) -> list[Leftover]:
    return [leftover for leftover in unused_images(connect(), now) if what in leftover.what]


def test_an_image_is_unused_thirty_days_after_its_last_use(environment: EnvironmentSpec, image: str) -> None:
    start = datetime.now(UTC)
    assert listed(image, start + IMAGE_LIFE - MOMENT) == []
    (unused,) = listed(image, start + IMAGE_LIFE + MOMENT)
    assert unused.what == f"image {image} (not used for 30 days)"
    before = connect().images.get(image).attrs["Metadata"]["LastTagTime"]
    time.sleep(0.01)
    ensure_image(connect(), environment, Stop())
    assert connect().images.get(image).attrs["Metadata"]["LastTagTime"] > before


def test_an_unused_image_says_what_it_frees_and_goes(environment: EnvironmentSpec) -> None:
    tag = connect().images.get(ensure_image(connect(), environment, Stop())).tags[0]
    (unused,) = listed(tag, datetime.now(UTC) + 2 * IMAGE_LIFE)
    freed = unused.measure()
    assert freed is None or 0 <= freed < 50_000_000  # not the base, which other images share
    assert unused.remove() is None
    assert listed(tag, datetime.now(UTC) + 2 * IMAGE_LIFE) == []
    assert unused.remove() is None  # as when somebody else was faster


def test_an_image_that_a_container_uses_stays(image: str) -> None:
    (unused,) = listed(image, datetime.now(UTC) + 2 * IMAGE_LIFE)
    container = connect().api.create_container(image)["Id"]
    try:
        assert "is using" in str(unused.remove())
    finally:
        connect().api.remove_container(container)
    assert connect().images.get(image).tags == [image]


def test_an_image_that_somebody_named_too_is_theirs(image: str) -> None:
    theirs = f"skillgrade-test-{uuid.uuid4().hex}"
    connect().api.tag(image, theirs)
    assert listed(image, datetime.now(UTC) + 2 * IMAGE_LIFE) == []


def test_what_a_failed_build_left_goes_after_a_day() -> None:
    mark = uuid.uuid4().hex
    with pytest.raises(ProviderError, match="could not be built"):
        ensure_image(connect(), EnvironmentSpec(DockerSpec(setup=f"echo {mark}"), "exit 1"), Stop())
    with_mark = [
        str(image.id).removeprefix("sha256:")[:12]
        for image in connect().images.list(filters={"dangling": True, "label": "skillgrade.image"})
        if any(mark in str(step["CreatedBy"]) for step in image.history())
    ]
    (layer,) = with_mark
    assert listed(layer, datetime.now(UTC) + UNFINISHED_LIFE - MOMENT) == []
    (unfinished,) = listed(layer, datetime.now(UTC) + UNFINISHED_LIFE + MOMENT)
    assert unfinished.what == f"image {layer} (of a build that was not finished, or replaced)"
    assert unfinished.remove() is None
    assert listed(layer, datetime.now(UTC) + UNFINISHED_LIFE + MOMENT) == []


def test_a_container_of_a_dead_run_says_whose_it_was_and_its_size(run: DockerRun, own_host: None) -> None:
    labels = {**labels_of(run.id, "task 0.0"), "skillgrade.started": "1"}
    container = run.client.api.create_container(run.prepare().reference, ["bash"], labels=labels)["Id"]
    (dead,) = of_dead_runs(run.client)
    assert dead.what == f"container {container[:12]} (task 0.0 of run {run.id})"
    assert dead.measure() == 0
    assert dead.remove() is None
    assert run.containers() == []
    assert (dead.measure(), dead.remove()) == (None, None)


def test_the_skills_image_of_a_dead_run_goes_too(run: DockerRun, own_host: None) -> None:
    labels = {**labels_of(run.id, "task 0.0"), "skillgrade.started": "1"}
    container = run.client.api.create_container(run.prepare().reference, ["bash"], labels=labels)["Id"]
    made = run.client.containers.get(container).commit("skillgrade", f"run-{uuid.uuid4().hex[:24]}")
    found = of_dead_runs(run.client)
    assert [leftover.what.split()[0] for leftover in found] == ["container", "image"]
    assert [leftover.remove() for leftover in found] == [None, None]
    assert run.client.images.list(filters={"label": f"skillgrade.run={run.id}"}) == []
    assert str(made.id).startswith("sha256:")
