"""`skillgrade gate`: say whether the evidence of a pack or skill may release it."""

from __future__ import annotations

import json
import sys
from itertools import islice
from pathlib import Path

import click

from skillgrade.cli.options import GivenPath


@click.command(short_help="Say whether the evidence of a pack or skill may release it.")
@click.argument("pack", type=GivenPath())
@click.option(
    "--from", "runs", type=GivenPath(), multiple=True, metavar="RUN",
    help="Write the evidence of this run into the pack first; once for each skill.",
)  # fmt: skip
@click.option("--all", "every", is_flag=True, help="All reasons, not only the first of each skill.")
@click.option("--json", "as_json", is_flag=True, help="The answer as JSON.")
def command(pack: Path, runs: tuple[Path, ...], every: bool, as_json: bool) -> int:
    """Look at the evidence in PACK, a folder with pack.json or one skill, by the policy in its gate.yaml.

    No model is asked. What the evidence says is derived once more from the answers in it, and compared with the files
    as they are now. Exit code 1 where a reason stands against the release.
    """
    from skillgrade.checks.release.build import evidence_of_run
    from skillgrade.checks.release.document import read_evidence, write_evidence
    from skillgrade.checks.release.examine import reasons_against
    from skillgrade.checks.release.policy import read_policy
    from skillgrade.checks.release.skills import release_at
    from skillgrade.cli.exit_codes import ExitCode
    from skillgrade.reports.terminal.console import make_console
    from skillgrade.reports.terminal.text import printable
    from skillgrade.results.folder import find_run_folder

    console = make_console(to_stderr=as_json)
    release = release_at(pack)
    policy = read_policy(release.folder)
    if runs:
        made = [evidence_of_run(find_run_folder(run, str(run)), release, policy.scope) for run in runs]
        kept = {each.skill_id: each for each in (*read_evidence(release.folder), *made)}
        written = write_evidence(release.folder, kept.values())
        console.print(f"wrote {written}", soft_wrap=True)
    reports = read_evidence(release.folder)
    reasons = [
        reason
        for skill in release.skills
        for reason in islice(reasons_against(release, skill, reports, policy), None if every else 1)
    ]
    if as_json:
        document = {"pack": release.name, "released": not reasons, "reasons": reasons}
        sys.stdout.write(json.dumps(document, ensure_ascii=False, indent=2) + "\n")
    for reason in reasons:
        console.print(f"refused: {printable(reason)}", style="red", soft_wrap=True)
    if not reasons:
        count = len(release.skills)
        console.print(f"{release.name}: the evidence of {count} skill{'' if count == 1 else 's'} holds", style="green")
    return ExitCode.REFUSED if reasons else ExitCode.OK
