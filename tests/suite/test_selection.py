from pathlib import Path

import pytest

from skillgrade.errors import UsageError
from skillgrade.suite.model import Suite
from skillgrade.suite.selection import Selection, metadata_values, select
from tests.support.suites import load

TEXT = """
_graders: [&run {type: deterministic, run: x}, &human {type: human, prompt: Good or not?}]
tasks:
- {name: easy--one, instruction: do it, graders: [*run], metadata: {tier: easy, tags: [smoke, fast], n: 1}}
- {name: easy--two, instruction: do it, graders: [*run, *human], metadata: {tier: easy, tags: [flaky]}}
- {name: "hard, really", instruction: do it, graders: [*run], metadata: {tier: hard, form: refuse, ok: true}}
- {name: bare, instruction: do it, graders: [{<<: *human, weight: 0}, *run]}
"""


@pytest.fixture
def suite(tmp_path: Path) -> Suite:
    return load(tmp_path, TEXT)


@pytest.mark.parametrize(
    ("selection", "names"),
    [
        (Selection(), ["easy--one", "easy--two", "hard, really", "bare"]),
        (Selection(names=["bare,easy--one"]), ["easy--one", "bare"]),
        (Selection(names=["hard, really", "bare"]), ["hard, really", "bare"]),
        (Selection(filters=["tier=easy"]), ["easy--one", "easy--two"]),
        (Selection(filters=["tier=easy,hard"]), ["easy--one", "easy--two", "hard, really"]),
        (Selection(filters=["tier=easy", "tags=smoke"]), ["easy--one"]),
        (Selection(filters=["tags=fast, flaky"]), ["easy--one", "easy--two"]),
        (Selection(filters=["n=1"]), ["easy--one"]),
        (Selection(filters=["ok=true"]), ["hard, really"]),
        (Selection(not_filters=["tags=flaky"]), ["easy--one", "hard, really", "bare"]),
        (Selection(filters=["tier=easy"], not_filters=["tags=flaky,slow"]), ["easy--one"]),
        (Selection(pattern="^easy--"), ["easy--one", "easy--two"]),
        (Selection(pattern="one|re$"), ["easy--one", "bare"]),
        (Selection(names=["easy--one", "bare"], pattern="e$"), ["easy--one", "bare"]),
    ],
)
def test_each_part_narrows_what_the_others_leave(suite: Suite, selection: Selection, names: list[str]) -> None:
    selected = select(suite, selection)
    assert [task.name for task in selected.tasks] == names
    assert selected.digest == suite.digest


def test_graders_keep_their_place_in_the_task(suite: Suite) -> None:
    selected = select(suite, Selection(names=["easy--two"], graders=["human"]))
    assert [(grader.type, grader.index) for grader in selected.tasks[0].graders] == [("human", 1)]
    both = select(suite, Selection(names=["easy--two"], graders=["human,deterministic"]))
    assert [grader.index for grader in both.tasks[0].graders] == [0, 1]


@pytest.mark.parametrize(
    ("selection", "message"),
    [
        (Selection(names=["esy--one"]), 'there is no eval "esy--one" (did you mean "easy--one"?)'),
        (Selection(names=["zzz"]), 'there is no eval "zzz"; --list shows their names'),
        (Selection(names=[","]), "--eval needs the name of a task"),
        (
            Selection(filters=["teir=easy"]),
            (
                '--filter: no task has the metadata key "teir" (did you mean "tier"?); '
                "the tasks have form, n, ok, tags, tier"
            ),
        ),
        (Selection(filters=["tier"]), '--filter needs KEY=VALUE[,VALUE], such as --filter=tier=easy, not "tier"'),
        (Selection(filters=["=a"]), '--filter needs KEY=VALUE[,VALUE], such as --filter=tier=easy, not "=a"'),
        (
            Selection(not_filters=["tier=,"]),
            '--not-filter needs KEY=VALUE[,VALUE], such as --not-filter=tier=easy, not "tier=,"',
        ),
        (Selection(filters=["tier=nope"]), "no task matches the selection; --list without it shows all of them"),
        (
            Selection(pattern="("),
            '--filter-pattern: "(" is no regular expression: missing ), unterminated subpattern at position 0',
        ),
        (
            Selection(graders=["determinstic"]),
            (
                '--grader: unknown type "determinstic" (did you mean "deterministic"?); '
                "known: deterministic, llm_rubric, human, judge, assertions"
            ),
        ),
        (Selection(graders=[""]), "--grader needs a grader type"),
        (
            Selection(graders=["llm_rubric,human"]),
            '--grader=human, llm_rubric leaves the task "easy--one" without a grader; leave it out with --eval',
        ),
        (
            Selection(names=["bare"], graders=["human"]),
            '--grader=human leaves the task "bare" with graders of weight 0 only',
        ),
    ],
)
def test_what_cannot_be_selected_is_an_error(suite: Suite, selection: Selection, message: str) -> None:
    with pytest.raises(UsageError) as caught:
        select(suite, selection)
    assert str(caught.value) == message


def test_without_metadata_a_filter_says_so(tmp_path: Path) -> None:
    suite = load(tmp_path, "tasks: [{name: a, instruction: do it, graders: [{type: deterministic, run: x}]}]")
    with pytest.raises(UsageError, match=r'no task has the metadata key "tier"; no task has `metadata`$'):
        select(suite, Selection(filters=["tier=easy"]))


@pytest.mark.parametrize(
    ("value", "texts"),
    [
        ("easy", ("easy",)),
        (True, ("true",)),
        (2.0, ("2",)),
        (2.5, ("2.5",)),
        (None, ()),
        (["a", 1, None, False], ("a", "1", "false")),
        ({"a": 1}, ('{"a": 1}',)),
    ],
)
def test_metadata_is_compared_as_text(value: object, texts: tuple[str, ...]) -> None:
    assert metadata_values(value) == texts
