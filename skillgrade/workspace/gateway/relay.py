"""Listens at a port of 127.0.0.1 and passes each connection on to a socket. Arguments: the socket, the port.

Says "ready" once it listens, or once it finds that an earlier relay does. Not imported: it runs in workspaces that have
no Node.js, by whatever Python is there.
"""

from __future__ import annotations

import asyncio
import errno
import sys


async def _pump(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    try:
        while data := await reader.read(65536):
            writer.write(data)
            await writer.drain()
    except OSError:
        pass
    finally:
        writer.close()


async def _serve(path: str, port: int) -> None:
    async def pass_on(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            answering, onwards = await asyncio.open_unix_connection(path)
        except OSError:
            writer.close()
            return
        await asyncio.gather(_pump(reader, onwards), _pump(answering, writer))

    server = None
    try:
        server = await asyncio.start_server(pass_on, "127.0.0.1", port)
    except OSError as error:
        if error.errno != errno.EADDRINUSE:
            raise
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    if server is not None:
        await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(_serve(sys.argv[1], int(sys.argv[2])))
