"""The `opencode` agent: OpenCode, with a model of any provider."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass

from skillgrade.agents.npm_agent import NO_KEY, Access, Invocation, NpmAgent, versioned
from skillgrade.suite.model import AgentSpec, Task


@dataclass(frozen=True, slots=True)
class _Provider:
    """A provider that skillgrade knows keys of: how it is reached, and what OpenCode wants of that."""

    access: Access
    api_version: str
    key_name: str


_PROVIDERS = {
    "anthropic": _Provider(Access.of("anthropic"), "v1", "ANTHROPIC_API_KEY"),
    "openai": _Provider(Access.of("openai"), "v1", "OPENAI_API_KEY"),
    "google": _Provider(Access.of("gemini"), "v1beta", "GOOGLE_GENERATIVE_AI_API_KEY"),
}
_ENV = {
    # Each would be fetched at every start.
    "OPENCODE_DISABLE_AUTOUPDATE": "1",
    "OPENCODE_DISABLE_DEFAULT_PLUGINS": "1",
    "OPENCODE_DISABLE_MODELS_FETCH": "1",
}
_INSTALL_RIPGREP = """
# Its tool for skills needs ripgrep, which it would download in every trial.
if ! type rg >/dev/null 2>&1 && type apt-get >/dev/null 2>&1; then
  apt-get update -q && apt-get install -qy --no-install-recommends ripgrep && rm -rf /var/lib/apt/lists/*
fi"""


class OpencodeAgent(NpmAgent):
    """Runs `opencode run`."""

    name = "opencode"
    package = "opencode-ai"
    tested_version = "1.18.33"
    stream_format = "opencode-json"

    def model(self, spec: AgentSpec) -> str | None:
        """Its own setting, over the one for all agents; see `Agent.model`."""
        return spec.opencode_model or spec.model

    def access(self, spec: AgentSpec) -> Access | None:
        """The keys of its model's provider; see `NpmAgent.access`."""
        provider = _PROVIDERS.get(_split(self.model(spec))[0])
        return None if provider is None else provider.access

    def problem(self, task: Task, variables: Mapping[str, str]) -> str | None:
        """Whether its model is known, and would answer; see `Agent.problem`."""
        model = self.model(task.agent)
        if not model and task.agent.home == "user":
            return None
        if not all(_split(model)):
            return (
                'the agent "opencode" needs its model as PROVIDER/MODEL, such as anthropic/claude-sonnet-4-6: '
                "set `model:`, or pass --opencode-model"
            )
        return super().problem(task, variables)

    def install_commands(self, spec: AgentSpec) -> str | None:
        """See `Agent.install_commands`."""
        return f"{super().install_commands(spec)}{_INSTALL_RIPGREP}"

    def invocation(self, task: Task, env: Mapping[str, str], number: int) -> Invocation:
        """See `NpmAgent.invocation`."""
        spec, model = task.agent, self.model(task.agent)
        argv = ["opencode", "run", "--format", "json"]
        if model:
            argv += ["--model", model]
        if spec.opencode_agent:
            argv += ["--agent", spec.opencode_agent]
        if number:
            argv.append("--continue")
        config: dict[str, object] = {
            "autoupdate": False,
            "share": "disabled",
            # Nobody is there to be asked; what keeps the agent in is the workspace, not its own question.
            "permission": {"external_directory": "allow"},
        }
        own = dict(_ENV)
        name, model_name = _split(model)
        if provider := _PROVIDERS.get(name):
            # A model that it does not know must be declared.
            settings: dict[str, object] = {"models": {model_name: {}}}
            if url := env.get(provider.access.url):
                settings["options"] = {"baseURL": versioned(url, provider.api_version)}
            if url or provider.access.key(env):
                own[provider.key_name] = provider.access.key(env) or NO_KEY
            config |= {"provider": {name: settings}, "small_model": model}
        return Invocation(argv, {**own, "OPENCODE_CONFIG_CONTENT": json.dumps(config)})


def _split(model: str | None) -> tuple[str, str]:
    provider, _, name = (model or "").partition("/")
    return provider, name
