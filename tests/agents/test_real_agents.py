"""The real tools against a scripted model: what each does in a workspace, and how it fails."""

from __future__ import annotations

import json

import pytest

from skillgrade.workspace.base import StagedFile
from tests.support.agent_clis import Stage
from tests.support.agent_server import Fault, Shell, UseSkill
from tests.support.model_server import Raw, Stall, Status

pytestmark = [pytest.mark.agents, pytest.mark.timeout(180)]

in_one_provider = pytest.mark.parametrize("provider", ["local"], indirect=True)
"""How a tool fails depends on it alone."""

DEADLINE = 12.0
"""Seconds after which a tool that goes on is ended; on a busy machine OpenCode may not have asked its model by then."""

GOES_ON = "the agent had no answer from its model when its time was over"
"""What is said of a tool that would ask for ever."""


def test_it_writes_a_file_through_a_tool(stage: Stage) -> None:
    stage.server.script(Shell("printf hello >hello.txt"), "I wrote it.")
    acted = stage.act("Write hello.txt, please.")
    assert (acted.result.exit_code, acted.failure) == (0, None), acted.err
    assert stage.workspace.read("hello.txt", 100) == b"hello"
    assert "I wrote it." in acted.out
    assert "Write hello.txt, please." in stage.server.asked[0].text


def test_it_may_use_what_lies_outside_of_its_workspace(stage: Stage) -> None:
    stage.server.script(Shell("cp /bin/sh out"), "Done.")
    acted = stage.act("Copy it, please.")
    assert (acted.result.exit_code, acted.failure) == (0, None), acted.err
    assert stage.workspace.read("out", 4) == b"\x7fELF"


def test_it_reads_the_skill_through_its_tool(stage: Stage) -> None:
    stage.server.script(UseSkill("greeting"), "I know it now.")
    acted = stage.act()
    assert (acted.result.exit_code, acted.failure) == (0, None), acted.err
    assert "How to greet people properly." in stage.server.asked[0].text + stage.server.asked[1].text
    assert "MARZIPAN" in stage.server.asked[-1].text


def test_its_second_turn_remembers_the_first(stage: Stage) -> None:
    stage.act("The word is PERSIMMON.")
    asked = len(stage.server.asked)
    acted = stage.act("What is the word?")
    assert (acted.result.exit_code, acted.failure) == (0, None), acted.err
    assert all(word in stage.server.asked[-1].text for word in ("PERSIMMON", "What is the word?"))
    assert len(stage.server.asked) > asked


@in_one_provider
def test_a_model_that_never_answers_ends_at_the_deadline_and_is_no_failed_task(stage: Stage) -> None:
    stage.server.always(Stall())
    acted = stage.act(timeout=DEADLINE)
    assert acted.result.timed_out
    assert stage.server.asked or stage.name == "opencode"
    assert acted.failure is not None
    assert acted.failure.startswith(GOES_ON)


@in_one_provider
@pytest.mark.parametrize("agent", ["claude", "codex", "gemini"], indirect=True)
def test_work_that_the_deadline_cut_is_a_failed_task(stage: Stage) -> None:
    stage.server.script(Shell("echo begun >begun.txt; sleep 100"))
    acted = stage.act(timeout=10)
    assert acted.result.timed_out
    assert stage.workspace.read("begun.txt", 100) == b"begun\n"
    assert acted.failure is None


@in_one_provider
@pytest.mark.parametrize(
    ("fault", "says"),
    [
        pytest.param(
            Status(401, "that key is wrong"),
            dict.fromkeys(["claude", "codex", "gemini", "opencode"], "that key is wrong"),
            id="401",
        ),
        pytest.param(
            Status(500, "the engine broke"),
            {
                "claude": "the engine broke",
                "codex": "high demand",  # its own words for any 500
                "gemini": "the engine broke",
                "opencode": GOES_ON,
            },
            id="500",
        ),
        pytest.param(
            Raw(b"{no json"),
            {
                "claude": "Failed to parse JSON",
                "codex": "stream closed before response.completed",
                "gemini": "Incomplete JSON",
                "opencode": GOES_ON,
            },
            id="malformed",
        ),
    ],
)
def test_a_model_that_fails_is_an_error_in_its_own_words(stage: Stage, fault: Fault, says: dict[str, str]) -> None:
    stage.server.always(fault)
    acted = stage.act(timeout=DEADLINE if says[stage.name] == GOES_ON else 60.0)
    assert acted.failure is not None
    assert says[stage.name] in acted.failure
    assert "sk-planted" not in acted.failure


@in_one_provider
def test_one_refusal_for_want_of_capacity_is_waited_out(stage: Stage) -> None:
    stage.server.script(Status(429, "slow down", retry_after=0), Shell("printf hello >hello.txt"), "I wrote it.")
    acted = stage.act()
    assert acted.failure is None, acted.err
    assert stage.workspace.read("hello.txt", 100) == b"hello"


DENIALS = {
    "claude": (".claude/settings.json", {"permissions": {"deny": ["Bash(touch:*)"]}}),
    "opencode": ("opencode.json", {"permission": {"bash": {"touch *": "deny"}}}),
}


@in_one_provider
@pytest.mark.parametrize("agent", list(DENIALS), indirect=True)
def test_an_agent_that_may_do_nothing_is_an_error(stage: Stage) -> None:
    place, settings = DENIALS[stage.name]
    stage.workspace.put([StagedFile(place, data=json.dumps(settings).encode())])
    stage.server.script(Shell("touch hello.txt"), "I wrote it.")
    acted = stage.act()
    assert stage.workspace.read("hello.txt", 100) is None
    assert acted.result.exit_code == 0
    assert acted.failure is not None
    assert "was not allowed to do anything" in acted.failure


@in_one_provider
@pytest.mark.parametrize("agent", ["claude", "gemini", "opencode"], indirect=True)  # codex would ask OpenAI itself
def test_a_tool_that_is_logged_out_says_so(stage: Stage) -> None:
    acted = stage.act(env={})
    assert not stage.server.asked
    assert acted.failure is not None
    said = {
        "claude": "Not logged in",
        "gemini": "set an Auth method",
        "opencode": "API key is missing",
    }
    assert said[stage.name].lower() in acted.failure.lower()
