"""Where cases to be diagnosed come from: a file, or the failed trials of a run."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from skillgrade.diagnostics.model import Case, Result, Status
from skillgrade.errors import StorageError, UserError
from skillgrade.reading import UnreadableError, read_text
from skillgrade.results import evidence
from skillgrade.results.evidence import Evidence
from skillgrade.results.folder import RunFolder
from skillgrade.results.journal_index import JournalIndex
from skillgrade.results.records import AssertionResult, AssertionStatus, GraderResult, Outcome, TrialRecord

_LARGEST = 64 * 1024 * 1024
_BROKEN = ("Assertion raised error", "Unknown assertion type")
_STATUSES = {
    AssertionStatus.PASSED: Status.PASSED,
    AssertionStatus.FAILED: Status.FAILED,
    AssertionStatus.ERROR: Status.BROKEN,
}
_ORACLE: Mapping[object, bool | None] = {"pass": True, "fail": False, None: None}


@dataclass(frozen=True, slots=True)
class TrialCase:
    """A failed trial: its task, its number, and the case."""

    task: str
    trial: int
    case: Case


def read_case(path: Path) -> Case:
    """A case from a file: ``prompt``, ``output``, ``assertions``, ``results``, ``tools`` and ``oracle``.

    Raises:
        UserError: It cannot be read, or is no such case.
    """
    try:
        document = json.loads(read_text(path, _LARGEST))
    except UnreadableError as error:
        raise UserError(f"{path}: {error}") from None
    except (ValueError, RecursionError) as error:
        raise UserError(f"{path}: is not valid JSON: {error}") from None
    reader = _CaseReader(path)
    return reader.case(document)


class _CaseReader:
    def __init__(self, path: Path) -> None:
        self._path = path

    def case(self, document: Any) -> Case:
        if not isinstance(document, dict):
            self._refuse("the file", "an object")
        results = document.get("results")
        if not isinstance(results, list):
            self._refuse("results", "a list of what came of the assertions")
        listed = document.get("assertions") or []
        groups = [each.get("group") if isinstance(each, dict) else None for each in listed]
        read = [self._result(each, number) for number, each in enumerate(results)]
        grouped = [
            replace(each, group=groups[number]) if each.group is None and number < len(groups) else each
            for number, each in enumerate(read)
        ]
        tools = document.get("tools")
        if tools is not None and not (isinstance(tools, list) and all(isinstance(each, str) for each in tools)):
            self._refuse("tools", "a list of names, or null")
        oracle = document.get("oracle")
        if not isinstance(oracle, str | None) or oracle not in _ORACLE:
            self._refuse("oracle", '"pass", "fail" or null')
        return Case(
            prompt=self._text(document, "prompt"),
            output=self._text(document, "output"),
            results=tuple(grouped),
            tools=None if tools is None else tuple(tools),
            oracle=_ORACLE[oracle],
        )

    def _result(self, item: Any, number: int) -> Result:
        where = f"results[{number}]"
        if not isinstance(item, dict) or not isinstance(item.get("passed"), bool):
            self._refuse(where, "an object with `type`, `target` and `passed`")
        target, weight, detail = item.get("target"), item.get("weight", 1.0), str(item.get("detail") or "")
        if isinstance(weight, bool) or not isinstance(weight, int | float):
            self._refuse(f"{where}.weight", "a number")
        status = Status.PASSED if item["passed"] else Status.BROKEN if detail.startswith(_BROKEN) else Status.FAILED
        group = item.get("group")
        return Result(
            type=str(item.get("type") or ""),
            target=target if isinstance(target, str) else json.dumps(target, ensure_ascii=False),
            weight=float(weight),
            status=status,
            detail=detail,
            group=group if isinstance(group, str) else None,
            negated=item.get("not") is True,
        )

    def _text(self, document: Mapping[str, Any], key: str) -> str:
        value = document.get(key)
        if not isinstance(value, str):
            self._refuse(key, "text")
        return str(value)

    def _refuse(self, what: str, wanted: str) -> None:
        raise UserError(f"{self._path}: {what} must be {wanted}")


def failed_trials(folder: RunFolder) -> Iterator[TrialCase]:
    """The failed trials of a run, in the order of its tasks.

    Raises:
        UserError: The run cannot be read.
    """
    index = JournalIndex(folder.journal)
    for info in index.tasks:
        for attempts in index.attempts(info.task):
            record = attempts[-1]
            if record.outcome is Outcome.FAILED or _has_broken(record):
                kept = _kept(folder, record)
                if kept is not None:
                    yield TrialCase(info.task, record.trial, trial_case(record, kept))


def trial_case(record: TrialRecord, kept: Evidence) -> Case:
    """A trial as a case: what its assertions said, and the failed checks of its other graders."""
    results = [result for grader in record.grader_results for result in _results(grader)]
    tools = None if kept.calls is None else tuple(call.tool for call in kept.calls)
    return Case(kept.instruction, kept.answer or "", tuple(results), tools)


def _results(grader: GraderResult) -> Iterator[Result]:
    if grader.assertions:
        yield from map(_of_assertion, grader.assertions)
        return
    checks = [each for each in grader.checks if not each.passed]
    for check in checks:
        yield Result(grader.grader_type, check.name, grader.weight, Status.FAILED, check.message)
    if not checks and grader.score is not None and grader.score < 1:
        yield Result(grader.grader_type, grader.details, grader.weight, Status.FAILED, grader.details)


def _of_assertion(result: AssertionResult) -> Result:
    return Result(
        result.type,
        result.target,
        result.weight,
        _STATUSES[result.status],
        result.detail,
        result.group,
        result.negated,
    )


def _has_broken(record: TrialRecord) -> bool:
    return any(each.status is AssertionStatus.ERROR for grader in record.grader_results for each in grader.assertions)


def _kept(folder: RunFolder, record: TrialRecord) -> Evidence | None:
    """What was kept of a trial's last turn; None where nothing was."""
    attempt = folder.attempt_path(record.task, record.trial, record.attempt)
    places = [path.parent for path in attempt.glob(f"turn-*/{evidence.FILE}")]
    place = max(places, key=lambda path: (len(path.name), path.name), default=attempt)
    try:
        return evidence.load(place) if (place / evidence.FILE).is_file() else None
    except StorageError:
        return None
