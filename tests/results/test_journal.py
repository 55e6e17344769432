from __future__ import annotations

import itertools
import subprocess
import sys
import textwrap
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skillgrade.errors import StorageError, UsageError, UserError
from skillgrade.results.encoding import dump, encode
from skillgrade.results.journal import Journal
from skillgrade.results.journal_index import JournalIndex
from skillgrade.results.records import TrialRecord
from skillgrade.results.run_info import RunEnd
from tests.support.results import ENDED, INFO, full_trial, plan, trial, write_run

INTERRUPTED = RunEnd(duration_ms=300, interrupted=True)
PLANS = (plan("fix", 3), plan("write", 2))
RECORDS = (
    full_trial("fix", 0),
    trial("write", 1, 0.2),
    trial("fix", 2, None),
    trial("fix", 2, 0.9, attempt=1),
    trial("write", 0, 0.5),
)


def read(index: JournalIndex) -> list[TrialRecord]:
    return [record for task in index.tasks for attempts in index.attempts(task.task) for record in attempts]


@cache
def whole_journal() -> bytes:
    with TemporaryDirectory() as folder:
        return write_run(Path(folder), PLANS, RECORDS).journal.read_bytes()


def edges() -> list[int]:
    """The places just before and just behind each newline of the whole journal."""
    lines = whole_journal().splitlines(keepends=True)
    ends = list(itertools.accumulate(map(len, lines)))
    return [end - 1 for end in ends] + ends


def test_what_was_written_is_read_by_task_trial_and_attempt(tmp_path: Path) -> None:
    index = JournalIndex(write_run(tmp_path, PLANS, RECORDS).journal)
    assert index.info == INFO
    assert index.tasks == PLANS
    assert list(index.attempts("fix")) == [(RECORDS[0],), (RECORDS[2], RECORDS[3])]
    assert list(index.attempts("write")) == [(RECORDS[4],), (RECORDS[1],)]
    assert (index.ends, index.interrupted, index.skipped_lines) == ([ENDED], False, 0)


def test_every_line_is_in_the_file_when_append_returns(tmp_path: Path) -> None:
    with Journal.create(tmp_path / "journal.jsonl", INFO, PLANS) as journal:
        for count, record in enumerate(RECORDS, start=1):
            journal.append(record)
            assert len(read(JournalIndex(journal.path))) == count


def test_appends_of_many_threads_do_not_mix(tmp_path: Path) -> None:
    records = [trial("fix", number, notes=("x" * 5000,)) for number in range(200)]
    with Journal.create(tmp_path / "journal.jsonl", INFO, [plan("fix", 200)]) as journal, ThreadPoolExecutor(8) as pool:
        list(pool.map(journal.append, records))
    assert read(JournalIndex(journal.path)) == records


@settings(max_examples=300)
@given(st.deferred(lambda: st.integers(0, len(whole_journal())) | st.sampled_from(edges())))
def test_a_journal_cut_anywhere_is_read_and_continued(cut: int) -> None:
    kept = whole_journal()[:cut]
    commits = kept.count(b"\n")
    committed = list(RECORDS[: max(0, commits - 1)])
    with TemporaryDirectory() as folder:
        path = Path(folder) / "journal.jsonl"
        path.write_bytes(kept)
        if commits == 0:
            with pytest.raises(UserError, match=r"journal\.jsonl:1: not the journal of a run"):
                JournalIndex(path)
            return
        in_order = sorted(committed, key=lambda record: (record.task, record.trial, record.attempt))
        assert read(JournalIndex(path)) == in_order
        assert JournalIndex(path).skipped_lines == 0
        late = trial("write", 1, 0.6, attempt=1)
        with Journal.reopen(path) as journal:
            journal.append(late)
            journal.end(ENDED)
        index = JournalIndex(path)
        assert read(index).count(late) == 1
        assert [record for record in read(index) if record != late] == in_order
        assert (index.interrupted, index.skipped_lines) == (False, 0)


@pytest.mark.parametrize(
    "line",
    [
        b"\x00" * 40,
        b"not json",
        b'{"kind": "trial"}',
        b'{"kind": "end"}',
        dump({"kind": "trial", **encode(trial("unknown"))}),
        dump({"kind": "trial", **encode(trial("fix", 3))}),
        dump({"kind": "trial", **encode(trial("fix", 1)), "reward": 7}),
    ],
)
def test_a_bad_line_in_the_middle_is_skipped_and_counted(tmp_path: Path, line: bytes) -> None:
    path = write_run(tmp_path, PLANS, RECORDS, end=None).journal
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join([*lines[:2], line + b"\n", *lines[2:]]))
    index = JournalIndex(path)
    assert index.skipped_lines == 1
    assert len(read(index)) == len(RECORDS)


def test_lines_of_a_kind_that_a_newer_version_added_pass(tmp_path: Path) -> None:
    path = write_run(tmp_path, PLANS, RECORDS, end=None).journal
    with path.open("ab") as stream:
        stream.write(b'{"kind":"mood","value":3}\n')
    assert JournalIndex(path).skipped_lines == 0


def test_an_attempt_that_stands_twice_counts_once_as_written_last(tmp_path: Path) -> None:
    index = JournalIndex(write_run(tmp_path, PLANS, [trial("fix", 1, 0.1), trial("fix", 1, 0.9)]).journal)
    assert read(index) == [trial("fix", 1, 0.9)]


def test_attempts_come_in_their_own_order_not_in_that_of_the_lines(tmp_path: Path) -> None:
    late, early = trial("fix", 1, 0.4, attempt=1), trial("fix", 1, None)
    index = JournalIndex(write_run(tmp_path, PLANS, [late, early]).journal)
    assert list(index.attempts("fix")) == [(early, late)]


def test_a_run_is_interrupted_until_its_last_session_ends_well(tmp_path: Path) -> None:
    path = write_run(tmp_path, PLANS, RECORDS[:1], end=None).journal
    assert JournalIndex(path).interrupted
    with Journal.reopen(path) as journal:
        journal.end(INTERRUPTED)
        assert JournalIndex(path).interrupted
        journal.append(RECORDS[1])
        journal.end(ENDED)
        assert not JournalIndex(path).interrupted
        journal.append(RECORDS[2])
        assert JournalIndex(path).interrupted


@pytest.mark.parametrize("content", [b"", b"hello\n", b'{"kind":"run","format":2}\n', b'{"kind":"run","format":1}\n'])
def test_a_foreign_file_is_the_users_error(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "journal.jsonl").write_bytes(content)
    with pytest.raises(UserError, match=r"journal\.jsonl:1: not the journal of a run that this version can read: "):
        JournalIndex(tmp_path / "journal.jsonl")


def test_no_file_is_the_users_error(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"cannot be read \(No such file or directory\)"):
        JournalIndex(tmp_path / "journal.jsonl")


def test_only_one_writes_at_a_time(tmp_path: Path) -> None:
    with Journal.create(tmp_path / "journal.jsonl", INFO, PLANS) as journal:
        with pytest.raises(UsageError, match="another skillgrade is writing this run"):
            Journal.reopen(journal.path)
        journal.append(RECORDS[0])
    with Journal.reopen(journal.path) as again:
        again.append(RECORDS[1])
    assert len(read(JournalIndex(journal.path))) == 2


def test_a_journal_is_never_overwritten(tmp_path: Path) -> None:
    path = write_run(tmp_path, PLANS, RECORDS).journal
    with pytest.raises(StorageError, match="File exists"):
        Journal.create(path, INFO, PLANS)
    assert len(read(JournalIndex(path))) == len(RECORDS)


def test_a_torn_tail_longer_than_a_block_is_cut_off(tmp_path: Path) -> None:
    path = write_run(tmp_path, PLANS, RECORDS).journal
    size = path.stat().st_size
    with path.open("ab") as stream:
        stream.write(b"x" * 200_000)
    Journal.reopen(path).close()
    assert path.stat().st_size == size


def test_a_disk_that_fills_up_keeps_what_is_there(tmp_path: Path) -> None:
    script = textwrap.dedent("""
        import resource, sys
        from pathlib import Path
        from skillgrade.errors import StorageError
        from skillgrade.results.journal import Journal
        from tests.support.results import INFO, plan, trial

        journal = Journal.create(Path(sys.argv[1]), INFO, [plan("fix", 9)])
        journal.append(trial("fix", 0))
        room = journal.path.stat().st_size + 700
        resource.setrlimit(resource.RLIMIT_FSIZE, (room, resource.RLIM_INFINITY))
        try:
            journal.append(trial("fix", 1, notes=("x" * 5000,)))
        except StorageError as error:
            print(error)
        journal.append(trial("fix", 2))
    """)
    path = tmp_path / "journal.jsonl"
    done = subprocess.run([sys.executable, "-c", script, path], capture_output=True, text=True, check=False)
    assert done.stdout == (
        f"{path}: cannot be written (File too large): make room or choose another folder with --output=DIR\n"
    ), done.stderr
    index = JournalIndex(path)
    assert [record.trial for record in read(index)] == [0, 2]
    assert index.skipped_lines == 0
