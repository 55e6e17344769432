"""What was said in a trial so far, as graders, judges and people read it."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Message:
    """What one side said: ``user`` or ``agent``, in a turn."""

    turn: int
    side: str
    text: str


@dataclass(slots=True)
class Conversation:
    """A conversation as it grows.

    Attributes:
        several: Whether there is more than one message of the user; only then who said what is marked.
        messages: What was said, redacted.
    """

    several: bool
    messages: list[Message] = field(default_factory=list)

    def add(self, turn: int, side: str, text: str) -> None:
        """Go on with it."""
        self.messages.append(Message(turn, side, text))

    def text(self) -> str:
        """The whole of it; of a single instruction, what the agent said, since everybody knows the instruction."""
        if not self.several:
            return "".join(message.text for message in self.messages if message.side == "agent")
        return "\n".join(f"[turn {each.turn}, {each.side}]\n{each.text.rstrip()}\n" for each in self.messages)
