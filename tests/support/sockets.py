"""A way to take the Docker daemon away in the middle of a run: its socket, through a proxy that can be cut."""

from __future__ import annotations

import contextlib
import socket
import threading
from pathlib import Path


class CuttableProxy:
    """Forwards a unix socket until it is frozen (nothing passes any more) or cut (nothing is connected any more)."""

    def __init__(self, path: Path, target: str) -> None:
        self.path = path
        self._target = target
        self._lock = threading.Lock()
        self._open: list[socket.socket] = []
        self._is_cut = False
        self._flows = threading.Event()
        self._flows.set()
        self._listener = socket.socket(socket.AF_UNIX)
        self._listener.bind(str(path))
        self._listener.listen(64)
        self._threads = [threading.Thread(target=self._accept)]
        self._threads[0].start()

    def freeze(self) -> None:
        """From now on connections are taken and bytes read, but none come out: a daemon that hangs."""
        self._flows.clear()

    def cut(self) -> None:
        self._flows.set()
        with self._lock:
            self._is_cut = True
            for one in (*self._open, self._listener):
                with contextlib.suppress(OSError):
                    one.shutdown(socket.SHUT_RDWR)
                one.close()
        self.path.unlink(missing_ok=True)

    def close(self) -> None:
        self.cut()
        for thread in self._threads:
            thread.join()

    def _accept(self) -> None:
        while True:
            try:
                near, _ = self._listener.accept()
            except OSError:
                return
            far = socket.socket(socket.AF_UNIX)
            with self._lock:
                self._open += [near, far]
                if self._is_cut:
                    near.close()
                    far.close()
                    return
            far.connect(self._target)
            for source, sink in ((near, far), (far, near)):
                self._threads.append(threading.Thread(target=self._forward, args=(source, sink)))
                self._threads[-1].start()

    def _forward(self, source: socket.socket, sink: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while data := source.recv(65536):
                self._flows.wait()
                sink.sendall(data)
            sink.shutdown(socket.SHUT_WR)
