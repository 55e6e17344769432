"""Keeping the places of this machine out of what judges and simulated users read."""

from __future__ import annotations

from skillgrade.workspace.base import Workspace
from skillgrade.workspace.staging import WORKSPACE_PATH


def without_host_paths(text: str, workspace: Workspace) -> str:
    """A text in which the workspace is called the same wherever it is."""
    return text if workspace.path == WORKSPACE_PATH else text.replace(workspace.path, WORKSPACE_PATH)
