"""The docker provider: a container for each trial attempt.

Agents run as a plain user unless `docker.user` is root; what skillgrade itself and graders do runs as root. A plain
user can neither change the system's folders nor gain rights (``no-new-privileges``), so graders may run in the agent's
container. A root agent may have replaced the shell or the interpreters, so its workspace is carried over into a fresh
container for the graders.
"""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace

from skillgrade.errors import InfrastructureError, ProviderError, Stage
from skillgrade.stop import Stop
from skillgrade.workspace.base import EnvironmentSpec, Isolation, Place, Prepared, StagedFile, Workspace, WorkspaceSpec
from skillgrade.workspace.docker.client import connect, connect_hastily, daemon_problem, translated
from skillgrade.workspace.docker.container import Container, ContainerSpec
from skillgrade.workspace.docker.files import place_items
from skillgrade.workspace.docker.images import REPOSITORY, ensure_image, find_image
from skillgrade.workspace.docker.leftovers import labels_of, remove_run
from skillgrade.workspace.docker.variables import own_variables
from skillgrade.workspace.docker.workspace import STAGED_STDIN, DockerWorkspace
from skillgrade.workspace.locks import image_lock
from skillgrade.workspace.skills import SKILL_FOLDERS

_SMALL_SKILLS = 1024 * 1024
"""Bytes of skills up to which each trial's own archive holds them; more goes into an image of the run."""


class DockerProvider:
    """Makes workspaces that are containers. Thread-safe."""

    name = "docker"
    isolation = Isolation.CONTAINER

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._stop = Stop()
        self._processors: float | None = None
        self._image_variables: dict[str, dict[str, str]] = {}

    def check(self) -> str | None:
        """Why no container can be had; see `Provider.check`."""
        problem = daemon_problem()
        return problem and f"{problem}, or use --provider=local, which isolates nothing"

    def prepare(self, environment: EnvironmentSpec, run: str, stop: Stop) -> Prepared:
        """Find or build the image; see `Provider.prepare`."""
        self._stop = stop
        image = ensure_image(connect(), environment, stop)
        return Prepared(self.name, reference=image, digest=image, root_agent=environment.docker.user == "root")

    def open(self, spec: WorkspaceSpec, stop: Stop) -> Workspace:
        """Make a container and fill it; see `Provider.open`."""
        stop.check()
        self._stop = stop
        notes: list[str] = []
        image, files = spec.prepared.reference, list(spec.files)
        skills = [
            StagedFile(f"{folder}/{skill.name}", src=skill.folder) for skill in spec.skills for folder in SKILL_FOLDERS
        ]
        if sum(skill.size for skill in spec.skills) > _SMALL_SKILLS:
            image = self._image_with_skills(spec, skills, stop)
        else:
            files = [*skills, *files]
        if spec.stdin:
            files.append(StagedFile(STAGED_STDIN, Place.CONTROL, data=spec.stdin))
        items = place_items(files, spec.prepared.root_agent, notes.append)
        container = self._container(spec, image, notes)
        workspace = DockerWorkspace(container, spec, self._variables(spec.prepared.reference), notes, stop)
        container.make(items.write, stop)
        container.start(stop)
        return workspace

    def end_run(self, run: str) -> None:
        """Remove the run's containers and images of its own; see `Provider.end_run`."""
        with suppress(InfrastructureError):
            remove_run(connect_hastily() if self._stop.is_set() else connect(), run)

    def _container(self, spec: WorkspaceSpec, image: str, notes: list[str]) -> Container:
        limits, processors = spec.limits, self._daemon_processors()
        if limits.cpus > processors:
            # The daemon would refuse, and the default asks for more than small machines have.
            notes.append(f"the machine has {processors:g} processors, fewer than environment.cpus ({limits.cpus:g})")
            limits = replace(limits, cpus=processors)
        prepared, labels = spec.prepared, labels_of(spec.run, spec.trial)
        variables = own_variables(self._variables(prepared.reference))
        return Container(
            connect().api,
            ContainerSpec(image, labels, limits, spec.network, variables, prepared.root_agent, spec.gateway),
        )

    def _daemon_processors(self) -> float:
        with self._lock:
            if self._processors is None:
                with translated("asking the daemon what it has", ProviderError, Stage.SETUP):
                    self._processors = float(connect().api.info()["NCPU"])
            return self._processors

    def _variables(self, image: str) -> dict[str, str]:
        with self._lock:
            if image not in self._image_variables:
                with translated("looking at the image", ProviderError, Stage.IMAGE):
                    pairs = connect().images.get(image).attrs["Config"]["Env"] or []
                self._image_variables[image] = dict(pair.partition("=")[::2] for pair in pairs)
            return self._image_variables[image]

    def _image_with_skills(self, spec: WorkspaceSpec, skills: Sequence[StagedFile], stop: Stop) -> str:
        """The trial's image with the skills in it, made once per run: a layer that trials share and may write over."""
        client = connect()
        parts = [spec.run, spec.prepared.reference, *(skill.digest for skill in spec.skills)]
        digest = hashlib.sha256("\n".join(parts).encode()).hexdigest()
        tag = f"run-{digest[:24]}"
        found = find_image(client, f"{REPOSITORY}:{tag}")
        if found is not None:
            return found
        with image_lock(digest, stop):
            found = find_image(client, f"{REPOSITORY}:{tag}")
            if found is not None:
                return found
            warnings: list[str] = []
            container = self._container(spec, spec.prepared.reference, warnings)
            try:
                container.make(place_items(skills, spec.prepared.root_agent, warnings.append).write, stop)
                with translated("making the image with the skill", ProviderError, Stage.SETUP):
                    client.api.commit(container.id, REPOSITORY, tag)  # with the container's labels
            finally:
                container.remove()
            found = find_image(client, f"{REPOSITORY}:{tag}")
        if found is None:
            raise ProviderError("docker: the image with the skill was made but is not there")
        return found
