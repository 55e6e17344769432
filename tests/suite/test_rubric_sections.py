from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skillgrade.suite.model import Calibration, JudgeChoice, LlmRubricSpec
from skillgrade.suite.rubric_sections import RubricSection, rubric_sections, section_problems
from tests.support.suites import load, load_task, problems


@pytest.mark.parametrize(
    ("line", "section"),
    [
        ("Workflow Compliance (0-0.5):", RubricSection("Workflow Compliance", 0, 0.5)),
        ("Economy (0–0.3): few detours", RubricSection("Economy", 0, 0.3)),
        ("  Economy ( 0 - 1 ) :", RubricSection("Economy", 0, 1)),
        ("- Economy (0.1-0.3):", RubricSection("Economy", 0.1, 0.3)),
        ("2. Economy (0-10):", RubricSection("Economy", 0, 10)),
        ("## Economy (0-.3):", RubricSection("Economy", 0, 0.3)),
        ("**Economy (0-0.3):** few", RubricSection("Economy", 0, 0.3)),
        ("**Economy** (0-0.3):", RubricSection("Economy", 0, 0.3)),
        ("### **Economy (of time) (0-0.3)**:", RubricSection("Economy (of time)", 0, 0.3)),
        ("Économie ✓ (0-0.3):\r", RubricSection("Économie ✓", 0, 0.3)),
    ],
)
def test_a_line_with_a_title_a_range_and_a_colon_opens_a_section(line: str, section: RubricSection) -> None:
    assert rubric_sections(f"Judge it.\n{line}\n- 0.1: for something\n") == (section,)


@pytest.mark.parametrize(
    "line",
    [
        "Economy (0-0.3)",
        "Economy (0 to 0.3):",
        "Economy (0-x):",
        "Economy (-1-1):",
        "(0-0.3):",
        "It says so (0-0.3) somewhere: here",
        "- 0.5: read SKILL.md (2-3 files)",
        "see page 3-4:",
    ],
)
def test_other_lines_open_none(line: str) -> None:
    assert rubric_sections(line) == ()


def test_sections_that_sum_to_one_are_fine_in_any_notation() -> None:
    assert section_problems("A (0-0.33):\nB (0–0.33):\nC (0-0.33):\n") == ()
    assert section_problems("Is it good? See (2-3) and so on.\n") == ()


def test_a_sum_that_is_not_one_is_said() -> None:
    assert section_problems("A (0-0.5):\nB (0-0.4):\n") == (
        "the sections can give 0.9 points together, not 1; the score is the share of them that was earned",
    )


def test_an_empty_range_is_said_and_no_section() -> None:
    rubric = "A (0.5-0):\nB (0-0):\nC (0-1):\n"
    assert rubric_sections(rubric) == (RubricSection("C", 0, 1),)
    assert section_problems(rubric) == (
        'section "A" has the range 0.5-0, which no score can lie in; write the lower number first',
        'section "B" has the range 0-0, which no score can lie in; write the lower number first',
    )


@pytest.mark.parametrize(
    "line", ["Economy (0 to 0.3)", "Economy (0-0.3)", "**Economy (0 — 1):**", "## Economy (0.0-1)"]
)
def test_a_line_that_almost_is_a_section_is_said(line: str) -> None:
    assert section_problems(f"Judge it.\n{line}\n") == (
        f'the line "{line}" looks like a section, but is none: write `Title (0-0.5):`, with a colon',
    )


@given(st.text(alphabet="aZ (0-1.5)–:*#_\n\t", max_size=200))
def test_any_text_is_read_and_every_section_can_be_scored(text: str) -> None:
    for section in rubric_sections(text):
        assert section.low < section.high
        assert section.title == section.title.strip() != ""
    assert all(isinstance(problem, str) for problem in section_problems(text))


@pytest.mark.parametrize("text", ["(" * 200_000, "(0-" * 70_000, "*" * 200_000, "\t(0-1" * 40_000, " " * 200_000])
def test_hostile_rubrics_take_no_time(text: str) -> None:
    assert rubric_sections(text) == ()


def test_a_suspicious_rubric_is_a_warning_with_its_place(tmp_path: Path) -> None:
    suite = load(
        tmp_path,
        "tasks:\n- name: a\n  instruction: do it\n  graders:\n  - {type: llm_rubric, rubric: q.md}\n",
        q_md="A (0-0.5):\nB (0-0.4):\n",
    )
    (warning,) = suite.warnings
    assert warning.removeprefix(f"{tmp_path}/").endswith(
        "eval.yaml:5:32: tasks[0].graders[0].rubric: the sections can give 0.9 points together, not 1; "
        "the score is the share of them that was earned"
    )


def test_an_llm_rubric_s_keys_have_their_types(tmp_path: Path) -> None:
    keys = (
        "graders:\n- type: llm_rubric\n  rubric: |\n    A (0-0.5):\n    B (0-0.5):\n"
        "  artifacts: [./out//report.md, a.txt, a.txt]\n"
        "  samples: 3\n  judges: [{provider: gemini}, {provider: openai, model: 4.1}]\n"
        "  calibration: {known_right: yes it is}\n- {type: llm_rubric, rubric: Is it good?, model: flash}"
    )
    assert load_task(tmp_path, keys).graders == (
        LlmRubricSpec(
            "llm_rubric",
            0,
            1.0,
            "A (0-0.5):\nB (0-0.5):",
            ("out/report.md", "a.txt"),
            3,
            Calibration("yes it is"),
            judges=(JudgeChoice("gemini"), JudgeChoice("openai", "4.1")),
        ),
        LlmRubricSpec("llm_rubric", 1, 1.0, "Is it good?", judges=(JudgeChoice(None, "flash"),)),
    )


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        (
            "artifacts: [../secret]",
            'artifacts[0]: "../secret" is no path in the workspace; name a file relative to it',
        ),
        (
            "artifacts: [a.md, /etc/passwd]",
            'artifacts[1]: "/etc/passwd" is no path in the workspace; name a file relative to it',
        ),
        (
            "provider: openai, judges: [{provider: gemini}]",
            "judges: `judges` stand instead of `provider` and `model`; move what these say into the list",
        ),
        (
            "judges: [{provider: gemini}, {provider: gemini}]",
            "judges[1]: is there already; to ask a judge several times, set `samples`",
        ),
        ("samples: 0", "samples: must be at least 1, not 0"),
        ("judges: []", "judges: must not be empty"),
    ],
)
def test_what_a_judge_cannot_use_is_refused(tmp_path: Path, keys: str, message: str) -> None:
    text = f"tasks: [{{name: a, instruction: do it, graders: [{{type: llm_rubric, rubric: is it, {keys}}}]}}]"
    (problem,) = problems(tmp_path, text)
    assert problem.endswith(f"tasks[0].graders[0].{message}")
