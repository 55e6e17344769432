"""The graders of a task (or a turn): from what the file says to specs."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass

from skillgrade.suite.assertion_specs import ASSERTIONS, read_assertions
from skillgrade.suite.cursor import Cursor
from skillgrade.suite.judge_specs import JUDGE, LLM_RUBRIC, read_judge, read_llm_rubric
from skillgrade.suite.model import AssertionsSpec, DeterministicSpec, GraderSpec, HumanSpec
from skillgrade.suite.references import Missing, References
from skillgrade.suite.run_files import RunFiles, RunScope
from skillgrade.wording import shown

_JUDGED = {LLM_RUBRIC: read_llm_rubric, JUDGE: read_judge}


@dataclass(frozen=True, slots=True)
class GraderReader:
    """Reads graders of one task."""

    scope: RunScope
    references: References

    def read(
        self, graders: Cursor | None, start: int = 0, turn: int | None = None, *, is_alone: bool = False
    ) -> tuple[GraderSpec, ...]:
        """All graders of a list; what cannot be used is noted as an error.

        Args:
            graders: The list; None where there is none.
            start: The number of its first grader.
            turn: The turn after which they run; None for after the last one.
            is_alone: Whether the task has no other graders, so that theirs are all the weights that there are.
        """
        if graders is None:
            return ()
        specs = []
        for index, cursor in enumerate(graders.items(), start):
            kind = cursor.get("type")
            name = kind.text() if kind else None
            if name is not None:
                specs.append(dataclasses.replace(self._grader(cursor, name, index), turn=turn))
        # Of several lists, one may weigh nothing; that all of them do is seen when a run is planned.
        is_all = is_alone and len(specs) == len(list(graders.items()))
        if specs and is_all and all(spec.weight == 0 for spec in specs):
            message = "all weights are 0, so there is nothing to score; give one grader a weight above 0"
            self.references.findings.error(graders.mark, graders.path, message)
        return tuple(specs)

    def _grader(self, cursor: Cursor, kind: str, index: int) -> GraderSpec:
        written = cursor.get("weight")
        weight = written.number() if written else None
        weight = 1.0 if weight is None else float(weight)
        if kind == "deterministic":
            return self._deterministic(cursor, index, weight)
        if kind in _JUDGED:
            rubric = self._text(cursor, "rubric", Missing.ERROR)
            return _JUDGED[kind](cursor, rubric, index, weight, self.references.findings)
        if kind == "human":
            timeout = cursor.get("timeout")
            seconds = timeout.number() if timeout else None
            prompt = self._text(cursor, "prompt", Missing.WARNING)
            human = HumanSpec(kind, index, weight, prompt=prompt)
            return human if seconds is None else dataclasses.replace(human, timeout=float(seconds))
        if kind == ASSERTIONS:
            threshold = cursor.get("threshold")
            return AssertionsSpec(
                kind,
                index,
                weight,
                assertions=read_assertions(cursor, self.references),
                threshold=threshold.number() if threshold else None,
            )
        return GraderSpec(kind, index, weight)  # of a type that the schema has refused

    def _text(self, cursor: Cursor, key: str, missing: Missing) -> str:
        value = cursor.get(key)
        return self.references.text(value, self.scope.task, missing) if value else ""

    def _deterministic(self, cursor: Cursor, index: int, weight: float) -> DeterministicSpec:
        files = RunFiles(self.scope, self.references)
        run, script = "", None
        written = cursor.get("run")
        if written is not None:
            run, script = self._run(written, files)
        listed = cursor.get("files")
        for item in listed.items() if listed else ():
            files.add_listed(item)
        setup = cursor.get("setup")
        return DeterministicSpec(
            type="deterministic",
            index=index,
            weight=weight,
            run=run,
            script=script,
            setup=setup.text() if setup else None,
            files=tuple(files.files.values()),
        )

    def _run(self, cursor: Cursor, files: RunFiles) -> tuple[str, str | None]:
        """What to run: a command or script, or the place of the one script that it names."""
        text = (cursor.text() or "").strip()
        findings = self.references.findings
        if not text:
            if cursor.text() is not None:
                findings.error(cursor.mark, cursor.path, "is blank")
            return "", None
        path = self.references.files.find(text, self.references.folders(self.scope.task, cursor.mark))
        if path is None or path.is_dir():
            files.add_run(cursor, text)
            return text, None
        fault = self.references.files.scan(path).fault
        if fault is not None:
            findings.error(cursor.mark, cursor.path, f"{shown(text)} {fault}")
            return "", None
        return "", files.add_script(cursor, text, path)
