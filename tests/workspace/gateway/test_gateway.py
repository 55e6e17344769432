"""A gateway leads to its address and nowhere else; a relay leads to a gateway."""

from __future__ import annotations

import shutil
import socket
import subprocess
import threading
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from skillgrade.workspace.gateway.address import ModelAddress
from skillgrade.workspace.gateway.gateway import SOCKET, Gateway
from tests.support.agent_server import AgentServer

RELAYS = Path(__file__).parents[3] / "skillgrade" / "workspace" / "gateway"
PATIENCE = 20.0


@pytest.fixture
def server() -> Iterator[AgentServer]:
    with AgentServer() as server:
        yield server


def opened(server: AgentServer, *, is_tls: bool) -> Gateway:
    host, _, port = server.url.removeprefix("http://").partition(":")
    return Gateway(ModelAddress(host, int(port), is_tls), f"test-{uuid.uuid4().hex[:8]}")


@contextmanager
def connected(gateway: Gateway) -> Iterator[socket.socket]:
    with socket.socket(socket.AF_UNIX) as client:
        client.settimeout(PATIENCE)
        client.connect(str(gateway.folder / SOCKET))
        yield client


def everything(client: socket.socket) -> str:
    return b"".join(iter(lambda: client.recv(4096), b"")).decode()


QUESTION = b"GET /v1/models HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"


def test_what_comes_is_passed_on_as_it_is(server: AgentServer) -> None:
    with opened(server, is_tls=False) as gateway, connected(gateway) as client:
        client.sendall(QUESTION)
        assert everything(client).startswith("HTTP/1.1 200")


def test_with_tls_a_connection_first_asks_for_the_address(server: AgentServer) -> None:
    with opened(server, is_tls=True) as gateway, connected(gateway) as client:
        authority = server.url.removeprefix("http://")
        client.sendall(f"CONNECT {authority} HTTP/1.1\r\nHost: {authority}\r\n\r\n".encode() + QUESTION)
        answer = everything(client)
    assert answer.startswith("HTTP/1.1 200 Connection established\r\n\r\nHTTP/1.1 200")


@pytest.mark.parametrize(
    "request_line",
    [
        "CONNECT {host}:1 HTTP/1.1",
        "CONNECT example.org:443 HTTP/1.1",
        "CONNECT {host}:{port}.example.org HTTP/1.1",
        "CONNECT {host}:{port}",
        "GET http://{host}:{port}/v1/models HTTP/1.1",
        "GET / HTTP/1.1",
    ],
)
def test_nothing_else_can_be_asked_for(server: AgentServer, request_line: str) -> None:
    host, _, port = server.url.removeprefix("http://").partition(":")
    with opened(server, is_tls=True) as gateway, connected(gateway) as client:
        client.sendall(request_line.format(host=host, port=port).encode() + b"\r\n\r\n")
        answer = everything(client)
    assert answer.startswith("HTTP/1.1 403 Forbidden\r\n")
    assert f"{host}:{port} is all that can be reached from here" in answer


def test_a_head_without_an_end_is_no_question(server: AgentServer) -> None:
    with opened(server, is_tls=True) as gateway, connected(gateway) as client:
        client.sendall(b"CONNECT " + b"x" * 40_000)
        client.shutdown(socket.SHUT_WR)
        try:
            answer = everything(client)
        except ConnectionResetError:  # what it did not read was thrown away
            answer = ""
    assert answer == ""


def test_an_address_where_nobody_listens_is_said_in_http() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    gateway = Gateway(ModelAddress("127.0.0.1", port, is_tls=False), "test-nobody")
    with gateway, connected(gateway) as client:
        assert everything(client).startswith("HTTP/1.1 502 Bad Gateway")


def test_its_end_ends_connections_and_removes_the_folder(server: AgentServer) -> None:
    gateway = opened(server, is_tls=False)
    with gateway:
        folder = gateway.folder
        client = socket.socket(socket.AF_UNIX)
        client.settimeout(PATIENCE)
        client.connect(str(folder / SOCKET))
        client.sendall(b"GET ")
    with client:
        assert client.recv(10) == b""
    assert not folder.exists()
    assert not [thread for thread in threading.enumerate() if thread.name == "skillgrade-gateway"]


def test_a_long_path_of_the_folder_is_no_obstacle(
    server: AgentServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    deep = tmp_path / ("d" * 120)
    deep.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(deep))
    with opened(server, is_tls=False) as gateway:
        assert (gateway.folder / SOCKET).is_socket()
        assert gateway.folder.is_relative_to(deep)


JS, PYTHON = ((RELAYS / name).read_text("utf-8") for name in ("relay.js", "relay.py"))
RELAY = {"node": ("-e", JS, "--"), "python3": ("-I", "-c", PYTHON)}


@pytest.mark.parametrize("program", RELAY)
def test_a_relay_leads_to_the_gateway_and_a_second_one_finds_it(server: AgentServer, program: str) -> None:
    if shutil.which(program) is None:
        pytest.skip(f"{program} is not installed")
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    with opened(server, is_tls=False) as gateway:
        relay = [program, *RELAY[program], str(gateway.folder / SOCKET), str(port)]
        with subprocess.Popen(relay, stdout=subprocess.PIPE) as process:
            try:
                assert process.stdout is not None
                assert process.stdout.readline() == b"ready\n"
                for _ in range(2):
                    with socket.create_connection(("127.0.0.1", port), PATIENCE) as client:
                        client.sendall(QUESTION)
                        assert everything(client).startswith("HTTP/1.1 200")
                again = subprocess.run(relay, capture_output=True, timeout=PATIENCE, check=True)
                assert again.stdout == b"ready\n"
            finally:
                process.kill()
