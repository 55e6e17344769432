"""``python -m benchmarks [NAME ...] [--rounds N] [--json FILE]``: measure, print the table, write the JSON."""

from __future__ import annotations

import argparse
import dataclasses
import json
import tempfile
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from benchmarks import (
    agents,
    containers,
    datasets,
    judge_prompt,
    local,
    memory,
    model_calls,
    peer,
    recordings,
    sandboxes,
    skills,
    startup,
    transcripts,
)
from benchmarks.machine import describe
from benchmarks.measure import FULL, Row, Size, Skipped
from benchmarks.table import markdown

BENCHMARKS: dict[str, Callable[[Size, Path], Iterator[Row]]] = {
    "startup": startup.run,
    "local": local.run,
    "docker": containers.run,
    "bubblewrap": sandboxes.run,
    "skill": skills.run,
    "memory": memory.run,
    "judge_prompt": judge_prompt.run,
    "model_calls": model_calls.run,
    "recordings": recordings.run,
    "datasets": datasets.run,
    "agents": agents.run,
    "transcripts": transcripts.run,
    "peer": peer.run,
}


def measure(names: Iterable[str], size: Size, show: Callable[[Row], None]) -> list[Row]:
    """Run benchmarks; what cannot be measured here is a row that says why."""
    rows = []
    with tempfile.TemporaryDirectory(prefix="benchmarks-") as scratch:
        for name in names:
            folder = Path(scratch, name)
            folder.mkdir()
            try:
                for row in BENCHMARKS[name](size, folder):
                    show(row)
                    rows.append(row)
            except Skipped as reason:
                rows.append(Row(name, "-", note=f"skipped: {reason}"))
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(BENCHMARKS)}; all by default")
    parser.add_argument("--rounds", type=int, default=FULL.rounds, help="pairs of floor and skillgrade")
    parser.add_argument("--json", type=Path, default=Path("benchmarks.json"), help="where the figures go")
    given = parser.parse_args()
    unknown = [name for name in given.names if name not in BENCHMARKS]
    if unknown:
        parser.error(f"no such benchmark: {', '.join(unknown)}")
    size = dataclasses.replace(FULL, rounds=given.rounds)
    rows = measure(given.names or BENCHMARKS, size, lambda row: print(markdown([row]).splitlines()[-1], flush=True))
    machine = describe()
    print(f"\n{', '.join(f'{name} {value}' for name, value in machine.items())}\n\n{markdown(rows)}")
    document = {"machine": machine, "rows": [dataclasses.asdict(row) for row in rows]}
    given.json.write_text(json.dumps(document, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
