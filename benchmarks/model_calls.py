"""What asking a model costs on our side: against its SDK alone, and many calls at once against the ideal."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from functools import partial
from pathlib import Path

from benchmarks.measure import Row, Size, compare, milliseconds
from skillgrade.models.access import Models
from skillgrade.models.base import Endpoint, ModelRequest
from skillgrade.models.endpoint import endpoint
from skillgrade.models.keys import URL_NAMES
from skillgrade.stop import Stop

CALLS = 200
PARALLEL = 16
DELAY = 0.1
"""Seconds in which the server answers."""

ALLOWED = 15.0
"""Milliseconds that a call may cost beside its SDK's own."""

REPEATED = 50
SCHEMA: dict[str, object] = {"type": "object", "properties": {"score": {"type": "number"}}, "required": ["score"]}
REQUEST = ModelRequest("small-model", "Judge.", "The transcript.\n" * 500, SCHEMA)
SERVER = """
import sys
from tests.support.model_server import ModelServer
with ModelServer(delay=float(sys.argv[1])) as server:
    print(server.url, flush=True)
    sys.stdin.read()
"""


def run(size: Size, folder: Path) -> Iterator[Row]:  # noqa: ARG001  (as every benchmark is called)
    with _server(0.0) as url:
        for provider, connect in (("gemini", _gemini), ("anthropic", _anthropic), ("openai", _openai)):
            place = endpoint(provider, {URL_NAMES[provider]: url})
            with closing(Models()) as models, connect(url) as bare:
                ours = partial(_ask, models, place)
                bare()
                ours()  # imports and connections are made once per run
                yield compare(
                    "model_calls",
                    f"one call to {provider}; floor: its SDK alone, and {ALLOWED:g} ms",
                    partial(_with_allowance, bare),
                    partial(_each, ours),
                    size.rounds,
                    1.0,
                )
    calls = size.trials(CALLS, PARALLEL)
    with _server(DELAY) as url:
        place = endpoint("openai", {URL_NAMES["openai"]: url})
        yield compare(
            "model_calls",
            f"{calls} calls, parallel {PARALLEL}, answered in {DELAY * 1000:g} ms; floor: the ideal",
            lambda: calls / PARALLEL * DELAY * 1000,
            partial(_many, place, calls),
            size.rounds,
            1.3,
        )


@contextmanager
def _server(delay: float) -> Iterator[str]:
    """The address of a provider in a process of its own, which takes none of our interpreter's time."""
    command = [sys.executable, "-c", SERVER, str(delay)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        yield process.stdout.readline().strip()
        process.communicate()


def _ask(models: Models, place: Endpoint) -> object:
    return models.ask(place, REQUEST, 60, time.monotonic() + 60, Stop())


def _many(place: Endpoint, calls: int) -> float:
    with closing(Models()) as models, ThreadPoolExecutor(PARALLEL) as threads:
        return milliseconds(lambda: list(threads.map(lambda _: _ask(models, place), range(calls))))


def _each(call: Callable[[], object]) -> float:
    def repeat() -> None:
        for _ in range(REPEATED):
            call()

    return milliseconds(repeat) / REPEATED


def _with_allowance(call: Callable[[], object]) -> float:
    return _each(call) + ALLOWED


@contextmanager
def _gemini(url: str) -> Iterator[Callable[[], object]]:
    from google import genai
    from google.genai import types

    config = types.GenerateContentConfig(
        system_instruction=REQUEST.system,
        max_output_tokens=REQUEST.max_tokens,
        temperature=0,
        response_mime_type="application/json",
        response_json_schema=SCHEMA,
    )
    with genai.Client(api_key="k", http_options=types.HttpOptions(base_url=url)) as client:
        yield lambda: client.models.generate_content(model=REQUEST.model, contents=REQUEST.user, config=config)


@contextmanager
def _anthropic(url: str) -> Iterator[Callable[[], object]]:
    import anthropic

    with anthropic.Anthropic(api_key="k", base_url=url, max_retries=0) as client:
        yield lambda: client.messages.create(
            model=REQUEST.model,
            max_tokens=REQUEST.max_tokens,
            system=REQUEST.system,
            messages=[{"role": "user", "content": REQUEST.user}],
            output_config={"format": {"type": "json_schema", "schema": SCHEMA}},
        )


@contextmanager
def _openai(url: str) -> Iterator[Callable[[], object]]:
    import openai

    with openai.OpenAI(api_key="k", base_url=f"{url}/v1", max_retries=0) as client:
        yield lambda: client.chat.completions.create(
            model=REQUEST.model,
            messages=[{"role": "system", "content": REQUEST.system}, {"role": "user", "content": REQUEST.user}],
            temperature=0,
            max_completion_tokens=REQUEST.max_tokens,
            response_format={
                "type": "json_schema",
                "json_schema": {"name": "reply", "strict": True, "schema": SCHEMA},
            },
        )
