"""The evidence of one skill, question by question, against the policy and the files as they are now.

The order is fixed: what makes later questions meaningless is asked first. None of them asks a model.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from skillgrade.agents.model_prompt import RUNNER_PROMPT_VERSION
from skillgrade.checks.calibration.audit import Demands, audit_recording
from skillgrade.checks.findings import Severity
from skillgrade.checks.inspection import inspect
from skillgrade.checks.release.build import (
    AUTHORED,
    BEHAVIOR,
    HIGH,
    NEGATIVE,
    POSITIVE,
    RAN,
    accuracy_of,
    judged,
    sha256,
    strictness_of,
    verdict_of,
)
from skillgrade.checks.release.document import EvidenceScenario, EvidenceTrial, SkillEvidence
from skillgrade.checks.release.policy import Policy
from skillgrade.checks.release.skills import Release, catalog_of, skill_digest, suite_of
from skillgrade.errors import SuiteError, UserError
from skillgrade.graders.assertions import Subjects, check_assertions, keeping_workers
from skillgrade.judges.scenario import SCENARIO_PROMPT_VERSION
from skillgrade.results.records import AssertionStatus
from skillgrade.skill.discover import SKILL_FILE
from skillgrade.skill.scorer import score_triggers
from skillgrade.suite.model import AssertionsSpec, JudgeSpec, Suite, Task, TriggerPrompts

_CLOSE = 1e-9
_MODEL_AGENT = "model"


@dataclass(frozen=True, slots=True)
class Evidence:
    """What is asked about.

    Attributes:
        release: What is to be released.
        skill: The folder of the skill.
        report: Its evidence.
        policy: What is asked of it.
    """

    release: Release
    skill: Path
    report: SkillEvidence
    policy: Policy


def reasons_against(release: Release, skill: Path, reports: Sequence[SkillEvidence], policy: Policy) -> Iterator[str]:
    """Why a skill may not be released, in the order of the questions; nothing where it may.

    Args:
        release: What is to be released.
        skill: The folder of the skill.
        reports: The evidence of all its skills.
        policy: What is asked of it.
    """
    identity = release.id_of(skill)
    found = [each for each in reports if each.skill_id == identity]
    if len(found) != 1:
        what = "has no evidence" if not found else f"has {len(found)} reports"
        yield f"{identity}: {what}; write it with `skillgrade gate {release.folder} --from=RUN`"
        return
    asked = Evidence(release, skill, found[0], policy)
    with keeping_workers():
        for question in _QUESTIONS:
            try:
                yield from (f"{identity}: {reason}" for reason in question(asked))
            except (SuiteError, UserError) as error:
                yield f"{identity}: {error}"
                return


def _not_tuned(asked: Evidence) -> Iterator[str]:
    if asked.report.tuned:
        yield "the run is one by which the skill was tuned, so it proves nothing: run tasks that the skill never saw"


def _contract(asked: Evidence) -> Iterator[str]:
    report = asked.report
    derived = verdict_of(report.trigger_accuracy, report.scenarios)
    if report.verdict != derived:
        yield f'says "{report.verdict}", and its own numbers say "{derived}"'
    for kind, count in ((POSITIVE, report.trigger_accuracy.positives), (NEGATIVE, report.trigger_accuracy.negatives)):
        if len(report.prompts(kind)) != count:
            yield f"counts {count} {kind} prompts and has {len(report.prompts(kind))}"
    if report.verdict != "pass":
        yield f'its verdict is "{report.verdict}"'


def _conditions(asked: Evidence) -> Iterator[str]:
    report, policy = asked.report, asked.policy
    if report.evidence != AUTHORED:
        yield "its prompts are not authored: write positive and negative `triggers`"
    if report.strictness != HIGH:
        yield f'its strictness is "{report.strictness}"; every scenario needs "{HIGH}"'
    if report.trials < policy.min_trials:
        yield f"it has {report.trials} trials of {policy.min_trials}"
    if report.scope != policy.scope.value:
        yield f'its scope is "{report.scope}", and the policy asks for "{policy.scope}"'


def _runner(asked: Evidence) -> Iterator[str]:
    report = asked.report
    if not report.runner or not report.model:
        yield "does not say who answered: run it with an agent and a model"
    elif not asked.policy.allows_runner(report.runner, report.model):
        allowed = ", ".join(map(str, asked.policy.runners))
        yield f"{report.runner}:{report.model} answered, and the policy allows {allowed}"


def _files(asked: Evidence) -> Iterator[str]:
    if not (asked.skill / SKILL_FILE).is_file():
        raise UserError(f"{asked.skill}: there is no {SKILL_FILE}")
    if asked.report.skill_digest != skill_digest(asked.skill):
        yield "SKILL.md or its evals have changed since the run"
    suite_of(asked.skill)


def _same_questions(asked: Evidence) -> Iterator[str]:
    suite = suite_of(asked.skill)
    now, then = {task.name for task in suite.tasks}, {each.id for each in asked.report.behavior}
    for name in sorted(now - then):
        yield f'the scenario "{name}" has not run'
    for name in sorted(then - now):
        yield f'the scenario "{name}" is not there any more'
    for task in suite.tasks:
        if strictness_of(task) != HIGH:
            yield f'the scenario "{task.name}" has the strictness "{strictness_of(task)}"; it needs "{HIGH}"'
    prompts = suite.triggers or TriggerPrompts()
    for kind, texts in ((POSITIVE, prompts.positive), (NEGATIVE, prompts.negative)):
        if asked.report.prompts(kind) != sorted(texts):
            yield f"the {kind} prompts have changed since the run"
    if not any(each.status == RAN for each in asked.report.behavior):
        yield "no scenario ran"


def _prompt_versions(asked: Evidence) -> Iterator[str]:
    report = asked.report
    if report.runner == _MODEL_AGENT and report.runner_prompt_version != RUNNER_PROMPT_VERSION:
        yield f"the agent was told {report.runner_prompt_version or 'nothing'}, and it is {RUNNER_PROMPT_VERSION} now"
    if not report.runner_prompt_version:
        yield "does not say which version of the agent answered"
    for each in report.behavior:
        if each.status == RAN and each.trials < asked.policy.min_trials:
            yield f'"{each.id}" has {each.trials} trials of {asked.policy.min_trials}'


def _judge(asked: Evidence) -> Iterator[str]:
    if not judged(suite_of(asked.skill)):
        return
    report = asked.report
    if not report.judge or not report.judge_model:
        yield "does not say who judged"
    elif not asked.policy.allows_judge(report.judge, report.judge_model):
        allowed = ", ".join(
            f"{each.provider}:{each.model}" if each.model else each.provider for each in asked.policy.judges
        )
        yield f"{report.judge}:{report.judge_model} judged, and the policy allows {allowed}"
    if report.judge_prompt_version != SCENARIO_PROMPT_VERSION:
        version = report.judge_prompt_version or "nothing"
        yield f"the judge was asked with the prompt {version}, and it is {SCENARIO_PROMPT_VERSION} now"


def _records(asked: Evidence) -> Iterator[str]:
    tasks = {task.name: task for task in suite_of(asked.skill).tasks}
    for name, asking in tasks.items():
        others = sorted({spec.type for spec in asking.graders if not isinstance(spec, AssertionsSpec | JudgeSpec)})
        if others:
            yield f'"{name}" is graded by {", ".join(others)} too, of which evidence shows nothing'
    for each in asked.report.behavior:
        if each.status != RAN:
            continue
        if not each.trial_records:
            yield f'"{each.id}" has no trial records'
        elif (task := tasks.get(each.id)) is not None:
            yield from (f'"{each.id}": {reason}' for reason in _record_faults(each, task))


def _record_faults(scenario: EvidenceScenario, task: Task) -> Iterator[str]:
    if len(scenario.trial_records) != scenario.trials:
        yield f"says {scenario.trials} trials and has records of {len(scenario.trial_records)}"
    for number, trial in enumerate(scenario.trial_records):
        yield from (f"trial {number} {fault}" for fault in _trial_faults(trial, task))
    passes = sum(trial.passed for trial in scenario.trial_records)
    if scenario.passes != passes:
        yield f"says {scenario.passes} passes, and its records show {passes}"
    if scenario.trials and not math.isclose(scenario.pass_rate, passes / scenario.trials, abs_tol=_CLOSE):
        yield f"says a pass rate of {scenario.pass_rate:g}, and its records show {passes / scenario.trials:g}"
    if scenario.pass_at_k != int(passes > 0):
        yield f"says {scenario.pass_at_k} for pass@k, and its records show {int(passes > 0)}"


def _trial_faults(trial: EvidenceTrial, task: Task) -> Iterator[str]:
    if trial.output_sha256 != sha256(trial.output):
        yield "has another output than its digest names"
    if trial.prompt_sha256 != sha256(task.instruction):
        yield "answers another prompt than the scenario's"
    asked = [each for spec in task.graders if isinstance(spec, AssertionsSpec) for each in spec.assertions]
    results = check_assertions(asked, Subjects.of_answer(trial.output))
    checks = tuple(each.status is AssertionStatus.PASSED for each in results)
    if checks != trial.deterministic:
        yield "says otherwise of its checks than its output shows"
    has_judge = any(isinstance(spec, JudgeSpec) for spec in task.graders)
    if has_judge and trial.judge is None and trial.output.strip():
        yield "has no verdict of the judge"
    if trial.judge is not None and trial.judge.error is not None and trial.judge.verdict == "pass":
        yield "passed though its judge gave no verdict"
    if trial.passed and not trial.output.strip():
        yield "passed without an answer"
    verdict = trial.judge.verdict == "pass" if trial.judge is not None else not has_judge
    if trial.passed != (all(trial.deterministic) and verdict):
        yield f"says that it {'passed' if trial.passed else 'failed'}, and its checks and its verdict say otherwise"


def _floor(asked: Evidence) -> Iterator[str]:
    for each in asked.report.behavior:
        if each.status == RAN and each.trial_records:
            rate = sum(trial.passed for trial in each.trial_records) / len(each.trial_records)
            if rate < asked.policy.floor:
                yield f'"{each.id}" passed {rate:.0%} of its trials, and the floor is {asked.policy.floor:.0%}'


def _triggers(asked: Evidence) -> Iterator[str]:
    suite = suite_of(asked.skill)
    catalog, digest = catalog_of(asked.release, asked.policy.scope)
    prompts = suite.triggers or TriggerPrompts()
    scores = score_triggers(catalog, asked.release.id_of(asked.skill), prompts.positive, prompts.negative)
    now = accuracy_of(scores)
    recorded = {(each.kind, each.prompt): each.passes for each in asked.report.scenarios if each.kind != BEHAVIOR}
    fresh = {(POSITIVE if one.is_meant else NEGATIVE, one.prompt): int(one.is_right) for one in scores.prompts}
    if now != asked.report.trigger_accuracy or recorded != fresh:
        stale = " (other skills have changed since)" if digest != asked.report.catalog_digest else ""
        yield f"its triggers score otherwise now than when they were recorded{stale}"


def _integrity(asked: Evidence) -> Iterator[str]:
    for finding in inspect(asked.skill, strict=False, allow_outside=False):
        if finding.rule.severity is Severity.ERROR:
            yield f"{finding.rule.id}: {finding.message}"


def _recording(asked: Evidence) -> Iterator[str]:
    suite: Suite = suite_of(asked.skill)
    for doubt in audit_recording(suite, Demands(asked.policy.samples, asked.policy.judges)):
        yield doubt.message


_QUESTIONS: tuple[Callable[[Evidence], Iterator[str]], ...] = (
    _not_tuned,
    _contract,
    _conditions,
    _runner,
    _files,
    _same_questions,
    _prompt_versions,
    _judge,
    _records,
    _floor,
    _triggers,
    _integrity,
    _recording,
)
