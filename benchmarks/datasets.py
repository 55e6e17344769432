"""What a dataset of many rows costs to list: against reading its file with the standard library."""

from __future__ import annotations

import csv
import subprocess
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from benchmarks.measure import Row, Size, compare, milliseconds
from benchmarks.memory import peak_of
from skillgrade.suite.load import load_suite

ROWS = 50_000
SUITE = """\
version: "1"
tasks:
  - name: capital
    dataset: rows.csv
    instruction: What is the capital of {{ row.country }}? Write it to answer.txt.
    metadata: {tier: "{{ row.tier }}"}
    graders: [{type: deterministic, run: cat answer.txt}]
"""


def run(size: Size, folder: Path) -> Iterator[Row]:
    count = max(1000, round(ROWS * size.scale))
    with (folder / "rows.csv").open("w", newline="", encoding="utf-8") as stream:
        writer = csv.writer(stream)
        writer.writerow(["country", "capital", "tier"])
        writer.writerows([f"Country {n}", f"Capital {n}", "easy" if n % 3 else "hard"] for n in range(count))
    (folder / "eval.yaml").write_text(SUITE, encoding="utf-8")
    read = partial(milliseconds, partial(_read, folder / "rows.csv"))
    yield compare(
        "datasets",
        f"{count} rows of a csv made into tasks; floor: csv.DictReader",
        read,
        partial(milliseconds, partial(load_suite, folder, with_digests=False)),
        size.rounds,
        5.0,
    )
    listing = [sys.executable, "-m", "skillgrade", f"--file={folder}", "--list"]
    reading = [
        sys.executable,
        "-c",
        f"import csv; list(csv.DictReader(open({str(folder / 'rows.csv')!r}, newline='')))",
    ]
    case = f"skillgrade --list of {count} rows; floor: a process with csv.DictReader"
    yield compare(
        "datasets",
        case,
        partial(milliseconds, partial(subprocess.run, reading, check=True, stdout=subprocess.DEVNULL)),
        partial(milliseconds, partial(subprocess.run, listing, check=True, stdout=subprocess.DEVNULL)),
        size.rounds,
        5.0,
    )
    yield compare("datasets", f"peak of {case}", partial(peak_of, *reading), partial(peak_of, *listing), 1, None, "MB")


def _read(path: Path) -> object:
    with path.open(newline="", encoding="utf-8") as stream:
        return list(csv.DictReader(stream))
