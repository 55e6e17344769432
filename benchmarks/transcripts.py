"""What reading an agent's stream costs, in time against `json.loads` of its lines and in memory against its length."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

from benchmarks.measure import Row, Size, compare, milliseconds
from skillgrade.transcript import PARSERS
from skillgrade.transcript.conversion import parsed

ROUNDS = 2_000
"""Calls of a tool in one stream, each with something said before it."""

_SAID = "Now I look at the configuration and correct what the check found. " * 3
_CODE = "def main() -> None:\n    print('hello', \"world\")\n" * 20
_COMMAND = "sed -n '1,200p' src/app.py | head -50"


def _claude(number: int) -> Iterator[Any]:
    def message(block: Any) -> Any:
        usage = {"input_tokens": 3, "cache_read_input_tokens": 9000, "output_tokens": 200, "service_tier": "standard"}
        return {
            "id": f"msg_{number}",
            "type": "message",
            "role": "assistant",
            "model": "m",
            "content": [block],
            "usage": usage,
        }

    def line(kind: str, part: int, body: Any) -> Any:
        return {
            "type": kind,
            "message": body,
            "parent_tool_use_id": None,
            "session_id": "s" * 36,
            "uuid": f"{part}-{number}" * 6,
        }

    call = {"type": "tool_use", "id": f"toolu_{number}", "name": "Bash", "input": {"command": _COMMAND}}
    answer = {"type": "tool_result", "tool_use_id": f"toolu_{number}", "content": _CODE, "is_error": False}
    yield line("assistant", 1, message({"type": "text", "text": _SAID}))
    yield line("assistant", 2, message(call))
    yield line("user", 3, {"role": "user", "content": [answer]})


def _codex(number: int) -> Iterator[Any]:
    item = {"id": f"item_{number}", "type": "command_execution", "command": f'/bin/bash -lc "{_COMMAND}"'}
    yield {"type": "item.completed", "item": {"id": f"item_{number}m", "type": "agent_message", "text": _SAID}}
    yield {
        "type": "item.started",
        "item": {**item, "aggregated_output": "", "exit_code": None, "status": "in_progress"},
    }
    yield {
        "type": "item.completed",
        "item": {**item, "aggregated_output": _CODE, "exit_code": 0, "status": "completed"},
    }


def _gemini(number: int) -> Iterator[Any]:
    stamp = f"2026-01-01T00:00:00.{number:06}Z"
    name = f"run_shell_command__run_shell_command_{number}_0"
    yield {"type": "message", "timestamp": stamp, "role": "assistant", "content": _SAID, "delta": True}
    yield {
        "type": "tool_use",
        "timestamp": stamp,
        "tool_name": "run_shell_command",
        "tool_id": name,
        "parameters": {"command": _COMMAND},
    }
    yield {"type": "tool_result", "timestamp": stamp, "tool_id": name, "status": "success", "output": _CODE}


def _opencode(number: int) -> Iterator[Any]:
    def line(kind: str, part: Any) -> Any:
        common = {"id": f"prt_{kind}_{number}", "messageID": f"msg_{number}", "sessionID": "ses_1"}
        return {"type": kind, "timestamp": 1796070225796, "sessionID": "ses_1", "part": {**part, **common}}

    tokens = {"total": 120, "input": 93, "output": 15, "reasoning": 5, "cache": {"write": 0, "read": 7}}
    state = {
        "status": "completed",
        "input": {"command": _COMMAND},
        "output": _CODE,
        "metadata": {"exit": 0},
        "title": "x",
    }
    yield line("step_start", {"type": "step-start"})
    yield line("text", {"type": "text", "text": _SAID, "time": {"start": 1, "end": 2}})
    yield line("tool_use", {"type": "tool", "tool": "bash", "callID": f"call_{number}", "state": state})
    yield line("step_finish", {"type": "step-finish", "reason": "tool-calls", "tokens": tokens, "cost": 0})


def _acp(number: int) -> Iterator[Any]:
    def line(update: Any) -> Any:
        return {"jsonrpc": "2.0", "method": "session/update", "params": {"sessionId": "s1", "update": update}}

    call = {"toolCallId": f"call_{number}", "title": _COMMAND, "kind": "execute", "rawInput": {"command": _COMMAND}}
    yield line(
        {"sessionUpdate": "agent_message_chunk", "messageId": f"m{number}", "content": {"type": "text", "text": _SAID}}
    )
    yield line({"sessionUpdate": "tool_call", "status": "pending", "content": [], "locations": [], **call})
    yield line(
        {"sessionUpdate": "tool_call_update", "toolCallId": f"call_{number}", "status": "completed", "rawOutput": _CODE}
    )


STREAMS: dict[str, Callable[[int], Iterator[Any]]] = {
    "claude-stream-json": _claude,
    "codex-jsonl": _codex,
    "gemini-stream-json": _gemini,
    "opencode-json": _opencode,
    "acp": _acp,
}

# A small process of its own, as in the benchmark of memory; the imports' share is in both figures.
_PEAK = """
import resource, sys
from pathlib import Path
from skillgrade.capture import Captured
from skillgrade.transcript.conversion import convert
convert(Captured(Path(sys.argv[1]), 0, truncated=False), "codex-jsonl", Path(sys.argv[2]))
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""


def run(size: Size, folder: Path) -> Iterator[Row]:
    rounds = max(20, round(ROUNDS * size.scale))
    for format_name, make in STREAMS.items():
        raw = _write(folder / format_name, make, rounds)
        yield compare(
            "transcripts",
            f"events of {format_name}, {raw.stat().st_size / 1e6:.1f} MB; floor: json.loads of its lines",
            partial(milliseconds, partial(_load, raw)),
            partial(milliseconds, partial(_parse, raw, format_name)),
            size.rounds * 3,
            2.0,
        )
    few = _write(folder / "few", _codex, rounds)
    many = _write(folder / "many", _codex, rounds * 20)
    yield compare(
        "transcripts",
        f"peak of converting {many.stat().st_size / 1e6:.1f} MB; floor: a twentieth of it",
        partial(_peak, few, folder),
        partial(_peak, many, folder),
        max(1, size.rounds // 2),
        1.1,
        unit="MB",
    )


def _write(path: Path, make: Callable[[int], Iterator[Any]], rounds: int) -> Path:
    with path.open("w", encoding="utf-8") as stream:
        for number in range(rounds):
            stream.writelines(f"{json.dumps(document, separators=(',', ':'))}\n" for document in make(number))
    return path


def _load(raw: Path) -> None:
    with raw.open("rb") as stream:
        for line in stream:
            json.loads(line)


def _parse(raw: Path, format_name: str) -> None:
    for _ in parsed(PARSERS[format_name](), raw):
        pass


def _peak(raw: Path, folder: Path) -> float:
    done = subprocess.run(
        [sys.executable, "-c", _PEAK, str(raw), str(folder / "events")], stdout=subprocess.PIPE, check=True
    )
    return int(done.stdout) / 1000
