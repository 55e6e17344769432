from __future__ import annotations

import re
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from skillgrade.errors import StorageError, UserError
from skillgrade.own_folder import OWN_FOLDER
from skillgrade.results.folder import VALIDATIONS_NAME, RunFolder, create_run_folder, find_run_folder, safe_name


def started(base: Path) -> RunFolder:
    run = create_run_folder(base)
    run.journal.touch()
    return run


def test_ids_of_many_runs_at_once_are_unique_and_sortable(tmp_path: Path) -> None:
    with ThreadPoolExecutor(8) as pool:
        together = list(pool.map(create_run_folder, [tmp_path] * 40))
    assert len({run.run_id for run in together}) == 40
    one_by_one = [create_run_folder(tmp_path).run_id for _ in range(5)]
    assert one_by_one == sorted(one_by_one)
    assert min(one_by_one) > max(run.run_id for run in together)


@pytest.mark.parametrize("newest", ["21991231-235959-ffff", "29991301-000000-0000"])
def test_a_run_sorts_last_though_the_clock_went_back(tmp_path: Path, newest: str) -> None:
    (tmp_path / newest).mkdir()
    run = started(tmp_path)
    assert re.fullmatch(r"\d{8}-\d{6}-[0-9a-f]{4}", run.run_id)
    assert run.run_id[:15] >= newest[:15]
    assert find_run_folder(tmp_path, "latest") == run


def test_the_base_beside_a_suite_is_hidden_from_version_control(tmp_path: Path) -> None:
    create_run_folder(tmp_path / OWN_FOLDER)
    assert (tmp_path / OWN_FOLDER / ".gitignore").read_text() == "*\n"
    (tmp_path / OWN_FOLDER / ".gitignore").write_text("mine\n")
    create_run_folder(tmp_path / OWN_FOLDER)
    assert (tmp_path / OWN_FOLDER / ".gitignore").read_text() == "mine\n"


def test_version_control_is_kept_out_by_a_validation_alone(tmp_path: Path) -> None:
    create_run_folder(tmp_path / OWN_FOLDER / VALIDATIONS_NAME)
    assert (tmp_path / OWN_FOLDER / ".gitignore").read_text() == "*\n"
    assert not (tmp_path / ".gitignore").exists()


def test_a_base_that_the_user_names_is_left_as_it_is(tmp_path: Path) -> None:
    run = create_run_folder(tmp_path / "deep" / "out")
    assert list((tmp_path / "deep" / "out").iterdir()) == [run.path]


def test_a_run_is_found_by_latest_id_and_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first, second = started(tmp_path / "runs"), started(tmp_path / "runs")
    create_run_folder(tmp_path / "runs")  # without a journal: it died before it began
    monkeypatch.chdir(tmp_path)
    assert find_run_folder(Path("runs"), "latest") == second
    assert find_run_folder(Path("runs"), first.run_id) == first
    for reference in (f"runs/{first.run_id}", str(first.path), str(first.report), f"runs/{first.run_id}/journal.jsonl"):
        assert find_run_folder(Path("elsewhere"), reference) == first


@pytest.mark.parametrize("reference", ["latest", "20261130-142233-5f1c", "..", "nowhere/at/all", ""])
def test_a_run_that_is_not_there_is_the_users_error(tmp_path: Path, reference: str) -> None:
    with pytest.raises(UserError, match=r"no run (is here yet|has this id or path)"):
        find_run_folder(tmp_path, reference)


def test_a_base_that_cannot_be_made_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(StorageError, match=r"file/runs: cannot be written \(Not a directory\): make room or"):
        create_run_folder(tmp_path / "file" / "runs")


def test_an_attempt_has_an_empty_folder_of_its_own(tmp_path: Path) -> None:
    folder = RunFolder(tmp_path).attempt_folder("fix-lint", 2, 1)
    assert folder == tmp_path / "trials" / "fix-lint" / "2" / "1"
    (folder / "agent.stdout").touch()  # of a session that was killed
    assert RunFolder(tmp_path).attempt_folder("fix-lint", 2, 1) == folder
    assert list(folder.iterdir()) == []


@pytest.mark.parametrize(
    "name",
    ["a/b", "../../victim", "..", ".", "", "-rf", "x" * 300, "日本語", "Fix", "a\nb", "\udc80", ".hidden"],
)
def test_no_name_leaves_the_run(tmp_path: Path, name: str) -> None:
    folder = RunFolder(tmp_path).attempt_folder(name, 0, 0)
    assert folder.resolve().relative_to(tmp_path.resolve()).parts[0] == "trials"
    assert len(folder.relative_to(tmp_path).parts) == 4
    assert folder.is_dir()


_names = st.one_of(st.text(), st.text("aAbB-./ é", max_size=6), st.text("ab", min_size=55, max_size=70))


@given(_names, _names)
@example("Fix bug", safe_name("Fix bug"))
@example("a", "A")
@example("task", "")
def test_different_names_differ_also_where_case_does_not_count(one: str, other: str) -> None:
    assert (safe_name(one).casefold() == safe_name(other).casefold()) == (one == other)
    assert re.fullmatch(r"[a-z0-9_][a-z0-9._-]{0,69}", safe_name(one))
