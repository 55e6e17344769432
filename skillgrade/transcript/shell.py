"""Which files a shell command reads, as far as its text tells: for ``cat a``, not for ``ls a`` or ``echo "cat a"``."""

from __future__ import annotations

import posixpath
import re
import shlex
from collections.abc import Iterator, Sequence

_READERS = frozenset(
    {"cat", "sed", "head", "tail", "awk", "gawk", "less", "more", "bat", "nl", "tac", "Get-Content", "gc"}
)
_SHELLS = frozenset({"bash", "sh", "zsh", "dash"})
_BEFORE = frozenset(
    {"then", "do", "else", "elif", "if", "while", "until", "!", "{", "time", "command", "sudo", "env", "exec"}
)
_SEPARATORS = frozenset({"&&", "||", ";", ";;", "|", "|&", "&", "(", ")", "\n"})
_HEREDOC = re.compile(r"<<(-?)[ \t]*(['\"]?)([A-Za-z_]\w*)\2")
_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*=")
_LONGEST = 20_000
"""Characters of a command that are looked at."""


def files_read(command: object) -> list[str]:
    """The words that reading programs of a command are given, the paths that they read among them.

    Relative ones follow the command's own ``cd``.

    Args:
        command: A command line, or a list of words.
    """
    words = [str(word) for word in command] if isinstance(command, list) else None
    script = _script_of(words) if words else None
    if words and script is None:
        return list(_reads_of(words, ""))
    text = script if script is not None else command if isinstance(command, str) else ""
    inner = _script_of(_words(text) or [])
    return list(_reads_of_script(inner if inner is not None else text))


def _script_of(words: Sequence[str]) -> str | None:
    """The script of ``bash -lc SCRIPT``; None for anything else."""
    if len(words) >= 3 and posixpath.basename(words[0]) in _SHELLS and re.fullmatch(r"-[a-z]*c", words[1]):
        return words[2]
    return None


def _words(text: str) -> list[str] | None:
    try:
        return shlex.split(text[:_LONGEST])
    except ValueError:
        return None


def _reads_of_script(script: str) -> Iterator[str]:
    folder = ""
    for words in _commands(_without_heredocs(script[:_LONGEST])):
        if words[0] == "cd" and len(words) > 1:
            folder = posixpath.join(folder, words[-1])
        else:
            yield from _reads_of(words, folder)


def _without_heredocs(script: str) -> str:
    """The script without the texts that stand in it for programs to read."""
    kept: list[str] = []
    closing: list[str] = []
    for line in script.split("\n"):
        if closing:
            if line.strip() == closing[0]:
                closing.pop(0)
            continue
        closing = [match[3] for match in _HEREDOC.finditer(line)]
        kept.append(line)
    return "\n".join(kept)


def _commands(script: str) -> Iterator[list[str]]:
    """The simple commands of a script, each as its words; what a redirection writes to is none of them."""
    lexer = shlex.shlex(script, posix=True, punctuation_chars="();<>|&\n")
    lexer.whitespace = " \t\r"
    lexer.whitespace_split = True
    words: list[str] = []
    is_target = False
    try:
        for part in lexer:
            if not part.strip("\n") or part.strip("\n") in _SEPARATORS or set(part) <= set("();|&\n"):
                if words:
                    yield words
                words, is_target = [], False
            elif set(part) <= set("<>&|"):
                is_target = part != "<"
            elif is_target:
                is_target = False
            else:
                words.append(part)
    except ValueError:
        return
    if words:
        yield words


def _reads_of(words: Sequence[str], folder: str) -> Iterator[str]:
    rest = list(words)
    while rest and (rest[0] in _BEFORE or _ASSIGNMENT.match(rest[0])):
        rest.pop(0)
    if not rest or posixpath.basename(rest[0]) not in _READERS:
        return
    if posixpath.basename(rest[0]) == "sed" and any(re.match(r"-[a-zA-Z]*i|--in-place", word) for word in rest[1:]):
        return
    for word in rest[1:]:
        if not word.startswith("-"):
            yield posixpath.join(folder, word)
