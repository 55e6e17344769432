"""What a large skill costs: one copy per run, so that a further trial with it costs what one with a tiny skill does."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path

from benchmarks.containers import base_image
from benchmarks.measure import Row, Size, Skipped, compare
from benchmarks.sandboxes import program
from benchmarks.suites import trial_milliseconds, write_suite

BYTES = 40_000_000
TRIALS = {"local": 50, "bubblewrap": 30, "docker": 15}


def run(size: Size, folder: Path) -> Iterator[Row]:
    content = max(2_000_000, round(BYTES * size.scale))
    for provider, needs in {"local": None, "bubblewrap": program, "docker": base_image}.items():
        case = f"each further trial with a skill of {content // 1_000_000} MB, provider {provider}; floor: of 1 kB"
        try:
            if needs is not None:
                needs()
        except Skipped as reason:
            yield Row("skill", case, note=f"skipped: {reason}")
            continue
        trials = size.trials(TRIALS[provider])
        large = write_suite(folder / f"{provider}-large", 1, trials, provider, content)
        small = write_suite(folder / f"{provider}-small", 1, trials, provider, 1000)
        yield compare(
            "skill",
            case,
            partial(trial_milliseconds, small, 1, trials),
            partial(trial_milliseconds, large, 1, trials),
            size.rounds,
            1.3,
        )
