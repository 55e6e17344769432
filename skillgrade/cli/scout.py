"""`skillgrade scout`: which skills a wish reaches, before somebody writes another one."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import click

from skillgrade.cli.options import GivenPath, Text
from skillgrade.errors import UsageError


@click.command(short_help="Say which skills a sentence would reach.")
@click.argument("wish", type=Text(), required=False)
@click.option(
    "--candidate", type=GivenPath(), metavar="PATH", help="A skill from elsewhere, by what it says of itself."
)
@click.option(
    "--scope", type=click.Choice(["bundled", "all"]), default="bundled", show_default=True,
    help="The skills that are looked at: those of this repository, or installed ones too.",
)  # fmt: skip
@click.option("--json", "as_json", is_flag=True, help="The answer as JSON.")
def command(wish: str | None, candidate: Path | None, scope: str, as_json: bool) -> None:
    """Say whether to use a skill that is here, to start from one, or to write a new one, for WISH.

    With --candidate, the wish is the name and description of a skill that is not here yet.
    """
    from skillgrade.checks.calibration.places import pack_around
    from skillgrade.reports.terminal.console import make_console
    from skillgrade.reports.terminal.triggers import print_scout, scout_json
    from skillgrade.skill.catalog import Scope, skills_in_scope
    from skillgrade.skill.discover import SKILL_FILE
    from skillgrade.skill.exclusions import joined
    from skillgrade.skill.frontmatter import read_skill
    from skillgrade.skill.scorer import NEAREST, Catalog, Entry, advice

    if (wish is None) is (candidate is None):
        raise UsageError("give either a WISH in words or --candidate=PATH")
    skills = skills_in_scope(Path(), Scope(scope), Path.home())
    own: Path | None = None
    if candidate is not None:
        file = candidate if candidate.name == SKILL_FILE else candidate / SKILL_FILE
        if not file.is_file():
            raise UsageError(f"{candidate}: there is no {SKILL_FILE}: name the folder of a skill")
        skill = read_skill(file.resolve())
        own, wish = skill.folder, joined(skill.name, skill.description)
    entries = []
    for skill in skills:
        pack = pack_around(skill.folder)
        if own is None or skill.folder.resolve() != own:
            entries.append(Entry.of_skill(skill, pack.name if pack else None))
    told = wish or ""
    matches = Catalog(entries).matches(told)
    answer = advice(matches)
    if as_json:
        sys.stdout.write(json.dumps(scout_json(told, answer, matches[:NEAREST]), ensure_ascii=False, indent=2) + "\n")
    else:
        print_scout(make_console(to_stderr=False), told, answer, matches[:NEAREST])
