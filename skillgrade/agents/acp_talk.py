"""The loop that talks to an agent while its process runs in a workspace, in a thread that ends with the turn.

The protocol's library is asynchronous, a workspace runs commands synchronously: this is where they meet. Imported only
where there is such an agent, since asyncio takes its time.
"""

from __future__ import annotations

import asyncio
import logging
import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import IO

from skillgrade.agents.acp_session import Ask, converse
from skillgrade.capture import OutputSink

_LONGEST_LINE = 64 << 20


class Talk:
    """One turn; takes the agent's output as a filter of bytes that keeps nothing.

    Args:
        ask: What is asked.
        pipe: The agent's input.
        diary: Takes the lines of what happens.

    Attributes:
        session: The session's id once the turn is over; None where it did not come that far.
        error: What ended it.
    """

    def __init__(self, ask: Ask, pipe: IO[bytes], diary: OutputSink) -> None:
        self.session: str | None = None
        self.error: Exception | None = None
        self._ask = ask
        self._pipe = pipe
        self._diary = diary
        self._loop = asyncio.new_event_loop()
        self._reader = asyncio.StreamReader(_LONGEST_LINE, self._loop)

    @contextmanager
    def going_on(self) -> Iterator[None]:
        """For as long as the agent runs; at the end its output has ended, and so does the loop."""
        # The library tells the root logger of each line that is no message, with a traceback, which would be printed.
        silence = logging.NullHandler()
        logging.getLogger().addHandler(silence)
        thread = threading.Thread(target=self._run, name="acp")
        thread.start()
        try:
            yield
        finally:
            self._call(self._reader.feed_eof)
            thread.join()
            self._loop.close()
            logging.getLogger().removeHandler(silence)

    def feed(self, data: bytes) -> bytes:
        """Take output."""
        self._call(self._reader.feed_data, data)
        return b""

    def flush(self) -> bytes:
        """Nothing is kept."""
        return b""

    def _run(self) -> None:
        try:
            self.session = self._loop.run_until_complete(self._converse())
        except Exception as error:  # noqa: BLE001 - told where the agent's end is known
            self.error = error

    async def _converse(self) -> str:
        transport, protocol = await self._loop.connect_write_pipe(
            lambda: asyncio.StreamReaderProtocol(asyncio.StreamReader(loop=self._loop)), self._pipe
        )
        writer = asyncio.StreamWriter(transport, protocol, None, self._loop)
        return await converse(self._ask, self._reader, writer, self._diary.feed)

    def _call(self, function: Callable[..., object], *given: object) -> None:
        self._loop.call_soon_threadsafe(function, *given)


@contextmanager
def pipe() -> Iterator[tuple[IO[bytes], IO[bytes]]]:
    """A pipe's reading and writing ends."""
    reading, writing = (os.fdopen(end, mode, buffering=0) for end, mode in zip(os.pipe(), ("rb", "wb"), strict=True))
    with reading, writing:
        yield reading, writing
