"""`skillgrade triggers`: how well prompts reach a skill by what it says of itself, and by what agents did."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from skillgrade.cli.options import GivenPath, results_base
from skillgrade.errors import SuiteError, UsageError, UserError

if TYPE_CHECKING:
    from skillgrade.results.report import TriggerCounts
    from skillgrade.skill.model import Skill
    from skillgrade.skill.scorer import Catalog, Entry
    from skillgrade.suite.model import Suite, TriggerPrompts


@click.command(short_help="Say how well prompts reach a skill by its description.")
@click.argument("skill", required=False)
@click.option("--prompts", type=GivenPath(), metavar="FILE", help="Other prompts than those of the skill's evals.")
@click.option(
    "--scope", type=click.Choice(["bundled", "all"]), default="bundled", show_default=True,
    help="The skills that it competes with: those of this repository, or installed ones too.",
)  # fmt: skip
@click.option("--json", "as_json", is_flag=True, help="The scores as JSON.")
def command(skill: str | None, prompts: Path | None, scope: str, as_json: bool) -> int:
    """Score the prompts of SKILL (default: here) against all skills of the scope, without any agent.

    A prompt that means the skill should select it, one that does not should not. Each of the skill's own triggers is
    left out once, to see whether it still finds its way back. Where the latest run asked an agent the same, what it did
    stands beside the scores. Exit code 1 where a prompt fares as it must not.
    """
    from skillgrade.cli.exit_codes import ExitCode
    from skillgrade.cli.skill_suites import meant_paths
    from skillgrade.reports.terminal.console import make_console
    from skillgrade.reports.terminal.triggers import print_triggers, triggers_json
    from skillgrade.skill.catalog import Scope, skills_in_scope
    from skillgrade.skill.scorer import score_triggers
    from skillgrade.suite.model import TriggerPrompts

    where = Scope(scope)
    (path,) = meant_paths([skill] if skill is not None else [], where)
    suite = _suite(path)
    meant = _skill(path, suite)
    asked = _prompts(prompts, suite) or TriggerPrompts()
    if not asked.positive and not asked.negative and not meant.triggers:
        raise UsageError(
            f"{meant.folder}: has no prompts to score: write `triggers` with `positive` and `negative` into its evals, "
            "or name a file with --prompts"
        )
    catalog, entry = _catalog(skills_in_scope(meant.folder, where, Path.home()), meant)
    scores = score_triggers(catalog, entry.id, asked.positive, asked.negative)
    observed = _observed(path, suite, meant.name)
    if as_json:
        document = triggers_json(scores, observed, len(catalog.entries))
        sys.stdout.write(json.dumps(document, ensure_ascii=False, indent=2) + "\n")
    else:
        print_triggers(make_console(to_stderr=False), scores, observed, len(catalog.entries))
    return ExitCode.OK if all(each.is_right for each in scores.prompts) else ExitCode.REFUSED


def _suite(path: Path) -> Suite | None:
    """The evals at a path; None where there are none."""
    from skillgrade.suite.load import load_suite
    from skillgrade.suite.source import SUITE_FILES

    if path.is_dir() and not any((path / name).exists() for name in SUITE_FILES):
        return None
    return load_suite(path, with_digests=False)


def _skill(path: Path, suite: Suite | None) -> Skill:
    from skillgrade.skill.discover import discover_skills

    found = suite.skills if suite is not None else discover_skills(path.resolve(), None)
    if len(found) == 1:
        return found[0]
    if not found:
        raise UsageError(f"{path}: there is no SKILL.md here: name the folder of a skill")
    raise UsageError(f"{path}: holds {len(found)} skills: name one of them, or its folder")


def _prompts(given: Path | None, suite: Suite | None) -> TriggerPrompts | None:
    if given is None:
        return suite.triggers if suite is not None else None
    from skillgrade.suite.load import load_suite

    found = load_suite(given, with_digests=False).triggers
    if found is None:
        raise UsageError(f"{given}: has no prompts that say whether they should trigger")
    return found


def _catalog(skills: tuple[Skill, ...], meant: Skill) -> tuple[Catalog, Entry]:
    """All skills of the scope, the one that is meant among them."""
    from skillgrade.checks.calibration.places import pack_around
    from skillgrade.skill.scorer import Catalog, Entry

    folders = {skill.folder.resolve(): skill for skill in (*skills, meant)}
    entries = {}
    for folder, skill in folders.items():
        pack = pack_around(folder)
        entry = Entry.of_skill(skill, pack.name if pack else None)
        entries[folder] = entry
    return Catalog(entries.values()), entries[meant.folder.resolve()]


def _observed(path: Path, suite: Suite | None, skill: str) -> dict[str, TriggerCounts]:
    """By prompt, what agents did with it in the latest run; empty without one."""
    from skillgrade.results.folder import find_run_folder
    from skillgrade.results.report_file import build_report

    if suite is None:
        return {}
    base = results_base(path if path.is_dir() else path.parent, None)
    try:
        report = build_report(find_run_folder(base, "latest").journal)
    except (UserError, SuiteError):
        return {}
    prompts = {task.name: task.instruction for task in suite.tasks}
    return {
        prompts[task.info.task]: counts
        for task in report.tasks
        for counts in task.triggers
        if counts.skill == skill and task.info.task in prompts
    }
