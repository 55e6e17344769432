"""Assertions, and `expect_skill`, as a suite has them."""

from __future__ import annotations

from pathlib import Path

import pytest

from skillgrade.errors import UsageError
from skillgrade.suite.load import load_suite
from skillgrade.suite.model import Assertion, AssertionsSpec, Suite
from skillgrade.suite.selection import without_skills
from tests.support.suites import GRADERS, load, problems, write

NAMES = ("notes", "tidy")
SKILLS = {f"skills/{name}/SKILL.md": f"---\nname: {name}\ndescription: Does it.\n---\n" for name in NAMES}
THERE_ARE = 'there are "notes", "tidy"'
TURNS = "turns: [{instruction: one two}, {instruction: three four}]"


def suite_of(folder: Path, keys: str) -> Suite:
    write(folder, SKILLS)
    return load(folder, f"tasks:\n- {{name: one, {keys}}}\n")


def faults(folder: Path, keys: str) -> list[str]:
    text = f"tasks:\n- {{name: one, instruction: do it, {keys}}}\n"
    return [line.split(": ", 1)[1] for line in problems(folder, text)]


def test_assertions_are_read_and_other_types_are_kept(tmp_path: Path) -> None:
    listed = "{type: skill_used, target: notes, not: true, weight: 2}, {type: contains, target: '## Risks'}"
    suite = suite_of(
        tmp_path, f"instruction: do it, graders: [{{type: assertions, assertions: [{listed}], weight: 0.5}}]"
    )
    (spec,) = suite.tasks[0].graders
    assert isinstance(spec, AssertionsSpec)
    assert (spec.type, spec.index, spec.weight) == ("assertions", 0, 0.5)
    assert spec.assertions == (
        Assertion("skill_used", "notes", 2.0, negated=True),
        Assertion("contains", "## Risks", 1.0, negated=False),
    )


@pytest.mark.parametrize(
    ("name", "assertions"),
    [
        ("tidy", (Assertion("skill_used", "tidy"),)),
        ("none", (Assertion("skill_used", "notes", negated=True), Assertion("skill_used", "tidy", negated=True))),
    ],
)
def test_an_expected_skill_is_a_grader_of_its_own_behind_the_others(
    name: str, assertions: tuple[Assertion, ...], tmp_path: Path
) -> None:
    (task,) = suite_of(tmp_path, f"instruction: do it, {GRADERS}, expect_skill: {name}").tasks
    assert [spec.type for spec in task.graders] == ["deterministic", "assertions"]
    assert task.graders[1] == AssertionsSpec("assertions", 1, assertions=assertions)


@pytest.mark.parametrize("told", ["instruction: do it", "user: {persona: me}", TURNS])
def test_an_expected_skill_is_enough_to_score_a_task(told: str, tmp_path: Path) -> None:
    (task,) = suite_of(tmp_path, f"{told}, expect_skill: notes").tasks
    assert [(spec.index, spec.weight, spec.turn) for spec in task.graders] == [(0, 1.0, None)]


def test_beside_an_expected_skill_all_other_graders_may_weigh_nothing(tmp_path: Path) -> None:
    graders = "graders: [{type: deterministic, run: 'true', weight: 0}]"
    (task,) = suite_of(tmp_path, f"instruction: do it, {graders}, expect_skill: notes").tasks
    assert [spec.weight for spec in task.graders] == [0.0, 1.0]


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ("expect_skill: note", f'tasks[0].expect_skill: there is no skill "note" (did you mean "notes"?); {THERE_ARE}'),
        ("expect_skill: ''", "tasks[0].expect_skill: must not be empty"),
        ("expect_skill: [notes]", "tasks[0].expect_skill: must be text, not a list"),
        ("expect_skill: '{{ row.skill }}'",
         'tasks[0].expect_skill: there is no skill "{{ row.skill }}"; there are "notes", "tidy"'),
        ("graders: [{type: assertions, assertions: [{type: skill_used, target: tdy}]}]",
         f'tasks[0].graders[0].assertions[0].target: there is no skill "tdy" (did you mean "tidy"?); {THERE_ARE}'),
        ("graders: [{type: assertions, assertions: [{type: skill_used}]}]",
         "tasks[0].graders[0].assertions[0]: skill_used needs the name of a skill as its `target`"),
        ("graders: [{type: assertions, assertions: [{type: skill_used, target: [notes]}]}]",
         "tasks[0].graders[0].assertions[0].target: skill_used needs the name of a skill as its `target`"),
        ("graders: [{type: assertions, assertions: [{type: skill_used, target: tidy, weight: 0}]}]",
         ("tasks[0].graders[0].assertions: all weights are 0, so there is nothing to score; "
         "give one assertion a weight above 0")),
        ("trials: 1", 'tasks[0]: "graders" is missing'),
    ],
)  # fmt: skip
def test_what_cannot_be_asserted_is_an_error_with_its_place(keys: str, message: str, tmp_path: Path) -> None:
    write(tmp_path, SKILLS)
    assert faults(tmp_path, keys)[0] == message


@pytest.mark.parametrize("name", ["notes", "none"])
def test_where_there_is_no_skill_none_can_be_expected(name: str, tmp_path: Path) -> None:
    assert faults(tmp_path, f"expect_skill: {name}") == [
        "tasks[0].expect_skill: the suite has no skill; name its folder with `skill` at the top"
    ]


def test_each_row_of_a_dataset_may_expect_another_skill(tmp_path: Path) -> None:
    rows = "[{ask: Write notes., skill: notes}, {ask: What is 2 + 2?, skill: none}, {ask: More notes., skill: notes}]"
    keys = "instruction: '{{ row.ask }}', expect_skill: '{{ row.skill }}'"
    suite = suite_of(tmp_path, f"dataset: {rows}, {keys}")
    expected = [spec.assertions for task in suite.tasks for spec in task.graders if isinstance(spec, AssertionsSpec)]
    assert [[(each.target, each.negated) for each in one] for one in expected] == [
        [("notes", False)],
        [("notes", True), ("tidy", True)],
        [("notes", False)],
    ]
    assert suite.tasks[0].graders is suite.tasks[2].graders
    (tmp_path / "eval.yaml").write_text((tmp_path / "eval.yaml").read_text().replace("skill: none", "skill: tidy"))
    assert load_suite(tmp_path).digest != suite.digest


def test_a_row_that_expects_what_is_no_skill_is_named(tmp_path: Path) -> None:
    rows = "[{ask: Write notes., skill: notes}, {ask: Tidy up., skill: tidi}]"
    write(tmp_path, SKILLS)
    (line,) = faults(tmp_path, f"dataset: {rows}, expect_skill: '{{{{ row.skill }}}}'")
    assert line == ('row 2: `expect_skill`: there is no skill "tidi" (did you mean "tidy"?); there are "notes", "tidy"')


def test_without_the_skill_nothing_asks_for_it(tmp_path: Path) -> None:
    suite = without_skills(suite_of(tmp_path, f"instruction: do it, {GRADERS}, expect_skill: none"))
    assert suite.skills == ()
    assert [spec.type for spec in suite.tasks[0].graders] == ["deterministic"]
    assert suite.warnings == ('--no-skill: no grader asks whether a skill was used, in "one"',)


def test_without_the_skill_a_task_that_only_asks_for_it_is_refused(tmp_path: Path) -> None:
    suite = suite_of(tmp_path, "instruction: do it, expect_skill: tidy")
    with pytest.raises(UsageError, match='the task "one" only asks whether a skill was used; leave it out with --eval'):
        without_skills(suite)
