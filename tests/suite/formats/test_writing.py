"""A converted document as the text of an eval.yaml."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml
from hypothesis import given
from hypothesis import strategies as st

from skillgrade.suite.formats.writing import eval_yaml

_TEXTS = st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Cs"], include_characters="\n"), max_size=80)


def test_paths_are_relative_to_where_the_new_file_stands(tmp_path: Path) -> None:
    document = {
        "skill": "..",
        "tasks": [{"name": "a", "workspace": [{"src": "fixtures/list.csv", "dest": "data/list.csv"}]}],
    }
    text = eval_yaml(document, tmp_path / "evals" / "cases.yaml", tmp_path / "eval.yaml")
    assert text.startswith("# Made of cases.yaml by `skillgrade init --from`.\n")
    made = yaml.safe_load(text)
    assert list(made) == ["version", "skill", "tasks"]
    assert made["skill"] == "."
    assert made["tasks"][0]["workspace"] == [{"src": "evals/fixtures/list.csv", "dest": "data/list.csv"}]
    assert document["skill"] == ".."  # what it was made of stays as it is


def test_texts_of_several_lines_are_blocks_and_nothing_is_said_by_reference(tmp_path: Path) -> None:
    grader = {"type": "llm_rubric", "rubric": "- One thing\n- Another\n"}
    document = {"tasks": [{"name": "a", "graders": [grader]}, {"name": "b", "graders": [grader]}]}
    text = eval_yaml(document, tmp_path / "x.json", tmp_path / "eval.yaml")
    assert text.count("rubric: |\n      - One thing\n") == 2
    assert "&" not in text
    assert "*" not in text


@given(st.lists(_TEXTS, min_size=1, max_size=4))
def test_what_is_written_is_what_is_read(texts: list[str]) -> None:
    tasks: list[Any] = [{"name": f"t{index}", "instruction": text} for index, text in enumerate(texts)]
    made = eval_yaml({"tasks": tasks}, Path("/a/evals/x.json"), Path("/a/eval.yaml"))
    assert yaml.safe_load(made) == {"version": "1", "tasks": tasks}
