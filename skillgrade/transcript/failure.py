"""Whether an agent was able to work, by its own stream: what kept it from working is no verdict on its work."""

from __future__ import annotations

from skillgrade.transcript import TEXT
from skillgrade.transcript.events import ToolCall
from skillgrade.transcript.shorten import shortened
from skillgrade.transcript.summary import TranscriptSummary

_SHOWN = 300


def failure(summary: TranscriptSummary) -> str | None:
    """Why the agent could not work, in one sentence; None when it could, or when plain text cannot tell.

    To be asked about an agent that ended by itself: one that was killed at its deadline left a stream without an end.
    """
    if summary.format == TEXT:
        return None
    if not summary.recognized:
        said = f"; it said: {_short(summary.first_noise)}" if summary.first_noise else ""
        return f"the agent printed no event of {summary.format}{said}"
    if (fatal := next((error for error in reversed(summary.errors) if error.fatal), None)) and not _ended_well(summary):
        code = f" ({fatal.code})" if fatal.code else ""
        return f"the agent gave up on an error{code}: {_short(fatal.message)}"
    if summary.end is None:
        last = f"; its last error: {_short(summary.errors[-1].message)}" if summary.errors else ""
        return f"the agent stopped before it said that it is done{last}"
    if summary.refused and not summary.acted:
        return f"the agent was not allowed to do anything: {_refusal(summary.refused)}"
    return None


def notes(summary: TranscriptSummary) -> tuple[str, ...]:
    """What the reader of a trial's record should know of a stream, in sentences; nothing of an ordinary one."""
    said = []
    if summary.shows_calls and not summary.calls and summary.end is not None and summary.end.ok:
        said.append("the agent called no tool: if the task needs one, look at its permissions and its sandbox")
    if summary.refused and summary.acted:
        said.append(f"the agent was denied a tool: {_refusal(summary.refused)}")
    return tuple(said)


def _ended_well(summary: TranscriptSummary) -> bool:
    return summary.end is not None and summary.end.ok


def _refusal(call: ToolCall) -> str:
    return f"{call.tool} was denied{f' ({_short(call.output)})' if call.output.strip() else ''}"


def _short(text: str) -> str:
    return shortened(" ".join(text.split()), _SHOWN).replace("\n", " ")
