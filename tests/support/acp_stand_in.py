"""A small agent that speaks the Agent Client Protocol, and does what its prompt says; runs by itself, anywhere.

Prompts: ``ask`` (asks for permission, then writes hello.txt), ``fail``, ``die``, ``hang``, ``linger`` (leaves a process
and goes on when its input has ended); anything else is said again. With NO_LOAD it takes up no earlier session, with
LOGGED_OUT it opens none.
"""

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any


def send(**message: Any) -> None:
    print(json.dumps({"jsonrpc": "2.0", **message}), flush=True)


def update(**fields: Any) -> None:
    send(method="session/update", params={"sessionId": "s-1", "update": fields})


def say(text: str) -> None:
    update(sessionUpdate="agent_message_chunk", content={"type": "text", "text": text})


def ask() -> None:
    options = [
        {"optionId": "x-no", "name": "No", "kind": "reject_once"},
        {"optionId": "x-always", "name": "Always", "kind": "allow_always"},
        {"optionId": "x-once", "name": "Once", "kind": "allow_once"},
    ]
    call = {"toolCallId": "c-1", "title": "write hello.txt", "kind": "edit", "status": "pending"}
    update(sessionUpdate="tool_call", **call)
    send(id=77, method="session/request_permission", params={"sessionId": "s-1", "toolCall": call, "options": options})
    answer = json.loads(sys.stdin.readline())
    Path("hello.txt").write_text(answer["result"]["outcome"].get("optionId", "nothing"))
    update(sessionUpdate="tool_call_update", toolCallId="c-1", status="completed")


def prompt(number: Any, text: str) -> None:
    if text == "fail":
        send(id=number, error={"code": -32603, "message": "Internal error", "data": {"details": "the engine broke"}})
        return
    if text == "die":
        sys.stderr.write("out of luck\n")
        sys.exit(5)
    if text == "hang":
        time.sleep(600)
    if text == "linger":
        subprocess.Popen(["sleep", "600"], start_new_session=True)
    if text == "ask":
        ask()
    say(f"you said: {text}")
    send(id=number, result={"stopReason": "end_turn", "usage": {"inputTokens": 3, "outputTokens": 2, "totalTokens": 5}})
    if text == "linger":
        time.sleep(600)


for line in sys.stdin:
    message = json.loads(line)
    number, params = message.get("id"), message.get("params", {})
    match message.get("method"):
        case "initialize":
            can = {"loadSession": "NO_LOAD" not in os.environ}
            print("a line that is no message", flush=True)
            send(id=number, result={"protocolVersion": 1, "agentCapabilities": can})
        case "session/new" if "LOGGED_OUT" in os.environ:
            send(id=number, error={"code": -32000, "message": "Authentication required"})
        case "session/new":
            modes = [{"id": "default", "name": "Asks"}, {"id": "yolo", "name": "Asks nothing"}]
            send(id=number, result={"sessionId": "s-1", "modes": {"currentModeId": "default", "availableModes": modes}})
        case "session/load":
            say(f"words of {params['sessionId']} long ago")
            send(id=number, result={})
        case "session/set_mode":
            Path("mode.txt").write_text(params["modeId"])
            send(id=number, result={})
        case "session/prompt":
            prompt(number, params["prompt"][0]["text"])
