"""What agents did: one normal form of events, made from the stream of each agent."""

from __future__ import annotations

from collections.abc import Callable

from skillgrade.transcript.acp import AcpParser
from skillgrade.transcript.base import Parser
from skillgrade.transcript.claude import ClaudeParser
from skillgrade.transcript.codex import CodexParser
from skillgrade.transcript.gemini import GeminiParser
from skillgrade.transcript.model import ModelParser
from skillgrade.transcript.opencode import OpencodeParser
from skillgrade.transcript.text import TextParser

TEXT = "text"
"""The format of programs that print no events."""

PARSERS: dict[str, Callable[[], Parser]] = {
    "claude-stream-json": ClaudeParser,
    "codex-jsonl": CodexParser,
    "gemini-stream-json": GeminiParser,
    "opencode-json": OpencodeParser,
    "acp": AcpParser,
    "model-json": ModelParser,
    TEXT: TextParser,
}
"""What makes a parser for one stream, by the format's name."""
