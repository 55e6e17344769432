"""What an agent that shows no tool calls says of them: words, which prove little; only where an eval asks for them."""

from __future__ import annotations

import re

_VERBS = r"used?|invoke[sd]?|call(?:s|ed|ing)?|ran|running|using"
_DENIALS = re.compile(r"\b(?:not|never|without|n't|neither|nor)\b|n't\b", re.IGNORECASE)
_BEFORE = 40


def words_of(tool: str, text: str) -> str | None:
    """The words that say that a tool was called; None where there are none.

    Either the markup of a call, or a verb such as "used" with the tool's name behind it, in a sentence that does not
    deny it.

    Args:
        tool: The tool's name.
        text: What the agent said.
    """
    name = re.escape(tool)
    if markup := re.search(rf'<invoke name="{name}">|"name":\s*"{name}"|<tool_use>[^<]{{0,2000}}\b{name}\b', text):
        return markup[0]
    for match in re.finditer(rf"\b(?:{_VERBS})\s+(?:the\s+)?[`*\"']?{name}\b", text, re.IGNORECASE):
        before = re.split(r"[.!?\n]", text[max(0, match.start() - _BEFORE) : match.start()])[-1]
        if not _DENIALS.search(before):
            return match[0]
    return None
