"""One image per distinct environment: found by its digest, or built once.

An image holds the base, a plain user with a home and a workspace, and what the set-up commands install; never a file of
a task. Its tag is a digest over the Dockerfile and the base image's id, so that nothing is built twice and a base that
was pulled anew counts as another.
"""

from __future__ import annotations

import hashlib
import io
import json
import queue
import re
import shlex
import threading
from collections import deque
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from skillgrade.errors import Cancelled, ProviderError, Stage
from skillgrade.stop import Stop
from skillgrade.suite.model import PLAIN_USER_ID
from skillgrade.workspace.base import EnvironmentSpec
from skillgrade.workspace.docker.client import reason, translated
from skillgrade.workspace.locks import image_lock
from skillgrade.workspace.setup_lines import SetupStep, parse_setup

if TYPE_CHECKING:
    from docker import DockerClient

REPOSITORY = "skillgrade"
"""Where images are tagged: ``skillgrade:<digest>``."""

IMAGE_LABEL = "skillgrade.image"
"""On what builds make: the image's own name, or nothing on a layer of a build that is not finished."""

_PULL_SILENCE = 600
_BUILD_SILENCE = 3600
"""Seconds without a line after which a pull or a build is given up; installers can be quiet for long."""

_LAST_LINES = 20
_FAILURE = re.compile(r"skillgrade: (?P<place>.+): exit code (?P<code>\d+): (?P<command>.*)")
_RUNNING = re.compile(r" ---> Running in ([0-9a-f]+)")
_BUILDER_LINES = ("Step ", " --->", "Removing intermediate container")
_REFUSED = {
    "FROM": "name the image in docker.base",
    "COPY": "put files in with `workspace`",
    "ADD": "put files in with `workspace`",
}


def dockerfile(environment: EnvironmentSpec) -> str:
    """The Dockerfile of an environment.

    Raises:
        ProviderError: `docker.setup` holds a line of a Dockerfile that cannot work there.
    """
    owner = 0 if environment.docker.user == "root" else PLAIN_USER_ID
    user_script = Path(__file__).with_name("plain-user.sh").read_text(encoding="utf-8")
    lines = [
        f"FROM {environment.docker.base}",
        f'LABEL {IMAGE_LABEL}=""',
        "USER root",
        _run(["sh", "-c", user_script, "sh", str(PLAIN_USER_ID), str(owner)]),
        "WORKDIR /workspace",
    ]
    if environment.docker.setup is not None:
        lines += [_setup_line(step) for step in parse_setup(environment.docker.setup)]
        lines += ["USER root", "WORKDIR /workspace"]
    if environment.agent_install is not None:
        lines.append(_run_script(environment.agent_install, "installing the agent"))
    lines += [_run_script(setup, "a grader's setup") for setup in environment.grader_setups]
    # bash also where there is nothing to change: an image without it must fail here, not in every trial.
    # A link where it is elsewhere: trials start it by a path, whatever a PATH says.
    link = 'test -x /bin/bash || ln -s "$(type -P bash)" /bin/bash'
    lines.append(_run(["bash", "-c", f"chown -R {owner}:{owner} /workspace && {{ {link}; }}"]))
    return "\n".join(lines) + "\n"


def ensure_base(client: DockerClient, base: str, stop: Stop) -> str:
    """The id of a base image, which is pulled when it is not there.

    Raises:
        ProviderError: It is not there and cannot be pulled.
        Cancelled: The stop came.
    """
    from docker.errors import APIError, ImageNotFound

    with translated(f"looking for the image {base}", ProviderError, Stage.IMAGE):
        try:
            return str(client.images.get(base).id)
        except ImageNotFound:
            pass
        try:
            for event in _pull(client, base, stop):
                if "error" in event:
                    raise ProviderError(_no_base(base, str(event["error"])), Stage.IMAGE)
            return str(client.images.get(base).id)
        except APIError as error:
            raise ProviderError(_no_base(base, reason(error)), Stage.IMAGE) from error


def _pull(client: DockerClient, base: str, stop: Stop) -> Iterator[Mapping[str, object]]:
    """The events of a pull.

    The SDK waits for the next one without a limit, so a thread of its own waits, which a stop or a long silence leaves
    behind; it does not keep the process.
    """
    from docker.utils import parse_repository_tag

    events: queue.SimpleQueue[Mapping[str, object] | Exception | None] = queue.SimpleQueue()

    def read() -> None:
        try:
            repository, tag = parse_repository_tag(base)
            for event in client.api.pull(repository, tag or "latest", stream=True, decode=True):
                events.put(event)
            events.put(None)
        except Exception as error:  # noqa: BLE001 - raised again where it is waited for
            events.put(error)

    threading.Thread(target=read, name="skillgrade-pull", daemon=True).start()
    with stop.waking(lambda: events.put(Cancelled("the run was interrupted"))):
        while True:
            try:
                event = events.get(timeout=_PULL_SILENCE)
            except queue.Empty:
                raise ProviderError(_no_base(base, f"silence for {_PULL_SILENCE} s"), Stage.IMAGE) from None
            if event is None:
                return
            if isinstance(event, Exception):
                raise event
            yield event


def _no_base(base: str, why: str) -> str:
    return (
        f"the image {base} is not on this machine and cannot be pulled ({why.strip()}); check the name in docker.base, "
        f"or make it available with `docker pull {base}`"
    )


def ensure_image(client: DockerClient, environment: EnvironmentSpec, stop: Stop) -> str:
    """The id of an environment's image, which is built when there is none.

    Builds of the same image wait for each other, also across processes; builds of different ones do not.

    Raises:
        ProviderError: The base cannot be had, or the build failed; then with the failing command and its last lines.
        Cancelled: The stop came.
    """
    text = dockerfile(environment)
    digest = _digest(ensure_base(client, environment.docker.base, stop), text)
    tag = f"{REPOSITORY}:{digest[:24]}"
    found = find_image(client, tag)
    if found is not None:
        _note_use(client, found, tag)
        return found
    with image_lock(digest, stop):
        found = find_image(client, tag)
        if found is None:
            _build(client, text, tag, environment.docker.base, stop)
            found = find_image(client, tag)
    if found is None:
        raise ProviderError(f"docker: the image {tag} was built but is not there", Stage.IMAGE)
    return found


def find_built(client: DockerClient, environment: EnvironmentSpec) -> str | None:
    """The id of an environment's image; None where it is not built, or would be built anew.

    Raises:
        ProviderError: `docker.setup` cannot work, or the daemon does not answer.
    """
    text = dockerfile(environment)
    base = find_image(client, environment.docker.base)
    return None if base is None else find_image(client, f"{REPOSITORY}:{_digest(base, text)[:24]}")


def _digest(base: str, text: str) -> str:
    return hashlib.sha256(f"{base}\n{text}".encode()).hexdigest()


def find_image(client: DockerClient, tag: str) -> str | None:
    """The id behind a tag; None when there is none."""
    from docker.errors import ImageNotFound

    with translated(f"looking for the image {tag}", ProviderError, Stage.IMAGE):
        try:
            return str(client.images.get(tag).id)
        except ImageNotFound:
            return None


def _note_use(client: DockerClient, image: str, tag: str) -> None:
    """Name the image once more: the daemon keeps the time of that, for whoever asks what is unused."""
    with translated("naming the image", ProviderError, Stage.IMAGE):
        client.api.tag(image, REPOSITORY, tag.removeprefix(f"{REPOSITORY}:"))


def _setup_line(step: SetupStep) -> str:
    script = step.script()
    if script is not None:
        return _run_script(script, f"docker.setup, line {step.line}")
    if step.instruction in _REFUSED:
        remedy = _REFUSED[step.instruction]
        raise ProviderError(
            f"docker.setup, line {step.line}: {step.instruction} cannot work there; {remedy}", Stage.IMAGE
        )
    return f"{step.instruction} {step.text}"


def _run_script(script: str, place: str) -> str:
    # The trap names the command that failed; the builder itself only repeats the whole script. -E: also in functions.
    # One stream for all: of two, the builder may show the end of one before the end of the other.
    report = f'printf "\\nskillgrade: %s: exit code %s: %s\\n" {shlex.quote(place)} "$?" "$BASH_COMMAND"'
    return _run(["bash", "-Eec", f"exec 2>&1; trap {shlex.quote(report)} ERR\n{script}"])


def _run(argv: list[str]) -> str:
    # The JSON form: a script of any content is one line, which neither the Dockerfile's syntax nor a shell touches.
    return f"RUN {json.dumps(argv)}"


def _build(client: DockerClient, text: str, tag: str, base: str, stop: Stop) -> None:
    lines: deque[str] = deque(maxlen=_LAST_LINES)
    running: list[str] = []
    failure: dict[str, Any] | None = None

    def abort() -> None:
        # Closing the connection would leave the step running; without its container the build fails at once.
        for container in running[-1:]:
            with translated("stopping the build", ProviderError, Stage.IMAGE):
                client.api.remove_container(container, force=True, v=True)

    def wake() -> None:
        try:
            abort()
        except ProviderError:  # the step has just ended by itself; the next one is stopped below
            return

    with translated("building the image", ProviderError, Stage.IMAGE), stop.waking(wake):
        events = client.api.build(
            fileobj=io.BytesIO(text.encode()),
            tag=tag,
            rm=True,
            forcerm=True,
            decode=True,
            timeout=_BUILD_SILENCE,
            labels={IMAGE_LABEL: tag},
        )
        begun = ""
        for event in events:
            started = _RUNNING.search(str(event.get("stream", "")))
            if started:
                running.append(started[1])
            if stop.is_set():
                wake()
            # Read on after an error: a connection that is left in the middle stays open.
            failure = event if "error" in event else failure
            # A program writes a line in as many pieces as it likes, and each may be an event of its own.
            *complete, begun = f"{begun}{event.get('stream', '')}".split("\n")
            lines.extend(line for line in map(str.rstrip, complete) if line and not line.startswith(_BUILDER_LINES))
        if begun.strip():
            lines.append(begun.rstrip())
    stop.check()
    if failure is not None:
        raise ProviderError(_build_failure(failure, lines, base), Stage.IMAGE)


def _build_failure(event: dict[str, Any], lines: deque[str], base: str) -> str:
    message = str(event["error"]).strip()
    if '"bash"' in message and "not found" in message:
        return f"the image {base} has no bash, which set-up commands and agents need; choose another docker.base"
    failures = [match for match in map(_FAILURE.search, lines) if match]
    if failures:
        found = failures[-1]
        message = f"{found['place']}: `{found['command']}` ended with exit code {found['code']}"
    else:
        code = event.get("errorDetail", {}).get("code")
        message = message if code is None else f"a set-up command ended with exit code {code}"
    tail = "".join(f"\n    {line}" for line in lines if not _FAILURE.search(line))
    shown = f"these were the build's last lines:{tail}" if tail else "which printed nothing"
    return f"the image could not be built: {message}; fix the command, {shown}"
