"""Whatever a file holds, loading it ends in a suite or in problems with places."""

import json
import re
from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from skillgrade.errors import Problem, SuiteError
from skillgrade.suite.load import load_suite

_KEYS = st.sampled_from(
    (
        *("version", "skill", "defaults", "tasks", "name", "instruction", "graders", "type", "run", "rubric", "weight"),
        *("trials", "workspace", "src", "dest", "docker", "env", "turns", "dataset", "metadata", "expected", "acp"),
        *("$import", "files", "x"),
    )
)


_VALUES = st.sampled_from(["one", "a/b.md", "deterministic", "llm_rubric", "eval.yaml", ".", "/", "../x", "*", "~"])


_TREES = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 3) | st.floats(-2, 2) | _VALUES | st.text(max_size=4),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_KEYS, inner, max_size=6),
    max_leaves=25,
)


def _refusals(root: Path) -> tuple[Problem, ...]:
    try:
        load_suite(root)
    except SuiteError as error:
        assert error.problems  # noqa: PT017  (other errors than this one must surface)
        return error.problems
    return ()


@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.binary(max_size=100) | _TREES.map(lambda tree: json.dumps(tree).encode()))
def test_whatever_the_file_holds_is_loaded_or_refused_with_places(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "eval.yaml").write_bytes(content)
    lines = content.decode(errors="replace").splitlines() or [""]
    for problem in _refusals(tmp_path):
        assert problem.message
        assert problem.file == tmp_path / "eval.yaml"
        assert problem.line is None or 1 <= problem.line <= len(lines) + 1


@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.dictionaries(_KEYS, _TREES, max_size=8), st.dictionaries(_KEYS, _TREES, max_size=8))
def test_any_task_is_loaded_or_refused_with_places(
    tmp_path: Path, keys: dict[str, object], grader: dict[str, object]
) -> None:
    task = {"name": "a", "instruction": "do it", "graders": [{"type": "deterministic", "run": "x", **grader}], **keys}
    text = json.dumps({"tasks": [task]}, indent=0, ensure_ascii=False)
    (tmp_path / "eval.yaml").write_text(text)
    lines = re.split("[\n\x85\u2028\u2029]", text)  # the line breaks of YAML
    for problem in _refusals(tmp_path):
        if "YAML" in problem.message:
            continue
        assert problem.line is not None
        assert problem.column is not None
        # Every place is the first character of a key or of a value.
        assert lines[problem.line - 1][problem.column - 1] in '"{[-0123456789tfn'
