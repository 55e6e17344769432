"""What goes on while a run goes on: a live line on a terminal, plain lines elsewhere."""

from __future__ import annotations

import time
from collections import Counter
from typing import TYPE_CHECKING

from skillgrade.engine.listener import ReviewRequest
from skillgrade.reports.terminal.console import NAME_LIMIT, REASON_LIMIT, STYLES
from skillgrade.reports.terminal.reviews import banner, reviewed_line
from skillgrade.reports.terminal.text import one_line, printable, seconds
from skillgrade.results.records import Outcome, TrialRecord

if TYPE_CHECKING:
    from rich.console import Console, RenderableType
    from rich.live import Live


class TerminalProgress:
    """A `RunListener` that shows each finished trial as a line and, on a terminal, a live status below them.

    Args:
        console: Where to write.
    """

    def __init__(self, console: Console) -> None:
        self._console = console
        self._live: Live | None = None
        self._counts: Counter[Outcome] = Counter()
        self._planned = 0
        self._running = 0
        self._started = time.monotonic()
        self._said: set[str] = set()

    def preparing(self, what: str) -> None:
        """Say what is being made."""
        self._once(f"preparing {what}", "dim")

    def note(self, text: str) -> None:
        """Say it."""
        self._once(f"note: {text}", "yellow")

    def run_started(self, planned: int, slots: int) -> None:
        """Start the live status."""
        self._planned = planned
        self._started = time.monotonic()
        plural = "" if planned == 1 else "s"
        self.line(f"{planned} trial{plural}, {min(slots, planned)} at a time", "dim")
        if self._console.is_terminal:
            from rich.live import Live

            self._live = Live(get_renderable=self.status, console=self._console, refresh_per_second=8, transient=True)
            self._live.start()

    def trial_started(self, task: str, trial: int, attempt: int) -> None:
        """Count it as running."""
        self._running += 1

    def trial_finished(self, record: TrialRecord, retried: bool) -> None:
        """Show how it ended."""
        self.count(None if retried else record.outcome)
        text = f"{record.outcome:<9} {one_line(record.task, NAME_LIMIT)} #{record.trial}"
        if record.arm is not None:
            text += f" {record.arm} the skill"
        if record.attempt:
            text += f" (attempt {record.attempt + 1})"
        if record.reward is not None:
            text += f"  reward {record.reward:.2f}"
        text += f"  {seconds(record.duration_ms)}"
        if record.agent and record.agent.timed_out:
            text += "  the agent ran into its deadline"
        if record.error:
            text += f"  {record.error.stage}: {one_line(record.error.reason, REASON_LIMIT)}"
        if retried:
            text += "  (tried again)"
        self.line(text, STYLES[record.outcome])

    def review_wanted(self, request: ReviewRequest) -> None:
        """Show what is asked, and how to answer."""
        for text, style in banner(request):
            self.line(text, style)

    def trial_reviewed(self, record: TrialRecord) -> None:
        """Show what it came to."""
        self.line(reviewed_line(record), STYLES[record.outcome])

    def run_finished(self) -> None:
        """End the live status."""
        if self._live:
            self._live.stop()
            self._live = None

    def count(self, outcome: Outcome | None) -> None:
        """Take an attempt out of those that run, and count its outcome unless it is tried again."""
        self._running -= 1
        if outcome is not None:
            self._counts[outcome] += 1

    def line(self, text: str, style: str) -> None:
        """Print one line above the live status."""
        from rich.text import Text

        self._console.print(Text(printable(text), style=style), soft_wrap=True)

    def _once(self, text: str, style: str) -> None:
        """Print a line that a run with a baseline would say for both of its arms."""
        if text not in self._said:
            self._said.add(text)
            self.line(text, style)

    def status(self) -> RenderableType:
        """The live line: done, running, what did not pass, elapsed, and a guess of the time left."""
        from rich.text import Text

        done = sum(self._counts.values())
        elapsed = time.monotonic() - self._started
        status = Text(f"{done}/{self._planned} trials", style="bold")
        status.append(f" · {self._running} running", style="not bold")
        for outcome, style in STYLES.items():
            if self._counts[outcome] and outcome is not Outcome.PASSED:
                status.append(f" · {self._counts[outcome]} {outcome}", style=f"not bold {style}")
        status.append(f" · {seconds(elapsed * 1000)}", style="not bold dim")
        if 0 < done < self._planned:
            left = elapsed / done * (self._planned - done)
            status.append(f" · about {seconds(left * 1000)} left", style="not bold dim")
        return status
