"""Taking out of a workspace what graders without one will need: files, differences, the conversation."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from skillgrade.engine.host_paths import without_host_paths
from skillgrade.errors import Stage
from skillgrade.graders import RECORD_GRADERS
from skillgrade.graders.base import Needs
from skillgrade.results import evidence
from skillgrade.results.evidence import Evidence
from skillgrade.results.redaction import Redactor
from skillgrade.results.reviews import WORKSPACE
from skillgrade.stop import Stop
from skillgrade.storage import storing
from skillgrade.suite.model import GraderSpec
from skillgrade.workspace.base import SkillSnapshot, StagedFile, Workspace
from skillgrade.workspace.changes import describe_changes, made_texts
from skillgrade.workspace.temporary import make_temporary_folder, no_folder_error
from skillgrade.workspace.tree import remove_tree

EXPORT_LIMIT = 256 * 1024 * 1024
"""Bytes of a workspace that are taken out."""

ARTIFACT_LIMIT = 1024 * 1024
"""Bytes of a file that a grader names."""

_REDACTED_FILE = 16 * 1024 * 1024
"""Bytes up to which a file that people will open is searched for secrets; larger ones are not kept."""

_NAMED = 5


@dataclass(frozen=True, slots=True)
class Start:
    """What went into a workspace before the agent: the task's and the agent's files, and the skills."""

    files: Sequence[StagedFile]
    skills: Sequence[SkillSnapshot]


@dataclass(frozen=True, slots=True)
class Collector:
    """Takes evidence out of the workspaces of one attempt.

    Attributes:
        run: The run's id.
        start: What its workspaces held at the start.
        redactor: Takes secrets out of what is kept.
    """

    run: str
    start: Start
    redactor: Redactor

    def collect(
        self,
        workspace: Workspace,
        specs: Iterable[GraderSpec],
        said: Evidence,
        folder: Path,
        stop: Stop,
    ) -> tuple[str, ...]:
        """Keep what the record graders of a turn need; nothing where there are none.

        Args:
            workspace: The workspace, in which nothing runs any more and no grader's file is yet.
            specs: The graders of the turn.
            said: The turn with what was said, redacted; what the workspace holds is added to it.
            folder: The turn's folder in the run.
            stop: Ends it early.

        Returns:
            What could not be kept, in sentences.

        Raises:
            WorkspaceError: The workspace broke.
            StorageError: It could not be written.
            Cancelled: The stop came.
        """
        needs = [RECORD_GRADERS[spec.type].needs(spec) for spec in specs if spec.type in RECORD_GRADERS]
        if not needs:
            return ()
        notes: tuple[str, ...] = ()
        diff, created = None, None
        if any(need.diff or need.workspace or need.created for need in needs):
            is_kept = any(need.workspace for need in needs)
            with _made(folder / WORKSPACE) if is_kept else temporary_folder(self.run, "evidence") as exported:
                copied = workspace.export(exported, EXPORT_LIMIT, stop)
                notes = copied.notes
                changes = describe_changes(
                    self.start.files, self.start.skills, exported, stop, is_whole=copied.is_whole
                )
                diff = without_host_paths(self.redactor.text(changes), workspace)
                if any(need.created for need in needs):
                    made = made_texts(self.start.files, self.start.skills, exported, stop)
                    created = {path: self._clean(text, workspace) for path, text in made.items()}
                if is_kept:
                    notes += self._redact_files(exported)
        kept = replace(said, diff=diff, created=created, artifacts=self._artifacts(workspace, needs))
        evidence.save(kept, folder)
        return notes

    def _artifacts(self, workspace: Workspace, needs: Iterable[Needs]) -> Mapping[str, str | None]:
        paths = sorted({path for need in needs for path in need.artifacts})
        return {path: self._artifact(workspace, path) for path in paths}

    def _artifact(self, workspace: Workspace, path: str) -> str | None:
        data = workspace.read(path, ARTIFACT_LIMIT + 1)
        if data is None:
            return None
        if b"\0" in data:
            return "(a binary file)"
        text = self._clean(data[:ARTIFACT_LIMIT].decode("utf-8", errors="replace"), workspace)
        return text if len(data) <= ARTIFACT_LIMIT else f"{text}\n[... the rest of the file was not kept]"

    def _clean(self, text: str, workspace: Workspace) -> str:
        return without_host_paths(self.redactor.text(text), workspace)

    def _redact_files(self, folder: Path) -> tuple[str, ...]:
        """Take secrets out of files that people will open, as out of everything else in a run's folder.

        Returns:
            What is not there any more, in a sentence.
        """
        removed = []
        for path in sorted(folder.rglob("*")):
            if path.is_symlink() or not path.is_file():
                continue
            with storing(path):
                if path.stat().st_size > _REDACTED_FILE:
                    path.unlink()
                    removed.append(ascii(path.relative_to(folder).as_posix())[1:-1])
                    continue
                data = path.read_bytes()
                if (clean := self.redactor.data(data)) is not data:
                    path.write_bytes(clean)
        if not removed:
            return ()
        why = f"more than {_REDACTED_FILE >> 20} MiB, too large to search for secrets"
        more = f" and {len(removed) - _NAMED} more" if len(removed) > _NAMED else ""
        return (f"not kept for people to look at ({why}): {', '.join(removed[:_NAMED])}{more}",)


@contextmanager
def temporary_folder(run: str, purpose: str) -> Iterator[Path]:
    """An empty folder that is removed at the end, or with what else a killed run left.

    Raises:
        ProviderError: It cannot be made.
    """
    try:
        labelled = make_temporary_folder(run, purpose)
        folder = labelled / "workspace"
        folder.mkdir()
    except OSError as error:
        raise no_folder_error(error, Stage.COLLECT) from error
    try:
        yield folder
    finally:
        remove_tree(labelled)


@contextmanager
def _made(folder: Path) -> Iterator[Path]:
    with storing(folder):
        folder.mkdir()
    yield folder
