"""Which skill a prompt reaches: numbers that were worked out elsewhere, and rules that hold for all catalogs."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skillgrade.skill.scorer import Advice, Catalog, Entry, advice, score_triggers
from skillgrade.skill.tokens import normalised, stem, tokens

ALPHA = Entry("a", "alpha", "Review React components.", ("ui review",))
BETA = Entry("a", "beta", "Review backend services. Not for React components (use `alpha`).", ("backend review",))
GAMMA = Entry("b", "gamma", "Deploy a release to production.", ("ship it",))
CATALOG = Catalog([ALPHA, BETA, GAMMA])


def scores(query: str) -> dict[str, float]:
    return {match.entry.name: round(match.score, 6) for match in CATALOG.matches(query)}


def selected(query: str) -> list[str]:
    return [each.name for each in CATALOG.entries if CATALOG.selection(query, each.id).selected]


@pytest.mark.parametrize(
    ("query", "expected", "reached"),
    [
        ("review react components", {"alpha": 1.0, "beta": 0.2755, "gamma": 0.0}, ["alpha"]),
        ("review the backend release", {"beta": 0.63775, "gamma": 0.36225, "alpha": 0.2755}, ["beta"]),
        ("deploy services", {"beta": 0.5, "gamma": 0.5, "alpha": 0.0}, ["beta", "gamma"]),
        ("ui", {"alpha": 0.0, "beta": 0.0, "gamma": 0.0}, []),
    ],
)
def test_the_scores_of_three_skills(query: str, expected: dict[str, float], reached: list[str]) -> None:
    assert scores(query) == expected
    assert selected(query) == reached


def test_the_first_score_to_six_places() -> None:
    score = CATALOG.selection("review react components", "a/beta").score
    assert math.isclose(score, 0.275500, abs_tol=5e-6)


def test_own_triggers_are_left_out() -> None:
    lost = CATALOG.left_out("ship it", "b/gamma")
    assert (lost.selected, lost.score, lost.description_score) == (False, 0.0, 0.0)
    assert CATALOG.left_out("ui review", "a/alpha").selected


def test_a_trigger_that_no_description_supports_does_not_count() -> None:
    entry = Entry("misc", "helper", "Use when the user needs help.", ("widget dashboard configuration",))
    catalog = Catalog([ALPHA, BETA, GAMMA, entry])
    full = catalog.selection("configure the widget dashboard", entry.id)
    assert full.selected
    left = catalog.left_out("widget dashboard configuration", entry.id)
    assert (left.selected, left.score, left.description_score) == (False, 0.0, 0.0)


def test_a_sibling_trigger_and_a_word_of_the_description_bring_it_back() -> None:
    triggers = tuple(f"acme corp global widget dashboard {word} wizard" for word in ("configuration", "settings"))
    entry = Entry("misc", "helper", "Use when the user needs help from the wizard for routine tasks.", triggers)
    others = [Entry("other", f"skill-{number}", f"Does thing{number}x.") for number in range(60)]
    left = Catalog([ALPHA, BETA, GAMMA, entry, *others]).left_out(triggers[0], entry.id)
    assert left.selected
    assert 0.12 < left.description_score < 0.13
    assert 0.83 < left.score < 0.85


def test_borrowed_triggers_do_not_make_a_skill_reachable() -> None:
    borrowed = Entry("misc", "sourdough", "Bakes bread with a starter.", ALPHA.triggers)
    catalog = Catalog([ALPHA, BETA, GAMMA, borrowed])
    assert not any(catalog.left_out(each, borrowed.id).selected for each in borrowed.triggers)


def test_a_skill_of_the_same_category_outranks_nobody() -> None:
    found = CATALOG.selection("review the backend release", "b/gamma")
    assert (found.selected, found.rank, found.outranked_by) == (False, 2, "a/beta")
    sibling = CATALOG.selection("review react components backend", "a/beta")
    assert sibling.outranked_by is None
    assert sibling.rank == 2


def test_what_is_not_there_is_reached_by_nothing() -> None:
    found = CATALOG.selection("review", "c/none")
    assert (found.selected, found.score, found.rank) == (False, 0.0, -1)


def test_advice() -> None:
    assert advice([]) is Advice.CREATE
    assert advice(CATALOG.matches("underwater basket weaving championship for goldfish")) is Advice.CREATE
    assert advice(CATALOG.matches("review react components quickly")) is Advice.USE
    assert advice(CATALOG.matches("deploy the kubernetes helm chart release")) is Advice.FORK
    assert Catalog([]).matches("anything") == []


def test_every_skill_reaches_itself_by_its_own_description() -> None:
    for entry in CATALOG.entries:
        (first, *_) = CATALOG.matches(entry.description)
        assert (first.entry, first.score) == (entry, 1.0)
        assert advice([first]) is Advice.USE
        nearest = CATALOG.nearest(entry.id)
        assert entry.id not in [match.entry.id for match in nearest]
        assert nearest[0].score < 1


def test_prompts_and_own_triggers_are_scored_together() -> None:
    found = score_triggers(CATALOG, "a/alpha", ["review react components", "ship it"], ["deploy it"])
    assert [each.is_right for each in found.prompts] == [True, False, True]
    assert found.accuracy == 2 / 3
    assert [each.trigger for each in found.own] == ["ui review"]
    assert score_triggers(CATALOG, "b/gamma", [], []).accuracy is None


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Пакет Документации", "пакет документации"),
        ("PipelineStepStore.ts", "pipeline step store ts"),
        ("!!! --- ???", ""),
        ("HTTPServer v2_x", "httpserver v2 x"),
    ],
)
def test_words(text: str, words: str) -> None:
    assert normalised(text) == words


def test_which_words_count() -> None:
    assert tokens("для the и with") == frozenset()
    assert tokens("ui review") == {"review"}
    assert tokens("!!!") == frozenset()
    assert tokens("😀a ab 𝔸b") == {"𝔸b"}  # three UTF-16 units


@pytest.mark.parametrize(
    ("word", "found"),
    [("queries", "query"), ("services", "servic"), ("service", "service"), ("testing", "test"), ("using", "using"),
     ("string", "str"), ("class", "class"), ("classes", "class"), ("tests", "test"), ("modules", "modul")],
)  # fmt: skip
def test_stems_are_as_crude_as_they_are_elsewhere(word: str, found: str) -> None:
    assert stem(word) == found


_words = st.sampled_from(["review", "react", "deploy", "release", "backend", "ship", "zebra", "the"])
_texts = st.lists(_words, min_size=1, max_size=5).map(" ".join)
_entries = st.lists(
    st.builds(Entry, st.sampled_from("ab"), st.text("cdefgh", min_size=1, max_size=3), _texts,
              st.lists(_texts, max_size=3).map(tuple)),
    min_size=1, max_size=6, unique_by=lambda entry: entry.id,
)  # fmt: skip


@given(_entries, _texts)
def test_leaving_a_trigger_out_is_the_same_as_not_having_it(entries: list[Entry], other: str) -> None:
    catalog = Catalog(entries)
    for entry in entries:
        for trigger in entry.triggers:
            rest = tuple(each for each in entry.triggers if each != trigger)
            rebuilt = Catalog([Entry(e.category, e.name, e.description, rest) if e is entry else e for e in entries])
            expected = rebuilt.selection(trigger, entry.id)
            assert catalog.left_out(trigger, entry.id).score == expected.score


@given(_entries, _texts)
def test_scores_are_shares_and_ranks_are_places(entries: list[Entry], query: str) -> None:
    catalog = Catalog(entries)
    order = [match.entry.id for match in catalog.matches(query, strip=False)]
    for match in catalog.matches(query, strip=False):
        assert 0 <= match.score <= 1
        found = catalog.selection(query, match.entry.id)
        assert found.score == match.score
        assert order[found.rank - 1] == match.entry.id
