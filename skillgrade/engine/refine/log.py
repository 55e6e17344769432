"""The log of a refinement: a line of JSON per event, on the disk before the next step begins."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from skillgrade.engine.refine.events import EVENTS, Event
from skillgrade.errors import UserError
from skillgrade.results.encoding import FormatError, decode, dump, encode, load_document
from skillgrade.storage import storing, sync_folder, write_all

_NAMES = {kind: name for name, kind in EVENTS.items()}


def append(path: Path, event: Event) -> None:
    """Add an event.

    Raises:
        StorageError: It could not be written.
    """
    line = dump({"event": _NAMES[type(event)], **encode(event)}) + b"\n"
    with storing(path):
        is_new = not path.exists()
        descriptor = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT, 0o644)
        try:
            _drop_torn(descriptor)
            write_all(descriptor, line)
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
        if is_new:
            sync_folder(path.parent)


def read(path: Path) -> tuple[Event, ...]:
    """The events so far; a last line that a crash cut off does not count.

    Raises:
        UserError: There is no log, or a line of it is none of ours.
    """
    return tuple(_events(path))


def _events(path: Path) -> Iterator[Event]:
    try:
        data = path.read_bytes()
    except OSError:
        raise UserError(f"{path}: there is no log of a refinement here; start one with `skillgrade refine`") from None
    for number, line in enumerate(data.splitlines(keepends=True), start=1):
        if not line.endswith(b"\n"):
            return
        try:
            yield _event(line)
        except FormatError as error:
            raise UserError(f"{path}:{number}: cannot be read: {error}; start again without --resume") from None


def _event(line: bytes) -> Event:
    document = load_document(line)
    kind = EVENTS.get(str(document.get("event")))
    if kind is None:
        raise FormatError(f"is {document.get('event')!r}, which this version does not know", "event")
    return decode(kind, document)


def _drop_torn(descriptor: int) -> None:
    """Remove a last line without its end, which a crash left."""
    size = os.fstat(descriptor).st_size
    if size == 0 or os.pread(descriptor, 1, size - 1) == b"\n":
        return
    end = os.pread(descriptor, size, 0).rfind(b"\n") + 1
    os.ftruncate(descriptor, end)
