"""Recordings of judge-check as a judge that is always right would leave them."""

from __future__ import annotations

from pathlib import Path

from skillgrade.checks.calibration.places import recording_path
from skillgrade.checks.calibration.scenarios import calibrated_in
from skillgrade.judges.calibration_recordings import (
    PROMPT_VERSIONS,
    CalibrationRecording,
    RecordedVerdicts,
    SampleVerdict,
    now,
    write_calibration,
)
from skillgrade.suite.load import load_suite


def record(folder: Path, samples: int = 3, provider: str = "openai", model: str = "mini") -> Path:
    """Write the recording for the suite of a folder."""
    suite = load_suite(folder)
    entries = tuple(
        RecordedVerdicts(
            each.id,
            answer.kind.value,
            each.request(answer),
            (SampleVerdict(answer.passes, "So it is."),) * samples,
        )
        for each in calibrated_in(suite)
        for answer in each.asked
    )
    path = recording_path(suite)
    path.unlink(missing_ok=True)
    write_calibration(path, CalibrationRecording(PROMPT_VERSIONS, provider, model, now(), entries))
    return path
