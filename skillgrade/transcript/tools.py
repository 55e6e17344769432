"""What tools are called across agents, and which of them only look."""

from __future__ import annotations

_ALIASES = {
    "Read": ("read_file", "read", "view"),
    "Write": ("write_file", "write", "create"),
    "Edit": ("replace", "edit", "str_replace", "file_change"),
    "Bash": ("run_shell_command", "bash", "command_execution", "execute", "shell"),
    "Grep": ("search_file_content", "grep_search", "grep"),
    "Glob": ("glob",),
    "WebSearch": ("google_web_search", "web_search", "websearch"),
    "WebFetch": ("web_fetch", "webfetch"),
    "Skill": ("activate_skill", "skill"),
}
_CANONICAL = {alias: name for name, aliases in _ALIASES.items() for alias in (name, *aliases)}

READ_ONLY = frozenset({"Read", "Grep", "Glob", "WebSearch", "WebFetch", "Skill"})
"""Tools, by their names across agents, that change nothing."""


def canonical(name: str) -> str:
    """The name of a tool across agents; its own where no other agent has the like."""
    return _CANONICAL.get(name, name)


def is_known(name: str) -> bool:
    """Whether a word is the name of such a tool."""
    return name in _CANONICAL
