"""The process that searches texts for regular expressions, so that one that runs wild can be ended.

Python's `re` can neither be interrupted nor shares the interpreter while it searches. So the searching is done by this
program, which is run by its path and imports little: it reads requests from its stdin, and sets an alarm before each
search whose signal ends it. Nobody has to watch over it, and it ends with the process that started it, at the latest
after one deadline.

A request is 8 bytes of length and a marshalled ``(seconds, text, ((pattern, flags), ...))``. Each pattern is answered
at once with a byte: ``1`` found, ``0`` not found, ``E`` cannot be searched for, which 4 bytes of length and a message
in UTF-8 follow.
"""

from __future__ import annotations

import functools
import marshal
import os
import re
import signal

_PATTERNS = 4096
_CHUNK = 1 << 20

FOUND, NOT_FOUND, FAULTY = b"1", b"0", b"E"


def main() -> None:
    """Answer requests until there are no more."""
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGALRM})
    while len(head := _read(8)) == 8:
        seconds, text, patterns = marshal.loads(_read(int.from_bytes(head, "big")))  # noqa: S302 - from our own parent
        for pattern, flags in patterns:
            signal.setitimer(signal.ITIMER_REAL, seconds)
            answer = _answer(text, pattern, flags)
            signal.setitimer(signal.ITIMER_REAL, 0)
            os.write(1, answer)


def _answer(text: str, pattern: str, flags: int) -> bytes:
    try:
        return FOUND if _compiled(pattern, flags).search(text) else NOT_FOUND
    except (re.error, OverflowError, RecursionError, MemoryError) as error:
        message = (str(error) or "it needs too much memory").encode("utf-8", "replace")
        return FAULTY + len(message).to_bytes(4, "big") + message


@functools.lru_cache(_PATTERNS)
def _compiled(pattern: str, flags: int) -> re.Pattern[str]:
    return re.compile(pattern, flags)


def _read(size: int) -> bytes:
    parts = []
    while size and (part := os.read(0, min(size, _CHUNK))):
        parts.append(part)
        size -= len(part)
    return b"".join(parts)


if __name__ == "__main__":
    main()
