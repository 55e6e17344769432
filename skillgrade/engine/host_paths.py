"""Keeping the places of this machine out of what judges and simulated users read: the same work must read the same."""

from __future__ import annotations

import posixpath

from skillgrade.workspace.base import Workspace
from skillgrade.workspace.staging import CONTROL_PATH, WORKSPACE_PATH


def without_host_paths(text: str, workspace: Workspace) -> str:
    """A text in which the places of a trial are called the same wherever they are.

    A workspace of the host has its home and temporary folder beside it, in a folder whose name nobody can foresee.
    """
    if workspace.path == WORKSPACE_PATH:
        return text
    trial = posixpath.dirname(workspace.path)
    names = {
        workspace.path: WORKSPACE_PATH,
        workspace.control: CONTROL_PATH,
        f"{trial}/home": "/home/agent",
        f"{trial}/tmp": "/tmp",  # noqa: S108 - a name in a text
        trial: "/trial",
    }
    for place, name in names.items():
        text = text.replace(place, name)
    return text
