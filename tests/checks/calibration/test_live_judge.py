"""The canned answers put to a real provider, where somebody asks for it: it costs money and needs the network.

SKILLGRADE_LIVE_JUDGE=1 runs it with the provider and model in SKILLGRADE_LIVE_JUDGE_NAME (``anthropic:MODEL``), or with
the newest small model of gemini, and with that provider's key.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from skillgrade.checks.calibration.run import calibrate
from skillgrade.checks.calibration.scenarios import calibrated_in
from skillgrade.engine.judging import open_judging
from skillgrade.judges.base import Judge, Verdicts
from skillgrade.results.redaction import Redactor, secret_values
from skillgrade.stop import Stop
from tests.checks.calibration.test_calibration import suite

pytestmark = pytest.mark.skipif(
    os.environ.get("SKILLGRADE_LIVE_JUDGE") != "1", reason="SKILLGRADE_LIVE_JUDGE=1 asks a real judge"
)


def test_a_real_judge_is_right_about_the_canned_answers(tmp_path: Path) -> None:
    provider, _, model = os.environ.get("SKILLGRADE_LIVE_JUDGE_NAME", "gemini").partition(":")
    asked, judge, stop = suite(tmp_path), Judge(provider, model or None), Stop()
    redactor = Redactor(secret_values({}, os.environ))
    with open_judging({judge}, Verdicts.LIVE, asked.file, os.environ, redactor, "", stop) as judging:
        found = calibrate(calibrated_in(asked), judge, 3, judging, os.environ, redactor, 4, lambda _: None, stop)
    assert {each.kind.value: each.mismatch for each in found if each.mismatch} == {}
