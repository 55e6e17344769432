"""Assertions, and `expect_skill`, as a suite has them."""

from __future__ import annotations

from pathlib import Path

import pytest

from skillgrade.errors import UsageError
from skillgrade.suite.load import load_suite
from skillgrade.suite.model import Assertion, AssertionsSpec, Subject, Suite
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
         "tasks[0].graders[0].assertions[0]: skill_used needs a `target`"),
        ("graders: [{type: assertions, assertions: [{type: skill_used, target: [notes]}]}]",
         "tasks[0].graders[0].assertions[0].target: must be a name"),
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


def asserted(folder: Path, text: str) -> Assertion:
    """The one assertion that a grader holds, written as a mapping of YAML."""
    graders = f"graders: [{{type: assertions, assertions: [{text}]}}]"
    (spec,) = suite_of(folder, f"instruction: do it, {graders}").tasks[0].graders
    assert isinstance(spec, AssertionsSpec)
    (assertion,) = spec.assertions
    return assertion


@pytest.mark.parametrize(
    ("text", "assertion"),
    [
        ("{type: contains, target: 42, on: work, group: g, weight: 0.5}",
         Assertion("contains", "42", 0.5, subject=Subject.WORK, group="g")),
        ("{type: contains_all, target: [a, 1.50]}", Assertion("contains_all", ("a", "1.50"))),
        ("{type: contains_any, target: a}", Assertion("contains_any", ("a",))),
        ("{type: equals, target: a, file: ./out/a.md, case_sensitive: true}",
         Assertion("equals", "a", file="out/a.md", is_case_sensitive=True)),
        ("{type: matches_regex, target: a}",
         Assertion("matches_regex", "a", options={"flags": "im", "syntax": "python"})),
        ("{type: matches_regex, target: a, case_sensitive: true}",
         Assertion("matches_regex", "a", is_case_sensitive=True, options={"flags": "m", "syntax": "python"})),
        ("{type: matches_regex, target: '(?<n>a)', syntax: javascript, flags: gis}",
         Assertion("matches_regex", "(?<n>a)", options={"flags": "is", "syntax": "javascript"})),
        ("{type: output_format, target: csv, not: true}", Assertion("output_format", "csv", negated=True)),
        ("{type: json_schema, target: {type: object}}", Assertion("json_schema", {"type": "object"})),
        ("{type: file_exists, target: a/../b.md}", Assertion("file_exists", "b.md")),
        ("{type: calls_tool, target: Read, source: text}", Assertion("calls_tool", "Read", options={"source": "text"})),
        ("{type: tool_args, target: {name: Bash, args: {command: {contains: x}}}}",
         Assertion("tool_args", {"name": "Bash", "args": {"command": {"contains": "x"}}, "mode": "partial"})),
        ("{type: tool_count, target: {name: Bash, max: 3}}", Assertion("tool_count", {"name": "Bash", "max": 3})),
        ("{type: tool_sequence, target: [Read, {pattern: 'mcp__*'}]}",
         Assertion("tool_sequence", {"steps": [{"name": "Read"}, {"pattern": "mcp__*"}], "mode": "in_order"})),
        ("{type: max_cost, target: 0.5}", Assertion("max_cost", 0.5)),
    ],
)  # fmt: skip
def test_each_type_is_read(text: str, assertion: Assertion, tmp_path: Path) -> None:
    assert asserted(tmp_path, text) == assertion


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{type: contain, target: a}", '.type: there is no assertion "contain" (did you mean "contains"?)'),
        ("{type: contains}", ": contains needs a `target`"),
        ("{type: contains, target: ''}",
         ".target: must be text that is not empty; an empty one would be found in everything"),
        ("{type: contains, target: [a]}",
         ".target: must be text that is not empty; an empty one would be found in everything"),
        ("{type: contains_all, target: []}", ".target: must be a list of texts"),
        ("{type: matches_regex, target: '[a'}",
         ".target: is no regular expression: unterminated character set at position 0"),
        ("{type: matches_regex, target: 'a(?i)b'}",
         ".target: is no regular expression: global flags not at the start of the expression at position 1"),
        ("{type: matches_regex, target: a, flags: x}", '.flags: `flags` may be some of i, m, s, not "x"'),
        ("{type: matches_regex, target: a, flags: i, case_sensitive: true}",
         ".case_sensitive: `case_sensitive` has no effect beside `flags`"),
        ("{type: output_format, target: jsn}",
         ('.target: must be json, markdown_table, numbered_list, yaml, code_block, bullet_list, headings, html or csv, '
          'not "jsn" (did you mean "json"?)')),
        ("{type: json_schema, target: {type: objet}}",
         ".target: is no JSON Schema: 'objet' is not valid under any of the given schemas"),
        ("{type: file_exists, target: ../a}",
         '.target: "../a" is no path in the workspace; name a file relative to it'),
        ("{type: contains, target: a, file: /etc/passwd}",
         '.file: "/etc/passwd" is no path in the workspace; name a file relative to it'),
        ("{type: file_contains, target: a}", ": file_contains needs the `file` to look at"),
        ("{type: contains, target: a, file: b, on: work}", ".on: `on` has no effect beside `file`"),
        ("{type: calls_tool, target: Read, on: work}", ".on: `on` has no effect on calls_tool"),
        ("{type: tool_args, target: {name: Bash}}",
         ".target: needs `args`: a mapping from the names of arguments to what they must be"),
        ("{type: tool_args, target: {args: {a: b}}}",
         ".target: needs the `name` of a tool, or a `pattern` with * in it"),
        ("{type: tool_args, target: {name: Bash, args: {a: {is: b}}}}",
         '.target.args.a: the argument "a" must be a value, or a mapping with one of equals, contains, matches'),
        ("{type: tool_args, target: {name: Bash, args: {a: {matches: '('}}}}",
         (".target.args.a.matches: is no regular expression: missing ), unterminated subpattern at position 0")),
        ("{type: tool_count, target: {name: Bash}}", ".target: needs `min`, `max` or both"),
        ("{type: tool_count, target: {min: 3, max: 2}}", ".target: can never hold: `min` is above `max`"),
        ("{type: tool_count, target: {min: 1.5}}", ".target.min: `min` must be a whole number of calls, at least 0"),
        ("{type: tool_sequence, target: {steps: [Read], mode: any}}",
         '.target.mode: must be in_order or exact, not "any"'),
        ("{type: max_tokens, target: 0}", ".target: must be a number above 0"),
    ],
)  # fmt: skip
def test_what_cannot_be_evaluated_is_refused_where_it_stands(text: str, message: str, tmp_path: Path) -> None:
    write(tmp_path, SKILLS)
    assert faults(tmp_path, f"graders: [{{type: assertions, assertions: [{text}]}}]") == [
        f"tasks[0].graders[0].assertions[0]{message}"
    ]


def test_in_a_file_of_another_tool_it_is_broken_and_the_others_stay(tmp_path: Path) -> None:
    cases = """
cases:
  - id: one
    prompt: do it
    assertions:
      - {type: smells, target: good}
      - {type: matches_regex, target: "[a"}
      - {type: output_format, target: xml}
      - {type: contains, target: kg}
"""
    suite = load_suite(write(tmp_path, {**SKILLS, "evals/cases.yaml": cases}) / "evals" / "cases.yaml")
    (spec,) = suite.tasks[0].graders
    assert isinstance(spec, AssertionsSpec)
    assert [each.fault and each.fault[:40] for each in spec.assertions] == [
        "Unknown assertion type: smells",
        "is no regular expression: unterminated c",
        "must be json, markdown_table, numbered_l",
        None,
    ]
