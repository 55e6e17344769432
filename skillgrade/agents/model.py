"""The `model` agent: a model that answers once, with the skill as its instructions and without tools."""

from __future__ import annotations

import atexit
import json
import time
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path

from skillgrade.agents.base import AgentTurn
from skillgrade.agents.model_prompt import RUNNER_PROMPT_VERSION, system_prompt
from skillgrade.errors import AgentError, ModelError, UserError
from skillgrade.models.access import Models
from skillgrade.models.base import ModelRequest
from skillgrade.models.endpoint import endpoint
from skillgrade.models.keys import KEY_NAMES, URL_NAMES
from skillgrade.models.prices import cost_usd
from skillgrade.reading import reason
from skillgrade.stop import Stop
from skillgrade.suite.assertion_specs import asks_about_skills
from skillgrade.suite.model import AgentSpec, Task
from skillgrade.transcript.summary import TranscriptSummary
from skillgrade.workspace.base import CommandResult, StagedFile, Workspace

MOST_TOKENS = 8192
"""Tokens that an answer may have."""

_NAMED = f"name it as PROVIDER:MODEL, with one of {', '.join(KEY_NAMES)}"


class ModelAgent:
    """Asks a provider directly; nothing runs in the workspace, where only graders look."""

    name = "model"
    is_llm = False
    gets_env_file = False
    has_version = True

    @cached_property
    def _models(self) -> Models:
        """What all trials of this process ask with, so that one limiter knows of all of them."""
        models = Models()
        atexit.register(models.close)
        return models

    def model(self, spec: AgentSpec) -> str | None:
        """``PROVIDER:MODEL``."""
        return spec.model

    def key_names(self, spec: AgentSpec) -> tuple[str, ...]:
        """The keys and the address of its provider."""
        provider = (spec.model or "").partition(":")[0]
        return (*KEY_NAMES[provider], URL_NAMES[provider]) if provider in KEY_NAMES else ()

    def model_url(self, task: Task, env: Mapping[str, str]) -> str | None:
        """None: it asks from outside of the workspace."""
        return None

    def output_format(self, spec: AgentSpec) -> str:
        """Its own; see `skillgrade.transcript.model`."""
        return "model-json"

    def problem(self, task: Task, variables: Mapping[str, str]) -> str | None:
        """It needs a provider, a model and a key, and a task that is one question."""
        provider, _, model = (task.agent.model or "").partition(":")
        if provider not in KEY_NAMES or not model.strip():
            return f'the "model" agent needs a model: {_NAMED}, in `model` or with --model'
        if task.is_conversation:
            return 'the "model" agent answers once: a task of several turns needs another agent'
        if any(map(asks_about_skills, task.graders)):
            return 'the "model" agent has the skill as its instructions, so nobody can see whether it chose to use it'
        try:
            endpoint(provider, variables)
        except UserError as error:
            return str(error)
        except ModelError as error:  # no key is set
            return str(error).replace("the judges of provider", "the model of provider").replace(" need: ", " needs: ")
        return None

    def install_commands(self, spec: AgentSpec) -> str | None:
        """Nothing."""
        return None

    def version(self, workspace: Workspace, folder: Path, stop: Stop) -> str | None:
        """The version of what it tells the model."""
        return RUNNER_PROMPT_VERSION

    def files(self, task: Task) -> tuple[StagedFile, ...]:
        """None."""
        return ()

    def stdin(self, instruction: str) -> bytes | None:
        """None."""
        return None

    def command_line(self, task: Task, env: Mapping[str, str]) -> tuple[str, ...]:
        """Nothing is started."""
        return ()

    def failure(self, result: CommandResult, summary: TranscriptSummary) -> str | None:
        """None: where no answer came, `act` has raised."""
        return None

    def act(self, task: Task, turn: AgentTurn, workspace: Workspace, stop: Stop) -> CommandResult:
        """Ask the model.

        Raises:
            AgentError: No answer could be had.
            Cancelled: The stop came.
        """
        provider, _, model = (task.agent.model or "").partition(":")
        started = time.monotonic()
        try:
            request = ModelRequest(model, system_prompt(turn.skills), turn.instruction, max_tokens=MOST_TOKENS)
            place = endpoint(provider, turn.env)
            reply = self._models.ask(place, request, turn.timeout, started + turn.timeout, stop)
        except (ModelError, UserError) as error:
            raise AgentError(f"the model {task.agent.model} gave no answer: {error}") from error
        except OSError as error:
            raise AgentError(f"the skill cannot be read: {reason(error)}") from error
        cost = cost_usd(provider, reply.model, reply.tokens)
        answer = {
            "type": "answer",
            "text": reply.text,
            "tokens": reply.tokens,
            "cost_usd": cost,
            "finish": reply.finish,
        }
        turn.stdout.feed(json.dumps(answer).encode() + b"\n")
        duration = time.monotonic() - started
        return CommandResult(
            0, timed_out=False, duration=duration, stdout=turn.stdout.close(), stderr=turn.stderr.close()
        )
