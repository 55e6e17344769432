"""Who does the work: one adapter per agent, and the dict that names them."""

from __future__ import annotations

from skillgrade.agents.base import Agent
from skillgrade.agents.command import CommandAgent
from skillgrade.agents.solution import SolutionAgent

AGENTS: dict[str, Agent] = {
    "command": CommandAgent(),
    "solution": SolutionAgent(),
}
"""Every agent that this version can run, by name."""
