"""Which skill a prompt reaches, by the words that they share, weighted by how rare each is among the skills.

The formulas are those of keryx: ``idf(t) = ln((N + 1) / (df(t) + 1)) + 1``, and the score of a skill is the sum of the
weights of the prompt's words that the skill has, over that of all of the prompt's words. A skill is selected from 0.30
on, unless one of another category scores higher.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from skillgrade.skill.exclusions import joined, without_exclusions
from skillgrade.skill.model import Skill
from skillgrade.skill.tokens import tokens

SELECTED = 0.30
USE = 0.55
BY_DESCRIPTION = 0.12
"""What a prompt that is one of the skill's own triggers must score by name and description alone."""

NEAREST = 5


class Advice(StrEnum):
    """What to do about a wish: use a skill that there is, start from one, or write a new one."""

    USE = "use"
    FORK = "fork"
    CREATE = "create"


@dataclass(frozen=True, slots=True)
class Entry:
    """A skill as the scorer sees it: its id (``category/name``) and what it says of itself."""

    category: str
    name: str
    description: str
    triggers: tuple[str, ...] = ()

    @property
    def id(self) -> str:
        """Category and name."""
        return f"{self.category}/{self.name}"

    @classmethod
    def of_skill(cls, skill: Skill, category: str | None = None) -> Entry:
        """A skill of a folder; its category is the folder above, where nothing else is said."""
        return cls(category or skill.folder.parent.name, skill.folder.name, skill.description, skill.triggers)


@dataclass(frozen=True, slots=True)
class Match:
    """What a skill scores: 0..1, with the words that it shares with the prompt, sorted."""

    entry: Entry
    score: float
    shared: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Selection:
    """Whether a prompt reaches a skill.

    Attributes:
        selected: Whether it does.
        score: What the skill scores, 0..1.
        rank: Its place among all skills, from 1; -1 where it is not among them.
        outranked_by: The first skill of another category that scores higher; None where there is none.
    """

    selected: bool
    score: float
    rank: int
    outranked_by: str | None = None


@dataclass(frozen=True, slots=True)
class LeftOut:
    """Whether a skill's own trigger reaches it without being listed: by the others, and by name and description."""

    trigger: str
    selected: bool
    score: float
    description_score: float


class _Field:
    """The words of all skills in one view of them, with the skills that have each."""

    def __init__(self, words: Sequence[frozenset[str]]) -> None:
        self._count = len(words)
        self._with: defaultdict[str, list[int]] = defaultdict(list)
        for number, of_one in enumerate(words):
            for word in of_one:
                self._with[word].append(number)

    def scores(
        self, query: frozenset[str], without: Mapping[str, int] | None = None
    ) -> dict[int, tuple[float, list[str]]]:
        """By skill, its score and the words it shares; those that share none are left out.

        Args:
            query: The words of the prompt.
            without: Words that a skill is taken not to have, by word the number of that skill.
        """
        lost = without or {}
        shared: defaultdict[int, list[str]] = defaultdict(list)
        weights: dict[str, float] = {}
        for word in sorted(query):
            holders = [number for number in self._with.get(word, ()) if lost.get(word) != number]
            weights[word] = math.log((self._count + 1) / (len(holders) + 1)) + 1
            for number in holders:
                shared[number].append(word)
        total = math.fsum(weights.values())
        return {number: (math.fsum(weights[word] for word in words) / total, words) for number, words in shared.items()}


class Catalog:
    """The skills that a prompt may reach. The index is built once.

    Args:
        entries: The skills.
    """

    def __init__(self, entries: Iterable[Entry]) -> None:
        self.entries = tuple(entries)
        self._numbers = {entry.id: number for number, entry in enumerate(self.entries)}
        described = [tokens(without_exclusions(joined(each.name, each.description))) for each in self.entries]
        full = [
            tokens(without_exclusions(joined(each.name, each.description, *each.triggers))) for each in self.entries
        ]
        self._words = full
        self._full, self._described = _Field(full), _Field(described)

    def matches(self, query: str, *, strip: bool = True, without: Collection[str] = ()) -> list[Match]:
        """All skills, the best first, equals by their ids.

        Args:
            query: A prompt, or what a skill says of itself.
            strip: Whether what the query excludes is taken out of it.
            without: Ids of skills that are left out.
        """
        scores = self._full.scores(tokens(without_exclusions(query) if strip else query))
        found = [
            Match(entry, *_score(scores.get(number)))
            for number, entry in enumerate(self.entries)
            if entry.id not in without
        ]
        return sorted(found, key=lambda match: (-match.score, match.entry.id))

    def selection(self, query: str, identity: str) -> Selection:
        """Whether a prompt reaches a skill, which is given by its id."""
        return self._selection(self._full.scores(tokens(query)), identity)

    def left_out(self, trigger: str, identity: str) -> LeftOut:
        """Whether one of a skill's triggers reaches it where that trigger is not listed.

        Raises:
            KeyError: There is no such skill.
        """
        number = self._numbers[identity]
        entry = self.entries[number]
        others = (each for each in entry.triggers if each != trigger)
        rest = tokens(without_exclusions(joined(entry.name, entry.description, *others)))
        query = tokens(trigger)
        full = self._selection(self._full.scores(query, dict.fromkeys(self._words[number] - rest, number)), identity)
        described, _ = self._described.scores(query).get(number, (0.0, []))
        return LeftOut(trigger, full.selected and described >= BY_DESCRIPTION, full.score, described)

    def nearest(self, identity: str, limit: int = NEAREST) -> list[Match]:
        """The skills that say about the same as one of them, which is left out itself.

        Raises:
            KeyError: There is no such skill.
        """
        entry = self.entries[self._numbers[identity]]
        return self.matches(entry.description or entry.name, without=(identity,))[:limit]

    def _selection(self, scores: Mapping[int, tuple[float, list[str]]], identity: str) -> Selection:
        number = self._numbers.get(identity)
        if number is None:
            return Selection(False, 0.0, -1)
        score, _ = scores.get(number, (0.0, []))
        category = self.entries[number].category
        above = sorted(
            (-value, self.entries[other].id, self.entries[other].category)
            for other, (value, _) in scores.items()
            if (-value, self.entries[other].id) < (-score, identity)
        )
        outranked = next((name for value, name, other in above if other != category and -value > score), None)
        # Skills that share no word with the prompt score 0 and stand behind, in the order of their ids.
        idle = (
            0
            if score
            else sum(each.id < identity for position, each in enumerate(self.entries) if position not in scores)
        )
        rank = 1 + len(above) + idle
        return Selection(score >= SELECTED and outranked is None, score, rank, outranked)


def advice(matches: Sequence[Match]) -> Advice:
    """What to do, given the skills that come nearest, the best first."""
    top = matches[0].score if matches else 0.0
    if top >= USE:
        return Advice.USE
    return Advice.FORK if top >= SELECTED else Advice.CREATE


@dataclass(frozen=True, slots=True)
class PromptScore:
    """How a prompt fared: whether it means the skill, whether it reaches it, and how."""

    prompt: str
    is_meant: bool
    selection: Selection

    @property
    def is_right(self) -> bool:
        """Whether it reaches the skill just when it means it."""
        return self.selection.selected is self.is_meant


@dataclass(frozen=True, slots=True)
class TriggerScores:
    """How the prompts of a skill fared.

    Attributes:
        skill: The skill's id.
        prompts: Those that mean it, then those that do not.
        own: Each of its own triggers, left out.
    """

    skill: str
    prompts: tuple[PromptScore, ...]
    own: tuple[LeftOut, ...] = field(default=())

    @property
    def accuracy(self) -> float | None:
        """The share of prompts that fare as they must; None without prompts."""
        return sum(each.is_right for each in self.prompts) / len(self.prompts) if self.prompts else None


def score_triggers(catalog: Catalog, identity: str, positive: Iterable[str], negative: Iterable[str]) -> TriggerScores:
    """Score the prompts of a skill, and its own triggers.

    Args:
        catalog: All skills, this one among them.
        identity: Its id.
        positive: Prompts that mean it.
        negative: Prompts that do not.

    Raises:
        KeyError: There is no such skill.
    """
    asked = [*((prompt, True) for prompt in positive), *((prompt, False) for prompt in negative)]
    prompts = tuple(PromptScore(prompt, meant, catalog.selection(prompt, identity)) for prompt, meant in asked)
    entry = next(each for each in catalog.entries if each.id == identity)
    return TriggerScores(identity, prompts, tuple(catalog.left_out(each, identity) for each in entry.triggers))


def _score(found: tuple[float, list[str]] | None) -> tuple[float, tuple[str, ...]]:
    return (0.0, ()) if found is None else (found[0], tuple(found[1]))
