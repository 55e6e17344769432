"""docs/graders.md shows graders that can be copied: they are run as they stand, and the schema takes its YAML."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest
import yaml

from tests.support.pages import REPOSITORY, problems, yaml_blocks

PAGE = REPOSITORY / "docs" / "graders.md"
BLOCK = re.compile(
    r'^```(?P<language>\w+) title="graders/(?P<name>[^"]+)"\n(?P<source>.*?)^```$', re.MULTILINE | re.DOTALL
)
PROGRAMS = {"bash": "bash", "python": "python3", "js": "node"}
EXAMPLES = {match["name"]: (PROGRAMS[match["language"]], match["source"]) for match in BLOCK.finditer(PAGE.read_text())}


def grade(name: str, files: dict[str, str], folder: Path) -> object:
    """The score that an example gives to a workspace with these files; its stdout must be one JSON document."""
    program, source = EXAMPLES[name]
    if shutil.which(program) is None:
        pytest.skip(f"no {program} on this machine")
    script = folder / name
    script.write_text(source)
    workspace = folder / "workspace"
    workspace.mkdir()
    for path, content in files.items():
        (workspace / path).write_text(content)
    context = {"task": "capital", "trial": 0, "turn": 0, "expected": {"result": "Paris"}, "metadata": {}}
    run = subprocess.run(
        [program, script],
        cwd=workspace,
        env={**os.environ, "SKILLGRADE_INPUT": json.dumps(context)},
        capture_output=True,
        text=True,
        check=True,
    )
    answer = json.loads(run.stdout)
    assert isinstance(answer["details"], str)
    return answer["score"]


def test_the_page_has_an_example_in_each_language() -> None:
    assert sorted(program for program, _ in EXAMPLES.values()) == ["bash", "node", "python3"]


@pytest.mark.parametrize("name", EXAMPLES)
def test_done_work_scores_one(name: str, tmp_path: Path) -> None:
    done = {"answer.json": '{"result": "Paris"}', "report.md": "# Report\n\n## Risks\n\nNone.\n"}
    assert grade(name, done, tmp_path) == 1


@pytest.mark.parametrize("files", [{}, {"answer.json": "null", "report.md": ""}, {"answer.json": '{"result": '}])
@pytest.mark.parametrize("name", EXAMPLES)
def test_missing_or_broken_work_scores_zero(name: str, files: dict[str, str], tmp_path: Path) -> None:
    assert grade(name, files, tmp_path) == 0


def test_half_of_the_checks_is_half_of_the_score(tmp_path: Path) -> None:
    assert grade("check-report.sh", {"report.md": "# Report\n"}, tmp_path) == 0.5


def test_the_yaml_of_the_page_is_valid() -> None:
    blocks = yaml_blocks(PAGE)
    for shown in map(yaml.safe_load, blocks):
        graders = shown["graders"] if isinstance(shown, dict) else shown
        assert problems({"version": "1", "tasks": [{"name": "t", "instruction": "Work.", "graders": graders}]}) == []
    assert len(blocks) == 6
