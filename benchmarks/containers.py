"""A trial in a container, against the same steps done one after another through Docker's SDK."""

from __future__ import annotations

import io
import tarfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

from benchmarks.measure import Row, Size, Skipped, compare, milliseconds
from benchmarks.suites import GRADER, trial_milliseconds, write_suite
from skillgrade.errors import ProviderError
from skillgrade.suite.model import DockerSpec, Limits
from skillgrade.workspace.docker.client import connect, daemon_problem
from skillgrade.workspace.docker.images import ensure_base

TRIALS = 24
TARGETS = {1: 0.7, 4: 0.9, 8: 0.9}
_FIRST_PROCESS = "trap 'exit 0' TERM; while :; do sleep 3600 & wait $!; done"


def run(size: Size, folder: Path) -> Iterator[Row]:
    image, client = base_image()
    trials = size.trials(TRIALS)
    one = write_suite(folder / "one", 1, trials, "docker")
    for parallel, target in TARGETS.items():
        yield compare(
            "docker",
            f"{trials} trials of one task, parallel {parallel}",
            partial(by_hand, client, image, trials, parallel),
            partial(trial_milliseconds, one, parallel, trials),
            size.rounds,
            target,
        )
    tasks = size.trials(20)
    many = write_suite(folder / "many", tasks, 1, "docker")
    yield compare(
        "docker",
        f"{tasks} tasks x 1 trial, parallel 4",
        partial(by_hand, client, image, tasks, 4),
        partial(trial_milliseconds, many, 4, tasks),
        size.rounds,
        0.9,
        note="all tasks share one image",
    )


def base_image() -> tuple[str, Any]:
    """The image that tasks without one get, and a client.

    Raises:
        Skipped: There is none.
    """
    from skillgrade.stop import Stop

    problem = daemon_problem()
    if problem is not None:
        raise Skipped(problem)
    base = DockerSpec().base
    try:
        ensure_base(connect(), base, Stop())
    except ProviderError as error:
        raise Skipped(str(error)) from error
    return base, connect()


def by_hand(client: Any, image: str, trials: int, parallel: int) -> float:
    """Milliseconds per trial: create, start, two archives, agent, kill and grader, kill the container, remove it."""
    files, graders = _archive("run/skillgrade/stdin-0"), _archive("run/skillgrade/transcript.txt")

    def trial(_number: int) -> None:
        limits = Limits()
        container = client.containers.create(
            image,
            entrypoint=["bash", "-c", _FIRST_PROCESS],
            command=[],
            user="0",
            nano_cpus=int(min(limits.cpus, client.api.info()["NCPU"]) * 1e9),
            mem_limit=f"{limits.memory_mb}m",
            memswap_limit=f"{limits.memory_mb}m",
            pids_limit=limits.pids,
        )
        try:
            container.put_archive("/", files)
            container.start()
            container.exec_run(["bash", "-c", "true"], user="1000", workdir="/tmp")
            container.exec_run(["bash", "-c", "kill -9 -1"], user="0")
            container.put_archive("/", graders)
            container.exec_run(["bash", "-c", GRADER], user="0", workdir="/tmp")
            container.kill()
        finally:
            container.remove(v=True, force=True)

    with ThreadPoolExecutor(parallel) as threads:
        return milliseconds(lambda: list(threads.map(trial, range(trials)))) / trials


def _archive(name: str) -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as tar:
        member = tarfile.TarInfo(name)
        member.size = len(b"Do nothing.")
        tar.addfile(member, io.BytesIO(b"Do nothing."))
    return out.getvalue()
