"""What a large skill costs: one copy per run, so that a further trial costs no further copy."""

from __future__ import annotations

import shutil
import statistics
from collections.abc import Iterator
from pathlib import Path

from benchmarks.containers import base_image
from benchmarks.measure import Row, Size, Skipped, milliseconds
from benchmarks.sandboxes import program
from benchmarks.suites import run_suite, write_suite

BYTES = 40_000_000
_FEW, _MANY = 2, 10


def run(size: Size, folder: Path) -> Iterator[Row]:
    content = max(2_000_000, round(BYTES * size.scale))
    source = write_suite(folder / "source", 1, 1, "local", content)
    target = folder / "copy.bin"
    for provider, needs in {"local": None, "bubblewrap": program, "docker": base_image}.items():
        case = f"{content // 1_000_000} MB of skill, provider {provider}: each further trial, in copies of it"
        try:
            if needs is not None:
                needs()
        except Skipped as reason:
            yield Row("skill", case, note=f"skipped: {reason}")
            continue
        copies, extras = [], []
        for _ in range(size.rounds):
            copies.append(milliseconds(lambda: shutil.copyfile(source / "data.bin", target)))
            with_skill = _further_trial(folder / f"{provider}-big", provider, content)
            without = _further_trial(folder / f"{provider}-small", provider, 1000)
            extras.append(max(0.0, with_skill - without))
        ratios = [extra / copy for extra, copy in zip(extras, copies, strict=True)]
        yield Row(
            "skill",
            case,
            statistics.median(copies),
            statistics.median(extras),
            ratio=statistics.median(ratios),
            spread=(min(ratios), max(ratios)),
            target=0.5,
        )


def _further_trial(folder: Path, provider: str, content: int) -> float:
    def took(trials: int) -> float:
        suite = write_suite(folder / str(trials), 1, trials, provider, content)
        return milliseconds(lambda: run_suite(suite, 1))

    few, many = took(_FEW), took(_MANY)
    return (many - few) / (_MANY - _FEW)
