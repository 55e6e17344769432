"""`skillgrade init`: a first eval.yaml for the skill in this folder."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import click

from skillgrade.errors import UsageError
from skillgrade.skill.discover import discover_skills
from skillgrade.storage import storing
from skillgrade.suite.source import SUITE_FILE
from skillgrade.suite.starter import starter_files


@click.command(short_help="Write a starter eval.yaml for the skill in this folder.")
@click.option("--force", is_flag=True, help="Overwrite an eval.yaml that is there.")
def command(force: bool) -> None:
    """Write a commented eval.yaml for the skill in this folder, with a grader and a solution that work as they are."""
    root = Path.cwd()
    skills = discover_skills(root, None)
    if not skills:
        raise UsageError(f"{root}: no skill is here: go to the folder that holds SKILL.md, or write one first")
    if (root / SUITE_FILE).exists() and not force:
        raise UsageError(f"{root / SUITE_FILE}: is there already: --force overwrites it")
    for path in _write(root, starter_files(skills[0])):
        click.echo(f"wrote {path}")
    click.echo("next: skillgrade --validate, then edit eval.yaml")


def _write(root: Path, files: Mapping[str, str]) -> list[str]:
    """Write eval.yaml, and those of the other files that are not there yet."""
    written = []
    for name, text in files.items():
        path = root / name
        if path.exists() and name != SUITE_FILE:
            continue
        with storing(path, "make room, or permit it"):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        written.append(name)
    return written
