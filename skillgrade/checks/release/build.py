"""From a run to evidence: what it says of one skill, with every answer."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from skillgrade.checks.release.document import (
    EvidenceScenario,
    EvidenceTrial,
    RecordedVerdict,
    SkillEvidence,
    TriggerAccuracy,
)
from skillgrade.checks.release.skills import Release, catalog_of, skill_digest
from skillgrade.errors import StorageError, UserError
from skillgrade.results import evidence
from skillgrade.results.folder import RunFolder
from skillgrade.results.journal_index import JournalIndex
from skillgrade.results.records import AssertionStatus, GraderStatus, Outcome, TrialRecord
from skillgrade.skill.catalog import Scope
from skillgrade.skill.scorer import TriggerScores, score_triggers
from skillgrade.suite.load import load_suite
from skillgrade.suite.model import AssertionsSpec, JudgeSpec, Suite, Task, TriggerPrompts

HIGH = "high"
AUTHORED = "authored"
RAN, NOT_RUN = "ran", "not-run"
BEHAVIOR, POSITIVE, NEGATIVE = "behavior", "trigger-positive", "trigger-negative"
PASSES_FROM = 0.5
"""The pass rate at which a scenario counts as passed in the report's own verdict."""

_LEVELS = ("low", "medium", HIGH)
_RANKS = "trigger-rank-fork-family"
_GRADERS = {"contains": "contains", "not_contains": "not-contains", "matches_regex": "regex"}


def evidence_of_run(folder: RunFolder, release: Release, scope: Scope) -> SkillEvidence:
    """The evidence that a run gives of the one skill that it is about.

    Args:
        folder: The run.
        release: What is to be released; the run's skill is in it.
        scope: The skills among which triggers are scored.

    Raises:
        UserError: The run cannot be read, is of another skill, or its suite is not what it was.
    """
    index = JournalIndex(folder.journal)
    skill = _skill(index, release, folder)
    suite = _suite_that_ran(index, skill, folder)
    records = {info.task: [attempts[-1] for attempts in index.attempts(info.task)] for info in index.tasks}
    unknown = [task.name for task in suite.tasks if task.name not in records]
    if unknown:
        raise UserError(f"{folder.path}: did not run {', '.join(unknown)}: run all tasks of {suite.file}")
    strictness = min((strictness_of(task) for task in suite.tasks), key=_LEVELS.index)
    catalog, catalog_digest = catalog_of(release, scope)
    prompts = suite.triggers or TriggerPrompts()
    scores = score_triggers(catalog, release.id_of(skill), prompts.positive, prompts.negative)
    scenarios = (*_prompts(scores, strictness), *(_scenario(folder, task, records[task.name]) for task in suite.tasks))
    info = index.tasks[0]
    judges = _judges(records.values())
    if len(judges) > 1:
        names = ", ".join(":".join(each) for each in judges)
        raise UserError(f"{folder.path}: was judged by {names}: evidence is of one judge, so run it again with one")
    accuracy = accuracy_of(scores)
    return SkillEvidence(
        skill_id=release.id_of(skill),
        strictness=strictness,
        trials=min(each.planned for each in index.tasks),
        trigger_accuracy=accuracy,
        evidence=AUTHORED if prompts.positive and prompts.negative else "synthesized",
        scenarios=scenarios,
        verdict=verdict_of(accuracy, scenarios),
        scope=scope.value,
        skill_digest=skill_digest(skill),
        catalog_digest=catalog_digest,
        runner=info.agent,
        model=info.model or "",
        runner_prompt_version=", ".join(index.agent_versions.get(info.task, ())),
        recorded_at=index.info.started_at,
        judge_prompt_version=_judge_prompts(records.values()),
        judge=judges[0][0] if judges else None,
        judge_model=judges[0][1] if judges else None,
        run=index.info.run_id,
        tuned=index.info.tuned,
    )


def sha256(text: str) -> str:
    """The sha256 of a text, as 64 hexadecimal digits."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def accuracy_of(scores: TriggerScores) -> TriggerAccuracy:
    """How prompts fared, counted."""
    meant = [each for each in scores.prompts if each.is_meant]
    others = [each for each in scores.prompts if not each.is_meant]
    selected = Counter(each.is_meant for each in scores.prompts if each.selection.selected)
    return TriggerAccuracy(selected[True], selected[False], len(meant), len(others))


def verdict_of(accuracy: TriggerAccuracy, scenarios: Sequence[EvidenceScenario]) -> str:
    """``pass``, ``fail``, or ``incomplete`` where something did not run."""
    if any(each.status != RAN for each in scenarios):
        return "incomplete"
    triggers = (
        accuracy.positives > 0
        and accuracy.negatives > 0
        and accuracy.true_positive == accuracy.positives
        and accuracy.false_positive == 0
    )
    behave = all(each.pass_rate >= PASSES_FROM for each in scenarios if each.kind == BEHAVIOR)
    return "pass" if triggers and behave else "fail"


def _skill(index: JournalIndex, release: Release, folder: RunFolder) -> Path:
    names = [skill.name for skill in index.info.skills]
    found = [skill for skill in release.skills if skill.name in names]
    if len(found) != 1 or len(names) != 1:
        raise UserError(
            f"{folder.path}: is a run of {', '.join(names) or 'no skill'}, and {release.name} has none such"
        )
    return found[0]


def _suite_that_ran(index: JournalIndex, skill: Path, folder: RunFolder) -> Suite:
    """The evals of a skill, which with the skill must be what they were: the evidence names them as they are now."""
    suite = load_suite(skill, results=(folder.path.resolve().parent,))
    if suite.digest != index.info.suite_digest:
        raise UserError(f"{folder.path}: {skill} or its evals have changed since this run: run them again")
    return suite


def strictness_of(task: Task) -> str:
    """How strict a scenario says that it is; ``low`` where it does not say."""
    level = task.metadata.get("strictness", _LEVELS[0])
    return str(level) if level in _LEVELS else _LEVELS[0]


def _prompts(scores: TriggerScores, strictness: str) -> Iterator[EvidenceScenario]:
    numbers: Counter[str] = Counter()
    for each in scores.prompts:
        kind = POSITIVE if each.is_meant else NEGATIVE
        numbers[kind] += 1
        passed = int(each.is_right)
        yield EvidenceScenario(
            f"{kind}-{numbers[kind]}", kind, each.prompt, strictness, 1, passed, float(passed), passed, _RANKS, RAN
        )


def _scenario(folder: RunFolder, task: Task, records: Sequence[TrialRecord]) -> EvidenceScenario:
    decided = [each for each in records if each.outcome in (Outcome.PASSED, Outcome.FAILED)]
    trials = tuple(_trial(folder, task, each) for each in decided)
    passes = sum(each.passed for each in trials)
    grader = "+".join(_graders(task))
    strictness = strictness_of(task)
    if not decided or len(decided) < len(records):
        reason = f"{len(records) - len(decided)} of {len(records)} trials have no verdict"
        return EvidenceScenario(
            task.name, BEHAVIOR, task.instruction, strictness, len(records), passes, 0.0, 0, grader, NOT_RUN, reason
        )
    rate = passes / len(trials)
    return EvidenceScenario(
        task.name, BEHAVIOR, task.instruction, strictness, len(trials), passes, rate, int(passes > 0), grader, RAN,
        trial_records=trials,
    )  # fmt: skip


def _trial(folder: RunFolder, task: Task, record: TrialRecord) -> EvidenceTrial:
    attempt = folder.attempt_path(record.task, record.trial, record.attempt)
    try:
        output = evidence.load(attempt).answer or ""
    except StorageError as error:
        raise UserError(str(error)) from None
    checks = tuple(
        each.status is AssertionStatus.PASSED for result in record.grader_results for each in result.assertions
    )
    verdicts = [result for result in record.grader_results if result.grader_type == "judge"]
    judge = None
    if verdicts and verdicts[0].status is GraderStatus.OK:
        judge = RecordedVerdict("pass" if verdicts[0].score == 1 else "fail", verdicts[0].details)
    passed = all(checks) and (judge is None or judge.verdict == "pass") and bool(checks or judge)
    return EvidenceTrial(output, sha256(output), sha256(task.instruction), checks, passed, judge)


def _graders(task: Task) -> Iterator[str]:
    for spec in task.graders:
        if isinstance(spec, AssertionsSpec):
            yield from (_GRADERS.get(each.type, each.type) for each in spec.assertions)
        elif isinstance(spec, JudgeSpec):
            yield "judge"
        else:
            yield spec.type


def _judges(records: Iterable[Sequence[TrialRecord]]) -> list[tuple[str, str]]:
    """Who judged, once each."""
    found = {
        (sample.provider, sample.model): None
        for of_task in records
        for record in of_task
        for result in record.grader_results
        if result.judgement is not None
        for sample in result.judgement.samples
    }
    return list(found)


def _judge_prompts(records: Iterable[Sequence[TrialRecord]]) -> str | None:
    """The versions of the prompt that judges were asked with, as recorded; None without a judge."""
    found = {
        result.judgement.prompt_version
        for of_task in records
        for record in of_task
        for result in record.grader_results
        if result.grader_type == "judge" and result.judgement is not None
    }
    return ", ".join(sorted(found)) or None


def judged(suite: Suite) -> bool:
    """Whether a suite has a judge."""
    return any(isinstance(spec, JudgeSpec) for task in suite.tasks for spec in task.graders)
