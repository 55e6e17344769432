"""A gateway: a socket in a folder, behind which there is one address and nothing else.

Workspaces without a network show the folder. What comes through the socket is passed on as it is; for an address with
TLS each connection first asks for it by CONNECT (RFC 9110, 9.3.6), as clients do of a proxy.
"""

from __future__ import annotations

import asyncio
import os
import socket
import threading
from contextlib import suppress
from pathlib import Path
from typing import Self

from skillgrade.errors import ProviderError
from skillgrade.workspace.gateway.address import ModelAddress
from skillgrade.workspace.temporary import make_temporary_folder, no_folder_error
from skillgrade.workspace.tree import remove_tree

SOCKET = "model.sock"
"""The socket's name in its folder."""

_CHUNK = 64 * 1024
_HEAD_LIMIT = 16 * 1024
_HEAD_SECONDS = 30.0
_CONNECT_SECONDS = 30.0
_PROBLEMS = (OSError, asyncio.IncompleteReadError, asyncio.LimitOverrunError)


class RefusedError(Exception):
    """A request for something else than the address, or one that cannot be had; its text is an HTTP status."""


class Gateway:
    """A gateway to an address, from `open` to `close`. Serves in a thread of its own.

    Args:
        address: Where it leads.
        run: The run that it belongs to.
    """

    def __init__(self, address: ModelAddress, run: str) -> None:
        self._address = address
        self._run = run
        self._parent: Path | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._end = asyncio.Event()
        self._thread: threading.Thread | None = None

    @property
    def folder(self) -> Path:
        """The folder to show; anybody who sees it may use the socket, and nobody else on this machine gets to it."""
        if self._parent is None:
            raise ProviderError("the gateway to the model is not open")
        return self._parent / "shown"

    def __enter__(self) -> Self:
        """Begin to serve.

        Raises:
            ProviderError: The socket cannot be made.
        """
        try:
            self._parent = make_temporary_folder(self._run, f"gateway to {self._address.authority}")
            self.folder.mkdir(mode=0o755)
            listening = _listen(self.folder)
        except OSError as error:
            self.__exit__()
            raise no_folder_error(error) from error
        ready = threading.Event()

        def serve() -> None:
            try:
                asyncio.run(self._serve(listening, ready))
            finally:
                ready.set()  # also where it could not begin: clients find nobody then, and nobody waits here

        self._thread = threading.Thread(target=serve, name="skillgrade-gateway", daemon=True)
        self._thread.start()
        ready.wait()
        return self

    def __exit__(self, *error: object) -> None:
        """End every connection and remove the socket."""
        if self._thread is not None and self._loop is not None:
            with suppress(RuntimeError):  # it has ended by itself
                self._loop.call_soon_threadsafe(self._end.set)
            self._thread.join()
        if self._parent is not None:
            remove_tree(self._parent)

    async def _serve(self, listening: socket.socket, ready: threading.Event) -> None:
        self._loop = asyncio.get_running_loop()
        tasks: set[asyncio.Task[None]] = set()

        def accept(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            def ended(task: asyncio.Task[None]) -> None:
                tasks.discard(task)
                writer.close()  # not by the task, which an end may keep from ever starting

            task = asyncio.ensure_future(self._connection(reader, writer))
            tasks.add(task)
            task.add_done_callback(ended)

        server = await asyncio.start_unix_server(accept, sock=listening, limit=_HEAD_LIMIT)
        ready.set()
        try:
            await self._end.wait()
        finally:
            # What asyncio has accepted and not yet handed over would stay open once its server is closed.
            self._loop.remove_reader(listening)
            await asyncio.gather(*asyncio.all_tasks() - tasks - {asyncio.current_task()}, return_exceptions=True)
            server.close()
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    async def _connection(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(*_PROBLEMS):
            await self._pass_on(reader, writer)

    async def _pass_on(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            if self._address.is_tls:
                await self._asked_for(reader)
            there = await self._connect()
        except RefusedError as refusal:
            # In the form of HTTP in either case, since that is what clients of models show best.
            body = f"{self._address.authority} is all that can be reached from here (network: none)\n"
            writer.write(
                f"HTTP/1.1 {refusal}\r\nContent-Length: {len(body)}\r\nConnection: close\r\n\r\n{body}".encode()
            )
            await writer.drain()
            return
        if self._address.is_tls:
            writer.write(b"HTTP/1.1 200 Connection established\r\n\r\n")
        await _splice((reader, writer), there)

    async def _asked_for(self, reader: asyncio.StreamReader) -> None:
        """Read what a client of a proxy begins with, and make sure that it asks for the address.

        Raises:
            RefusedError: It asks for something else.
        """
        try:
            async with asyncio.timeout(_HEAD_SECONDS):
                head = await reader.readuntil(b"\r\n\r\n")
        except TimeoutError:
            raise RefusedError("408 Request Timeout") from None
        words = head.split(b"\r\n", 1)[0].decode("latin-1").split(" ")
        if len(words) != 3 or words[0] != "CONNECT" or words[1].lower() != self._address.authority:
            raise RefusedError("403 Forbidden")

    async def _connect(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        try:
            async with asyncio.timeout(_CONNECT_SECONDS):
                return await asyncio.open_connection(self._address.host, self._address.port)
        except OSError:  # a TimeoutError among them
            raise RefusedError("502 Bad Gateway") from None


async def _splice(
    client: tuple[asyncio.StreamReader, asyncio.StreamWriter], server: tuple[asyncio.StreamReader, asyncio.StreamWriter]
) -> None:
    """Pass bytes on in both directions until one side is done: whoever asks a model waits for all of its answer."""
    (asking, back), (answering, onwards) = client, server
    pumps = [asyncio.ensure_future(_pump(asking, onwards)), asyncio.ensure_future(_pump(answering, back))]
    try:
        await asyncio.wait(pumps, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for pump in pumps:
            pump.cancel()
        await asyncio.gather(*pumps, return_exceptions=True)
        onwards.close()


async def _pump(source: asyncio.StreamReader, sink: asyncio.StreamWriter) -> None:
    while data := await source.read(_CHUNK):
        sink.write(data)
        await sink.drain()


def _listen(folder: Path) -> socket.socket:
    listening = socket.socket(socket.AF_UNIX)
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        # By the descriptor, since the path of a socket is limited to 107 bytes (unix(7)).
        listening.bind(f"/proc/self/fd/{handle}/{SOCKET}")
        listening.listen()
        (folder / SOCKET).chmod(0o666)
    except BaseException:
        listening.close()
        raise
    finally:
        os.close(handle)
    return listening
