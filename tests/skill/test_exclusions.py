"""What a description is not for does not speak for it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skillgrade.skill.exclusions import joined, without_exclusions
from skillgrade.skill.tokens import tokens

GOLDEN = [
    (("Use when pushing the current branch to the remote. NOT for creating the commits themselves (use `commit`) or "
      "opening a pull request afterwards (use `pr`)."), ["pushing", "remote"], ["commit", "pull request", "pr`"]),
    ("Use when linting Go code. Do not use for formatting Python files.", ["linting Go"], ["Python", "formatting"]),
    ("Use when deploying a release. Never run this against a database migration.", ["release."],
     ["database", "migration"]),
    ("Use when fixing a build; a correct fix never widens beyond what the failure requires.",
     ["never widens", "requires"], []),
    ("Use when reviewing a diff for logic bugs. Does not edit code or apply fixes.", ["logic bugs."],
     ["edit", "fixes"]),
    ("Use when reviewing the backend (not the CLI form) for API design issues.", ["backend", "API design"], ["CLI"]),
    ("Use when checking whether a documented API call still matches reality (see api-truth for version-diff checks).",
     ["reality"], ["version-diff", "api-truth"]),
    ("Use when auditing a change (not only for bugs but also for missing tests) before merge.",
     ["not only for bugs", "missing tests"], []),
    (("Use when implementing a backend feature. Not for frontend work, e.g. React components or CSS, which belongs to "
      "a UI skill."), ["backend feature."], ["React", "components", "UI"]),
    ("Use when the body of an existing PR needs updating. Use `pr-issue-documenter` instead.", ["updating."],
     ["pr-issue-documenter"]),
    (("Use when a request is ambiguous and needs to be scoped before implementation begins, gathering just enough "
      "context instead of guessing."), ["ambiguous", "scoped", "implementation", "context instead of guessing"], []),
    ("Use nodejs-testing instead", [], ["nodejs", "testing"]),
    ("Read-only: reports findings, does not edit code.", ["Read-only: reports findings,"], ["edit"]),
]  # fmt: skip


@pytest.mark.parametrize(("text", "kept", "gone"), GOLDEN)
def test_what_stays_and_what_goes(text: str, kept: list[str], gone: list[str]) -> None:
    left = without_exclusions(text)
    assert [each for each in kept if each not in left] == []
    assert [each for each in gone if each in left] == []


@pytest.mark.parametrize(
    "text",
    [
        "Use when implementing a new feature in a Node.js service.",
        "Use git bisect instead of a manual search",
        "Use when fixing this instead of guessing",
    ],
)
def test_what_excludes_nothing_stays_as_it_is(text: str) -> None:
    assert without_exclusions(text) == text


def test_a_sentence_that_begins_with_never_is_gone() -> None:
    assert without_exclusions("Never mind the tests, push my branch") == ""


def test_parts_are_sentences_of_their_own() -> None:
    assert joined("name", "Does it!", "", "trigger") == "name. Does it! trigger."


_PIECES = ["use ", "not for ", "(not ", "(see ", ")", "never ", "Never ", ". ", "e.g. ", "`a`", " instead", "does not ",
           "a-b", "word ", "\n", "!", "do not use for "]  # fmt: skip


@given(st.lists(st.sampled_from(_PIECES), max_size=30).map("".join))
def test_it_only_takes_away(text: str) -> None:
    assert tokens(without_exclusions(text)) <= tokens(text)


@pytest.mark.parametrize("piece", ["use ", "(", "(not ", "not for ", "e.g. ", "use `a", "use a-", "never ", "a-"])
def test_a_text_that_would_hang_a_careless_rule_is_done(piece: str) -> None:
    assert len(without_exclusions(piece * 200_000)) <= len(piece) * 200_000
