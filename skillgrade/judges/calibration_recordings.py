"""Recorded verdicts on canned answers: ``judge-recordings/<pack>__<skill>.json``, made to be committed and reviewed.

The keys are those of keryx, the public system whose files look like this, so that its recordings can be read; they are
stale here, since it asks its judges something else. A request digest names what was asked: any change of the rubric,
the criteria, the task, the answer or our templates makes it another one.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from skillgrade.errors import RecordingError
from skillgrade.judges.prompt import PROMPT_VERSION
from skillgrade.judges.scenario import SCENARIO_PROMPT_VERSION
from skillgrade.judges.strict_json import Fault, checked
from skillgrade.reading import UnreadableError, read_bytes
from skillgrade.results.encoding import FormatError, load_document
from skillgrade.storage import replace_file, storing

T = TypeVar("T")

PROMPT_VERSIONS = f"{SCENARIO_PROMPT_VERSION}, rubric-{PROMPT_VERSION}"
"""What recordings say of the templates; those of another version are stale."""

_LARGEST = 64 * 1024 * 1024
_PASS, _FAIL = _VERDICTS = ("pass", "fail")
_TEXTS = ("judgePromptVersion", "judge", "judgeModel", "recordedAt")
_ENTRY = ("scenarioId", "kind", "requestDigest", "samples")


class SampleVerdict(NamedTuple):
    """One answer of the judge; a tuple, since recordings hold thousands.

    Attributes:
        passes: Whether it let the answer pass; None where it gave no verdict.
        reason: Its reason.
        error: Why there is no verdict; None where there is one.
        score: The score, 0..1, of a judge that scores by a rubric; None for one that decides by criteria.
    """

    passes: bool | None
    reason: str
    error: str | None = None
    score: float | None = None


@dataclass(frozen=True, slots=True)
class RecordedVerdicts:
    """The judge's answers to one question.

    Attributes:
        scenario: Which judge of which task it is about.
        kind: Which canned answer; see `skillgrade.judges.canned.Kind`.
        request: The digest of the question.
        samples: The answers, in their order.
    """

    scenario: str
    kind: str
    request: str
    samples: tuple[SampleVerdict, ...]


@dataclass(frozen=True, slots=True)
class CalibrationRecording:
    """A recording.

    Attributes:
        prompt_versions: Of the templates; see `PROMPT_VERSIONS`.
        provider: Who judged.
        model: The model.
        recorded_at: When, ISO 8601, UTC, with milliseconds.
        entries: In the order of the scenarios and of the kinds.
    """

    prompt_versions: str
    provider: str
    model: str
    recorded_at: str
    entries: tuple[RecordedVerdicts, ...]


def now() -> str:
    """The time as recordings have it."""
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def read_calibration(path: Path) -> CalibrationRecording | None:
    """Read a recording; None where there is none.

    Raises:
        RecordingError: It cannot be read, or is none.
    """
    if not path.exists():
        return None
    try:
        return _recording(load_document(read_bytes(path, _LARGEST)))
    except UnreadableError as error:
        raise RecordingError(f"{path}: {error}") from None
    except FormatError as error:
        raise RecordingError(f"{path}: is no recording of judge-check: it is {error}") from None
    except Fault as fault:
        why, *place = fault.args
        at = f" at {'.'.join(place)}" if place else ""
        raise RecordingError(f"{path}: is no recording of judge-check: it {why}{at}") from None


def write_calibration(path: Path, recording: CalibrationRecording) -> None:
    """Write a recording; one that says the same already stays as it is, time and all.

    Raises:
        StorageError: It could not be written.
    """
    try:
        before = read_calibration(path)
    except RecordingError:
        before = None
    if before is not None and _without_time(before) == _without_time(recording):
        return
    with storing(path, "make room, or permit it"):
        path.parent.mkdir(parents=True, exist_ok=True)
    text = json.dumps(_document(recording), ensure_ascii=False, indent=2)
    replace_file(path, [text.encode("utf-8", "backslashreplace"), b"\n"])


def _without_time(recording: CalibrationRecording) -> tuple[object, ...]:
    return (recording.prompt_versions, recording.provider, recording.model, recording.entries)


def _document(recording: CalibrationRecording) -> Mapping[str, object]:
    heads = (recording.prompt_versions, recording.provider, recording.model, recording.recorded_at)
    entries = [
        dict(
            zip(
                _ENTRY, (each.scenario, each.kind, each.request, list(map(_sample_document, each.samples))), strict=True
            )
        )
        for each in recording.entries
    ]
    return {**dict(zip(_TEXTS, heads, strict=True)), "entries": entries}


def _sample_document(sample: SampleVerdict) -> Mapping[str, object]:
    # Whoever reads it without knowing of errors must not take one for a pass.
    document: dict[str, object] = {"verdict": _PASS if sample.passes else _FAIL}
    if sample.score is not None:
        document["score"] = sample.score
    document["reason"] = sample.reason
    if sample.error is not None:
        document["error"] = sample.error
    return document


def _recording(document: Mapping[str, Any]) -> CalibrationRecording:
    prompt_versions, provider, model, recorded_at = [_text(document, key) for key in _TEXTS]
    listed = document.get("entries")
    if not isinstance(listed, list):
        raise Fault('has "entries" that are no list')
    return CalibrationRecording(prompt_versions, provider, model, recorded_at, _each(listed, _entry, "entries"))


def _each(items: Iterable[object], read: Callable[[object], T], name: str) -> tuple[T, ...]:
    """Read the items of a list; a fault gets to know its place only when there is one."""
    found: list[T] = []
    try:
        found.extend(map(read, items))
    except Fault as fault:
        why, *place = fault.args
        raise Fault(why, f"{name}[{len(found)}]", *place) from None
    return tuple(found)


def _entry(item: object) -> RecordedVerdicts:
    if isinstance(item, dict) and "verdict" in item and "samples" not in item:
        raise Fault("has the first format of keryx, with one verdict and no samples,")
    entry = checked(item, _ENTRY)
    samples = entry["samples"]
    if not isinstance(samples, list) or not samples:
        raise Fault("has no samples")
    scenario, kind, request = [_text(entry, key) for key in _ENTRY[:-1]]
    return RecordedVerdicts(scenario, kind, request, _each(samples, _sample, "samples"))


def _sample(item: object) -> SampleVerdict:
    if not isinstance(item, dict) or (verdict := item.get("verdict")) not in _VERDICTS:
        raise Fault(f'has a verdict that is neither "{_PASS}" nor "{_FAIL}"')
    reason, error, score = item.get("reason"), item.get("error"), item.get("score")
    if not isinstance(reason, str):
        raise Fault("has a reason that is no text")
    if error is None and score is None:
        return SampleVerdict(verdict == _PASS, reason)
    if not isinstance(error, str | None):
        raise Fault("has an error that is no text")
    if isinstance(score, bool) or not isinstance(score, int | float | None):
        raise Fault("has a score that is no number")
    return SampleVerdict(
        None if error is not None else verdict == _PASS, reason, error, None if score is None else float(score)
    )


def _text(holder: Mapping[str, Any], key: str) -> str:
    value = holder.get(key)
    if not isinstance(value, str) or not value:
        raise Fault(f'lacks the text "{key}"')
    return value
