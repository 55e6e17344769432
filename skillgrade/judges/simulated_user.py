"""The simulated user: a model that plays the person whom an agent talks with.

Its messages come from where verdicts come from, so they are recorded and replayed with them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from skillgrade.errors import ReplyError
from skillgrade.judges.base import Judging, Prompt, Reading
from skillgrade.judges.choice import user_model
from skillgrade.judges.strict_json import Fault, checked, object_schema, parsed, quote
from skillgrade.judges.templates import TAG_DIGITS, digest, render
from skillgrade.judges.untrusted import TRANSCRIPT, excerpt, visible
from skillgrade.results.records import Sample
from skillgrade.stop import Stop
from skillgrade.suite.model import SimulatedUser, Task

PROMPT_VERSION = "user-1"
"""The version of the templates; recordings of another one are stale."""

_FIELDS = ("tag", "message", "done")


@dataclass(frozen=True, slots=True)
class NextMessage:
    """What the user says next: a text, None when it is done; and the model's answer that says so."""

    text: str | None
    sample: Sample


def next_message(
    user: SimulatedUser, task: Task, conversation: str, judging: Judging, variables: Mapping[str, str], stop: Stop
) -> NextMessage:
    """Ask the model what the user says next.

    Args:
        user: Whom it plays.
        task: The task.
        conversation: What was said so far, redacted and free of host paths; empty when the user begins.
        judging: Asks models.
        variables: Where keys and addresses are looked up.
        stop: Ends it early.

    Raises:
        ReplyError: The model's reply could not be read, twice.
        MissingKeyError: The provider's key is not set.
        ModelError: No reply could be had.
        RecordingError: Replaying, and the recording has no such message.
        Cancelled: The stop came.
    """
    prompt, tag = _question(user, conversation)

    def read(text: str) -> Reading:
        return _read(text, tag)

    (sample,) = judging.samples(task.name, prompt, user_model(user, task), 1, read, variables, stop)
    if sample.score is None:
        raise ReplyError(f"the simulated user said nothing that could be read: {sample.reasoning}")
    is_done = sample.score == 1.0 or not sample.reasoning.strip()
    return NextMessage(None if is_done else sample.reasoning, sample)


def _question(user: SimulatedUser, conversation: str) -> tuple[Prompt, str]:
    part = excerpt(conversation, TRANSCRIPT)
    facts = [visible(fact) for fact in user.facts]
    seal = digest(PROMPT_VERSION, visible(user.persona), *facts, part.text)
    tag = f"answer-{seal[:TAG_DIGITS]}"
    system = render("user-system.j2", persona=visible(user.persona), facts=facts, answer_tag=tag)
    message = render(
        "user-user.j2",
        conversation=part.text,
        missing=part.missing,
        data_tag=f"data-{digest(seal, part.text)[:TAG_DIGITS]}",
        answer_tag=tag,
    )
    schema = object_schema(
        {
            "tag": {"type": "string", "description": "The tag of the answer."},
            "message": {"type": "string", "description": "What the person says next."},
            "done": {"type": "boolean", "description": "Whether the conversation is over."},
        }
    )
    return Prompt(PROMPT_VERSION, system, message, schema), tag


def _read(text: str, tag: str) -> Reading:
    """The reply as a reading: the message in place of the reasoning, and 1 for done."""
    try:
        message, is_done = _fields(text, tag)
    except Fault as fault:
        raise ReplyError(f"the simulated user's reply {fault}: {quote(text)}") from None
    return Reading(float(is_done), visible(message))


def _fields(text: str, tag: str) -> tuple[str, bool]:
    answer = checked(parsed(text), _FIELDS)
    if answer["tag"] != tag:
        raise Fault(f'does not echo the tag "{tag}" of its question')
    message, is_done = answer["message"], answer["done"]
    if not isinstance(message, str) or not isinstance(is_done, bool):
        raise Fault("has a message that is no text, or a done that is neither true nor false")
    return message, is_done
