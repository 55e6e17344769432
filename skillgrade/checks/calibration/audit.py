"""Whether a recording still shows that the judges of a suite can be trusted; whatever is doubtful counts against it."""

from __future__ import annotations

import shlex
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from skillgrade.checks.calibration.outcome import mismatch
from skillgrade.checks.calibration.places import recording_path
from skillgrade.checks.calibration.scenarios import Calibrated, calibrated_in
from skillgrade.errors import RecordingError
from skillgrade.judges.base import Judge
from skillgrade.judges.calibration_recordings import (
    PROMPT_VERSIONS,
    CalibrationRecording,
    RecordedVerdicts,
    read_calibration,
)
from skillgrade.judges.canned import CannedAnswer
from skillgrade.suite.model import Suite


@dataclass(frozen=True, slots=True)
class Demands:
    """What a policy asks of a recording.

    Attributes:
        samples: How many answers of the judge each question needs, >= 1.
        judges: Who may have judged; a judge without a model stands for all models of its provider; empty for anybody.
    """

    samples: int = 1
    judges: Collection[Judge] = ()


@dataclass(frozen=True, slots=True)
class Doubt:
    """Why a recording proves nothing.

    Attributes:
        scenario: Which judge of which task it is about; None for the recording as a whole.
        kind: Which canned answer; None for all.
        message: Why, in one sentence with the command that mends it.
    """

    scenario: str | None
    kind: str | None
    message: str


def audit_recording(suite: Suite, demands: Demands = Demands()) -> tuple[Doubt, ...]:
    """Look at the recording of a suite's judges, without asking anybody.

    Args:
        suite: The suite.
        demands: What a policy asks.

    Returns:
        All doubts; none where the recording holds for every judge, or the suite has no judge.
    """
    scenarios = calibrated_in(suite)
    if not scenarios:
        return ()
    path = recording_path(suite)
    mend = _command(suite, demands)
    try:
        recording = read_calibration(path)
    except RecordingError as error:
        return (Doubt(None, None, f"{error}; {mend}"),)
    if recording is None:
        return (Doubt(None, None, f"{path}: no verdicts on canned answers are recorded yet; {mend}"),)
    found = [*_on_the_whole(recording, demands), *_Entries(recording).doubts(scenarios, demands)]
    return tuple(Doubt(scenario, kind, f"{path}: {why}; {mend}") for scenario, kind, why in found)


_Found = tuple[str | None, str | None, str]


def _on_the_whole(recording: CalibrationRecording, demands: Demands) -> Iterator[_Found]:
    versions = recording.prompt_versions
    if versions != PROMPT_VERSIONS:
        yield (
            None,
            None,
            f"it is stale: its judge was asked with the prompt {versions}, and it is {PROMPT_VERSIONS} now",
        )
    if demands.judges and not any(
        judge.provider == recording.provider and judge.model in (None, recording.model) for judge in demands.judges
    ):
        allowed = ", ".join(f"{each.provider}:{each.model}" if each.model else each.provider for each in demands.judges)
        yield None, None, f"{recording.provider}:{recording.model} judged, and the policy allows {allowed}"


class _Entries:
    """The entries of a recording, by what they say they are and by what was asked."""

    def __init__(self, recording: CalibrationRecording) -> None:
        self._by_label: dict[tuple[str, str], RecordedVerdicts] = {}
        self._doubles: list[_Found] = []
        for entry in recording.entries:
            label = (entry.scenario, entry.kind)
            if label in self._by_label:
                self._doubles.append((*label, f"{_name(*label)} is recorded twice"))
            self._by_label.setdefault(label, entry)
        self._by_request = {entry.request: entry for entry in recording.entries}

    def doubts(self, scenarios: Sequence[Calibrated], demands: Demands) -> Iterator[_Found]:
        """What is missing, doubtful, or too much."""
        yield from self._doubles
        wanted = set()
        for calibrated in scenarios:
            for key in calibrated.missing:
                yield calibrated.id, None, f'the judge of "{calibrated.id}" has no calibration answer `{key}`'
            for answer in calibrated.asked:
                label: tuple[str, str] = (calibrated.id, answer.kind)
                wanted.add(label)
                if (why := self._doubt(calibrated, answer, demands)) is not None:
                    yield *label, why
        for label in self._by_label:
            if label not in wanted:
                yield *label, f"{_name(*label)} is recorded, and there is no such judge or answer any more"

    def _doubt(self, calibrated: Calibrated, answer: CannedAnswer, demands: Demands) -> str | None:
        request = calibrated.request(answer)
        entry = self._by_label.get((calibrated.id, answer.kind))
        if entry is None or entry.request != request:
            return self._unrecorded(_name(calibrated.id, answer.kind), entry, request)
        if len(entry.samples) < demands.samples:
            return f"{_name(calibrated.id, answer.kind)} has {len(entry.samples)} samples of {demands.samples}"
        if not calibrated.follow(entry.samples):
            threshold = f"{calibrated.task.pass_threshold:g}"
            return (
                f"{_name(calibrated.id, answer.kind)} has a verdict that does not follow from its score and the "
                f"pass_threshold {threshold}"
            )
        why = mismatch(answer, entry.samples, calibrated.failed_checks(answer) if answer.passes else ())
        return None if why is None else f"{_name(calibrated.id, answer.kind)}: {why}"

    def _unrecorded(self, name: str, entry: RecordedVerdicts | None, request: str) -> str:
        other = self._by_request.get(request)
        if other is not None:
            return f"what is recorded as {_name(other.scenario, other.kind)} is {name}"
        if entry is None:
            return f"{name} is not recorded"
        return f"{name} is recorded for another question: the rubric, the criteria, the task or the answer changed"


def _name(scenario: str, kind: str) -> str:
    return f'the answer {kind} of "{scenario}"'


def _command(suite: Suite, demands: Demands) -> str:
    judge = next(iter(demands.judges), None)
    named = "PROVIDER" if judge is None else f"{judge.provider}:{judge.model}" if judge.model else judge.provider
    flags = [f"--judge={named}", *([f"--samples={demands.samples}"] if demands.samples > 1 else []), "--record"]
    return f"record it with `skillgrade judge-check {shlex.quote(str(suite.file))} {' '.join(flags)}`"
