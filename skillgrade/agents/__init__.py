"""Who does the work: one adapter per agent, and the dict that names them."""

from __future__ import annotations

from skillgrade.agents.acp import AcpAgent
from skillgrade.agents.base import Agent
from skillgrade.agents.claude import ClaudeAgent
from skillgrade.agents.codex import CodexAgent
from skillgrade.agents.command import CommandAgent
from skillgrade.agents.gemini import GeminiAgent
from skillgrade.agents.model import ModelAgent
from skillgrade.agents.opencode import OpencodeAgent
from skillgrade.agents.solution import SolutionAgent

AGENTS: dict[str, Agent] = {
    "claude": ClaudeAgent(),
    "codex": CodexAgent(),
    "gemini": GeminiAgent(),
    "opencode": OpencodeAgent(),
    "acp": AcpAgent(),
    "model": ModelAgent(),
    "command": CommandAgent(),
    "solution": SolutionAgent(),
}
"""Every agent that this version can run, by name."""
