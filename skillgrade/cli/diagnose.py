"""`skillgrade diagnose`: say why trials failed, and what to change in SKILL.md."""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from skillgrade.cli.options import GivenPath, JudgeName, eval_folder, results_base
from skillgrade.errors import UsageError

if TYPE_CHECKING:
    from skillgrade.diagnostics.cases import TrialCase
    from skillgrade.diagnostics.model import Case
    from skillgrade.skill.model import Skill


@click.command(short_help="Say why trials failed, and what to change in SKILL.md.")
@click.argument("run", default="latest")
@click.option(
    "--input", "given", type=GivenPath(), metavar="FILE", help="Diagnose this piece of work instead of a run."
)
@click.option("--skill", type=GivenPath(), metavar="SKILL.md", help="The skill, if not that of the evals here.")
@click.option("-f", "--file", "file", type=GivenPath(), help="The eval file, or its folder (default: here).")
@click.option("--output", type=GivenPath(), help="Where the runs are, if not beside the file.")
@click.option("--explain", is_flag=True, help="Let a model add what the rules cannot see.")
@click.option("--judge", type=JudgeName(), metavar="PROVIDER:MODEL", help="The model that explains.")
@click.option(
    "--json", "as_json", is_flag=True, help="The diagnoses as JSON; `skillgrade schema diagnosis` has the form."
)
def command(run: str, **values: Any) -> int:
    """Say why each failed trial of RUN (default: latest) failed, by rules: what SKILL.md asks for and the work lacks.

    Equal texts come once. Where nothing failed, nothing is printed. Exit code 1 where something is diagnosed.
    """
    from skillgrade.cli.exit_codes import ExitCode
    from skillgrade.diagnostics.cases import TrialCase, failed_trials, read_case
    from skillgrade.diagnostics.diagnose import diagnose
    from skillgrade.diagnostics.document import diagnosis_json
    from skillgrade.diagnostics.lookup import SkillText
    from skillgrade.diagnostics.text import diagnostic_text
    from skillgrade.reports.terminal.text import printable
    from skillgrade.results.folder import find_run_folder

    if values["explain"] and (values["judge"] is None or values["judge"][1] is None):
        raise UsageError("--explain needs --judge=PROVIDER:MODEL: who explains")
    if values["judge"] is not None and not values["explain"]:
        raise UsageError("--judge has no effect without --explain")
    skill, text = _skill(values)
    if values["given"] is not None:
        cases = [TrialCase("", 0, read_case(values["given"]))]
    else:
        cases = list(failed_trials(find_run_folder(results_base(eval_folder(values["file"]), values["output"]), run)))
    lookup = SkillText(text, skill.description if skill is not None else "")
    found: dict[str, list[TrialCase]] = {}
    documents: dict[str, Mapping[str, object]] = {}
    for each in cases:
        diagnosis = diagnose(each.case, skill.name if skill is not None else "skill", lookup)
        if diagnosis is not None:
            told = diagnostic_text(diagnosis)
            found.setdefault(told, []).append(each)
            documents.setdefault(told, diagnosis_json(diagnosis))
    explained = {told: _explained(trials[0].case, text, values) for told, trials in found.items()}
    if values["as_json"]:
        listed = [
            {
                **documents[told],
                "trials": [_trial(each) for each in trials if each.task],
                "explanation": explained[told],
            }
            for told, trials in found.items()
        ]
        sys.stdout.write(json.dumps(listed, ensure_ascii=False, indent=2) + "\n")
    else:
        for number, (told, trials) in enumerate(found.items()):
            heads = [f"{each.task} #{each.trial}" for each in trials if each.task]
            sys.stdout.write(
                "\n" * bool(number) + (printable(f"{', '.join(heads)}\n") if heads else "") + printable(told)
            )
            if explained[told] is not None:
                sys.stdout.write(printable(f"EXPLANATION (by a model, below what the rules say):\n{explained[told]}\n"))
    return ExitCode.REFUSED if found else ExitCode.OK


def _skill(values: Mapping[str, Any]) -> tuple[Skill | None, str]:
    """The skill, and all of its SKILL.md; none, and nothing, where there is none."""
    from skillgrade.errors import SuiteError
    from skillgrade.reading import read_text
    from skillgrade.skill.discover import SKILL_FILE
    from skillgrade.skill.frontmatter import MAX_SKILL_FILE, read_skill
    from skillgrade.suite.load import load_suite

    given: Path | None = values["skill"]
    if given is not None:
        file = given if given.is_file() else given / SKILL_FILE
        if not file.is_file():
            raise UsageError(f"{given}: there is no {SKILL_FILE}")
        skill = read_skill(file.resolve())
    else:
        try:
            skills = load_suite(values["file"] or Path(), with_digests=False).skills
        except SuiteError:
            if values["given"] is None:
                raise
            return None, ""
        if len(skills) != 1:
            return None, ""
        skill, file = skills[0], skills[0].folder / SKILL_FILE
    return skill, read_text(file, MAX_SKILL_FILE)


def _trial(each: TrialCase) -> Mapping[str, object]:
    return {"task": each.task, "trial": each.trial}


def _explained(case: Case, text: str, values: Mapping[str, Any]) -> str | None:
    """What a model adds; None where none is asked."""
    if not values["explain"]:
        return None
    from skillgrade.diagnostics.explain import explanation_request
    from skillgrade.judges.asking import CALL_TIMEOUT, JUDGE_DEADLINE
    from skillgrade.models.access import Models
    from skillgrade.models.endpoint import endpoint
    from skillgrade.stop import Stop

    provider, model = values["judge"]
    models = Models()
    try:
        place = endpoint(provider, os.environ)
        request = explanation_request(case, text, model)
        return models.ask(place, request, CALL_TIMEOUT, time.monotonic() + JUDGE_DEADLINE, Stop()).text.strip()
    finally:
        models.close()
