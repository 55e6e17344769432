"""The real tools against a scripted model: what each does in a workspace, and how it fails."""

from __future__ import annotations

import pytest

from tests.support.agent_clis import Stage
from tests.support.agent_server import Shell, UseSkill

pytestmark = [pytest.mark.agents, pytest.mark.timeout(180)]


def test_it_writes_a_file_through_a_tool(stage: Stage) -> None:
    stage.server.script(Shell("printf hello >hello.txt"), "I wrote it.")
    acted = stage.act("Write hello.txt, please.")
    assert acted.result.exit_code == 0, acted.err
    assert stage.workspace.read("hello.txt", 100) == b"hello"
    assert "I wrote it." in acted.out
    assert "Write hello.txt, please." in stage.server.asked[0].text


def test_it_reads_the_skill_through_its_tool(stage: Stage) -> None:
    stage.server.script(UseSkill("greeting"), "I know it now.")
    acted = stage.act()
    assert acted.result.exit_code == 0, acted.err
    assert "How to greet people properly." in stage.server.asked[0].text + stage.server.asked[1].text
    assert "MARZIPAN" in stage.server.asked[-1].text


def test_its_second_turn_remembers_the_first(stage: Stage) -> None:
    stage.act("The word is PERSIMMON.")
    asked = len(stage.server.asked)
    acted = stage.act("What is the word?")
    assert acted.result.exit_code == 0, acted.err
    assert all(word in stage.server.asked[-1].text for word in ("PERSIMMON", "What is the word?"))
    assert len(stage.server.asked) > asked
