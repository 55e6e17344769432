from pathlib import Path

import pytest

from skillgrade.errors import SuiteError
from skillgrade.suite.load import load_suite
from tests.support.suites import write

FILES = {"graders/card.sh": "", "graders/lib/deep.py": "", "check.py": "", "app/main.js": "", "bin/rate.sh": ""}
MADE = "; only the agent or a set-up could make it"


def said(root: Path, run: str, task: str = "", instruction: str = "do it") -> tuple[list[str], list[str]]:
    """The errors and warnings, without their places."""
    lines = run.replace("\n", "\n        ")
    graders = f"  graders:\n  - type: deterministic\n    run: |\n        {lines}\n"
    write(root, {**FILES, "eval.yaml": f"tasks:\n- name: a\n  instruction: {instruction}\n{task}{graders}"})
    try:
        return [], [warning.split("run: ", 1)[1] for warning in load_suite(root).warnings]
    except SuiteError as error:
        return [problem.message for problem in error.problems], []


def missing(path: str, meant: str | None = None) -> str:
    hint = f' (did you mean "{meant}"?)' if meant else ""
    return f'names "{path}", which neither the eval nor the workspace has{hint}'


@pytest.mark.parametrize(
    ("run", "path", "meant"),
    [
        ("bash graders/crad.sh", "graders/crad.sh", "graders/card.sh"),
        ("graders/crad.sh", "graders/crad.sh", "graders/card.sh"),
        ("bash grader/card.sh --strict", "grader/card.sh", "graders/card.sh"),
        ("python3 graders/lib/dep.py", "graders/lib/dep.py", "graders/lib/deep.py"),
        ("npx tsx elsewhere/x.ts", "elsewhere/x.ts", None),
        ("python3 chekc.py", "chekc.py", "check.py"),
    ],
)
def test_a_run_that_is_nothing_but_a_missing_script_is_refused(
    tmp_path: Path, run: str, path: str, meant: str | None
) -> None:
    assert said(tmp_path, run) == ([missing(path, meant)], [])


@pytest.mark.parametrize(
    ("run", "path", "meant"),
    [
        ("true && bash graders/crad.sh", "graders/crad.sh", "graders/card.sh"),
        ("set -e\nnode lib/x.mjs\n", "lib/x.mjs", None),
        ("node dist/main.js", "dist/main.js", None),
        ("node node_modules/jest/bin/jest.js", "node_modules/jest/bin/jest.js", None),
        ("python3 zzz.py", "zzz.py", None),
    ],
)
def test_what_something_else_could_run_or_make_is_a_warning(
    tmp_path: Path, run: str, path: str, meant: str | None
) -> None:
    assert said(tmp_path, run) == ([], [missing(path, meant) + MADE])


def test_a_file_missing_in_a_folder_of_the_workspace_may_be_made(tmp_path: Path) -> None:
    assert said(tmp_path, "node app/main2.js", task="  workspace: [app]\n") == (
        [],
        [missing("app/main2.js", "app/main.js") + MADE],
    )


@pytest.mark.parametrize(
    ("run", "task", "instruction"),
    [
        ("node src/new.js | grep ok", "", "Write src/new.js."),
        ("node work/main.js && true", "  workspace: [{src: app, dest: work}]\n", "do it"),
        ("rate.sh", "  workspace: [{src: bin/rate.sh, dest: /usr/local/bin/}]\n", "do it"),
        ("bash /opt/x/check.sh", "", "do it"),
        ("python3 .agents/skills/s/scripts/x.py", "", "do it"),
        ("bash graders/card.sh", "", "do it"),
    ],
)
def test_what_is_there_or_will_be_is_no_finding(tmp_path: Path, run: str, task: str, instruction: str) -> None:
    assert said(tmp_path, run, task, instruction) == ([], [])


def test_a_name_that_is_too_long_for_a_file_is_missing(tmp_path: Path) -> None:
    name = f"app/{'x' * 300}.js"
    _, (warning,) = said(tmp_path, f"node {name}", task="  workspace: [app]\n")
    assert "which neither the eval nor the workspace has" in warning
