"""Looking at a skill, an eval or a pack with every rule that there is."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from skillgrade.checks.calibration.places import PACK_FILE, pack_around
from skillgrade.checks.findings import Finding, Rule, Severity
from skillgrade.checks.integrity import advice
from skillgrade.checks.integrity.advice import advice_on
from skillgrade.checks.integrity.recorded import AG, doubts_of_recording
from skillgrade.checks.integrity.rules import RULES as INTEGRITY
from skillgrade.checks.integrity.rules import Subject, broken_rules
from skillgrade.checks.integrity.scenarios import scenarios_in
from skillgrade.checks.lint import evals, skill_file
from skillgrade.checks.lint.evals import LOADS, eval_findings
from skillgrade.checks.lint.skill_file import skill_findings
from skillgrade.errors import SuiteError, UsageError
from skillgrade.graders.assertions import keeping_workers
from skillgrade.reading import UnreadableError, read_text
from skillgrade.skill.discover import SKILL_FILE
from skillgrade.skill.frontmatter import MAX_SKILL_FILE
from skillgrade.suite.load import load_suite
from skillgrade.suite.model import Suite
from skillgrade.suite.source import SUITE_FILES

ALL_RULES: Mapping[str, Rule] = {
    rule.id: rule
    for rule in (
        *(rule for rule, _ in INTEGRITY.values()),
        AG,
        *advice.RULES,
        *skill_file.RULES,
        *evals.RULES,
    )
}
"""Every rule, by its id."""


def inspect(path: Path, *, strict: bool, allow_outside: bool) -> tuple[Finding, ...]:
    """Everything that is wrong with what is at a path.

    Args:
        path: A pack, the folder of a skill, or an eval.
        strict: Whether every finding is an error.
        allow_outside: Whether evals may refer to files outside their repository.

    Returns:
        The findings, in the order of the files, each severity as it counts there.

    Raises:
        UsageError: There is nothing to look at.
    """
    path = path.absolute()
    with keeping_workers():
        if (path / PACK_FILE).is_file():
            folders = sorted(file.parent for file in path.glob(f"skills/*/{SKILL_FILE}"))
            found = [finding for folder in folders for finding in _of_folder(folder, allow_outside=allow_outside)]
            is_pack = True
        else:
            found = list(_of_path(path, allow_outside=allow_outside))
            is_pack = pack_around(path if path.is_dir() else path.parent) is not None
    unique = dict.fromkeys(_weighed(finding, is_pack=is_pack, strict=strict) for finding in found)
    return tuple(sorted(unique, key=lambda one: (str(one.file), one.line or 0)))


def _of_path(path: Path, *, allow_outside: bool) -> Iterator[Finding]:
    if path.is_dir():
        if not (path / SKILL_FILE).is_file() and not any((path / name).is_file() for name in SUITE_FILES):
            raise UsageError(f"{path}: there is no SKILL.md, no eval and no pack.json here: name what to check")
        yield from _of_folder(path, allow_outside=allow_outside)
        return
    if path.name == SKILL_FILE:
        yield from skill_findings(path.parent)
        return
    if not path.is_file():
        raise UsageError(f"{path}: does not exist: name a pack, the folder of a skill, or an eval")
    yield from _of_eval(path, allow_outside=allow_outside)


def _of_folder(folder: Path, *, allow_outside: bool) -> Iterator[Finding]:
    """A skill and its evals; of an eval alone, the skills that it is about."""
    if (folder / SKILL_FILE).is_file():
        yield from skill_findings(folder)
    if any((folder / name).is_file() for name in SUITE_FILES):
        yield from _of_eval(folder, allow_outside=allow_outside, seen=folder)


def _of_eval(path: Path, *, allow_outside: bool, seen: Path | None = None) -> Iterator[Finding]:
    try:
        suite = load_suite(path, allow_outside=allow_outside, with_digests=False)
    except SuiteError as error:
        for problem in error.problems:
            message = f"{problem.path}: {problem.message}" if problem.path else problem.message
            yield Finding(LOADS, message, problem.file or path, problem.line)
        return
    for skill in suite.skills:
        if skill.folder != seen:
            yield from skill_findings(skill.folder)
    yield from eval_findings(suite)
    subject = subject_of(suite)
    yield from broken_rules(subject)
    yield from doubts_of_recording(subject)
    yield from advice_on(subject)


def subject_of(suite: Suite) -> Subject:
    """What the integrity rules look at in a suite."""
    skill = suite.skills[0] if len(suite.skills) == 1 else None
    text = ""
    if skill is not None:
        try:
            text = read_text(skill.folder / SKILL_FILE, MAX_SKILL_FILE)
        except UnreadableError:
            text = ""
    return Subject(suite, scenarios_in(suite), skill, text)


def _weighed(finding: Finding, *, is_pack: bool, strict: bool) -> Finding:
    rule = finding.rule
    severity = Severity.ERROR if strict else rule.pack_severity if is_pack else rule.severity
    return replace(finding, rule=replace(rule, severity=severity))
