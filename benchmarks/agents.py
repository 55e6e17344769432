"""What an adapter adds to the time of the agent's own tool, on the same scripted model."""

from __future__ import annotations

import dataclasses
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from benchmarks.measure import Row, Size, Skipped, compare, milliseconds
from benchmarks.suites import GRADER, SKILLGRADE
from skillgrade.agents import AGENTS
from skillgrade.agents.npm_agent import NpmAgent
from skillgrade.engine.variables import agent_variables
from skillgrade.models.keys import KEY_NAMES, URL_NAMES
from skillgrade.suite.model import AgentSpec, Task

FOLDER = "SKILLGRADE_AGENT_CLIS"
"""The variable that names an npm prefix with the tools, as in the tests."""

TRIALS = 4
ALLOWED = 100.0
"""Milliseconds that an adapter may add to each trial."""

INSTRUCTION = "Write hello.txt."
MODELS = {
    "claude": ("anthropic", "claude-haiku-4-5"),
    "codex": ("openai", "test-model"),
    "gemini": ("gemini", "gemini-2.5-flash"),
    "opencode": ("anthropic", "anthropic/claude-haiku-4-5"),
}
SERVER = """
import sys
from tests.support.agent_server import AgentServer
with AgentServer() as server:
    print(server.url, flush=True)
    sys.stdin.read()
"""


def run(size: Size, folder: Path) -> Iterator[Row]:
    installed = [name for name in MODELS if shutil.which(name, path=_path()) is not None]
    if not installed:
        raise Skipped(f"no agent is on the PATH or in {FOLDER}")
    trials = size.trials(TRIALS)
    with _server() as url:
        for name in installed:
            env = _environment(name, url)
            suite = _write_suite(folder / name, name, trials)
            row = compare(
                "agents",
                f"each further trial of {name}; floor: its tool alone, and {ALLOWED:g} ms",
                partial(_by_hand, name, env, trials - 1),
                partial(_by_skillgrade, suite, env, trials),
                size.rounds,
                1.0,
            )
            assert row.floor is not None
            assert row.subject is not None
            yield dataclasses.replace(row, note=f"{row.subject - (row.floor - ALLOWED):+.0f} ms beside the tool's own")


@contextmanager
def _server() -> Iterator[str]:
    """The address of a model that answers at once, in a process of its own."""
    command = [sys.executable, "-c", SERVER]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        yield process.stdout.readline().strip()
        process.communicate()


def _path() -> str:
    given = os.environ.get(FOLDER)
    return os.pathsep.join([*([str(Path(given, "bin"))] if given else []), os.environ.get("PATH", os.defpath)])


def _environment(name: str, url: str) -> dict[str, str]:
    provider, _ = MODELS[name]
    ours = {variable for names in KEY_NAMES.values() for variable in names} | set(URL_NAMES.values())
    kept = {variable: value for variable, value in os.environ.items() if variable not in ours}
    return {**kept, "PATH": _path(), URL_NAMES[provider]: url, KEY_NAMES[provider][0]: "sk-0123456789abcdef"}


def _write_suite(folder: Path, name: str, trials: int) -> Path:
    folder.mkdir(parents=True)
    document = {
        "version": "1",
        "defaults": {"agent": name, "model": MODELS[name][1], "provider": "local", "trials": trials, "timeout": 60},
        "tasks": [
            {"name": "hello", "instruction": INSTRUCTION, "graders": [{"type": "deterministic", "run": GRADER}]},
        ],
    }
    (folder / "eval.yaml").write_text(json.dumps(document), encoding="utf-8")  # JSON is YAML
    return folder


def _by_skillgrade(suite: Path, env: dict[str, str], trials: int) -> float:
    """Milliseconds of each further trial: the run without what a run of one costs."""

    def run_trials(count: int) -> None:
        argv = [*SKILLGRADE, f"--file={suite}", "--parallel=1", "--ci", "--threshold=1", f"--trials={count}"]
        done = subprocess.run(argv, env=env, capture_output=True, text=True, check=False)
        if done.returncode:
            raise RuntimeError(f"{argv} ended with {done.returncode}:\n{done.stdout[-2000:]}{done.stderr[-2000:]}")

    one = milliseconds(lambda: run_trials(1))
    return (milliseconds(lambda: run_trials(trials)) - one) / (trials - 1)


def _by_hand(name: str, env: dict[str, str], count: int) -> float:
    """Milliseconds of the same command line, each time in an empty folder with an empty home; and what is allowed."""
    agent = AGENTS[name]
    assert isinstance(agent, NpmAgent)
    task = Task("hello", INSTRUCTION, (), Path("eval.yaml"), 1, agent=AgentSpec(name, model=MODELS[name][1]))
    given = agent_variables(task, agent, {}, env, frozenset())  # certificates in others cost some tools half a second
    invocation = agent.invocation(task, given, 0)

    def act() -> None:
        with tempfile.TemporaryDirectory() as folder:
            home = Path(folder, "home")
            home.mkdir()
            subprocess.run(
                list(invocation.argv),
                cwd=folder,
                env={"PATH": env["PATH"], **given, **invocation.env, "HOME": str(home)},
                input=INSTRUCTION.encode(),
                capture_output=True,
                check=True,
            )

    return statistics.mean(milliseconds(act) for _ in range(count)) + ALLOWED
