"""Writing a converted document as an eval.yaml of its own."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import yaml

from skillgrade.yaml_values import plain

_WIDTH = 110


def eval_yaml(document: object, source: Path, target: Path) -> str:
    """The text of an eval.yaml that says what a converted file said.

    Args:
        document: What `Format.convert` made.
        source: The file that it was made of, absolute: its paths are relative to its folder.
        target: Where the eval.yaml will stand, absolute.
    """
    content: Any = plain(document)
    _move(content, source.parent, target.parent)
    head = f"# Made of {source.name} by `skillgrade init --from`.\n"
    body = yaml.dump({"version": "1", **content}, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=_WIDTH)
    return head + body


def _move(content: dict[str, Any], old: Path, new: Path) -> None:
    """Let paths be relative to another folder."""
    if "skill" in content:
        content["skill"] = _moved(content["skill"], old, new)
    for task in content["tasks"]:
        for entry in task.get("workspace", ()):
            entry["src"] = _moved(entry["src"], old, new)


def _moved(path: str, old: Path, new: Path) -> str:
    return Path(os.path.relpath(old / path, new)).as_posix()


class _Dumper(yaml.SafeDumper):
    """Writes texts of several lines as blocks, and nothing by reference."""

    def ignore_aliases(self, data: Any) -> bool:
        """Whether a value that stands in two places is written twice."""
        return True


def _text(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    style = "|" if "\n" in text.rstrip("\n") else None
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=style)


_Dumper.add_representer(str, _text)
