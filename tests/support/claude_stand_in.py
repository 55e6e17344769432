"""A program that prints what Claude Code would, so that runs can be tried without a model.

It uses the skill whose name its prompt holds in square brackets, and answers with what follows ``SAY:`` there.
"""

from __future__ import annotations

import json
import re
import stat
import sys
from pathlib import Path


def install(folder: Path) -> str:
    """Put it into a folder as ``claude``; gives the folder, for the PATH."""
    folder.mkdir(parents=True, exist_ok=True)
    program = folder / "claude"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" "{__file__}" "$@"\n')
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    return str(folder)


def main() -> None:
    """Print the events of one turn."""
    if "--version" in sys.argv:
        print("7.8.9 (Stand-in)")
        return
    prompt = sys.stdin.read()
    _say(type="system", subtype="init", session_id="s", tools=[])
    if used := re.search(r"\[([\w-]+)\]", prompt):
        call = {"type": "tool_use", "id": "t1", "name": "Skill", "input": {"skill": used[1]}}
        _say(type="assistant", message={"id": "m1", "role": "assistant", "content": [call]})
        answer = {"type": "tool_result", "tool_use_id": "t1", "content": f"Launching skill: {used[1]}"}
        done = {"success": True, "commandName": used[1]}
        _say(type="user", message={"role": "user", "content": [answer]}, tool_use_result=done)
    said = prompt.partition("SAY:")[2].strip() or "I would rather not."
    _say(type="assistant", message={"id": "m2", "role": "assistant", "content": [{"type": "text", "text": said}]})
    usage = {"input_tokens": 10, "output_tokens": 5}
    _say(type="result", subtype="success", is_error=False, result=said, total_cost_usd=0.01, usage=usage)


def _say(**event: object) -> None:
    print(json.dumps(event))


if __name__ == "__main__":
    main()
