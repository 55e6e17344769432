"""The judging of one run: by the providers, by the providers into a recording, or from a recording."""

from __future__ import annotations

import shlex
import threading
import time
from collections.abc import Callable, Mapping

from skillgrade.errors import ModelError, RecordingError
from skillgrade.judges.asking import JUDGE_DEADLINE, Asked, ask_sample, replay_sample
from skillgrade.judges.base import Judge, JudgeSettings, Prompt, Reading, Verdicts
from skillgrade.judges.prompt import request_digest
from skillgrade.judges.recorder import Recorder
from skillgrade.judges.recordings import Entry, RecordedSample, Recording, read_recording
from skillgrade.models.access import Models
from skillgrade.models.base import ModelRequest
from skillgrade.models.endpoint import endpoint
from skillgrade.results.records import Sample
from skillgrade.results.redaction import Redactor
from skillgrade.stop import Stop


class JudgeSession:
    """Asks judges for a run; satisfies `skillgrade.judges.base.Judging`. Thread-safe.

    Args:
        settings: What the judging depends on.
        models: Reaches the providers; closed with the session.
        redactor: Takes secrets out of what is recorded.
        command: The command that records the verdicts of this suite, without `--eval`, for messages.
        label: Stands behind the names of tasks in the recording, for work that is not an agent's.
    """

    def __init__(
        self, settings: JudgeSettings, models: Models, redactor: Redactor, command: str, label: str = ""
    ) -> None:
        self._settings = settings
        self._models = models
        self._command = command
        self._label = label
        self._recorder = Recorder(settings.recording, redactor)
        self._recording: Recording | None = None
        self._lock = threading.Lock()

    @property
    def settings(self) -> JudgeSettings:
        """What it depends on."""
        return self._settings

    def samples(
        self,
        task: str,
        prompt: Prompt,
        judge: Judge,
        count: int,
        read: Callable[[str], Reading],
        variables: Mapping[str, str],
        stop: Stop,
    ) -> tuple[Sample, ...]:
        """See `Judging.samples`; while verdicts are recorded, a question of this run is asked once.

        Raises:
            RecordingError: Also when recording, and what is at the recording's place is none.
        """
        request = request_digest(prompt)
        if self._settings.verdicts is Verdicts.REPLAY:
            entry = self._recorded(task, request, prompt.version, judge, count)
            return tuple(replay_sample(entry.provider, entry.model, one, read) for one in entry.samples[:count])
        model = judge.model or self._settings.models.get(judge.provider)
        if model is None:
            message = f"no model of {judge.provider} is known to judge; name one with grader_model or --judge"
            raise ModelError(message)
        place = endpoint(judge.provider, variables)
        question = ModelRequest(model, prompt.system, prompt.user, prompt.schema)
        deadline = time.monotonic() + JUDGE_DEADLINE

        def ask() -> Asked:
            return ask_sample(self._models, place, question, read, deadline, stop)

        def replay(recorded: RecordedSample) -> Sample:
            return replay_sample(judge.provider, model, recorded, read)

        if self._settings.verdicts is Verdicts.LIVE:
            return tuple(ask().sample for _ in range(count))
        entry = Entry(f"{task}{self._label}", request, judge.provider, model, prompt.version, ())
        return self._recorder.samples(entry, count, ask, replay, stop)

    def close(self) -> None:
        """Write what was recorded, and give back connections.

        Raises:
            RecordingError: Something else was put at the recording's place meanwhile.
            StorageError: The recording could not be written.
        """
        try:
            self._recorder.close()
        finally:
            self._models.close()

    def _recorded(self, task: str, request: str, version: str, judge: Judge, count: int) -> Entry:
        try:
            with self._lock:
                if self._recording is None:
                    self._recording = read_recording(self._settings.recording)
            return self._recording.find(f"{task}{self._label}", request, version, judge, count)
        except RecordingError as error:
            command = f"{self._command} --eval={shlex.quote(task)}"
            raise RecordingError(f"{error}; record it with `{command}`") from None
