"""docs/transcripts.md: every field of every event, every format, limit and message is the code's."""

from __future__ import annotations

import inspect
import re
from dataclasses import fields
from pathlib import Path

import pytest

from skillgrade.results.records import TriggerStatus
from skillgrade.suite.load import load_suite
from skillgrade.suite.schema import eval_schema
from skillgrade.transcript import PARSERS, events, failure, render, shorten
from skillgrade.transcript.events import CallStatus, End, Error, Event, Message, Role, SkillUse, ToolCall, Usage
from skillgrade.transcript.tools import canonical
from tests.support.pages import REPOSITORY, yaml_blocks
from tests.support.suites import write

FILE = REPOSITORY / "docs" / "transcripts.md"
PAGE = FILE.read_text("utf-8")
KINDS: dict[str, type[Event]] = {
    "message": Message, "tool_call": ToolCall, "skill_use": SkillUse, "usage": Usage, "error": Error, "end": End,
}  # fmt: skip


@pytest.mark.parametrize("kind", KINDS)
def test_every_field_of_every_event_is_on_the_page(kind: str) -> None:
    section = re.split(r"^##", PAGE.split(f"### `{kind}`\n")[1], flags=re.MULTILINE)[0]
    rows = re.findall(r"^\| `(\w+)` \|", section, re.MULTILINE)
    assert rows == [field.name for field in fields(KINDS[kind])]


def test_the_kinds_are_those_of_the_code() -> None:
    assert re.findall(r"^### `(\w+)`$", PAGE, re.MULTILINE) == list(KINDS)
    for kind in KINDS:
        assert f'"{kind}": ' in inspect.getsource(events)


def test_the_formats_are_those_of_the_code_and_of_the_file() -> None:
    table = PAGE.split("| `output_format` |")[1].split("\n\n")[0]
    named = re.findall(r"^\| `([\w-]+)` \|", table, re.MULTILINE)
    assert {*named, "acp", "model-json"} == set(PARSERS)
    assert "`model-json`" in PAGE
    definitions = eval_schema()["$defs"]
    assert isinstance(definitions, dict)
    assert named == definitions["output_format"]["enum"]


def test_the_example_loads(tmp_path: Path) -> None:
    (example,) = yaml_blocks(FILE)
    suite = load_suite(write(tmp_path, {"eval.yaml": example, "graders/check.sh": ""}))
    assert suite.tasks[0].agent.output_format == "codex-jsonl"
    assert suite.warnings == ()


def test_the_words_are_those_of_the_code() -> None:
    for word in (*Role, *CallStatus, *TriggerStatus):
        assert f"`{word}`" in PAGE, word
    for tool in re.findall(r"its name across agents: (.*?);", PAGE)[0].split(", "):
        assert canonical(tool.strip("`")) == tool.strip("`")


def test_the_limits_are_those_of_the_code() -> None:
    for limit in (shorten.MESSAGE_LIMIT, shorten.ARGUMENT_LIMIT, shorten.OUTPUT_LIMIT):
        assert f"beyond {limit:,} characters" in PAGE
    assert f"up to {render.ARGUMENT_LIMIT:,} characters each, outputs up to {render.OUTPUT_LIMIT:,}." in PAGE


def test_the_text_is_what_is_rendered() -> None:
    shown = re.findall(r'^```text title="a transcript"\n(.*?)^```$', PAGE, re.MULTILINE | re.DOTALL)[0]
    assert shown == render.render(
        [
            Message(Role.ASSISTANT, "I will look at the configuration first."),
            ToolCall("1", "command_execution", "Bash", {"command": "cat config.toml"}, CallStatus.OK, "port = 80\n"),
            SkillUse("release-notes", CallStatus.OK, "1", "read"),
            Error("rate_limit", "429"),
            Usage({"input": 1}),
            End("turn.completed", ok=True),
        ]
    )


def test_the_errors_on_the_page_are_those_of_the_code() -> None:
    source = inspect.getsource(failure)
    table = PAGE.split("| The stream | The error says |")[1].split("\n\n")[0]
    messages = re.findall(r"\| `(the agent.*?)` \|$", table, re.MULTILINE)
    assert len(messages) == 4
    for message in messages:
        assert re.split(r" claude| \(401|: ", message)[0] in source
