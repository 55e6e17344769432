"""The settings of a task: what it says itself, else what `defaults` says, else the built-in value."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

from skillgrade.suite.cursor import Cursor
from skillgrade.suite.model import AgentSpec, DockerSpec, Limits, Task

_BUILT_IN: Mapping[str, Any] = {one.name: one.default for one in fields(Task)}


@dataclass(frozen=True, slots=True)
class Settings:
    """A task over the defaults of its suite."""

    task: Cursor
    defaults: Cursor | None

    def get(self, key: str) -> Cursor | None:
        """The value that holds for the task; None where neither says it."""
        return self.task.get(key) or (self.defaults.get(key) if self.defaults else None)

    def label(self, key: str) -> str | None:
        """The same as text, numbers as they were written."""
        cursor = self.get(key)
        return cursor.label() if cursor else None

    def number(self, key: str) -> float:
        """The same as a number, else the built-in value."""
        cursor = self.get(key)
        value = cursor.number() if cursor else None
        return float(_BUILT_IN[key]) if value is None else float(value)

    def merged(self, key: str) -> dict[str, Cursor]:
        """A mapping of the task laid over the one of the defaults, key by key."""
        result: dict[str, Cursor] = {}
        for holder in (self.defaults, self.task):
            mapping = holder.get(key) if holder else None
            result.update(mapping.pairs() if mapping else ())
        return result


def read_settings(settings: Settings) -> dict[str, Any]:
    """The fields of `Task` that are settings, by name."""
    names, values = _environment(settings.get("env"))
    return {
        "agent": _agent(settings),
        "provider": settings.label("provider") or _BUILT_IN["provider"],
        "network": settings.label("network") or _BUILT_IN["network"],
        "trials": int(settings.number("trials")),
        "timeout": settings.number("timeout"),
        "grader_timeout": settings.number("grader_timeout"),
        "threshold": settings.number("threshold"),
        "pass_threshold": settings.number("pass_threshold"),
        "retries": int(settings.number("retries")),
        "grader_provider": settings.label("grader_provider"),
        "grader_model": settings.label("grader_model"),
        "grader_workspace": settings.label("grader_workspace"),
        "env_names": names,
        "env_values": values,
        "docker": _docker(settings),
        "limits": _limits(settings),
    }


def labels(mapping: Cursor | None) -> dict[str, str]:
    """A mapping of texts; numbers and booleans as they were written."""
    pairs = mapping.pairs() if mapping else ()
    return {key: label for key, item in pairs if (label := item.label()) is not None}


def _agent(settings: Settings) -> AgentSpec:
    acp = settings.get("acp")
    acp_command = acp.get("command") if acp else None
    return AgentSpec(
        name=settings.label("agent"),
        model=settings.label("model"),
        command=settings.label("command"),
        output_format=settings.label("output_format") or "text",
        acp_command=acp_command.text() if acp_command else None,
        acp_env=labels(acp.get("env") if acp else None),
        version=settings.label("agent_version"),
        home=settings.label("agent_home") or "isolated",
    )


def _environment(env: Cursor | None) -> tuple[tuple[str, ...], dict[str, str]]:
    """Names whose values come from outside, and values that the file sets itself."""
    if env is None:
        return (), {}
    names = [name for item in env.items() if (name := item.text()) is not None]
    if isinstance(env.value, dict):
        # A name without a value in a map means the same as a name in a list.
        names = [key for key, value in env.value.items() if value is None]
    return tuple(dict.fromkeys(names)), labels(env)


def _docker(settings: Settings) -> DockerSpec:
    keys = settings.merged("docker")
    text = {key: cursor.text() for key, cursor in keys.items()}
    return DockerSpec(
        base=text.get("base") or DockerSpec().base,
        setup=text.get("setup"),
        user=text.get("user"),
        required=settings.get("docker") is not None,
    )


def _limits(settings: Settings) -> Limits:
    numbers = {key: cursor.number() for key, cursor in settings.merged("environment").items()}
    built_in = Limits()
    return Limits(
        cpus=float(numbers.get("cpus") or built_in.cpus),
        memory_mb=int(numbers.get("memory_mb") or built_in.memory_mb),
        pids=int(numbers.get("pids") or built_in.pids),
    )
