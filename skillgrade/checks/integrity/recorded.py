"""What the recording of judge-check has to show, and never by omission: AG, and I2 for judges."""

from __future__ import annotations

from collections.abc import Iterator

from skillgrade.checks.calibration.audit import audit_recording
from skillgrade.checks.calibration.places import recording_path
from skillgrade.checks.findings import Finding, Rule
from skillgrade.checks.integrity.rules import RULES, Subject
from skillgrade.judges.canned import Kind

AG = Rule(
    "AG",
    "The recorded verdicts on all canned answers are as they must be, in every sample.",
    "A judge that was never tried may let anything pass.",
    "try the judge, read the diff of the recording, and commit it",
)


def doubts_of_recording(subject: Subject) -> Iterator[Finding]:
    """What the recording does not show; nothing where there is no judge to be tried."""
    echo, _ = RULES["I2"]
    places = {each.name: each.place for each in subject.scenarios}
    path = recording_path(subject.suite)
    has_judge = any(each.judge is not None for each in subject.scenarios)
    for doubt in audit_recording(subject.suite):
        file, line = places.get(doubt.scenario or "", (path if path.exists() else subject.suite.file, None))
        message, _, mend = doubt.message.rpartition("; ")
        yield Finding(AG, message, file, line, mend)
        if has_judge and doubt.kind in (None, Kind.ECHO.value):
            yield Finding(echo, f"nothing shows that an echo of the task fails: {message}", file, line, mend)
