"""How prompts fared, and which skills a wish reaches, for a person and for programs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from skillgrade.reports.terminal.console import NAME_LIMIT
from skillgrade.reports.terminal.text import one_line
from skillgrade.results.report import TriggerCounts
from skillgrade.skill.scorer import Advice, LeftOut, Match, PromptScore, TriggerScores

if TYPE_CHECKING:
    from rich.console import Console

_PROMPT = 90
_SHARED = 80


def print_triggers(console: Console, scores: TriggerScores, observed: Mapping[str, TriggerCounts], skills: int) -> None:
    """Print the prompts that fare as they must not, then all others, then the skill's own triggers.

    Args:
        console: Where to.
        scores: How the prompts fared.
        observed: By prompt, what agents did with it.
        skills: How many skills compete.
    """
    from rich.table import Table

    console.print(f"{one_line(scores.skill, NAME_LIMIT)} among {skills} skills", style="bold")
    if scores.prompts:
        table = Table(box=None, pad_edge=False, header_style="bold")
        for column in ("prompt", "means it", "selects it", "score", "rank", "outranked by", "agents used it"):
            table.add_column(column, overflow="fold")
        for each in sorted(scores.prompts, key=lambda each: each.is_right):
            table.add_row(*_row(each, observed.get(each.prompt)), style="" if each.is_right else "red")
        console.print(table)
        right = sum(each.is_right for each in scores.prompts)
        console.print(f"{right} of {len(scores.prompts)} prompts fare as they must ({scores.accuracy:.0%})")
    lost = [each for each in scores.own if not each.selected]
    if scores.own:
        console.print(
            f"{len(scores.own) - len(lost)} of {len(scores.own)} own triggers find their way back when left out"
        )
    for own in lost:
        console.print(f"  lost: {one_line(own.trigger, _PROMPT)}: {_why_lost(own)}", style="yellow", soft_wrap=True)


def triggers_json(scores: TriggerScores, observed: Mapping[str, TriggerCounts], skills: int) -> Mapping[str, object]:
    """The same for programs; see docs/triggers.md."""
    return {
        "skill": scores.skill,
        "skills": skills,
        "accuracy": scores.accuracy,
        "prompts": [_prompt_json(each, observed.get(each.prompt)) for each in scores.prompts],
        "own_triggers": [
            {
                "trigger": each.trigger,
                "selected": each.selected,
                "score": each.score,
                "description_score": each.description_score,
            }
            for each in scores.own
        ],
    }


def print_scout(console: Console, wish: str, advice: Advice, matches: Sequence[Match]) -> None:
    """Print what to do about a wish, and the skills that come nearest.

    Args:
        console: Where to.
        wish: What was asked for.
        advice: What to do.
        matches: The nearest skills, the best first.
    """
    what = {
        Advice.USE: "use the first of these skills",
        Advice.FORK: "start from the first of these skills",
        Advice.CREATE: "write a new skill",
    }[advice]
    console.print(f"{advice}: {what}, for: {one_line(wish, _PROMPT)}", style="bold", soft_wrap=True)
    for match in matches:
        shared = f"shared: {', '.join(match.shared)}" if match.shared else "no shared words"
        name = one_line(match.entry.id, NAME_LIMIT)
        console.print(f"  {match.score:.2f}  {name}  {one_line(shared, _SHARED)}", soft_wrap=True)


def scout_json(wish: str, advice: Advice, matches: Sequence[Match]) -> Mapping[str, object]:
    """The same for programs."""
    return {
        "wish": wish,
        "advice": advice.value,
        "nearest": [{"skill": match.entry.id, "score": match.score, "shared": list(match.shared)} for match in matches],
    }


def _row(each: PromptScore, counts: TriggerCounts | None) -> tuple[str, ...]:
    found = each.selection
    return (
        one_line(each.prompt, _PROMPT),
        "yes" if each.is_meant else "no",
        "yes" if found.selected else "no",
        f"{found.score:.2f}",
        str(found.rank),
        one_line(found.outranked_by or "", NAME_LIMIT),
        "" if counts is None else f"{counts.triggered} of {counts.known}" if counts.known else "unknown",
    )


def _prompt_json(each: PromptScore, counts: TriggerCounts | None) -> Mapping[str, object]:
    found = each.selection
    return {
        "prompt": each.prompt,
        "expected": each.is_meant,
        "selected": found.selected,
        "score": found.score,
        "rank": found.rank,
        "outranked_by": found.outranked_by,
        "observed": None if counts is None else {"triggered": counts.triggered, "known": counts.known},
    }


def _why_lost(own: LeftOut) -> str:
    return f"score {own.score:.2f} without it, {own.description_score:.2f} by name and description"
