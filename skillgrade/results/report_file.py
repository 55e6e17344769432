"""`report.json`: made from a run's journal one trial at a time, and read back."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import count
from pathlib import Path

from skillgrade.errors import UserError
from skillgrade.reading import reason
from skillgrade.results.compared_runs import compare_runs
from skillgrade.results.comparison import Comparison
from skillgrade.results.encoding import FormatError, decode, dump, encode, load_document, require_format
from skillgrade.results.folder import RunFolder
from skillgrade.results.journal_index import JournalIndex
from skillgrade.results.report import REPORT_FORMAT, RunReport, TrialReport
from skillgrade.results.summary import RegradeCounts, Usage, task_report, totals, trial_report
from skillgrade.storage import replace_file


def write_report(folder: RunFolder) -> RunReport:
    """Make the report of a run from its journal and write it.

    The trials of the returned report are read from the journal whenever they are iterated over.

    Raises:
        UserError: The run has no journal that can be read.
        StorageError: The report could not be written; an earlier one stands.
    """
    report = build_report(folder.journal)
    replace_file(folder.report, render_report(report))
    return report


def keep_report(folder: RunFolder) -> Path:
    """Keep the report of a run under a number, for a new one is going to take its place.

    Where a killed run has no report, the one is kept that its journal gives.

    Returns:
        ``report-<n>.json``, with n counting up from 1.

    Raises:
        UserError: There is neither a report nor a journal that can be read.
        StorageError: It could not be written.
    """
    taken = {path.name for path in folder.path.glob("report-*.json")}
    number = next(number for number in count(1) if f"report-{number}.json" not in taken)
    kept = folder.path / f"report-{number}.json"
    try:
        earlier: Iterable[bytes] = [folder.report.read_bytes()]
    except FileNotFoundError:
        earlier = render_report(build_report(folder.journal))
    except OSError as error:
        raise UserError(f"{folder.report}: cannot be read ({reason(error)})") from error
    replace_file(kept, earlier)
    return kept


def build_report(journal: Path) -> RunReport:
    """The report of a run as its journal, and that of its baseline, have it now; nothing is written.

    Raises:
        UserError: The journal cannot be read.
    """
    index = JournalIndex(journal)
    usage, regrades = Usage(), RegradeCounts()
    planned = [
        replace(info, agent_version=", ".join(index.agent_versions.get(info.task, ())) or None) for info in index.tasks
    ]
    tasks = tuple(
        task_report(info, index.histories(info.task), _JournalTrials(index, info.task), usage, regrades)
        for info in planned
    )
    return RunReport(
        info=index.info,
        duration_ms=sum(end.duration_ms for end in index.ends) if index.ends else None,
        interrupted=index.interrupted,
        agent=_common({task.agent for task in planned}),
        agent_version=_common({task.agent_version for task in planned}),
        model=_common({task.model for task in planned}),
        provider=_common({task.provider for task in planned}),
        isolation=_common({task.isolation for task in planned}),
        images=tuple(sorted({image for task in tasks for image in task.images})),
        skipped_lines=index.skipped_lines,
        judges=tuple(sorted({judge for task in tasks for judge in task.judges})),
        regrades=regrades.totals(),
        totals=totals(tasks, usage),
        tasks=tasks,
        baseline=_baseline(index),
    )


def load_report(path: Path) -> RunReport:
    """Read a report.

    Args:
        path: A `report.json`.

    Raises:
        UserError: There is none, or it is torn, foreign or of a newer format.
    """
    try:
        document = load_document(path.read_bytes())
        require_format(document, REPORT_FORMAT)
        return decode(RunReport, document)
    except OSError as error:
        raise UserError(f"{path}: cannot be read ({reason(error)}): is this the report of a run?") from error
    except FormatError as error:
        raise UserError(f"{path}: not a report that this version can read: {error}") from error


@dataclass(frozen=True, slots=True)
class _JournalTrials:
    """The trials of a task, read from the journal at each iteration."""

    index: JournalIndex
    task: str

    def __iter__(self) -> Iterator[TrialReport]:
        return map(trial_report, self.index.histories(self.task))


def _baseline(index: JournalIndex) -> Comparison | None:
    """The run compared with its baseline, if it has one that is still there."""
    if index.info.baseline_run is None:
        return None
    journal = RunFolder(index.path.parent).beside(index.info.baseline_run).journal
    return compare_runs(JournalIndex(journal), index) if journal.is_file() else None


def _common(values: set[str | None] | set[str]) -> str | None:
    return next(iter(values)) if len(values) == 1 else None


def render_report(report: RunReport) -> Iterator[bytes]:
    """The report's document in pieces: a line per field, then a line per task and trial."""
    yield b"{\n"
    for name, value in encode(report).items():
        yield dump(name) + b": " + dump(value) + b",\n"
    yield b'"tasks": ['
    for position, task in enumerate(report.tasks):
        yield (b",\n" if position else b"\n") + dump(encode(task))[:-1] + b',"trials":['
        for number, trial in enumerate(task.trials):
            yield (b",\n" if number else b"\n") + dump(encode(trial))
        yield b"]}"
    yield b"\n]\n}\n"
