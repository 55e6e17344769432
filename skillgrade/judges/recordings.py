"""Recorded verdicts: ``judge-recordings/<eval>.json`` beside eval.yaml, made to be committed and read in a diff.

An entry holds the raw replies of one judge to one prompt of one task. The prompt is named by its digest alone, which
depends on nothing that differs between runs of the same work. Replies are read anew whenever they are replayed.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from skillgrade.errors import RecordingError
from skillgrade.judges.base import Judge
from skillgrade.reading import UnreadableError, read_bytes
from skillgrade.results.encoding import FormatError, decode, encode, load_document, require_format
from skillgrade.storage import replace_file, storing
from skillgrade.wording import shown

FOLDER = "judge-recordings"
"""The folder of recordings, beside eval.yaml."""

FORMAT = 1
"""The version of the file's format."""

PRODUCER = "The models that the entries name."
"""What a new recording says of its origin; whoever makes one in another way says so there, and it stays."""

_LARGEST = 256 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class RecordedSample:
    """One answer: the model that gave it, its reply as it came, what it used, and what was sent beside the texts."""

    answered_by: str
    reply: str
    tokens: Mapping[str, int] | None = None
    sent: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Entry:
    """The answers of one judge to one prompt.

    Attributes:
        task: The task.
        request: The digest of the prompt.
        provider: The judge's provider.
        model: The judge's model.
        prompt_version: The version of the prompt.
        samples: The answers, in their order.
    """

    task: str
    request: str
    provider: str
    model: str
    prompt_version: str
    samples: tuple[RecordedSample, ...]

    @property
    def key(self) -> tuple[str, str, str, str]:
        """What it is found by, and its place in the file."""
        return self.task, self.request, self.provider, self.model


@dataclass(frozen=True, slots=True)
class Recording:
    """A file of recorded verdicts.

    Attributes:
        producer: What made the replies, in words.
        entries: By task, digest, provider and model, in this order.
    """

    producer: str = PRODUCER
    entries: tuple[Entry, ...] = ()

    def merged(self, fresh: Iterable[Entry], replaced: Iterable[str]) -> Recording:
        """This recording with new entries.

        Args:
            fresh: What was recorded now; it wins over an older entry of the same key.
            replaced: Tasks of which no older entry stays.
        """
        gone = frozenset(replaced)
        kept = {entry.key: entry for entry in self.entries if entry.task not in gone}
        kept |= {entry.key: entry for entry in fresh}
        return replace(self, entries=tuple(kept[key] for key in sorted(kept)))

    def find(self, task: str, request: str, version: str, judge: Judge, count: int) -> Entry:
        """The entry that answers a question.

        Args:
            task: The task.
            request: The digest of the prompt.
            version: The version of the prompt.
            judge: Who is asked; a judge without a model takes the one that was recorded.
            count: How many answers are wanted.

        Raises:
            RecordingError: There is none; the message says why, and is meant to be followed by what to do.
        """
        of_task = [entry for entry in self.entries if entry.task == task]
        if not of_task:
            raise RecordingError(f"no verdict is recorded for task {shown(task)}")
        of_request = [entry for entry in of_task if entry.request == request]
        if not of_request:
            raise RecordingError(_stale(task, of_task, version))
        found = [entry for entry in of_request if _is_of(entry, judge)]
        if len(found) != 1:
            raise RecordingError(_other_judges(task, judge, found or of_request))
        if len(found[0].samples) < count:
            raise RecordingError(
                f"the recording has {len(found[0].samples)} of the {count} samples that task {shown(task)} asks for"
            )
        return found[0]


def recording_file(suite_file: Path) -> Path:
    """Where the verdicts of a suite are recorded: ``judge-recordings/eval.json`` for ``eval.yaml``, and so on."""
    name = suite_file.name.removesuffix(".example")
    stem = name.removesuffix(".yaml").removesuffix(".yml") or name
    return suite_file.parent / FOLDER / f"{stem}.json"


def read_recording(path: Path) -> Recording:
    """Read a recording.

    Raises:
        RecordingError: There is none, or it cannot be read; the message is meant to be followed by what to do.
    """
    if not path.exists():
        raise RecordingError(f"{path}: there is no recording of verdicts")
    try:
        document = load_document(read_bytes(path, _LARGEST))
        require_format(document, FORMAT)
        recording = decode(Recording, document)
    except UnreadableError as error:
        raise RecordingError(f"{path}: {error}") from None
    except FormatError as error:
        raise RecordingError(f"{path}: is no recording of verdicts that can be read ({error})") from None
    return Recording(recording.producer).merged(recording.entries, ())


def write_recording(path: Path, recording: Recording) -> None:
    """Write a recording so that the same verdicts give the same bytes, one thing a line.

    Raises:
        StorageError: It could not be written; what was there stands.
    """
    with storing(path):
        path.parent.mkdir(parents=True, exist_ok=True)
    text = json.dumps({"format": FORMAT, **encode(recording)}, ensure_ascii=False, allow_nan=False, indent=2)
    # A lone surrogate can only stand inside a string, where Python's \udcXX is JSON's own escape as well.
    replace_file(path, [text.encode("utf-8", "backslashreplace"), b"\n"])


def _is_of(entry: Entry, judge: Judge) -> bool:
    return entry.provider == judge.provider and judge.model in (None, entry.model)


def _stale(task: str, entries: Iterable[Entry], version: str) -> str:
    versions = {entry.prompt_version for entry in entries}
    if version not in versions:
        recorded = ", ".join(sorted(versions))
        return f"the verdicts of task {shown(task)} were recorded with prompt {recorded}, and this is prompt {version}"
    return (
        f"no recorded verdict of task {shown(task)} is for what is asked now: "
        "the rubric, the task, the graders before it or what the agent did changed"
    )


def _other_judges(task: str, judge: Judge, recorded: Iterable[Entry]) -> str:
    wanted = judge.provider if judge.model is None else f"{judge.provider}:{judge.model}"
    names = ", ".join(f"{entry.provider}:{entry.model}" for entry in recorded)
    return f"the judge {wanted} is asked about task {shown(task)}, and verdicts of {names} are recorded"
