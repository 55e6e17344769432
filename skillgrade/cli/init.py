"""`skillgrade init`: a first eval.yaml for the skill here, or one that says what a file of another tool says."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

import click

from skillgrade.cli.options import GivenPath
from skillgrade.errors import UsageError
from skillgrade.skill.discover import discover_skills
from skillgrade.storage import storing
from skillgrade.suite.eval_files import EvalFiles
from skillgrade.suite.findings import Findings
from skillgrade.suite.formats import EVAL_YAML
from skillgrade.suite.formats.writing import eval_yaml
from skillgrade.suite.load import load_suite
from skillgrade.suite.model import AssertionsSpec, Suite
from skillgrade.suite.source import SUITE_FILE, read_source, suite_file
from skillgrade.suite.starter import starter_files
from skillgrade.wording import shown


@click.command(short_help="Write a starter eval.yaml for the skill in this folder.")
@click.option("--from", "source", type=GivenPath(), metavar="FILE", help="Say what this file of another tool says.")
@click.option("--force", is_flag=True, help="Overwrite an eval.yaml that is there.")
@click.option("--allow-outside", is_flag=True, help="Let FILE name files outside its repository.")
def command(source: Path | None, force: bool, allow_outside: bool) -> None:
    """Write a commented eval.yaml for the skill in this folder, with a grader and a solution that work as they are.

    With --from, write an eval.yaml that says the same as a file of another tool, for its skill.
    """
    root = Path.cwd()
    if source is not None:
        _convert(source, root / SUITE_FILE, force=force, allow_outside=allow_outside)
        return
    if allow_outside:
        raise UsageError("--allow-outside has no effect without --from")
    skills = discover_skills(root, None)
    if not skills:
        raise UsageError(f"{root}: no skill is here: go to the folder that holds SKILL.md, or write one first")
    _refuse_existing(root / SUITE_FILE, force=force)
    for path in _write(root, starter_files(skills[0])):
        click.echo(f"wrote {path}")
    click.echo("next: skillgrade --validate, then edit eval.yaml")


def _convert(given: Path, target: Path, *, force: bool, allow_outside: bool) -> None:
    file = suite_file(given)
    _refuse_existing(target, force=force)
    # First as it is: what it refers to must be there, and what cannot be evaluated is named with its place.
    suite = load_suite(file, allow_outside=allow_outside, with_digests=False)
    findings = Findings()
    read = read_source(file, EvalFiles(file.parent, allow_outside=allow_outside), findings)
    if read.format == EVAL_YAML:
        raise UsageError(f"{file}: is an eval.yaml already; copy it where you want it")
    with storing(target, "make room, or permit it"):
        target.write_text(eval_yaml(read.document.value, file, target), encoding="utf-8")
    click.echo(f"wrote {target.name} with {len(suite.tasks)} tasks, made of {read.format} {given}")
    for warning in suite.warnings:
        click.echo(f"note: {warning}", err=True)
    for fault in _broken(suite):
        click.echo(f"to mend: {fault}; in eval.yaml this is an error, so replace it or take it out", err=True)
    click.echo("next: skillgrade check, then skillgrade --list")


def _broken(suite: Suite) -> Iterator[str]:
    """Assertions that cannot be evaluated, each with its task."""
    for task in suite.tasks:
        for spec in task.graders:
            for each in spec.assertions if isinstance(spec, AssertionsSpec) else ():
                if each.fault is not None:
                    yield f"task {shown(task.name)}: {each.fault}"


def _refuse_existing(file: Path, *, force: bool) -> None:
    if file.exists() and not force:
        raise UsageError(f"{file}: is there already: --force overwrites it")


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
