"""One run while it goes on: its folder, its journal, and the attempts that it still needs.

A run with a baseline has two of them that share a pool. Each is a whole run with a folder of its own, so that going on,
grading again and reviewing know nothing of baselines.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from skillgrade.engine.listener import RunListener
from skillgrade.engine.plan import Plan
from skillgrade.engine.preparation import prepared
from skillgrade.engine.resume import Recorded
from skillgrade.engine.reviewing import Reviews
from skillgrade.engine.spec import TrialSpec
from skillgrade.engine.waiting import Waiting
from skillgrade.results.folder import RunFolder
from skillgrade.results.journal import Journal
from skillgrade.results.records import TrialRecord
from skillgrade.results.redaction import Redactor
from skillgrade.results.run_info import RunPrepared, SkillInfo
from skillgrade.stop import Stop


class RunArm:
    """One run while it goes on. Used by the one thread that leads it.

    Args:
        plan: What to run.
        folder: Its folder.
        journal: Its journal, open.
        recorded: What earlier sessions did.
        reviews: Its trials that wait for people.
    """

    def __init__(self, plan: Plan, folder: RunFolder, journal: Journal, recorded: Recorded, reviews: Reviews) -> None:
        self.plan = plan
        self.folder = folder
        self.journal = journal
        self.recorded = recorded
        self.reviews = reviews
        self.missing = plan.trial_count - len(recorded.done)
        self._waiting: Waiting | None = None
        for record in recorded.waiting:
            reviews.expect(record, asked_before=True)

    @contextmanager
    def prepared(self, redactor: Redactor, listener: RunListener, stop: Stop) -> Iterator[None]:
        """Make what its trials share; nothing, where none is left to run.

        Raises:
            ProviderError: A skill cannot be read.
            StorageError: The copies could not be written.
            Cancelled: The stop came.
        """
        if not self.missing:
            yield
            return
        with prepared(self.plan, self.folder, redactor, listener, stop) as preparation:
            skills = tuple(SkillInfo(skill.name, skill.digest) for skill in preparation.skills)
            self.journal.prepared(RunPrepared(skills, preparation.notes, preparation.agent_versions()))
            self._waiting = Waiting(preparation, self.recorded)
            yield

    def take(self) -> TrialSpec | None:
        """The attempt that waits longest; None when none waits."""
        return self._waiting.take() if self._waiting else None

    def finished(self, spec: TrialSpec, record: TrialRecord, stop: Stop) -> bool:
        """Keep how an attempt of its ended.

        Returns:
            Whether another one follows.

        Raises:
            StorageError: It could not be written.
        """
        self.journal.append(record)
        again = self._waiting is not None and not stop.is_set() and self._waiting.put_back(spec, record)
        if not again:
            self.reviews.expect(record)
        return again
