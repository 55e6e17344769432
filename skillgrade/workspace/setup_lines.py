"""What the lines of a `setup` are: shell, or raw lines of a Dockerfile.

`setup` was once pasted behind ``RUN`` in a Dockerfile, so real files hold texts such as::

    apt-get install -y jq
    USER root
    RUN npm i -g typescript

Everything up to the first Dockerfile line, and everything between two of them, is one script for ``bash -e``: it ends
at the first command that fails. A here-document, and a line that continues the one before it, never start a Dockerfile
line.
"""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass

_INSTRUCTION = re.compile(
    r"(ADD|ARG|CMD|COPY|ENTRYPOINT|ENV|EXPOSE|FROM|HEALTHCHECK|LABEL|MAINTAINER|ONBUILD|RUN|SHELL|STOPSIGNAL|USER"
    r"|VOLUME|WORKDIR)[ \t]+(\S.*)",
    re.DOTALL,
)
_HEREDOC = re.compile(r"(?<!<)<<(?P<tabs>-?)[ \t]*\\?(?P<quote>['\"]?)(?P<word>[A-Za-z_]\w*)(?P=quote)")


@dataclass(frozen=True, slots=True)
class SetupStep:
    """One step of a set-up.

    Attributes:
        instruction: The Dockerfile instruction (``USER``, ``RUN``, ...); None for a shell script.
        text: The script, or what follows the instruction, with its continued lines.
        line: 1-based line of the text at which it starts.
    """

    instruction: str | None
    text: str
    line: int

    def script(self) -> str | None:
        """What bash has to run for it: a shell step or a ``RUN``; None for every other instruction."""
        if self.instruction is None:
            return self.text
        return _run_script(self.text) if self.instruction == "RUN" else None


def parse_setup(text: str) -> tuple[SetupStep, ...]:
    """Split a set-up into its steps.

    Args:
        text: The value of a `setup` key.

    Returns:
        The steps in order; shell steps that hold nothing but blank lines and comments are left out.
    """
    steps: list[SetupStep] = []
    shell: list[str] = []
    first = 1

    def end_shell() -> None:
        if any(line.strip() and not line.lstrip().startswith("#") for line in shell):
            steps.append(SetupStep(None, "\n".join(shell), first))
        shell.clear()

    for line, statement in _statements(text):
        match = _INSTRUCTION.fullmatch(statement.strip())
        if match is not None:
            end_shell()
            steps.append(SetupStep(match[1], match[2], line))
            continue
        if not shell:
            first = line
        shell.append(statement)
    end_shell()
    return tuple(steps)


def _statements(text: str) -> Iterator[tuple[int, str]]:
    """Lines, joined (with their newlines) where one continues or a here-document runs."""
    lines = text.splitlines()
    at = 0
    while at < len(lines):
        start = at
        while lines[at].endswith("\\") and at + 1 < len(lines):
            at += 1
        for heredoc in _HEREDOC.finditer("\n".join(lines[start : at + 1])):
            end = _heredoc_end(lines, at + 1, heredoc)
            at = at if end is None else end
        at += 1
        yield start + 1, "\n".join(lines[start:at])


def _heredoc_end(lines: list[str], start: int, heredoc: re.Match[str]) -> int | None:
    for number in range(start, len(lines)):
        line = lines[number].lstrip("\t") if heredoc["tabs"] else lines[number]
        if line == heredoc["word"]:
            return number
    return None


def _run_script(text: str) -> str:
    """The shell form of a RUN: its flags (``--mount=...``) left out, its JSON form quoted."""
    command = re.sub(r"\A(?:--\S+[ \t\\\n]+)+", "", text)
    if command.startswith("["):
        try:
            argv = json.loads(command)
        except json.JSONDecodeError:
            return command
        if all(isinstance(argument, str) for argument in argv):
            return shlex.join(argv)
    return command
