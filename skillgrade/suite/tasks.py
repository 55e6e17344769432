"""One task: from what the file says, over the defaults, to a `Task`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from skillgrade.suite.assertion_specs import read_expected_skill
from skillgrade.suite.cursor import Cursor
from skillgrade.suite.dataset_tasks import DatasetReader
from skillgrade.suite.findings import Findings
from skillgrade.suite.grader_input import MAX_GRADER_INPUT, grader_input_size
from skillgrade.suite.grader_specs import GraderReader
from skillgrade.suite.model import Task
from skillgrade.suite.references import Missing, References
from skillgrade.suite.run_files import RunScope
from skillgrade.suite.settings import Settings, read_settings
from skillgrade.suite.template_places import note_stray_templates
from skillgrade.suite.turns import TurnReader, read_user
from skillgrade.suite.workspace_files import read_workspace
from skillgrade.wording import shown

SKILL_FOLDERS = frozenset(
    ("scripts", "references", "assets", "templates", "resources", "examples", "docs", "lib", "src", "bin", "tools")
)
"""Names of folders in which a skill keeps what it needs; what else lies in them stays the skill's."""

TOLERATED_KEYS = ("description", "expected_output", "expectations", "assertions")
"""Keys that real files carry on a task for other tools."""


@dataclass(frozen=True, slots=True)
class TaskReader:
    """Reads the tasks of one suite.

    Attributes:
        defaults: The suite's defaults.
        references: Finds files, and gets the problems.
    """

    defaults: Cursor | None
    references: References

    def read(self, cursor: Cursor) -> Sequence[Task]:
        """One task, or one for each row of its dataset; what is wrong is noted as an error."""
        task = self._read(cursor)
        note_stray_templates(cursor, self.references.findings)
        if cursor.get("dataset") is None:
            return (task,)
        return DatasetReader(task, cursor, self.references).read()

    def _read(self, cursor: Cursor) -> Task:
        """One task as the file has it; what is wrong is noted as an error, so the result counts only without errors."""
        holder = cursor.mark
        name = cursor.get("name")
        workspace = read_workspace(cursor.get("workspace"), holder, self.references)
        written = cursor.get("instruction")
        instruction = self.references.text(written, holder, Missing.WARNING) if written else ""

        def graders(told: str) -> GraderReader:
            return GraderReader(RunScope(holder, workspace, told), self.references)

        turns, specs = TurnReader(self.references, graders).read(cursor.get("turns"), cursor)
        is_alone = not specs and cursor.get("expect_skill") is None
        specs += graders(instruction).read(cursor.get("graders"), start=len(specs), is_alone=is_alone)
        specs += read_expected_skill(cursor, len(specs), self.references)
        on_failure = cursor.get("on_turn_failure")
        solution = cursor.get("solution")
        expected, metadata = cursor.get("expected"), cursor.get("metadata")
        labels: Any = metadata.plain() if metadata and isinstance(metadata.value, dict) else {}
        self._note_tolerated(cursor)
        solution_path = self.references.path(solution, holder, only_file=True) if solution else None
        if solution_path is not None:
            self._claim_solution(solution_path)
        task = Task(
            name=(name.label() or "") if name else "",
            instruction=turns[0].instruction if turns else instruction,
            graders=specs,
            file=holder.file,
            line=holder.line,
            workspace=workspace,
            solution=solution_path,
            expected=expected.plain() if expected else None,
            metadata=labels,
            turns=turns,
            user=read_user(cursor, self.references.findings),
            on_turn_failure=(on_failure.text() if on_failure else None) or "continue",
            **read_settings(Settings(cursor, self.defaults)),
        )
        self._check_name(name, self.references.findings)
        self._check_input(task, expected or metadata)
        return task

    def _claim_solution(self, path: Path) -> None:
        """Count a solution as the eval's own, with its folder where that is no folder of the skill's own material."""
        folder, references = path.parent, self.references
        references.claim(path)
        is_plain = folder != references.files.root and folder.name not in SKILL_FOLDERS
        if is_plain and references.skill_around(folder) is not None:
            references.claim(folder)

    def _check_name(self, name: Cursor | None, findings: Findings) -> None:
        label = name.label() if name else None
        if name is None or label is None:
            return
        if not label.isprintable() or not label.strip():
            findings.error(name.mark, name.path, f"must be printable text, not {ascii(label)[:60]}")

    def _check_input(self, task: Task, place: Cursor | None) -> None:
        if place is None:
            return
        size = grader_input_size(task)
        if size > MAX_GRADER_INPUT:
            message = (
                f"task {shown(task.name)}: `expected` and `metadata` make SKILLGRADE_INPUT {size / 1024:.0f} KiB long, "
                f"of which {MAX_GRADER_INPUT // 1024} KiB fit; "
                "move them into a file and name it in the grader's `files`"
            )
            self.references.findings.error(place.mark, place.path, message)

    def _note_tolerated(self, cursor: Cursor) -> None:
        for key in TOLERATED_KEYS:
            if cursor.get(key) is not None:
                mark, path = cursor.key_mark(key), f"{cursor.path}.{key}"
                self.references.findings.warn(mark, path, "has no meaning on a task here; it is ignored")
