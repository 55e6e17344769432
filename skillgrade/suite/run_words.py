"""What the words of a grader's `run` are: paths, and programs that decide.

This reads shell as a person skims it. What it misses costs a convenience or a warning, so it takes no parser of bash.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import PurePosixPath

_SCRIPT_SUFFIXES = (".sh", ".bash", ".py", ".js", ".mjs", ".cjs", ".ts")
"""What scripts of an eval are called."""

_COMMENT = re.compile(r"^\s*#.*$", re.MULTILINE)
_QUOTED = re.compile(r"'([^'\n]*)'|\"([^\"\n]*)\"")
_BARE = re.compile(r"[^\s'\"`;|&()<>$={},:\\]+")
_INTERPRETED = re.compile(
    r"(?<![\w./-])(?:bash|sh|python3?|node|tsx|ts-node)(?P<options>(?:[ \t]+-[^\s;|&]+)*)[ \t]+"
    r"(?P<quote>['\"]?)(?P<path>[^\s'\"`;|&()<>$={},:\\-][^\s'\"`;|&()<>$={},:\\]*)(?P=quote)(?=[\s;|&)<>]|$)"
)
_SHELL_SYNTAX = re.compile(r"[;|&()<>$`\n]")
_CHANGES_FOLDER = re.compile(r"(?<![\w./-])(?:cd|pushd)\s")
_ISOLATED = re.compile(r"\s-[a-zA-Z]*I")


@dataclass(frozen=True, slots=True)
class Program:
    """A script that `run` hands to an interpreter.

    Attributes:
        path: As it is written.
        isolated: Whether Python is told not to load modules from beside it.
    """

    path: str
    isolated: bool


def path_words(text: str) -> Iterator[str]:
    """What could be a path in a command or script: it has a slash or a dot, and is no option."""
    code = _COMMENT.sub("", text)
    quoted = (first or second for first, second in _QUOTED.findall(code))
    for token in (*quoted, *_BARE.findall(code)):
        if ("/" in token or "." in token) and not token.startswith("-"):
            yield token


def programs(text: str) -> tuple[Program, ...]:
    """The scripts that a command or script hands to bash, Python or Node."""
    return tuple(
        Program(found["path"], _ISOLATED.search(found["options"]) is not None)
        for found in _INTERPRETED.finditer(_COMMENT.sub("", text))
    )


def only_program(text: str) -> str | None:
    """The one script that a run consists of, with or without an interpreter and arguments; None where it does more."""
    line = text.strip()
    if _SHELL_SYNTAX.search(line):
        return None
    found = _INTERPRETED.match(line.removeprefix("npx "))
    if found is not None:
        return found["path"]
    word = line.split(maxsplit=1)[0] if line else ""
    return word if _is_script(word) and _BARE.fullmatch(word) else None


def script_words(text: str) -> Iterator[str]:
    """The words that should name scripts of the eval.

    Not among them are absolute paths, what stands behind a variable and what the run writes itself; there are none if
    it changes its folder. Without a slash a word counts only if it is the whole run, or is handed to an interpreter.
    """
    code = _COMMENT.sub("", text)
    if _CHANGES_FOLDER.search(code):
        return
    run_alone = {program.path for program in programs(text)} | {only_program(text)}
    words = [(found.group(), code[: found.start()].rstrip(" \t")[-1:]) for found in _BARE.finditer(code)]
    written = {word for word, before in words if before == ">"}
    for word, before in words:
        if _is_script(word) and before not in ("$", "}") and word not in written and ("/" in word or word in run_alone):
            yield word


def _is_script(word: str) -> bool:
    is_relative_path = not word.startswith("/") and not any(character in "*?[" for character in word)
    return is_relative_path and PurePosixPath(word).suffix in _SCRIPT_SUFFIXES
