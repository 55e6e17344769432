"""The agent cannot see what grades it: canaries in every file and variable that must not reach it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.support.shell import Shell

CANARY = "c4n4ry"
SECRET_FILES = (
    "graders/check.sh",
    "graders/lib/helper.sh",
    "rubrics/quality.md",
    "solutions/solve.sh",
    "evals/other.yaml",
    "evals.json",
    "cases.yaml",
    "judge-recordings/one.json",
    "datasets/rows.csv",
    ".env",
    ".env.local",
    ".skillgrade/old/report.json",
    ".review/task-0.json",
    ".git/config",
    "checks/extra.txt",
)
EVAL = f"""
version: "1"
x-note: {CANARY}
defaults: {{agent: command, trials: 1, provider: PROVIDER}}
tasks:
  - name: look
    instruction: instructions/look.md
    command: bash look.sh
    workspace: [fixtures/look.sh, fixtures/control.txt]
    expected: {{answer: {CANARY}}}
    metadata: {{label: {CANARY}}}
    graders:
      - {{type: deterministic, run: bash graders/check.sh, files: [checks/extra.txt]}}
    solution: solutions/solve.sh
  - $import: evals/other.yaml
"""
OTHER = f"""
name: other
instruction: nothing  # {CANARY}
graders: [{{type: deterministic, run: "true # {CANARY}"}}]
"""
# Everything that a process in the workspace can read: files below the given roots, its environment, and, where there is
# isolation to speak of, the environments of other processes.
LOOK = """
find . -type f ! -name seen.txt | sort > seen.txt
for root in "$@"; do grep -rIl c4n[4]ry "$root" 2>/dev/null; done | grep -v seen.txt > found.txt
[ "$1" = . ] || cat /proc/[0-9]*/environ 2>/dev/null | tr '\\0' '\\n' | grep c4n[4]ry >> found.txt
env | grep -i -e key -e c4n[4]ry >> found.txt
cat .claude/skills/peek/SKILL.md .agents/skills/peek/SKILL.md > skill.txt
"""
CHECK = f"""
# {CANARY}
source graders/lib/helper.sh
test -s checks/extra.txt || exit 1
printf '{{"score": 1, "details": "%s"}}' "$(tr '\\n' '|' < found.txt)$(grep -c pristine skill.txt)"
"""


def plant(shell: Shell, provider: str, roots: str) -> None:
    for name in SECRET_FILES:
        shell.write(name, f"# {CANARY}\n")
    shell.write("eval.yaml", EVAL.replace("PROVIDER", provider).replace("bash look.sh", f"bash look.sh {roots}"))
    shell.write("evals/other.yaml", OTHER)
    shell.write("graders/check.sh", CHECK)
    shell.write("fixtures/look.sh", LOOK)
    shell.write("fixtures/control.txt", f"{CANARY}: proof that the search finds what is there")
    shell.write("instructions/look.md", "Look around.")
    shell.write("SKILL.md", "---\nname: peek\ndescription: A skill.\n---\npristine\n")
    shell.write("reference/more.md", "part of the skill\n")


@pytest.mark.parametrize(
    ("provider", "roots"),
    [
        pytest.param("docker", "/", marks=pytest.mark.docker),
        pytest.param("bubblewrap", "/", marks=pytest.mark.bubblewrap),
        ("local", "."),
    ],
)
def test_no_canary_is_found(tmp_path: Path, provider: str, roots: str) -> None:
    shell = Shell(tmp_path)
    # In a sandbox /usr and what links there is the host's own: large, read-only, and written to by nobody.
    left_out = "^/proc|^/sys|^/dev" + ("|^/usr|^/bin|^/lib|^/sbin" if provider == "bubblewrap" else "")
    skipped = f"$(ls -d /* | grep -v -E '{left_out}')" if roots == "/" else roots
    plant(shell, provider, skipped)
    done = shell.run("look", "--json", env={"ANTHROPIC_API_KEY": f"sk-{CANARY}", "GEMINI_API_KEY": f"AI-{CANARY}"})
    assert done.code == 0, done.err
    (trial,) = json.loads(done.out)["tasks"][0]["trials"]
    (result,) = trial["grader_results"]
    assert result["details"].removeprefix("./").removeprefix("/workspace/") == "control.txt|2"
    assert trial["notes"] == []


@pytest.mark.parametrize(
    "provider",
    [pytest.param("docker", marks=pytest.mark.docker), pytest.param("bubblewrap", marks=pytest.mark.bubblewrap)],
)
def test_the_agent_gets_the_skill_and_its_files_only(tmp_path: Path, provider: str) -> None:
    shell = Shell(tmp_path)
    plant(shell, provider, ".")
    shell.write("graders/check.sh", """printf '{"score": 1, "details": "%s"}' "$(tr '\\n' ' ' < seen.txt)" """)
    done = shell.run("look", "--json")
    (trial,) = json.loads(done.out)["tasks"][0]["trials"]
    assert trial["grader_results"][0]["details"].split() == [
        "./.agents/skills/peek/SKILL.md",
        "./.agents/skills/peek/reference/more.md",
        "./.claude/skills/peek/SKILL.md",
        "./.claude/skills/peek/reference/more.md",
        "./control.txt",
        "./look.sh",
    ]
