"""What verifying recorded verdicts costs: against reading them and hashing them and what was asked."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path

from benchmarks.measure import Row, Size, compare, milliseconds
from skillgrade.checks.calibration.audit import Demands, audit_recording
from skillgrade.checks.calibration.outcome import outcome
from skillgrade.checks.calibration.places import recording_path
from skillgrade.checks.calibration.run import recording_of
from skillgrade.checks.calibration.scenarios import calibrated_in
from skillgrade.judges.base import Judge
from skillgrade.judges.calibration_recordings import SampleVerdict, write_calibration
from skillgrade.judges.canned import Kind
from skillgrade.suite.load import load_suite
from skillgrade.suite.model import Suite

SAMPLES = 10_000
EACH = 3
ASKED = len(Kind) - 1
JUDGE = Judge("openai", "mini")
SKILL = "---\nname: parcels\ndescription: Weighs parcels. Use when somebody asks how heavy one is.\n---\n# Parcels\n"
SENTENCE = "The parcel goes on the scale, and what the scale shows is written down in kilograms with its unit. "


def run(size: Size, folder: Path) -> Iterator[Row]:
    suite = _recorded(folder / "parcels", max(200, round(SAMPLES * size.scale)))
    questions = [each.question(answer).prompt for each in calibrated_in(suite) for answer in each.asked]
    texts = [(each.version, each.system, each.user) for each in questions]
    path = recording_path(suite)
    if doubts := audit_recording(suite, Demands(EACH, (JUDGE,))):
        raise AssertionError(doubts[0].message)
    yield compare(
        "recordings",
        f"{len(texts) * EACH} recorded samples verified; floor: json.loads, and sha256 of each and of each question",
        partial(milliseconds, partial(_read_and_hash, path, texts)),
        partial(milliseconds, partial(audit_recording, suite, Demands(EACH, (JUDGE,)))),
        size.rounds,
        2.0,
    )


def _read_and_hash(path: Path, texts: Sequence[tuple[str, ...]]) -> object:
    entries = json.loads(path.read_bytes())["entries"]
    questions = [hashlib.sha256("\0".join(each).encode()).hexdigest() for each in texts]
    return questions, [
        hashlib.sha256(f"{entry['requestDigest']} {sample['verdict']} {sample['reason']}".encode()).hexdigest()
        for entry in entries
        for sample in entry["samples"]
    ]


def _recorded(folder: Path, samples: int) -> Suite:
    """A skill whose judges have as many recorded samples as asked for, or a few more, all of them right."""
    folder.mkdir()
    (folder / "SKILL.md").write_text(SKILL, encoding="utf-8")
    scenarios = [_scenario(number) for number in range(-(-samples // (EACH * ASKED)))]
    (folder / "evals.json").write_text(json.dumps({"scenarios": scenarios}), encoding="utf-8")
    suite = load_suite(folder)
    outcomes = []
    for calibrated in calibrated_in(suite):
        for answer in calibrated.asked:
            said = SampleVerdict(answer.passes, f'"{answer.text[:80]}" {SENTENCE}')
            outcomes.append(outcome(calibrated, answer, calibrated.request(answer), (said,) * EACH))
    write_calibration(recording_path(suite), recording_of(outcomes, "openai", "mini"))
    return suite


def _scenario(number: int) -> object:
    answers = {
        "known_right": f"Parcel {number} weighs 3 kg. " + SENTENCE * 10,
        "known_wrong": f"Parcel {number} weighs 3 lb. " + SENTENCE * 10,
        "vague": f"Parcel {number} should be put on a scale. {SENTENCE}",
        "subtle_wrong": f"Parcel {number} weighs 3 kg, which is 3 lb. " + SENTENCE * 10,
    }
    judged = {
        "grader": "judge",
        "rubric": f"Says what parcel {number} weighs. {SENTENCE}",
        "pass_criteria": ["Gives a number of kilograms", "Names the unit beside the number"],
        "fail_criteria": ["Gives pounds", "Says only that one should weigh it"],
    }
    return {
        "id": f"weighs-{number}",
        "prompt": f"How heavy is parcel {number}? {SENTENCE}",
        "expected_behavior": [judged, {"grader": "contains", "value": "Parcel"}],
        "calibration": answers,
    }
