"""Why trials ended as they did: check by check, with the agent's last words; equal stories of a task are told once."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from skillgrade.errors import Stage
from skillgrade.reports.terminal.console import NAME_LIMIT, REASON_LIMIT, STYLES
from skillgrade.reports.terminal.judging import judgement_line
from skillgrade.reports.terminal.text import one_line
from skillgrade.results.records import GraderResult, GraderStatus, Outcome, TrialRecord
from skillgrade.results.report import TaskReport, TrialReport

if TYPE_CHECKING:
    from rich.console import Console

STORIES_PER_TASK = 3
"""How many different stories of one task are told where the reader did not ask for all."""

_LAST_WORDS_BYTES = 2048
_LAST_WORDS_LINES = 3


class Line(NamedTuple):
    """A line of a story, and how it is coloured."""

    text: str
    style: str = ""


class Story(NamedTuple):
    """What is told of a trial, without its number: how it ended, and why."""

    ending: str
    why: tuple[Line, ...]


def print_every_trial(console: Console, tasks: Iterable[TaskReport], folder: Path) -> None:
    """Tell the story of each trial, passed ones too.

    Args:
        console: Where to.
        tasks: The tasks of a run.
        folder: The run's folder.
    """
    for task in tasks:
        for trial in task.trials:
            story = _story(trial, folder)
            seen = tuple(_of_skills(trial.record))
            _print(console, task, [trial.record.trial], trial.record.outcome, Story(story.ending, story.why + seen))


def print_stories(console: Console, tasks: Iterable[TaskReport], outcome: Outcome, folder: Path) -> None:
    """Tell the different stories of the trials with an outcome, the first few of each task.

    Args:
        console: Where to.
        tasks: The tasks of a run.
        outcome: Which trials.
        folder: The run's folder.
    """
    for task in tasks:
        stories: dict[Story, list[int]] = {}
        untold = 0
        for trial in task.trials:
            if trial.record.outcome is not outcome:
                continue
            story = _story(trial, folder)
            if story in stories or len(stories) < STORIES_PER_TASK:
                stories.setdefault(story, []).append(trial.record.trial)
            else:
                untold += 1
        for story, numbers in stories.items():
            _print(console, task, numbers, outcome, story)
        if untold:
            console.print(f"  … and {untold} more of this task: skillgrade preview shows every trial", style="dim")


def _print(console: Console, task: TaskReport, numbers: list[int], outcome: Outcome, story: Story) -> None:
    name = one_line(task.info.task, NAME_LIMIT)
    console.print(f"  {name} {_numbers(numbers)} {story.ending}", style=STYLES[outcome], soft_wrap=True)
    for line in story.why:
        console.print(f"    {line.text}", style=line.style, soft_wrap=True)


def _numbers(numbers: list[int]) -> str:
    """``#0``, ``#0, #3``, or ``#0-#4`` where they follow each other."""
    first, last = numbers[0], numbers[-1]
    if len(numbers) > 2 and last - first == len(numbers) - 1:
        return f"#{first}–#{last}"
    return ", ".join(f"#{number}" for number in numbers)


def _story(trial: TrialReport, folder: Path) -> Story:
    record = trial.record
    ending = str(record.outcome)
    if record.reward is not None:
        ending += f", reward {record.reward:.2f}"
    if record.agent is not None:
        ended = "ran into its deadline" if record.agent.timed_out else f"exit code {record.agent.exit_code}"
        ending += f", agent {ended}"
    if trial.attempts > 1:
        ending += f", {trial.attempts} attempts"
    return Story(ending, tuple(_why(record, folder)))


def _why(record: TrialRecord, folder: Path) -> Iterator[Line]:
    told_by_grader = any(result.status is GraderStatus.ERROR for result in record.grader_results)
    if record.error is not None and not (record.error.stage is Stage.GRADE and told_by_grader):
        yield Line(f"{record.error.stage}: {one_line(record.error.reason, REASON_LIMIT)}")
    several = len({result.turn for result in record.grader_results}) > 1
    for result in record.grader_results:
        yield from _of_grader(result, f", turn {result.turn}" if several else "")
    if record.answered_reward is not None and record.answered_reward != record.reward:
        yield Line(f"the graders that answered give {record.answered_reward:.2f}; it counts nowhere", "dim")
    if record.agent is not None and record.agent.exit_code not in (0, None):
        yield from _last_words(record, folder)
    for note in record.notes:
        yield Line(f"note: {one_line(note, REASON_LIMIT)}", "yellow")


def _of_grader(result: GraderResult, turn: str) -> Iterator[Line]:
    score = "no score" if result.score is None else f"{result.score:.2f}"
    status = "" if result.status is GraderStatus.OK else f" {result.status}:"
    details = one_line(result.details, REASON_LIMIT)
    yield Line(f"{result.grader_type} {score} (weight {result.weight:g}{turn}){status} {details}")
    if result.judgement is not None and (judged := judgement_line(result.judgement)):
        yield Line(f"  {one_line(judged, REASON_LIMIT)}", "dim")
    for check in result.checks:
        mark, style = ("✓", "green") if check.passed else ("✗", "red")
        message = f": {one_line(check.message, REASON_LIMIT)}" if check.message else ""
        yield Line(f"  {mark} {one_line(check.name, NAME_LIMIT)}{message}", style)


def _of_skills(record: TrialRecord) -> Iterator[Line]:
    """Which skills the agent used, and how one knows."""
    for trigger in record.triggers:
        status = str(trigger.status).replace("_", " ")
        evidence = one_line(trigger.evidence, REASON_LIMIT)
        yield Line(f"skill {one_line(trigger.skill, NAME_LIMIT)} {status}: {evidence}", "dim")


def _last_words(record: TrialRecord, folder: Path) -> Iterator[Line]:
    """The end of what an agent that failed has printed: often it could not even begin."""
    for stream in ("stderr", "stdout"):
        name = _last_of_agent(record, stream)
        lines = _tail(folder, record.files.get(name))
        if lines:
            yield Line(f"{name} ends:", "dim")
            yield from (Line(f"  {one_line(line, REASON_LIMIT)}", "dim") for line in lines)
            return


def _last_of_agent(record: TrialRecord, stream: str) -> str:
    """The newest of the files that hold what an agent printed: one for each message of each turn."""
    found = [name for name in record.files if re.fullmatch(rf"(turn-\d+/)?agent(-\d+)?\.{stream}", name)]
    return max(found, key=lambda name: [int(number) for number in re.findall(r"\d+", name)], default="")


def _tail(folder: Path, name: str | None) -> list[str]:
    """The last lines of a file of the run; a name that leads out of its folder is not followed."""
    path = (folder / (name or "")).resolve()
    if name is None or not path.is_relative_to(folder.resolve()) or not path.is_file():
        return []
    with path.open("rb") as file:
        file.seek(max(0, path.stat().st_size - _LAST_WORDS_BYTES))
        text = file.read(_LAST_WORDS_BYTES).decode("utf-8", errors="replace")
    return [line for line in text.splitlines() if line.strip()][-_LAST_WORDS_LINES:]
