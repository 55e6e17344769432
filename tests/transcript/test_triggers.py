"""What counts as the use of a skill, agent by agent, and what does not."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pytest

from skillgrade.results.records import Trigger, TriggerStatus
from skillgrade.transcript.triggers import ObservedTurn, observed_trigger
from tests.support.streams import FOLDER, converted, summary_of

BODY = "---\nname: foo\ndescription: Does it.\n---\n# Foo\n"
PATH = "/workspace/.claude/skills/foo/SKILL.md"
TRIGGERED, ATTEMPTED = TriggerStatus.TRIGGERED, TriggerStatus.ATTEMPTED
NOT, UNKNOWN = TriggerStatus.NOT_TRIGGERED, TriggerStatus.UNKNOWN


def claude(tool: str, args: Any, content: Any = "fine", *, is_error: bool = False, end: bool = True) -> list[Any]:
    call = {"type": "tool_use", "id": "t1", "name": tool, "input": args}
    answer = {"type": "tool_result", "tool_use_id": "t1", "content": content, "is_error": is_error}
    return [
        {"type": "system", "subtype": "init", "skills": ["foo"], "slash_commands": ["foo"]},
        {"type": "assistant", "message": {"content": [{"type": "text", "text": f"I will read {PATH}."}, call]}},
        {"type": "user", "message": {"content": [answer]}},
        *([{"type": "result", "subtype": "success", "is_error": False}] if end else []),
    ]


def codex(command: Any, output: str = BODY, status: str = "completed", exit_code: int | None = 0) -> list[Any]:
    item = {"id": "i1", "type": "command_execution", "command": command, "status": status}
    done = {**item, "aggregated_output": output, "exit_code": exit_code}
    return [
        {"type": "thread.started"},
        {"type": "item.started", "item": {**item, "status": "in_progress"}},
        {"type": "item.completed", "item": done},
        {"type": "turn.completed", "usage": {}},
    ]


def gemini(tool: str, args: Any, status: str = "success") -> list[Any]:
    return [
        {"type": "tool_use", "tool_id": "t", "tool_name": tool, "parameters": args},
        {"type": "tool_result", "tool_id": "t", "status": status, "output": ""},
        {"type": "result", "status": "success", "stats": {}},
    ]


def opencode(tool: str, args: Any, status: str = "completed", output: str = "text") -> list[Any]:
    part = {"tool": tool, "callID": "c", "state": {"status": status, "input": args, "output": output}}
    return [{"type": "tool_use", "part": part}, {"type": "step_finish", "part": {"id": "p", "reason": "stop"}}]


def acp(*updates: Any) -> list[Any]:
    return [
        *({"method": "session/update", "params": {"update": {"toolCallId": "t", **update}}} for update in updates),
        {"id": 1, "result": {"stopReason": "end_turn"}},
    ]


CALL, UPDATE = {"sessionUpdate": "tool_call"}, {"sessionUpdate": "tool_call_update", "status": "completed"}
READ = {"kind": "read", "title": "Read it", "locations": [{"path": PATH}]}


def observe(documents: list[Any], format_name: str, folder: Path, instruction: str = "Do it.") -> Trigger:
    return observed_trigger("foo", [ObservedTurn(instruction, summary_of(documents, format_name, folder))])


@pytest.mark.parametrize(
    ("documents", "status"),
    [
        (claude("Skill", {"skill": "foo"}, "Launching skill: foo"), TRIGGERED),
        (claude("Skill", {"skill": "plugin:foo", "args": "x"}), TRIGGERED),
        (claude("Skill", {"skill": "foo"}, "blocked", is_error=True), ATTEMPTED),
        (claude("Skill", {"skill": "foo"}, end=False)[:2], ATTEMPTED),
        (claude("Skill", {"skill": "foo-bar"}), NOT),
        (claude("Skill", {"skill": "foo:other"}), NOT),
        (claude("Skill", {"skill": ["foo"]}), NOT),
        (claude("Read", {"file_path": PATH}), TRIGGERED),
        (claude("Read", {"file_path": "/home/agent/.claude/skills/foo-bar/SKILL.md"}), NOT),
        (claude("Read", {"file_path": "/workspace/.claude/skills/foo/references/SKILL.md"}), NOT),
        (claude("Read", {"file_path": "/workspace/.claude/skills/foo/reference.md"}), NOT),
        (claude("Read", {"file_path": "/workspace/docs/foo/SKILL.md"}), NOT),
        (claude("Write", {"file_path": PATH, "content": BODY}), NOT),
        (claude("Edit", {"file_path": PATH}), NOT),
        (claude("Grep", {"path": PATH, "pattern": "name"}), NOT),
        (claude("Glob", {"pattern": "**/foo/SKILL.md"}, PATH), NOT),
        (claude("Bash", {"command": f"cat {PATH}"}, BODY), TRIGGERED),
        (claude("Bash", {"command": f"ls {PATH}"}, PATH), NOT),
        (claude("Bash", {"command": "echo foo"}, f"cat {PATH}"), NOT),
    ],
)
def test_claude(documents: list[Any], status: TriggerStatus, tmp_path: Path) -> None:
    assert observe(documents, "claude-stream-json", tmp_path).status is status


@pytest.mark.parametrize(
    ("documents", "status"),
    [
        (codex("/bin/bash -lc \"sed -n '1,200p' .agents/skills/foo/SKILL.md\""), TRIGGERED),
        (codex(["bash", "-lc", "cat /workspace/.agents/skills/foo/SKILL.md"]), TRIGGERED),
        (codex("cd .agents/skills/foo && head -50 SKILL.md", "# a body without a name"), TRIGGERED),
        (codex("cat SKILL.md"), TRIGGERED),
        (codex("cat .agents/skills/*/SKILL.md", BODY.replace("foo", "bar") + BODY), TRIGGERED),
        (codex("cat .agents/skills/*/SKILL.md", BODY.replace("foo", "bar")), NOT),
        (codex("cat SKILL.md", "# no name in it"), NOT),
        (codex("cat .agents/skills/foo/SKILL.md && false", BODY, "failed", 1), TRIGGERED),
        (codex("cat .agents/skills/foo/SKILL.md", "", "declined", None), ATTEMPTED),
        (
            codex("cat .agents/skills/foo/SKILL.md", "cat: .../SKILL.md: No such file or directory\n", "failed", 1),
            ATTEMPTED,
        ),
        (codex("cat .agents/skills/foo/SKILL.md; ls", "cat: SKILL.md: No such file or directory\nx"), ATTEMPTED),
        (codex("cat .agents/skills/foo/SKILL.md 2>/dev/null || true", ""), ATTEMPTED),
        (codex("cat .agents/skills/foo-bar/SKILL.md", BODY.replace("foo", "foo-bar")), NOT),
        (codex("ls .agents/skills/foo/SKILL.md", ".agents/skills/foo/SKILL.md"), NOT),
        (codex("rg --files .agents/skills", ".agents/skills/foo/SKILL.md"), NOT),
        (codex("grep -l foo .agents/skills/foo/SKILL.md", ".agents/skills/foo/SKILL.md"), NOT),
        (codex("test -f .agents/skills/foo/SKILL.md", ""), NOT),
        (codex("cat .agents/skills/foo/references/api.md", "text"), NOT),
        (codex("cat > .agents/skills/foo/SKILL.md <<'E'\n" + BODY + "E", ""), NOT),
        (codex("echo 'cat .agents/skills/foo/SKILL.md'", "cat .agents/skills/foo/SKILL.md"), NOT),
    ],
)
def test_codex(documents: list[Any], status: TriggerStatus, tmp_path: Path) -> None:
    assert observe(documents, "codex-jsonl", tmp_path).status is status


@pytest.mark.parametrize(
    ("documents", "status"),
    [
        (gemini("activate_skill", {"name": "foo"}), TRIGGERED),
        (gemini("activate_skill", {"skill": "foo"}), TRIGGERED),
        (gemini("activate_skill", {"name": "foo"}, "error"), ATTEMPTED),
        (gemini("activate_skill", {"name": "foo-bar"}), NOT),
        (gemini("read_file", {"file_path": ".gemini/skills/foo/SKILL.md"}), TRIGGERED),
        (gemini("read_many_files", {"paths": ["a", ".gemini/skills/foo/SKILL.md"]}), TRIGGERED),
        (gemini("list_directory", {"path": ".gemini/skills/foo"}), NOT),
        (gemini("search_file_content", {"path": ".gemini/skills/foo/SKILL.md"}), NOT),
    ],
)
def test_gemini(documents: list[Any], status: TriggerStatus, tmp_path: Path) -> None:
    assert observe(documents, "gemini-stream-json", tmp_path).status is status


@pytest.mark.parametrize(
    ("documents", "status"),
    [
        (opencode("skill", {"name": "foo"}), TRIGGERED),
        (opencode("skill", {"id": "foo"}), TRIGGERED),
        (opencode("skill", {"name": "foo"}, "error"), ATTEMPTED),
        (opencode("skill", {"name": "foo"}, "running"), ATTEMPTED),
        (opencode("read", {"filePath": PATH}), TRIGGERED),
        (opencode("bash", {"command": f"cat {PATH}"}, output=BODY), TRIGGERED),
        (opencode("skill", {"name": "foo2"}), NOT),
        (opencode("task", {"prompt": f"cat {PATH}"}), NOT),
    ],
)
def test_opencode(documents: list[Any], status: TriggerStatus, tmp_path: Path) -> None:
    assert observe(documents, "opencode-json", tmp_path).status is status


@pytest.mark.parametrize(
    ("documents", "status"),
    [
        (acp({**CALL, "name": "Skill", "title": "x", "rawInput": {"skill": "foo"}}, UPDATE), TRIGGERED),
        (acp({**CALL, "title": "skill", "kind": "other"}, {**UPDATE, "rawInput": {"name": "foo"}}), TRIGGERED),
        (acp({**CALL, "_meta": {"claudeCode": {"toolName": "Skill"}}, "rawInput": {"name": "foo"}}, UPDATE), TRIGGERED),
        (acp({**CALL, **READ}, UPDATE), TRIGGERED),
        (acp({**CALL, **READ, "kind": "edit"}, UPDATE), NOT),
        (acp({**CALL, "kind": "execute", "title": "x", "rawInput": {"command": ["bash", "-lc", f"cat {PATH}"]}},
             {**UPDATE, "rawOutput": {"aggregated_output": BODY}}), TRIGGERED),
        (acp({**CALL, "kind": "execute", "title": f"cat {PATH}", "rawInput": {"command": f"ls {PATH}"}}, UPDATE), NOT),
        (acp({**CALL, **READ}, {**UPDATE, "status": "failed"}), ATTEMPTED),
        (acp({**CALL, **READ}), ATTEMPTED),
    ],
)  # fmt: skip
def test_acp(documents: list[Any], status: TriggerStatus, tmp_path: Path) -> None:
    assert observe(documents, "acp", tmp_path).status is status


def test_acp_takes_the_tool_from_the_id_and_the_skill_from_the_title_where_nothing_else_says_them(
    tmp_path: Path,
) -> None:
    call = {**CALL, "toolCallId": "activate_skill__activate_skill_179_0", "title": '"foo": Does it.', "kind": "other"}
    assert observe(acp(call, {**UPDATE, "toolCallId": call["toolCallId"]}), "acp", tmp_path).status is TRIGGERED


@pytest.mark.parametrize(
    ("stream", "skill", "evidence"),
    [
        ("claude-skill.jsonl", "ws-claude-skills", "event 3: the agent called its skill tool"),
        ("gemini-skill.jsonl", "ws-agents-skills", "event 3: the agent called its skill tool"),
        ("opencode-skill.jsonl", "ws-claude-skills", "event 2: the agent called its skill tool"),
    ],
)
def test_recorded_uses(stream: str, skill: str, evidence: str, tmp_path: Path) -> None:
    turn = ObservedTurn("Create hello.txt", converted(FOLDER / stream, tmp_path)[0])
    assert observed_trigger(skill, [turn]) == Trigger(skill, TRIGGERED, evidence)
    # Both are listed in the stream of claude, and their names have each other's words in them.
    for other in ("home-claude-skills", "skills", "claude", "ws"):
        assert observed_trigger(other, [turn]).status is NOT


@pytest.mark.parametrize(
    ("documents", "instruction", "evidence"),
    [
        (claude("Read", {}, end=False), "Do it.", "the stream ends before the agent does"),
        ([{"type": "result", "is_error": True, "result": "Invalid API key"}], "Do it.",
         "the agent gave up on an error: Invalid API key"),
        (claude("Read", {}), "/foo now", "the instruction calls the skill by its name, which leaves no event"),
        (claude("Read", {}), "Please use $foo.", "the instruction calls the skill by its name, which leaves no event"),
    ],
)  # fmt: skip
def test_what_cannot_be_known_is_unknown(documents: list[Any], instruction: str, evidence: str, tmp_path: Path) -> None:
    assert observe(documents, "claude-stream-json", tmp_path, instruction) == Trigger("foo", UNKNOWN, evidence)


@pytest.mark.parametrize(
    "instruction", ["read src/foo", "in /foo/bar", "/foo.txt", "$foobar", "use foo", "$foo-bar", "a/foo"]
)
def test_a_path_or_another_name_is_no_call_by_name(instruction: str, tmp_path: Path) -> None:
    assert observe(claude("Read", {}), "claude-stream-json", tmp_path, instruction).status is NOT


def test_text_and_streams_without_calls_and_cut_streams_are_unknown(tmp_path: Path) -> None:
    assert observe([BODY], "text", tmp_path).status is UNKNOWN
    assert observe([{"response": "Done.", "stats": {}}], "gemini-stream-json", tmp_path).status is UNKNOWN
    cut = summary_of(claude("Read", {}), "claude-stream-json", tmp_path, truncated=True)
    assert observed_trigger("foo", [ObservedTurn("x", cut)]).evidence == "a part of the agent's output was not kept"


def test_of_several_turns_the_most_counts(tmp_path: Path) -> None:
    def turn(documents: list[Any]) -> ObservedTurn:
        return ObservedTurn("x", summary_of(documents, "gemini-stream-json", tmp_path), "in turn 1")

    nothing, tried = turn(gemini("glob", {})), turn(gemini("activate_skill", {"name": "foo"}, "error"))
    used, cut = turn(gemini("activate_skill", {"name": "foo"})), turn(gemini("glob", {})[:2])
    assert observed_trigger("foo", [nothing, nothing]).status is NOT
    assert observed_trigger("foo", [nothing, cut]).evidence == "the stream ends before the agent does in turn 1"
    assert observed_trigger("foo", [cut, tried]).status is ATTEMPTED
    assert observed_trigger("foo", [tried, used]).evidence == "event 2: the agent called its skill tool in turn 1"


def test_output_made_to_keep_a_pattern_busy_does_not(tmp_path: Path) -> None:
    started = time.monotonic()
    for line in ("1" * 78, "---", "-" * 40, "name:" * 15, " \t|" * 20):
        observe(codex("cat SKILL.md", "---\n" + f"{line}\n" * 95), "codex-jsonl", tmp_path)
    assert time.monotonic() - started < 2
