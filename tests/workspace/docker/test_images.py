"""Images against a real engine. Each test builds from a text of its own, so that no other test's image answers."""

from __future__ import annotations

import threading
import uuid
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import ClassVar

import pytest
from docker import DockerClient

from skillgrade.errors import Cancelled, ProviderError, Stage
from skillgrade.stop import Stop
from skillgrade.suite.model import DockerSpec
from skillgrade.workspace.base import EnvironmentSpec
from skillgrade.workspace.docker.client import connect
from skillgrade.workspace.docker.images import dockerfile, ensure_base, ensure_image
from skillgrade.workspace.locks import image_lock

BASE = DockerSpec().base


class Builder:
    """Builds images and removes them again."""

    def __init__(self, client: DockerClient) -> None:
        self.client = client
        self.stop = Stop()
        self._mark = uuid.uuid4().hex
        self._made: set[str] = set()

    def docker(self, setup: str, user: str | None = None) -> DockerSpec:
        return DockerSpec(setup=f": {self._mark}\n{setup}", user=user)

    def build(self, environment: EnvironmentSpec) -> str:
        image = ensure_image(self.client, environment, self.stop)
        self._made.add(image)
        return image

    def build_setup(self, setup: str, user: str | None = None) -> str:
        return self.build(EnvironmentSpec(self.docker(setup, user)))

    def changed_base(self, script: str) -> str:
        """The base image after a script, under a name of its own."""
        name = f"skillgrade-test-{uuid.uuid4().hex}"
        container = self.client.containers.create(BASE, entrypoint=["bash", "-c", script])
        try:
            container.start()
            container.wait()
            container.commit(name)
        finally:
            container.remove(force=True)
        self._made.add(name)
        return name

    def says(self, image: str, script: str, user: str = "0") -> str:
        output = self.client.containers.run(
            image, entrypoint=["bash", "-c"], command=[script], user=user, remove=True, network_mode="none"
        )
        return bytes(output).decode()

    def close(self) -> None:
        for image in self._made:
            self.client.images.remove(image, force=True)


@pytest.fixture
def builder() -> Iterator[Builder]:
    made = Builder(connect())
    yield made
    made.close()


@pytest.mark.docker
def test_setup_of_many_lines_runs_as_one_script(builder: Builder) -> None:
    image = builder.build_setup(
        'cd /etc\ncat >made <<EOF\nit\'s "$HOME" \\\\ $(id -u)\nEOF\nfor i in 1 2; do\n  echo $i >>made\ndone'
    )
    assert builder.says(image, "cat /etc/made") == 'it\'s "/root" \\ 0\n1\n2\n'


@pytest.mark.docker
def test_raw_dockerfile_lines_work(builder: Builder) -> None:
    image = builder.build_setup(
        "USER root\n"
        "ENV GREETING=hello WHO=you\n"
        "ARG KIND=kind\n"
        "RUN echo $KIND >/etc/kind && \\\n"
        "    echo two >>/etc/kind\n"
        "USER 1000\n"
        "RUN id -u >/tmp/who\n"
        "WORKDIR /tmp\n"
        "echo here >placed"
    )
    shown = builder.says(image, "echo $GREETING $WHO; cat /etc/kind /tmp/who /tmp/placed; pwd")
    assert shown == "hello you\nkind\ntwo\n1000\nhere\n/workspace\n"


@pytest.mark.docker
def test_every_part_is_installed_and_the_workspace_is_its_users(builder: Builder) -> None:
    docker = builder.docker("touch /workspace/from-setup")
    parts = EnvironmentSpec(docker, "echo agent >/etc/agent", ("echo one >/etc/one", "echo two >/etc/two"))
    image = builder.build(parts)
    assert builder.says(image, "cat /etc/agent /etc/one /etc/two") == "agent\none\ntwo\n"
    script = "stat -c %u /workspace /workspace/from-setup ~ /run/skillgrade; touch ~/x"
    assert builder.says(image, script, user="1000") == "1000\n1000\n1000\n0\n"


@pytest.mark.docker
def test_the_workspace_of_a_root_agent_is_roots(builder: Builder) -> None:
    assert builder.says(builder.build_setup("true", user="root"), "stat -c %u /workspace") == "0\n"


@pytest.mark.docker
def test_nothing_is_built_twice_and_a_change_is_another_image(builder: Builder) -> None:
    first = builder.build_setup("date +%s%N >/etc/when")
    assert builder.build_setup("date +%s%N >/etc/when") == first
    assert builder.build_setup("date +%s%N >/etc/when # other") != first


@pytest.mark.docker
def test_builds_of_one_image_wait_for_each_other(builder: Builder) -> None:
    images: list[str] = []
    script = "date +%s%N >/etc/when"
    threads = [threading.Thread(target=lambda: images.append(builder.build_setup(script))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(images) == 4
    assert len(set(images)) == 1


@pytest.mark.docker
@pytest.mark.parametrize(
    ("setup", "expected"),
    [
        ("f() { false; }\nf", "docker.setup, line 1: `false` ended with exit code 1"),
        ("no-such-command --flag", "docker.setup, line 1: `no-such-command --flag` ended with exit code 127"),
        ("true\nRUN false || exit 7", "a set-up command ended with exit code 7"),
    ],
)
def test_a_failing_command_is_named(builder: Builder, setup: str, expected: str) -> None:
    with pytest.raises(ProviderError) as error:
        builder.build_setup(setup)
    assert error.value.stage is Stage.IMAGE
    assert str(error.value).startswith(f"the image could not be built: {expected}; fix the command, ")


@pytest.mark.docker
def test_the_builds_last_lines_are_shown(builder: Builder) -> None:
    with pytest.raises(ProviderError) as error:
        builder.build_setup("for i in $(seq 100); do echo line $i; done\nls /nowhere\necho never")
    sentence, *lines = str(error.value).splitlines()
    assert "`ls /nowhere` ended with exit code 2" in sentence
    # The engine reads the two streams one after the other, so the last lines of each may change places.
    assert "    ls: cannot access '/nowhere': No such file or directory" in lines[-3:]
    assert "    line 100" in lines[-3:]
    assert len(lines) <= 20


@pytest.mark.docker
def test_a_build_that_printed_nothing_says_so(builder: Builder) -> None:
    with pytest.raises(ProviderError) as error:
        builder.build_setup("exit 3")
    assert str(error.value).endswith("ended with exit code 3; fix the command, which printed nothing")


@pytest.mark.docker
def test_the_part_that_failed_is_named(builder: Builder) -> None:
    docker = builder.docker("true")
    with pytest.raises(ProviderError, match=r"installing the agent: `false` ended"):
        builder.build(EnvironmentSpec(docker, "false"))
    with pytest.raises(ProviderError, match=r"a grader's setup: `false` ended"):
        builder.build(EnvironmentSpec(docker, None, ("false",)))


@pytest.mark.docker
def test_a_stop_ends_a_build(builder: Builder) -> None:
    timer = threading.Timer(1.5, builder.stop.set)
    timer.start()
    mark = uuid.uuid4().hex
    with pytest.raises(Cancelled):
        builder.build_setup(f"sleep 1000 # {mark}")
    timer.join()
    running = builder.client.api.containers(all=True)
    assert not [container for container in running if mark in container["Command"]]


@pytest.mark.docker
def test_a_missing_base_is_one_sentence(builder: Builder) -> None:
    with pytest.raises(ProviderError) as error:
        ensure_base(builder.client, "localhost:1/no/such-image:tag", builder.stop)
    message = str(error.value)
    assert message.startswith("the image localhost:1/no/such-image:tag is not on this machine and cannot be pulled (")
    assert "`docker pull localhost:1/no/such-image:tag`" in message
    assert "\n" not in message


@pytest.mark.docker
def test_a_base_without_bash_is_one_sentence(builder: Builder) -> None:
    name = builder.changed_base(
        "set -e; cp -L /bin/bash /usr/bin/sh.new; mv /usr/bin/sh.new /usr/bin/sh; rm /usr/bin/bash"
    )
    with pytest.raises(ProviderError, match=rf"the image {name} has no bash"):
        builder.build(EnvironmentSpec(DockerSpec(base=name)))


@pytest.mark.docker
def test_a_base_without_a_plain_user_gets_one(builder: Builder) -> None:
    users = "root:x:0:0::/root:/bin/bash\\nagent:x:7:7::/:/bin/sh\\n"
    name = builder.changed_base(f"printf '{users}' >/etc/passwd; rm -rf /home/* /workspace")
    image = builder.build(EnvironmentSpec(DockerSpec(base=name)))
    shown = builder.says(image, "cd; pwd; stat -c %u . /workspace; whoami", user="1000")
    assert shown == "/home/skillgrade\n1000\n1000\nskillgrade\n"


@pytest.mark.parametrize("line", ["FROM debian", "COPY a b", "ADD a b"])
def test_lines_that_cannot_work_are_refused(line: str) -> None:
    with pytest.raises(ProviderError, match=rf"docker\.setup, line 2: {line.split()[0]} cannot work there; \w+"):
        dockerfile(EnvironmentSpec(DockerSpec(setup=f"echo\n{line}")))


def test_a_script_stays_one_line_of_the_dockerfile() -> None:
    text = dockerfile(EnvironmentSpec(DockerSpec(setup="a\nb"), "c\n\nUSER evil", ("d\\\ne",)))
    instructions = [line.split(" ")[0] for line in text.splitlines()]
    assert instructions == ["FROM", "LABEL", "USER", "RUN", "WORKDIR", "RUN", "USER", "WORKDIR", "RUN", "RUN", "RUN"]


def test_a_stop_ends_the_wait_for_a_lock() -> None:
    digest, stop = uuid.uuid4().hex, Stop()
    with image_lock(digest, Stop()):
        timer = threading.Timer(0.1, stop.set)
        timer.start()
        with pytest.raises(Cancelled), image_lock(digest, stop):
            pass
        timer.join()


class SilentRegistry(BaseHTTPRequestHandler):
    """A daemon that has no image, and whose pulls never come to a first word."""

    pulling: ClassVar[threading.Event] = threading.Event()
    let_go: ClassVar[threading.Event] = threading.Event()

    def do_GET(self) -> None:
        body = b'{"message": "no such image"}'
        self.send_response(404)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_POST(self) -> None:
        self.pulling.set()
        self.let_go.wait()

    def log_message(self, *_arguments: object) -> None:
        """Nothing on the terminal."""


def test_a_stop_ends_a_pull_that_says_nothing() -> None:
    server = ThreadingHTTPServer(("127.0.0.1", 0), SilentRegistry)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    client = DockerClient(base_url=f"tcp://127.0.0.1:{server.server_port}", version="1.41")
    stop = Stop()

    def stop_while_pulling() -> None:
        SilentRegistry.pulling.wait(30)
        stop.set()

    stopper = threading.Thread(target=stop_while_pulling)
    stopper.start()
    try:
        with pytest.raises(Cancelled):
            ensure_base(client, "some/image:1", stop)
    finally:
        stopper.join()
        SilentRegistry.let_go.set()
        server.shutdown()
        thread.join()
        server.server_close()
        client.close()
