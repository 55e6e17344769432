"""What model providers answer, in their own forms: a text or a tool call, as one document and as a stream of events.

Formats: Anthropic "Messages" and its streaming events, OpenAI "Responses" and "Chat Completions" with theirs, Gemini
"generateContent".
"""

from __future__ import annotations

import json
from typing import Any

Content = str | tuple[str, dict[str, object]]
"""A text, or a tool with its arguments."""

Events = list[tuple[str | None, object]]
"""The name of an event, where the form has names, and its data."""

_INPUT, _CACHED, _OUTPUT, _REASONING = 100, 7, 20, 5


def anthropic_events(model: str, content: Content, number: int) -> tuple[dict[str, Any], Events]:
    """A message, whole and in pieces."""
    if isinstance(content, str):
        block: dict[str, Any] = {"type": "text", "text": ""}
        delta: dict[str, Any] = {"type": "text_delta", "text": content}
        whole, stop = {**block, "text": content}, "end_turn"
    else:
        name, arguments = content
        block = {"type": "tool_use", "id": f"toolu_{number:020}", "name": name, "input": {}}
        delta = {"type": "input_json_delta", "partial_json": json.dumps(arguments)}
        whole, stop = {**block, "input": arguments}, "tool_use"
    usage = {
        "input_tokens": _INPUT,
        "output_tokens": _OUTPUT,
        "cache_creation_input_tokens": 0,
        "cache_read_input_tokens": _CACHED,
    }
    message = {
        "id": f"msg_{number:020}",
        "type": "message",
        "role": "assistant",
        "model": model,
        "content": [whole],
        "stop_reason": stop,
        "stop_sequence": None,
        "usage": usage,
    }
    start = {**message, "content": [], "stop_reason": None, "usage": {**usage, "output_tokens": 1}}
    data: list[dict[str, Any]] = [
        {"type": "message_start", "message": start},
        {"type": "content_block_start", "index": 0, "content_block": block},
        {"type": "content_block_delta", "index": 0, "delta": delta},
        {"type": "content_block_stop", "index": 0},
        {
            "type": "message_delta",
            "delta": {"stop_reason": stop, "stop_sequence": None},
            "usage": {"output_tokens": _OUTPUT},
        },
        {"type": "message_stop"},
    ]
    return message, [(event["type"], event) for event in data]


def responses_events(model: str, content: Content, number: int) -> tuple[dict[str, Any], Events]:
    """A response, whole and in pieces."""
    if isinstance(content, str):
        part = {"type": "output_text", "text": content, "annotations": [], "logprobs": []}
        item: dict[str, Any] = {
            "type": "message",
            "id": f"msg_{number}",
            "role": "assistant",
            "status": "completed",
            "content": [part],
        }
        place = {"item_id": item["id"], "output_index": 0, "content_index": 0}
        pieces = [
            {"type": "response.content_part.added", "part": {**part, "text": ""}, **place},
            {"type": "response.output_text.delta", "delta": content, "logprobs": [], **place},
            {"type": "response.output_text.done", "text": content, "logprobs": [], **place},
            {"type": "response.content_part.done", "part": part, **place},
        ]
        empty: dict[str, Any] = {"content": []}
    else:
        name, arguments = content
        item = {
            "type": "function_call",
            "id": f"fc_{number}",
            "call_id": f"call_{number}",
            "name": name,
            "arguments": json.dumps(arguments),
            "status": "completed",
        }
        place = {"item_id": item["id"], "output_index": 0}
        pieces = [
            {"type": "response.function_call_arguments.delta", "delta": item["arguments"], **place},
            {"type": "response.function_call_arguments.done", "arguments": item["arguments"], "name": name, **place},
        ]
        empty = {"arguments": ""}
    response = {
        "id": f"resp_{number}",
        "object": "response",
        "created_at": 1_700_000_000,
        "status": "completed",
        "error": None,
        "incomplete_details": None,
        "instructions": None,
        "model": model,
        "output": [item],
        "parallel_tool_calls": False,
        "tool_choice": "auto",
        "tools": [],
        "metadata": {},
        "temperature": 1.0,
        "top_p": 1.0,
        "usage": {
            "input_tokens": _INPUT,
            "input_tokens_details": {"cached_tokens": _CACHED},
            "output_tokens": _OUTPUT,
            "output_tokens_details": {"reasoning_tokens": _REASONING},
            "total_tokens": _INPUT + _OUTPUT,
        },
    }
    begun = {**response, "status": "in_progress", "output": [], "usage": None}
    data: list[dict[str, Any]] = [
        {"type": "response.created", "response": begun},
        {"type": "response.output_item.added", "output_index": 0, "item": {**item, "status": "in_progress", **empty}},
        *pieces,
        {"type": "response.output_item.done", "output_index": 0, "item": item},
        {"type": "response.completed", "response": response},
    ]
    return response, [(event["type"], {**event, "sequence_number": place}) for place, event in enumerate(data)]


def chat_events(model: str, content: Content, number: int) -> tuple[dict[str, Any], Events]:
    """A chat completion, whole and in pieces."""
    if isinstance(content, str):
        said: dict[str, Any] = {"content": content}
        piece, finish = said, "stop"
    else:
        name, arguments = content
        function = {"name": name, "arguments": json.dumps(arguments)}
        call = {"id": f"call_{number}", "type": "function", "function": function}
        said = {"content": None, "tool_calls": [call]}
        piece, finish = {"tool_calls": [{**call, "index": 0}]}, "tool_calls"
    usage = {
        "prompt_tokens": _INPUT,
        "completion_tokens": _OUTPUT,
        "total_tokens": _INPUT + _OUTPUT,
        "prompt_tokens_details": {"cached_tokens": _CACHED},
        "completion_tokens_details": {"reasoning_tokens": _REASONING},
    }
    head = {"id": f"chatcmpl-{number}", "created": 1_700_000_000, "model": model}
    choice = {"index": 0, "message": {"role": "assistant", **said}, "finish_reason": finish, "logprobs": None}
    whole = {**head, "object": "chat.completion", "choices": [choice], "usage": usage}

    def chunk(delta: dict[str, Any], reason: str | None = None) -> dict[str, Any]:
        choices = [{"index": 0, "delta": delta, "finish_reason": reason}]
        return {**head, "object": "chat.completion.chunk", "choices": choices}

    last = {**head, "object": "chat.completion.chunk", "choices": [], "usage": usage}
    data = [chunk({"role": "assistant", "content": ""}), chunk(piece), chunk({}, finish), last]
    return whole, [(None, event) for event in data]


def gemini_reply(model: str, content: Content, number: int) -> dict[str, Any]:
    """A response; a stream has it as its only piece."""
    if isinstance(content, str):
        part: dict[str, Any] = {"text": content}
    else:
        name, arguments = content
        part = {"functionCall": {"name": name, "args": arguments}, "thoughtSignature": "c2ln"}
    return {
        "candidates": [{"content": {"role": "model", "parts": [part]}, "finishReason": "STOP", "index": 0}],
        "usageMetadata": {
            "promptTokenCount": _INPUT,
            "candidatesTokenCount": _OUTPUT,
            "totalTokenCount": _INPUT + _OUTPUT + _REASONING,
            "thoughtsTokenCount": _REASONING,
            "cachedContentTokenCount": _CACHED,
        },
        "modelVersion": model,
        "responseId": f"r{number}",
    }
