"""Searching texts for regular expressions of strangers: with the very verdicts of `re`, and a deadline.

The searches are done by processes of `search_worker`. They are started when one is needed and end with the call that
needed them, or, within `keeping_workers`, with the run.
"""

from __future__ import annotations

import marshal
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, NamedTuple, cast

from skillgrade.graders.assertions.search_worker import FAULTY, FOUND
from skillgrade.stop import Stop

DEADLINE = 1.0
"""Seconds that one pattern has for one text."""

_WORKER = Path(__file__).with_name("search_worker.py")


class Pattern(NamedTuple):
    """A regular expression of `re` with its flags."""

    text: str
    flags: int


class SearchError(Exception):
    """A pattern could not be searched for; the message says why."""


class Searches:
    """Searches, of which none is done twice. For one thread.

    Args:
        deadline: Seconds that each pattern has for each text.
        stop: Ends them early.
    """

    def __init__(self, deadline: float = DEADLINE, stop: Stop | None = None) -> None:
        self._deadline = deadline
        self._stop = stop or Stop()
        self._known: dict[tuple[str, Pattern], bool | str] = {}

    def prepare(self, wanted: Iterable[tuple[str, Pattern]]) -> None:
        """Search for many patterns at once, which costs less than one after another.

        Raises:
            Cancelled: The stop came.
        """
        by_text: dict[str, dict[Pattern, None]] = {}
        for text, pattern in wanted:
            if (text, pattern) not in self._known:
                by_text.setdefault(text, {})[pattern] = None
        for text, patterns in by_text.items():
            self._search(text, list(patterns))

    def found(self, text: str, pattern: Pattern) -> bool:
        """Whether a text has a place that matches.

        Raises:
            SearchError: It cannot be told.
            Cancelled: The stop came.
        """
        self.prepare([(text, pattern)])
        answer = self._known[text, pattern]
        if isinstance(answer, str):
            raise SearchError(answer)
        return answer

    def _search(self, text: str, patterns: Sequence[Pattern]) -> None:
        while patterns:
            self._stop.check()
            with _POOL.lent() as worker, self._stop.waking(worker.kill):
                answers = worker.search(text, patterns, self._deadline)
            self._stop.check()
            if len(answers) < len(patterns):
                answers.append(worker.why_ended(self._deadline))
            for pattern, answer in zip(patterns, answers, strict=False):
                self._known[text, pattern] = answer
            patterns = patterns[len(answers) :]


@contextmanager
def keeping_workers() -> Iterator[None]:
    """Let the processes that search outlast the single search, until the end of the body."""
    with _POOL.kept():
        yield


class _Worker:
    """One process that searches. `kill` may be called from any thread."""

    def __init__(self) -> None:
        env = {name: os.environ[name] for name in ("LD_LIBRARY_PATH",) if name in os.environ}
        self._process = subprocess.Popen(
            [sys.executable, "-I", "-S", "-W", "ignore", str(_WORKER)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=env,
            cwd="/",
            start_new_session=True,
        )

    @property
    def usable(self) -> bool:
        return self._process.poll() is None

    def search(self, text: str, patterns: Sequence[Pattern], deadline: float) -> list[bool | str]:
        """What came of the patterns, up to the one at which the process ended."""
        stdin, stdout = cast("IO[bytes]", self._process.stdin), cast("IO[bytes]", self._process.stdout)
        request = marshal.dumps((deadline, text, tuple((each.text, int(each.flags)) for each in patterns)))
        answers: list[bool | str] = []
        with suppress(BrokenPipeError):
            stdin.write(len(request).to_bytes(8, "big"))
            stdin.write(request)
            stdin.flush()
        while len(answers) < len(patterns) and (kind := stdout.read(1)):
            if kind == FAULTY:
                answers.append(stdout.read(int.from_bytes(stdout.read(4), "big")).decode())
            else:
                answers.append(kind == FOUND)
        return answers

    def why_ended(self, deadline: float) -> str:
        """Why the process ended, for the pattern that it was at."""
        code = self._process.wait()
        if code == -signal.SIGALRM:
            return f"it took more than {deadline:g} s to search: write it without nested repetitions"
        return f"the process that searched for it was ended (exit code {code})"

    def kill(self) -> None:
        self._process.kill()

    def close(self) -> None:
        self._process.kill()
        for pipe in (self._process.stdin, self._process.stdout):
            with suppress(BrokenPipeError):  # what it did not read any more
                cast("IO[bytes]", pipe).close()
        self._process.wait()


class _Pool:
    """Lends workers, and keeps them while somebody wants them kept. Thread-safe."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._idle: list[_Worker] = []
        self._keepers = 0

    @contextmanager
    def kept(self) -> Iterator[None]:
        with self._lock:
            self._keepers += 1
        try:
            yield
        finally:
            ended: list[_Worker] = []
            with self._lock:
                self._keepers -= 1
                if not self._keepers:
                    ended, self._idle = self._idle, []
            for worker in ended:
                worker.close()

    @contextmanager
    def lent(self) -> Iterator[_Worker]:
        worker = self._borrowed() or _Worker()
        try:
            yield worker
        except BaseException:
            worker.close()  # nobody has read what it answers
            raise
        if not self._took_back(worker):
            worker.close()

    def _borrowed(self) -> _Worker | None:
        while True:
            with self._lock:
                worker = self._idle.pop() if self._idle else None
            if worker is None or worker.usable:
                return worker
            worker.close()

    def _took_back(self, worker: _Worker) -> bool:
        with self._lock:
            if self._keepers and worker.usable:
                self._idle.append(worker)
                return True
        return False


_POOL = _Pool()
