"""One turn with an agent that speaks the Agent Client Protocol: what is asked, what is answered, what is written down.

Each message of the agent is a line of JSON, as `skillgrade.transcript.acp` reads them.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

from skillgrade import __version__

if TYPE_CHECKING:
    import asyncio

    from acp import Client
    from acp.connection import StreamEvent
    from acp.schema import PermissionOption, RequestPermissionResponse, SessionModeState

_ALLOWING = ("allow_once", "allow_always")
"""The kinds of options that let an agent go on, the narrower first."""

_FREE_MODES = ("bypassPermissions", "yolo", "full-access")
"""The modes in which agents ask for nothing, since what keeps them from harm is the workspace; one of them starts in a
mode in which it writes nothing, and says nothing of that."""


@dataclass(frozen=True, slots=True)
class Ask:
    """What an agent is asked in a turn.

    Attributes:
        instruction: What it is told.
        folder: Where it works, as it sees it.
        session: The session that goes on; None for a new one.
    """

    instruction: str
    folder: str
    session: str | None


class CannotGoOnError(Exception):
    """The agent cannot take up an earlier session."""


async def converse(
    ask: Ask, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, write: Callable[[bytes], object]
) -> str:
    """Take one turn.

    Args:
        ask: What is asked.
        reader: The agent's output.
        writer: The agent's input; closed at the end.
        write: Takes the lines of what it sends.

    Returns:
        The session's id.

    Raises:
        CannotGoOnError: There is an earlier session that it cannot take up.
        acp.RequestError: It answered with an error.
        ConnectionError: It ended before it answered.
    """
    import acp
    from acp.schema import ClientCapabilities, FileSystemCapabilities, Implementation

    diary = _Diary(write)
    connection = acp.connect_to_agent(cast("Client", _Client()), writer, reader, observers=[diary])
    try:
        # It has tools of its own for files and commands, which work where it does.
        nothing = ClientCapabilities(fs=FileSystemCapabilities(read_text_file=False, write_text_file=False))
        ours = Implementation(name="skillgrade", version=__version__)
        agent = await connection.initialize(acp.PROTOCOL_VERSION, nothing, ours)
        modes: SessionModeState | None
        if ask.session is None:
            opened = await connection.new_session(cwd=ask.folder, mcp_servers=[])
            session, modes = opened.session_id, opened.modes
        else:
            if agent.agent_capabilities is None or not agent.agent_capabilities.load_session:
                raise CannotGoOnError
            diary.pauses = True
            loaded = await connection.load_session(cwd=ask.folder, session_id=ask.session, mcp_servers=[])
            diary.pauses = False
            session, modes = ask.session, loaded.modes
        offered = {mode.id for mode in modes.available_modes} if modes else set()
        for mode in [mode for mode in _FREE_MODES if mode in offered][:1]:
            await connection.set_session_mode(session_id=session, mode_id=mode)
        await connection.prompt(session, [acp.text_block(ask.instruction)])
        return session
    finally:
        await connection.close()
        writer.close()


class _Diary:
    """Writes down what the agent sends, as it came.

    Attributes:
        pauses: Whether nothing is written down: an earlier session that is taken up is told again before its turn.
    """

    def __init__(self, write: Callable[[bytes], object]) -> None:
        self.pauses = False
        self._write = write

    def __call__(self, event: StreamEvent) -> None:
        """Take a message of either side."""
        if event.direction == "incoming" and not self.pauses:
            self._write(json.dumps(event.message, ensure_ascii=False).encode(errors="replace") + b"\n")


class _Client:
    """Answers what an agent asks in its turn; what is not here is not offered to it."""

    async def session_update(self, session_id: str, update: object, **more: object) -> None:
        """Nothing: it is written down."""

    async def request_permission(
        self, session_id: str, tool_call: object, options: Sequence[PermissionOption], **more: object
    ) -> RequestPermissionResponse:
        """Allow it, by the kind of the options, since their ids are each agent's own."""
        from acp.schema import AllowedOutcome, DeniedOutcome, RequestPermissionResponse

        by_kind = {option.kind: option.option_id for option in options}
        chosen = next((by_kind[kind] for kind in _ALLOWING if kind in by_kind), None)
        if chosen is None:
            return RequestPermissionResponse(outcome=DeniedOutcome(outcome="cancelled"))
        return RequestPermissionResponse(outcome=AllowedOutcome(outcome="selected", option_id=chosen))
