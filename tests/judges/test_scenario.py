"""What a judge of criteria is asked."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from skillgrade.judges.prompt import request_digest
from skillgrade.judges.scenario import SCENARIO_PROMPT_VERSION, ScenarioQuestion, scenario_question
from skillgrade.suite.model import JudgeSpec

SPEC = JudgeSpec(
    "judge", 0, rubric="Says the weight.", pass_criteria=("Names kg", "Says why"), fail_criteria=("Guesses",)
)


def question(
    answer: str = "3 kg.", prompt: str = "How heavy?", files: dict[str, str | None] | None = None
) -> ScenarioQuestion:
    return scenario_question(SPEC, prompt, answer, files)


def test_it_holds_the_rubric_the_criteria_and_both_texts() -> None:
    asked = question()
    assert asked.prompt.version == SCENARIO_PROMPT_VERSION
    assert "<rubric>\nSays the weight.\n</rubric>" in asked.prompt.system
    assert "- pass-1: Names kg\n- pass-2: Says why\n" in asked.prompt.system
    assert "- fail-1: Guesses\n" in asked.prompt.system
    tags = re.findall(r"<(data-[0-9a-f]{16})>\n(.*)\n</\1>", asked.prompt.user)
    assert [text for _, text in tags] == ["How heavy?", "3 kg."]
    assert (asked.passing, asked.failing) == (("pass-1", "pass-2"), ("fail-1",))
    assert asked.quotable == ("3 kg.",)


def test_without_criteria_to_fail_by_none_are_named() -> None:
    spec = JudgeSpec("judge", 0, rubric="r", pass_criteria=("p",))
    system = scenario_question(spec, "p", "a").prompt.system
    assert "fail-" not in system
    assert "any one of these" not in system


def test_files_count_as_the_answer() -> None:
    asked = question(files={"out.md": "It weighs 3 kg.", "gone.md": None})
    assert 'The file "out.md" of its answer:' in asked.prompt.user
    assert 'The file "gone.md" of its answer, which is not there:' in asked.prompt.user
    assert asked.quotable == ("3 kg.", "It weighs 3 kg.", "")


def test_what_cannot_be_seen_is_shown_and_what_is_long_is_cut() -> None:
    assert "a\\u{200b}b" in question("a\u200bb").prompt.user
    cut = question("x" * 100_000)
    assert 'missing="52000"' in cut.prompt.user
    assert len(cut.quotable[0]) < 50_000


@given(st.text(min_size=1), st.text(min_size=1))
def test_the_same_texts_give_the_same_bytes_and_no_text_closes_its_tag(prompt: str, answer: str) -> None:
    asked = question(answer, prompt)
    assert asked == question(answer, prompt)
    for tag in re.findall(r"<(data-[0-9a-f]{16})", asked.prompt.user):
        assert asked.prompt.user.count(f"</{tag}>") == 1


def test_another_answer_is_another_request() -> None:
    digests = {request_digest(each.prompt) for each in (question(), question("4 kg."), question(prompt="Well?"))}
    assert len(digests) == 3
