from __future__ import annotations

import json
import re

from skillgrade import __version__
from skillgrade.cli.main import COMMANDS
from tests.support.shell import Shell


def test_version_and_help(shell: Shell) -> None:
    assert shell.run("--version").out == f"skillgrade, version {__version__}\n"
    out = shell.run("--help").out
    for command in COMMANDS:
        assert f"skillgrade {command}" in out


def test_schema_prints_json_schemas(shell: Shell) -> None:
    assert json.loads(shell.run("schema").out)["properties"]["tasks"]
    assert json.loads(shell.run("schema", "grader-output").out)["required"] == ["score", "details"]
    assert shell.run("schema", "nonsense").code == 2


def test_preview_shows_the_latest_run_or_the_one_named(shell: Shell) -> None:
    nothing = shell.run("preview")
    assert nothing.code == 2
    assert "no run is here yet" in nothing.err
    shell.run("--eval=writes", "--trials=1")
    first = max(path.name for path in (shell.root / ".skillgrade").iterdir() if path.is_dir())
    shell.run("--eval=reads", "--trials=1")
    latest = shell.run("preview")
    assert latest.code == 0
    assert "reads #0 failed" in latest.out
    assert "writes #0" not in latest.out
    for reference in (first, f".skillgrade/{first}", f".skillgrade/{first}/report.json"):
        assert "writes #0 passed, reward 1.00" in shell.run("preview", reference).out
    assert shell.run("preview", "20200101-000000-0000").code == 2


def test_preview_reads_a_run_that_was_torn(shell: Shell) -> None:
    shell.run("--eval=writes")
    (run,) = (path for path in (shell.root / ".skillgrade").iterdir() if path.is_dir())
    (run / "report.json").unlink()
    journal = run / "journal.jsonl"
    lines = journal.read_bytes().splitlines(keepends=True)
    journal.write_bytes(b"".join(lines[:3]) + lines[3][:40])  # the run, what was prepared, a trial, and half of another
    done = shell.run("preview")
    assert done.code == 0
    assert re.search(r"writes\s+1 of 2", done.out)
    assert "interrupted: 1 of 2 trials" in done.out


def test_init_writes_a_suite_that_validates_and_runs(shell: Shell) -> None:
    (shell.root / "eval.yaml").unlink()
    missing = shell.run("init")
    assert missing.code == 2
    assert "no skill is here" in missing.err
    shell.write("SKILL.md", "---\nname: my-skill\ndescription: Sorts names.\n---\n# My skill\n")
    done = shell.run("init")
    assert done.code == 0
    assert "wrote eval.yaml" in done.out
    assert shell.run("--list").code == 0
    assert shell.run("--validate", "--ci", "--provider=local").code == 0


def test_init_overwrites_only_when_forced_and_never_a_grader(shell: Shell) -> None:
    shell.write("SKILL.md", "---\nname: my-skill\ndescription: d\n---\n")
    before = (shell.root / "eval.yaml").read_text()
    refused = shell.run("init")
    assert refused.code == 2
    assert "--force" in refused.err
    assert (shell.root / "eval.yaml").read_text() == before
    mine = shell.write("graders/check.sh", "mine")
    assert shell.run("init", "--force").code == 0
    assert (shell.root / "eval.yaml").read_text() != before
    assert mine.read_text() == "mine"


def test_validate_says_what_is_proven_and_what_is_wrong(shell: Shell) -> None:
    good = shell.run("--validate", "--eval=writes", "--ci")
    assert good.code == 0
    assert "proven      writes: solution 1.00, untouched workspace 0.00" in good.out
    shell.write("solve.sh", "true\n")
    bad = shell.run("--validate", "--eval=writes")
    assert bad.code == 1
    assert "error: the reference solution's reward is 0.00" in bad.out


def test_validate_without_a_solution(shell: Shell) -> None:
    text = (shell.root / "eval.yaml").read_text()
    shell.write("eval.yaml", text.replace("    solution: solve.sh\n", "", 1))
    partly = shell.run("--validate")
    assert "not proven  writes: it has no `solution`" in partly.out
    assert partly.code == 0
    assert shell.run("--validate", "--ci").code == 1
    assert shell.run("--validate", "--eval=writes").code == 1


def test_validate_needs_no_agent_and_no_key(shell: Shell) -> None:
    text = (shell.root / "eval.yaml").read_text()
    shell.write("eval.yaml", text.replace("  agent: command\n  command: cat > out.txt\n", "  agent: claude\n"))
    assert shell.run("--validate").code == 0


def test_validate_exits_3_when_something_else_than_the_graders_broke(shell: Shell) -> None:
    text = (shell.root / "eval.yaml").read_text()
    shell.write("eval.yaml", text.replace("  trials: 2\n", "  trials: 2\n  docker: {setup: exit 1}\n"))
    done = shell.run("--validate", "--provider=local")
    assert done.code == 3
    assert "errored     writes" in done.out
