"""Where the files go that an eval of another tool brings along, whose format does not say it."""

from __future__ import annotations

import re
from pathlib import PurePosixPath

from skillgrade.suite.cursor import Cursor
from skillgrade.suite.formats.building import mapping
from skillgrade.yaml_values import MarkedMap

_PATH = re.compile(r"(?<![\w./~-])(?:[\w.-]+/)*[\w.-]*\w")


def staged(file: Cursor, source: str, prompt: str) -> MarkedMap:
    """A file or folder as an entry of a task's workspace.

    It goes where the prompt says that it is: to the path in it that ends in its name, else to its name.

    Args:
        file: Where it is named.
        source: Its path, from the folder of the eval.
        prompt: What the agent is told.
    """
    name = PurePosixPath(source).name
    told = (match[0] for match in _PATH.finditer(prompt))
    dest = next((path for path in told if PurePosixPath(path).name == name and ".." not in path.split("/")), name)
    return mapping(file.mark, {"src": source, "dest": dest})
