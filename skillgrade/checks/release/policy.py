"""`gate.yaml`: what a release asks of the evidence."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from skillgrade.errors import Problem, SuiteError
from skillgrade.judges.base import Judge
from skillgrade.reading import UnreadableError, read_text
from skillgrade.skill.catalog import Scope
from skillgrade.wording import did_you_mean, shown
from skillgrade.yaml_reader import parse_yaml
from skillgrade.yaml_values import Mark, MarkedList, MarkedMap

POLICY_FILE = "gate.yaml"
_LARGEST = 1024 * 1024
_KEYS = ("judges", "runners", "min_trials", "floor", "samples", "scope")


@dataclass(frozen=True, slots=True)
class Runner:
    """Who may have answered: an agent, and its model; None for any model."""

    agent: str
    model: str | None = None

    def __str__(self) -> str:
        """As the policy has it."""
        return self.agent if self.model is None else f"{self.agent}:{self.model}"


@dataclass(frozen=True, slots=True)
class Policy:
    """What a release asks of the evidence.

    Attributes:
        judges: Who may have judged.
        runners: Who may have answered.
        min_trials: Trials that each scenario needs.
        floor: The share of them that must have passed, 0..1.
        samples: Answers that each question of judge-check needs.
        scope: The skills among which triggers are scored.
    """

    judges: tuple[Judge, ...]
    runners: tuple[Runner, ...]
    min_trials: int = 10
    floor: float = 0.8
    samples: int = 3
    scope: Scope = Scope.BUNDLED

    def allows_runner(self, agent: str, model: str) -> bool:
        """Whether an agent with a model may have answered."""
        return any(each.agent == agent and each.model in (None, model) for each in self.runners)

    def allows_judge(self, provider: str, model: str) -> bool:
        """Whether a judge may have judged."""
        return any(each.provider == provider and each.model in (None, model) for each in self.judges)


def read_policy(folder: Path) -> Policy:
    """The policy of a pack or skill.

    Raises:
        SuiteError: There is none, or it is wrong; with every problem and its place.
    """
    file = folder / POLICY_FILE
    try:
        text = read_text(file, _LARGEST)
    except UnreadableError as error:
        message = f"{error}; it says who may judge and answer: `judges: [PROVIDER:MODEL]`, `runners: [AGENT:MODEL]`"
        raise SuiteError([Problem(message, file)]) from None
    document = parse_yaml(text, file)
    if not isinstance(document.value, MarkedMap):
        raise SuiteError([Problem("must be a mapping with `judges` and `runners`", *document.mark)])
    reader = _Reader(document.value)
    policy = reader.policy()
    if reader.problems:
        raise SuiteError(reader.problems)
    return policy


class _Reader:
    def __init__(self, holder: MarkedMap) -> None:
        self._holder = holder
        self.problems: list[Problem] = []

    def policy(self) -> Policy:
        for key in self._holder:
            if key not in _KEYS:
                hint = did_you_mean(key, _KEYS) or f"; known are {', '.join(_KEYS)}"
                self._problem(key, f"unknown key{hint}", self._holder.key_marks[key])
        judges = tuple(Judge(provider, model) for provider, model in self._names("judges"))
        runners = tuple(Runner(agent, model) for agent, model in self._names("runners"))
        return Policy(
            judges,
            runners,
            int(self._number("min_trials", 10, 1, 10_000, whole=True)),
            self._number("floor", 0.8, 0, 1),
            int(self._number("samples", 3, 1, 1000, whole=True)),
            self._scope(),
        )

    def _names(self, key: str) -> list[tuple[str, str | None]]:
        listed = self._holder.get(key)
        if not isinstance(listed, MarkedList) or not listed:
            self._problem(key, f"must be a list with at least one of the {key} that count")
            return []
        names = []
        for index, item in enumerate(listed):
            name, _, model = str(item).partition(":") if isinstance(item, str) else ("", "", "")
            if not name.strip():
                self._problem(f"{key}[{index}]", "must be NAME or NAME:MODEL", listed.item_marks[index])
            names.append((name, model or None))
        return names

    def _number(self, key: str, usual: float, low: float, high: float, *, whole: bool = False) -> float:
        value: Any = self._holder.get(key)
        if value is None:
            return usual
        is_number = isinstance(value, int if whole else int | float) and not isinstance(value, bool)
        if not is_number or not low <= value <= high:
            kind = "a whole number" if whole else "a number"
            self._problem(key, f"must be {kind} from {low:g} to {high:g}, not {shown(value)}")
            return usual
        return float(value)

    def _scope(self) -> Scope:
        value = self._holder.get("scope", Scope.BUNDLED.value)
        if value not in tuple(Scope):
            self._problem("scope", f"must be {' or '.join(Scope)}, not {shown(value)}")
            return Scope.BUNDLED
        return Scope(str(value))

    def _problem(self, path: str, message: str, mark: Mark | None = None) -> None:
        key = path.partition("[")[0]
        place = mark or self._holder.value_marks.get(key, self._holder.mark)
        self.problems.append(Problem(message, place.file, place.line, place.column, path))
