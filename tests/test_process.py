from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from skillgrade.capture import OutputSink
from skillgrade.errors import Cancelled, Stage, StorageError, WorkspaceError
from skillgrade.process import FIRST_EXTRA, ProcessResult, ProcessSlot, SlotPool, _kill_remains
from skillgrade.stop import Stop
from skillgrade.subreaper import members
from tests.support.processes import alive, eventually

PATH = {"PATH": os.environ["PATH"]}
LINUX = pytest.mark.skipif(sys.platform != "linux", reason="only Linux has subreapers")

ESCAPE = """
import os, signal, sys, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        os.environ.clear()
        open(sys.argv[1], 'w').write(str(os.getpid()))
        time.sleep(600)
    os._exit(0)
while not os.path.exists(sys.argv[1]) or not open(sys.argv[1]).read():
    time.sleep(.001)
print('ready', flush=True)
"""
"""Leaves a process that called setsid, forked twice, ignores SIGTERM and holds the output open."""


@pytest.fixture
def slot() -> Iterator[ProcessSlot]:
    slot = ProcessSlot()
    yield slot
    slot.close()


class Runner:
    """Runs commands in a slot, keeping their output in files."""

    def __init__(self, slot: ProcessSlot, folder: Path) -> None:
        self.slot = slot
        self.folder = folder
        self.out = b""
        self.err = b""

    def __call__(
        self,
        *argv: str,
        env: dict[str, str] | None = None,
        stdin: bytes | None = None,
        timeout: float = 60,
        stop: Stop | None = None,
        cap: int = 1 << 20,
        extra: tuple[int, ...] = (),
    ) -> ProcessResult:
        sinks = [OutputSink(self.folder / name, cap) for name in ("out", "err")]
        try:
            return self.slot.run(
                argv,
                env=PATH if env is None else env,
                cwd=self.folder,
                stdin=stdin,
                stdout=sinks[0],
                stderr=sinks[1],
                timeout=timeout,
                stop=stop or Stop(),
                extra=extra,
            )
        finally:
            self.out, self.err = (sink.close().path.read_bytes() for sink in sinks)


@pytest.fixture
def run(slot: ProcessSlot, tmp_path: Path) -> Runner:
    return Runner(slot, tmp_path)


def open_files() -> set[str]:
    found = set()
    for entry in Path("/proc/self/fd").iterdir():
        try:
            found.add(f"{entry.name} {entry.readlink()}")
        except FileNotFoundError:
            continue
    return found


def test_output_and_exit_code(run: Runner) -> None:
    result = run("bash", "-c", "echo out; echo err >&2; exit 7")
    assert (result.exit_code, result.timed_out, result.start_error, result.survivors) == (7, False, None, 0)
    assert (run.out, run.err) == (b"out\n", b"err\n")


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL, signal.SIGSEGV])
def test_death_by_signal(run: Runner, number: signal.Signals) -> None:
    assert run("bash", "-c", f"kill -{int(number)} $$").exit_code == 128 + number


def test_a_slot_runs_one_command_after_the_other(run: Runner) -> None:
    assert [run("bash", "-c", f"exit {code}").exit_code for code in (1, 0, 2)] == [1, 0, 2]


def test_extra_descriptors_have_their_numbers_for_one_command(run: Runner, tmp_path: Path) -> None:
    reader, writer = os.pipe()
    given = os.open(tmp_path / "given", os.O_RDWR | os.O_CREAT)
    os.pwrite(given, b"hello", 0)
    run("bash", "-c", f"cat <&{FIRST_EXTRA}; echo back >&{FIRST_EXTRA + 1}", extra=(given, writer))
    os.close(writer)
    assert (run.out, os.read(reader, 100), os.read(reader, 100)) == (b"hello", b"back\n", b"")
    assert run("bash", "-c", f"(: >&{FIRST_EXTRA}) 2>/dev/null || (: >&{FIRST_EXTRA + 1}) 2>/dev/null").exit_code == 1
    os.close(reader)
    os.close(given)


def test_the_environment_is_exact(run: Runner, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FAKE_API_KEY", "canary-1234")
    run("env", env={**PATH, "A": "ü\n\udcff"})
    assert run.out == b"PATH=" + PATH["PATH"].encode() + b"\nA=\xc3\xbc\n\xff\n"


@LINUX
def test_the_helper_holds_nothing_of_the_runners_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FAKE_API_KEY", "canary-1234")
    slot = ProcessSlot()
    try:
        run = Runner(slot, tmp_path)
        run("bash", "-c", "cat /proc/$PPID/environ")
        assert b"canary" not in run.out
        assert run.err == b""
    finally:
        slot.close()


def test_commands_start_in_their_folder_with_default_signals(run: Runner) -> None:
    run(sys.executable, "-c", "import os, signal; print(os.getcwd(), signal.getsignal(signal.SIGTERM).name)")
    assert run.out.decode() == f"{run.folder.resolve()} SIG_DFL\n"


def test_the_runners_umask_does_not_reach_commands(tmp_path: Path) -> None:
    old = os.umask(0o077)
    try:
        slot = ProcessSlot()
    finally:
        os.umask(old)
    run = Runner(slot, tmp_path)
    run("bash", "-c", "umask")
    slot.close()
    assert run.out == b"0022\n"


@pytest.mark.parametrize(
    ("argv", "reason"),
    [
        (("no-such-program",), "no-such-program: No such file or directory"),
        (("./data.txt",), "./data.txt: Permission denied"),
        (("echo", "a\0b"), "echo: embedded null byte"),
        (("echo", "x" * 3_000_000), "echo: Argument list too long"),
    ],
)
def test_what_cannot_be_started_has_no_exit_code(run: Runner, argv: tuple[str, ...], reason: str) -> None:
    (run.folder / "data.txt").write_text("no program")
    result = run(*argv)
    assert (result.exit_code, result.timed_out, result.start_error) == (None, False, reason)
    assert run("true").exit_code == 0


@pytest.mark.parametrize("content", [None, b"", b"a\0b\n", b"x" * 5_000_000])
def test_stdin_arrives_whole(run: Runner, content: bytes | None) -> None:
    assert run("cat", stdin=content, cap=20_000_000).exit_code == 0
    assert run.out == (content or b"")


def test_stdin_that_nobody_reads_blocks_nobody(run: Runner) -> None:
    assert run("true", stdin=b"x" * 5_000_000).exit_code == 0


def test_both_streams_flow_at_once(run: Runner) -> None:
    assert run("bash", "-c", "head -c 1000000 /dev/zero >&2; head -c 1000000 /dev/zero").exit_code == 0
    assert (len(run.out), len(run.err)) == (1_000_000, 1_000_000)


def test_output_beyond_the_cap_costs_neither_memory_nor_the_run(run: Runner) -> None:
    assert run("bash", "-c", "head -c 200000000 /dev/zero; printf end", cap=1000).exit_code == 0
    assert run.out.endswith(b"end")
    assert b"199999003 bytes left out" in run.out


@LINUX
def test_the_end_of_a_command_ends_its_tree(run: Runner, tmp_path: Path) -> None:
    result = run(sys.executable, "-c", ESCAPE, str(tmp_path / "pid"))
    assert (result.exit_code, result.survivors) == (0, 0)
    assert run.out == b"ready\n"
    assert not alive(int((tmp_path / "pid").read_text()))


@LINUX
def test_the_deadline_ends_the_tree(run: Runner, tmp_path: Path) -> None:
    result = run(sys.executable, "-c", ESCAPE + "time.sleep(600)", str(tmp_path / "pid"), timeout=1.5)
    assert (result.exit_code, result.timed_out, result.survivors) == (None, True, 0)
    assert 1.5 <= result.duration < 5
    assert run.out == b"ready\n"
    assert not alive(int((tmp_path / "pid").read_text()))
    assert run("true").exit_code == 0


@LINUX
def test_a_chain_that_forks_away_is_caught(run: Runner, tmp_path: Path) -> None:
    hop = "import os\nwhile True:\n  if os.fork(): os._exit(0)\n  os.setsid(); open('hop', 'w').write(str(os.getpid()))"
    result = run("bash", "-c", f'python3 -c "{hop}" & while [ ! -s hop ]; do :; done')
    assert (result.exit_code, result.survivors) == (0, 0)
    last = (tmp_path / "hop").read_text()
    assert run("true").exit_code == 0
    assert (tmp_path / "hop").read_text() == last


@LINUX
def test_a_stop_kills_at_once(run: Runner, tmp_path: Path) -> None:
    stop, pid_file = Stop(), tmp_path / "pid"

    def stop_when_it_runs() -> None:
        assert eventually((tmp_path / "go").exists)
        stop.set()

    thread = threading.Thread(target=stop_when_it_runs)
    thread.start()
    started = time.monotonic()
    with pytest.raises(Cancelled):
        run(sys.executable, "-c", ESCAPE + "open('go', 'w').close(); time.sleep(600)", str(pid_file), stop=stop)
    assert time.monotonic() - started < 4
    thread.join()
    assert not alive(int(pid_file.read_text()))
    assert run("true").exit_code == 0


def test_a_stop_that_came_before_starts_nothing(run: Runner) -> None:
    stop = Stop()
    stop.set()
    with pytest.raises(Cancelled):
        run("touch", "started", stop=stop)
    assert not (run.folder / "started").exists()


@LINUX
def test_a_killed_helper_is_tampering(run: Runner) -> None:
    with pytest.raises(WorkspaceError, match="tampered") as error:
        run("bash", "-c", "echo $$ > pid; kill -9 $PPID; sleep 600")
    assert error.value.stage is Stage.AGENT
    assert not run.slot.usable
    pid = int((run.folder / "pid").read_text())
    assert eventually(lambda: not alive(pid))


@LINUX
@pytest.mark.parametrize("known", ["leader", "pipe"])
def test_without_a_helper_only_what_belongs_to_the_command_is_killed(known: str) -> None:
    reader, writer = os.pipe()
    sleep = ["sleep", "600"]
    ours = subprocess.Popen(sleep, stdout=writer, start_new_session=True)
    bystander = subprocess.Popen(sleep, stdin=reader)
    leader, pipes = (ours.pid, set[int]()) if known == "leader" else (0, {os.fstat(reader).st_ino})
    _kill_remains(leader, frozenset(pipes))
    assert ours.wait(10) == -signal.SIGKILL
    assert bystander.poll() is None
    bystander.kill()
    bystander.wait()
    os.close(reader)
    os.close(writer)


@LINUX
def test_a_stopped_helper_still_ends_its_command_at_the_deadline(run: Runner) -> None:
    result = run("bash", "-c", "kill -STOP $PPID; sleep 600", timeout=0.5)
    assert (result.timed_out, result.survivors) == (True, 0)


@LINUX
def test_a_dead_runner_leaves_nothing(tmp_path: Path) -> None:
    script = f"""
import sys
from pathlib import Path
from skillgrade.capture import OutputSink
from skillgrade.process import ProcessSlot
from skillgrade.stop import Stop
folder = Path({str(tmp_path)!r})
ProcessSlot().run([sys.executable, "-c", {ESCAPE + "time.sleep(600)"!r}, str(folder / "pid")], env={{}}, cwd=folder,
    stdin=None, stdout=OutputSink(folder / "o"), stderr=OutputSink(folder / "e"), timeout=600, stop=Stop())
"""
    runner = subprocess.Popen([sys.executable, "-c", script])
    assert eventually(lambda: (tmp_path / "o").exists() and b"ready" in (tmp_path / "o").read_bytes())
    runner.kill()
    runner.wait()
    pid = int((tmp_path / "pid").read_text())
    assert eventually(lambda: not alive(pid))


def test_a_sink_that_cannot_write_ends_the_command(slot: ProcessSlot, tmp_path: Path) -> None:
    full = Path("/dev/full")
    if not full.exists():
        pytest.skip("no /dev/full")
    with pytest.raises(StorageError, match="No space left"):
        slot.run(
            ["bash", "-c", "echo $$ > pid; echo x; sleep 600"],
            env=PATH,
            cwd=tmp_path,
            stdin=None,
            stdout=(out := OutputSink(full)),
            stderr=(err := OutputSink(tmp_path / "err")),
            timeout=60,
            stop=Stop(),
        )
    out.close()
    err.close()
    assert not alive(int((tmp_path / "pid").read_text()))


@LINUX
def test_closing_a_slot_ends_what_runs_in_it(run: Runner) -> None:
    failures: list[Exception] = []

    def work() -> None:
        try:
            run("bash", "-c", "echo $$ > pid; sleep 600")
        except WorkspaceError as error:
            failures.append(error)

    thread = threading.Thread(target=work)
    thread.start()
    assert eventually(lambda: (run.folder / "pid").exists() and (run.folder / "pid").read_text() != "")
    run.slot.close()
    thread.join()
    assert "closed" in str(failures[0])
    assert not alive(int((run.folder / "pid").read_text()))


def test_end_all_of_a_quiet_slot_counts_nothing(run: Runner) -> None:
    run("true")
    assert run.slot.end_all() == 0


def test_end_all_looks_again_where_something_was_left(run: Runner) -> None:
    run("true")
    run.slot._survivors = 1  # what no kill reaches, such as a process that waits for a dead disk, cannot be made here
    assert run.slot.end_all() == 0
    assert run("true").exit_code == 0


@LINUX
def test_slots_leave_no_file_open_and_no_child(tmp_path: Path) -> None:
    before = open_files()
    pool = SlotPool(ProcessSlot)
    slots = [pool.borrow() for _ in range(3)]
    for slot in slots:
        run = Runner(slot, tmp_path)
        run("cat", stdin=b"x")
        run("no-such-program")
        pool.give_back(slot)
    children = Path(f"/proc/self/task/{os.getpid()}/children").read_text().split()
    helpers = [str(slot._helper.pid) for slot in slots]
    assert set(helpers) <= set(children)
    pool.close()
    assert not set(helpers) & set(Path(f"/proc/self/task/{os.getpid()}/children").read_text().split())
    assert open_files() == before


def test_the_pool_lends_helpers_again_but_no_dead_ones(tmp_path: Path) -> None:
    pool = SlotPool(ProcessSlot)
    first = pool.borrow()
    second = pool.borrow()
    assert first is not second
    pool.give_back(first)
    assert pool.borrow() is first
    first.close()
    pool.give_back(first)
    third = pool.borrow()
    assert third is not first
    assert Runner(third, tmp_path)("true").exit_code == 0
    pool.give_back(second)
    pool.give_back(third)
    pool.close()
    assert not second.usable


def test_members_are_descendants_and_the_group() -> None:
    table = b"  1 0 1\n 10 1 10\n 11 10 11\n 12 11 12\n 13 1 11\n 14 1 14\n"
    assert members(table, root=10, group=11) == [11, 12, 13]
    assert members(table, root=14, group=0) == []


def test_stdin_leaves_no_file(run: Runner, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    run("ls", "-A", str(folder), stdin=b"x")
    assert (run.out, run.err, list(folder.iterdir())) == (b"", b"", [])
