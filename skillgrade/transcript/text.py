"""Plain text: whatever a program prints is what it says."""

from __future__ import annotations

from skillgrade.transcript.events import Event, Message, Role
from skillgrade.transcript.shorten import MESSAGE_LIMIT, Growing


class TextParser:
    """See `Parser`. One message; no calls, no usage, no end."""

    def __init__(self) -> None:
        self.recognized = 0
        self.noise = 0
        self.first_noise = ""
        self.shows_calls = False
        self.conversation: str | None = None
        self._text = Growing(MESSAGE_LIMIT)

    def feed(self, line: str) -> list[Event]:
        """See `Parser.feed`."""
        self.recognized += 1
        self._text.add(f"{line}\n")
        return []

    def end(self) -> list[Event]:
        """See `Parser.end`."""
        text = self._text.take()
        return [Message(Role.ASSISTANT, text)] if text.strip() else []
