"""What would go wrong, found before money is spent: every place, agent and judge of a suite, looked at.

Nothing here asks a model, pulls an image or builds one.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path

from skillgrade.agents.choose import choose_agent
from skillgrade.engine.agent_check import AgentCheck
from skillgrade.engine.env_file import effective_variables
from skillgrade.engine.findings import Examined, Finding, Level, all_well, good, problem, warning
from skillgrade.engine.plan import environment_of
from skillgrade.engine.variables import agent_variables, judge_key_names
from skillgrade.errors import MissingKeyError, ProviderError, RecordingError, UsageError
from skillgrade.judges.base import Judge
from skillgrade.judges.choice import models_in
from skillgrade.judges.recordings import Recording, read_recording, recording_file
from skillgrade.models.endpoint import endpoint, model_name
from skillgrade.stop import Stop
from skillgrade.suite.model import AgentSpec, Suite, Task
from skillgrade.workspace import provider_named
from skillgrade.workspace.choose import foreseen_provider
from skillgrade.workspace.temporary import remove_temporary_folders

KNOWN_AGENTS = ("claude", "codex", "gemini", "opencode")
"""The agents that can be looked at without an eval.yaml, which would have to say what others run."""

_SURVEY_MODELS = {"opencode": "anthropic/claude-sonnet-4-6"}
"""What stands for the model that only an eval.yaml could name."""


def examine(suite: Suite, env_file: Mapping[str, str], environ: Mapping[str, str], stop: Stop) -> Iterator[Examined]:
    """Look at everything that a suite uses, one subject after the other.

    Args:
        suite: The suite, flags applied.
        env_file: The variables of the eval's `.env`.
        environ: The shell's variables.
        stop: Ends it early.

    Raises:
        Cancelled: The stop came.
    """
    yield Examined(f"suite {suite.file}", tuple(_of_suite(suite)))
    yield from _agents(suite.tasks, env_file, environ, stop)
    yield from _judges(suite, effective_variables(env_file, environ))


def survey(agents: Iterable[str], provider: str, environ: Mapping[str, str], stop: Stop) -> Iterator[Examined]:
    """Look at agents without a suite. Nobody needs all of them: what one lacks is a problem only where none works.

    Args:
        agents: Their names.
        provider: Where they would work.
        environ: The shell's variables.
        stop: Ends it early.

    Raises:
        Cancelled: The stop came.
    """
    tasks = [
        Task(
            name=name,
            instruction="",
            graders=(),
            file=Path("eval.yaml"),
            line=1,
            agent=AgentSpec(name, model=_SURVEY_MODELS.get(name)),
            provider=provider,
        )
        for name in agents
    ]
    examined = list(_agents(tasks, {}, environ, stop))
    if len(tasks) == 1 or all_well(examined):
        yield from examined
        return
    for subject in examined:
        yield subject if subject.is_well else Examined(subject.subject, tuple(map(_softened, subject.findings)))
    if not any(subject.is_well for subject in examined):
        yield Examined("agents", (problem("agents", "none of them can work here: mend what one of them lacks"),))


def _softened(finding: Finding) -> Finding:
    return warning(finding.check, finding.text) if finding.level is Level.PROBLEM else finding


def _of_suite(suite: Suite) -> Iterator[Finding]:
    skills = ", ".join(skill.name for skill in suite.skills)
    yield good("tasks", f"{len(suite.tasks)} tasks, {f'with the skill {skills}' if skills else 'without a skill'}")
    for text in suite.warnings:
        yield warning("file", text)


def _agents(
    tasks: Iterable[Task], env_file: Mapping[str, str], environ: Mapping[str, str], stop: Stop
) -> Iterator[Examined]:
    tasks = tuple(tasks)
    variables = effective_variables(env_file, environ)
    withheld = judge_key_names(tasks)
    run = f"doctor-{secrets.token_hex(4)}"
    used: set[str] = set()
    try:
        for same in _alike(tasks):
            task = same[0]
            subject = f"agent {task.agent.name or '(chosen by key)'}{_whose(same, tasks)}"
            try:
                agent = choose_agent(task.agent, variables)
                subject = f"agent {agent.name}{_whose(same, tasks)}"
                choice = foreseen_provider(task.provider, task.docker, agent.name, agent.is_llm, stop)
            except UsageError as error:
                yield Examined(subject, (problem("agent", str(error)),))
                continue
            except ProviderError as error:
                yield Examined(subject, (problem("provider", str(error)),))
                continue
            used.add(choice.provider)
            check = AgentCheck(
                agent=agent,
                task=task,
                provider=choice.provider,
                environment=environment_of(task, agent),
                variables={**variables, **task.env_values},
                agent_env=agent_variables(task, agent, env_file, environ, withheld),
                run=run,
            )
            yield Examined(subject, (good("provider", choice.reason), *check.findings(stop)))
    finally:
        for name in used:
            provider_named(name).end_run(run)
        remove_temporary_folders(run)


def _alike(tasks: Iterable[Task]) -> Iterator[list[Task]]:
    """The tasks in groups of those for which a look would find the same."""
    groups: dict[str, list[Task]] = {}
    for task in tasks:
        setups = [getattr(spec, "setup", None) for spec in task.graders]
        key = (task.agent, task.provider, task.docker, task.network, task.env_names, task.env_values, setups)
        groups.setdefault(repr(key), []).append(task)
    yield from groups.values()


def _whose(same: list[Task], tasks: tuple[Task, ...]) -> str:
    """Which tasks are meant, where not all of them are."""
    if len(same) == len(tasks):
        return ""
    if len({task.agent.name for task in tasks}) == len(tasks) and len(same) == 1 and not same[0].graders:
        return ""
    more = f" and {len(same) - 1} more" if len(same) > 1 else ""
    return f" for {same[0].name}{more}"


def _judges(suite: Suite, variables: Mapping[str, str]) -> Iterator[Examined]:
    judges = models_in(suite.tasks)
    if not judges:
        return
    recording, of_recording = _recording(suite.file)
    for judge in sorted(judges, key=lambda judge: (judge.provider, judge.model or "")):
        name = judge.provider if judge.model is None else f"{judge.provider}:{judge.model}"
        yield Examined(f"judge {name}", tuple(_of_judge(judge, recording, variables)))
    yield Examined("recorded verdicts", (of_recording,))


def _of_judge(judge: Judge, recording: Recording, variables: Mapping[str, str]) -> Iterator[Finding]:
    try:
        place = endpoint(judge.provider, variables)
    except MissingKeyError as error:
        kept = [entry for entry in recording.entries if entry.provider == judge.provider]
        if kept:
            yield warning("key", f"{error}; without it only --verdicts=replay works, with the verdicts recorded of it")
        else:
            yield problem("key", str(error))
        return
    except UsageError as error:
        yield problem("key", str(error))
        return
    yield good("key", "is set" if place.key else "none, which a server of your own may not need")
    if place.base_url:
        yield good("endpoint", place.base_url)
    model = judge.model or model_name(judge.provider, variables)
    newest = f"the newest small model of {judge.provider}, which a run looks up first; the file can name one"
    yield good("model", model or newest)


def _recording(suite_file: Path) -> tuple[Recording, Finding]:
    file = recording_file(suite_file)
    if not file.exists():
        return Recording(), good("recording", "none; --verdicts=record makes one")
    with suppress(RecordingError):
        recording = read_recording(file)
        return recording, good("recording", f"{file} has {len(recording.entries)} of them")
    return Recording(), warning("recording", f"{file} cannot be read: make it anew with --verdicts=record")
