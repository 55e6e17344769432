"""A whole run: its trials, attempt by attempt, and the numbers of its report."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from skillgrade.checks.rederive.disagreement import Disagreement, differing
from skillgrade.checks.rederive.graders import rederived
from skillgrade.errors import StorageError
from skillgrade.graders.assertions import keeping_workers
from skillgrade.graders.verdict import weigh
from skillgrade.reading import UnreadableError, read_bytes
from skillgrade.results import evidence
from skillgrade.results.encoding import FormatError, load_document
from skillgrade.results.evidence import Evidence
from skillgrade.results.folder import RunFolder
from skillgrade.results.journal_index import JournalIndex
from skillgrade.results.records import Outcome, TrialRecord
from skillgrade.results.report_file import build_report, render_report
from skillgrade.results.run_info import TaskInfo
from skillgrade.suite.model import Suite, Task

_LARGEST = 1024 * 1024 * 1024
_VERDICTS = (Outcome.PASSED, Outcome.FAILED)


def verify_run(folder: RunFolder, suite: Suite | None) -> tuple[Disagreement, ...]:
    """Derive every number of a run once more, and name those that disagree. No model is asked.

    Args:
        folder: The run.
        suite: The suite as it is now, where it is still what the run ran; with it assertions are evaluated again.

    Raises:
        UserError: The run cannot be read.
    """
    index = JournalIndex(folder.journal)
    tasks = {} if suite is None else {task.name: task for task in suite.tasks}
    with keeping_workers():
        found = [
            each
            for info in index.tasks
            for attempts in index.attempts(info.task)
            for record in attempts
            for each in _of_record(folder, info, record, tasks.get(info.task))
        ]
    return (*found, *_of_report(folder))


def _of_record(folder: RunFolder, info: TaskInfo, record: TrialRecord, task: Task | None) -> Iterator[Disagreement]:
    place = f"{record.task} #{record.trial}" + (f" attempt {record.attempt}" if record.attempt else "")
    kept = _evidence(folder, record)
    if record.prompt_digest is not None and kept:
        said = evidence.prompt_digest(each.instruction for each in kept)
        yield from differing(folder.journal, f"{place} prompt_digest", record.prompt_digest, said)
    if record.output_digest is not None and kept:
        answer = evidence.output_digest(kept[-1].answer or "")
        yield from differing(folder.journal, f"{place} output_digest", record.output_digest, answer)
    specs = {} if task is None else {spec.index: spec for spec in task.graders}
    by_turn = {each.turn: each for each in kept}
    for result in record.grader_results:
        spec = specs.get(result.grader)
        yield from rederived(folder.journal, place, result, spec, by_turn.get(result.turn))
    if record.outcome in _VERDICTS and record.grader_results:
        timed_out = record.agent is not None and record.agent.timed_out
        verdict = weigh(record.grader_results, info.pass_threshold, timed_out)
        yield from differing(folder.journal, f"{place} outcome", record.outcome.value, verdict.outcome.value)
        yield from differing(folder.journal, f"{place} reward", record.reward, verdict.reward)
        if record.answered_reward is not None:
            yield from differing(
                folder.journal, f"{place} answered_reward", record.answered_reward, verdict.answered_reward
            )


def _evidence(folder: RunFolder, record: TrialRecord) -> list[Evidence]:
    """What was kept of an attempt, turn by turn; nothing where it left nothing."""
    attempt = folder.attempt_path(record.task, record.trial, record.attempt)
    places = sorted((path.parent for path in attempt.glob(f"turn-*/{evidence.FILE}")), key=_turn) or [attempt]
    try:
        return [evidence.load(place) for place in places if (place / evidence.FILE).is_file()]
    except StorageError:
        return []


def _turn(folder: Path) -> int:
    number = folder.name.rpartition("-")[2]
    return int(number) if number.isdecimal() else 0


def _of_report(folder: RunFolder) -> Iterator[Disagreement]:
    """What of report.json is not what the journal gives."""
    if not folder.report.is_file():
        return
    try:
        recorded = load_document(read_bytes(folder.report, _LARGEST))
    except (UnreadableError, FormatError) as error:
        yield Disagreement(folder.report, "the report", str(error), "a report")
        return
    derived: Mapping[str, Any] = json.loads(b"".join(render_report(build_report(folder.journal))))
    yield from _compare(folder.report, "", recorded, derived)


def _compare(file: Path, place: str, recorded: object, derived: object) -> Iterator[Disagreement]:
    if isinstance(recorded, dict) and isinstance(derived, dict):
        for key in (*derived, *(key for key in recorded if key not in derived)):
            step = f"{place}.{key}" if place else str(key)
            yield from _compare(file, step, recorded.get(key), derived.get(key))
    elif isinstance(recorded, list) and isinstance(derived, list) and len(recorded) == len(derived):
        for number, (one, other) in enumerate(zip(recorded, derived, strict=True)):
            yield from _compare(file, f"{place}[{_name(other, number)}]", one, other)
    else:
        yield from differing(file, place, recorded, derived)


def _name(item: object, number: int) -> object:
    """What a list calls its item: its name, where it has one."""
    return item.get("task", number) if isinstance(item, dict) and "trials" in item else number
