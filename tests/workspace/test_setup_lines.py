from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skillgrade.workspace.setup_lines import SetupStep, parse_setup


def test_lines_without_instructions_are_one_script() -> None:
    text = "apt-get update\n\n# tools\napt-get install -y jq \\\n  curl\n"
    assert parse_setup(text) == (SetupStep(None, "apt-get update\n\n# tools\napt-get install -y jq \\\n  curl", 1),)


def test_dockerfile_lines_split_the_script() -> None:
    text = "apt-get install -y jq\nUSER root\nRUN npm i -g x && \\\n    npm i -g y\necho done\n"
    assert parse_setup(text) == (
        SetupStep(None, "apt-get install -y jq", 1),
        SetupStep("USER", "root", 2),
        SetupStep("RUN", "npm i -g x && \\\n    npm i -g y", 3),
        SetupStep(None, "echo done", 5),
    )


@pytest.mark.parametrize(
    "text",
    [
        "cat > Dockerfile <<EOF\nFROM x\nRUN y\nEOF",
        "cat > f <<-'EOF'\nUSER root\n\tEOF",
        "echo a \\\nRUN b",
        "ENV=production npm ci",
        "RUNNER x",
        "run x",
        "cat <<A <<B\nUSER a\nA\nUSER b\nB",
    ],
)
def test_what_only_looks_like_an_instruction_stays_shell(text: str) -> None:
    assert parse_setup(text) == (SetupStep(None, text, 1),)


def test_a_here_string_is_no_here_document() -> None:
    assert [step.instruction for step in parse_setup("cat <<<WORD\nUSER root")] == [None, "USER"]


def test_a_here_document_that_never_ends_hides_nothing() -> None:
    assert [step.instruction for step in parse_setup("cat <<EOF\nUSER root")] == [None, "USER"]


@pytest.mark.parametrize("text", ["", "\n\n", "# only a comment\n"])
def test_nothing_to_do_is_no_step(text: str) -> None:
    assert parse_setup(text) == ()


@pytest.mark.parametrize(
    ("step", "script"),
    [
        (SetupStep(None, "a\nb", 1), "a\nb"),
        (SetupStep("RUN", "npm i", 1), "npm i"),
        (SetupStep("RUN", "--mount=type=cache,target=/c --network=none npm i", 1), "npm i"),
        (SetupStep("RUN", '["echo", "a b"]', 1), "echo 'a b'"),
        (SetupStep("RUN", "[ -f x ]", 1), "[ -f x ]"),
        (SetupStep("USER", "root", 1), None),
    ],
)
def test_script_is_what_bash_runs(step: SetupStep, script: str | None) -> None:
    assert step.script() == script


@given(st.text())
def test_every_line_is_kept_once(text: str) -> None:
    steps = parse_setup(text)
    lines = text.splitlines()
    assert [step.line for step in steps] == sorted({step.line for step in steps})
    for step in steps:
        assert step.text.splitlines()[0] in lines[step.line - 1]
