"""A command that has a way to the gateway, in each provider that isolates; graders have none."""

from __future__ import annotations

import subprocess
import uuid
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from skillgrade.capture import OutputSink
from skillgrade.stop import Stop
from skillgrade.suite.model import DockerSpec
from skillgrade.workspace import PROVIDERS
from skillgrade.workspace.base import Command, EnvironmentSpec, Workspace, WorkspaceSpec
from skillgrade.workspace.gateway.address import FOLDER, PORT, ModelAddress
from skillgrade.workspace.gateway.bridged import bridged
from skillgrade.workspace.gateway.gateway import Gateway
from tests.support.agent_server import AgentServer

ASK = f"""exec 3<>/dev/tcp/127.0.0.1/{PORT} || exit 7
printf 'GET /v1/models HTTP/1.1\\r\\nHost: x\\r\\nConnection: close\\r\\n\\r\\n' >&3
head -1 <&3; cat"""


@pytest.fixture(
    params=[
        pytest.param("docker", marks=pytest.mark.docker),
        pytest.param("bubblewrap", marks=pytest.mark.bubblewrap),
    ]
)
def workspace(request: pytest.FixtureRequest) -> Iterator[Workspace]:
    provider, run = PROVIDERS[request.param](), f"test-{uuid.uuid4().hex[:8]}"
    with AgentServer() as server:
        host, _, port = server.url.removeprefix("http://").partition(":")
        with Gateway(ModelAddress(host, int(port), is_tls=False), run) as gateway:
            try:
                prepared = provider.prepare(EnvironmentSpec(DockerSpec()), run, Stop())
                spec = WorkspaceSpec(run, "gateway 0.0", prepared, network="none", gateway=gateway.folder)
                with closing(provider.open(spec, Stop())) as opened:
                    yield opened
            finally:
                provider.end_run(run)


def a_command(folder: Path, *argv: str, stdin: bytes | None = None) -> Command:
    sinks = [OutputSink(folder / f"{uuid.uuid4().hex}") for _ in range(2)]
    return Command(argv, stdout=sinks[0], stderr=sinks[1], timeout=60, stdin=stdin)


def test_an_agent_asks_again_and_again_and_still_reads_its_input(workspace: Workspace, tmp_path: Path) -> None:
    for _ in range(2):
        result = workspace.run(a_command(tmp_path, "bash", "-c", ASK, stdin=b"the instruction"), Stop())
        assert (result.exit_code, result.stderr.text()) == (0, "")
        assert result.stdout.text() == "HTTP/1.1 200 OK\r\nthe instruction"


def test_a_program_that_is_missing_says_so(workspace: Workspace, tmp_path: Path) -> None:
    result = workspace.run(a_command(tmp_path, "no-such-program"), Stop())
    assert result.exit_code == 127
    assert "no-such-program" in result.stderr.text()


def test_its_exit_code_is_the_program_s_own_and_nothing_of_the_relay_is_left(
    workspace: Workspace, tmp_path: Path
) -> None:
    assert workspace.run(a_command(tmp_path, "bash", "-c", "exit 5"), Stop()).exit_code == 5
    workspace.end_processes()
    asking = replace(a_command(tmp_path, "bash", "-c", ASK), privileged=True)
    assert workspace.run(asking, Stop()).exit_code == 7


def test_without_node_and_python_it_is_refused_in_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "bash").symlink_to("/bin/bash")
    done = subprocess.run(bridged(["true"]), env={"PATH": str(tmp_path)}, capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout) == (126, "")
    assert "needs node or python3, which the image lacks" in done.stderr


def test_graders_in_a_sandbox_do_not_see_the_gateway(workspace: Workspace, tmp_path: Path) -> None:
    if type(workspace).__name__ == "DockerWorkspace":
        pytest.skip("a container is one for both")
    looking = replace(a_command(tmp_path, "test", "-e", FOLDER), privileged=True)
    assert workspace.run(looking, Stop()).exit_code == 1
