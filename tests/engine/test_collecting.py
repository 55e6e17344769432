"""What is kept of a workspace for people: every file, without secrets, and told where it is not."""

from __future__ import annotations

from pathlib import Path

import pytest

from skillgrade.engine import collecting
from skillgrade.results.records import TrialRecord
from skillgrade.results.reviews import WORKSPACE
from skillgrade.suite.model import AgentSpec, HumanSpec
from skillgrade.workspace.tree import remove_tree
from tests.engine.conftest import Bench
from tests.support.tasks import make_task

SECRET = "sesame-open-7f3a91"


def reviewed(bench: Bench, command: str) -> tuple[TrialRecord, Path]:
    """A trial that a person will look at, and the folder with its files."""
    task = make_task(graders=(HumanSpec("human", 0, prompt="Good?"),), agent=AgentSpec("command", command=command))
    record = bench.run_spec(bench.spec(task))
    (folder,) = bench.folder.path.rglob(WORKSPACE)
    remove_tree(folder / ".review")  # the question to the person
    return record, folder


def test_files_that_people_open_hold_no_secret(bench: Bench) -> None:
    (bench.root / ".env").write_text(f"TOKEN={SECRET}\n")
    _, folder = reviewed(bench, "mkdir a; echo \"is $TOKEN\" >a/told; printf '\\0%s' $TOKEN >binary; ln -s a/told link")
    assert {path.name for path in folder.rglob("*")} == {"a", "told", "binary", "link"}
    assert (folder / "a" / "told").read_text().startswith("is ")
    assert not any(SECRET.encode() in path.read_bytes() for path in folder.rglob("*") if path.is_file())


def test_a_file_that_is_too_large_to_search_is_not_kept_and_named(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(collecting, "_REDACTED_FILE", 1 << 20)
    record, folder = reviewed(bench, "truncate -s 2M film; echo >small")
    assert [path.name for path in folder.iterdir()] == ["small"]
    assert record.notes == (
        "not kept for people to look at (more than 1 MiB, too large to search for secrets): film",
    )  # fmt: skip
