"""What every provider promises; see `skillgrade.workspace.base`."""

from __future__ import annotations

import os
import subprocess
import tempfile
import threading
import time
from pathlib import Path

import pytest

from skillgrade.capture import OutputSink
from skillgrade.errors import Cancelled, InfrastructureError, WorkspaceError
from skillgrade.skill.model import Skill
from skillgrade.stop import Stop
from skillgrade.suite.model import DockerSpec
from skillgrade.workspace.base import Command, EnvironmentSpec, Place, StagedFile
from skillgrade.workspace.skills import snapshot_skill
from tests.support.processes import eventually
from tests.support.workspaces import Bench, text

CANARY = "canary-7f3a91"

ESCAPE = """
trap '' TERM INT HUP
( setsid bash -c 'trap "" TERM; (echo $BASHPID >escaped; exec sleep 600) & wait' & )
until [ -s escaped ]; do :; done
echo ready
"""
"""Leaves processes that called setsid, forked twice, ignore SIGTERM and hold the output open."""

MKFIFO = "{{ mkfifo {0} || python3 -c 'import os; os.mkfifo(\"{0}\")'; }} 2>/dev/null"
"""Small images have one or the other."""

IS_DEAD = "! grep -qs ^sleep /proc/$(cat escaped)/cmdline"
"""Neither a zombie nor a stranger with its number says so."""


def left_of(bench: Bench) -> list[str]:
    """What of the run's trials is still on this machine."""
    if bench.provider.name == "docker":
        argv = ["docker", "ps", "-aq", "--filter", f"label=skillgrade.run={bench.run_id}"]
        return subprocess.run(argv, capture_output=True, text=True, check=True).stdout.split()
    folders = {str(path) for path in Path(tempfile.gettempdir()).glob(f"skillgrade-{bench.run_id}*")}
    return sorted(folders - {bench.prepared.reference})


# Files in


def test_files_arrive_as_they_are(bench: Bench, tmp_path: Path) -> None:
    source = tmp_path / "source"
    for name in ("empty", "deep/er", "read only"):
        (source / name).mkdir(parents=True)
    names = ["plain", "with space", "ünï", "new\nline", "-dash", "quo'te\"", "$(touch x)", "deep/er/.hidden"]
    for name in names:
        (source / name).write_text(name)
    (source / "plain").chmod(0o640)
    (source / "-dash").chmod(0o755)
    (source / "link").symlink_to("deep/er/.hidden")
    (source / "broken").symlink_to("nowhere")
    os.utime(source / "plain", (1_500_000_000, 1_500_000_000))
    (source / "read only").chmod(0o555)
    workspace = bench.open(StagedFile("sub", src=source))
    assert workspace.notes == ()

    ran = bench.bash(workspace, r"cd sub; find . -mindepth 1 -printf '%P|%y|%m|%l\0'")
    found = dict(entry.split("|", 1) for entry in ran.out.split("\0")[:-1])
    assert found == {
        **dict.fromkeys(names, "f|644|"),
        "plain": "f|640|",
        "-dash": "f|755|",
        "deep": "d|755|",
        "deep/er": "d|755|",
        "empty": "d|755|",
        "read only": "d|555|",
        "link": "l|777|deep/er/.hidden",
        "broken": "l|777|nowhere",
    }
    assert bench.bash(workspace, "stat -c %Y sub/plain; cat sub/link").out == "1500000000\ndeep/er/.hidden"
    (source / "read only").chmod(0o755)


def test_equal_base_names_stay_apart(bench: Bench, tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "app.js").write_text(name)
    files = [StagedFile(f"{name}/app.js", src=tmp_path / name / "app.js") for name in ("a", "b")]
    workspace = bench.open(*files)
    assert bench.bash(workspace, "cat a/app.js b/app.js").out == "ab"


def test_files_belong_to_the_agent(bench: Bench) -> None:
    workspace = bench.open(text("given/file", "1"))
    ran = bench.bash(workspace, "echo 2 >given/file && touch given/new new && rm given/file && cat given/new && pwd")
    assert (ran.code, ran.out) == (0, f"{workspace.path}\n")


def test_an_absolute_destination_is_found_on_the_path(bench: Bench) -> None:
    tool = text("/usr/local/bin/superlint", "#!/bin/bash\necho lint $1\n", Place.SYSTEM, chmod="+x")
    workspace = bench.open(tool)
    assert bench.run(workspace, "superlint", "x").out == "lint x\n"
    assert bench.run(workspace, "superlint", "y", privileged=True).out == "lint y\n"
    assert not Path("/usr/local/bin/superlint").exists()


def test_chmod_is_applied(bench: Bench) -> None:
    workspace = bench.open(text("a", chmod="+x"), text("b", chmod="600"), text("c"))
    assert bench.bash(workspace, "stat -c %a a b c").out.split() == ["755", "600", "644"]


@pytest.mark.parametrize("dest", ["../x", "a/../../x", "..", "a\0b"])
@pytest.mark.parametrize("place", [Place.WORKSPACE, Place.CONTROL])
def test_a_destination_outside_is_refused(bench: Bench, dest: str, place: Place) -> None:
    with pytest.raises(InfrastructureError):
        bench.open(text(dest, "x", place))


def test_the_control_folder_is_apart_from_the_workspace(bench: Bench) -> None:
    workspace = bench.open()
    workspace.put([text("transcript.txt", "what was said", Place.CONTROL)])
    script = f"cat {workspace.control}/transcript.txt; ls -A"
    assert bench.bash(workspace, script, privileged=True).out == "what was said"


# Skills


@pytest.mark.parametrize("size", [100, 1_200_000], ids=["small", "large"])
def test_skills_are_where_agents_look_without_what_grades_them(bench: Bench, tmp_path: Path, size: int) -> None:
    folder = tmp_path / "evaluated"
    for name in ("graders/check.sh", "rubrics/r.md", "eval.yaml", ".env", "secret.txt", "scripts/run.sh"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(CANARY)
    (folder / "scripts" / "run.sh").write_text("echo skill")
    (folder / "scripts" / "run.sh").chmod(0o755)
    (folder / "SKILL.md").write_text("x" * size)
    skill = Skill("lint-it", "", folder)
    snapshot, _ = snapshot_skill(skill, tmp_path / "snapshot", frozenset({folder / "secret.txt"}))
    workspace = bench.open(skills=(snapshot,))
    for place in (".claude/skills/lint-it", ".agents/skills/lint-it"):
        ran = bench.bash(workspace, f"wc -c <{place}/SKILL.md; cd {place}; find . -type f; scripts/run.sh")
        assert ran.out.split() == [str(size), *ran.out.split()[1:3], "skill"]
        assert set(ran.out.split()[1:3]) == {"./SKILL.md", "./scripts/run.sh"}
    found = bench.bash(workspace, f"grep -Rl {CANARY} . $HOME {workspace.control} 2>/dev/null")
    assert (found.code == 0, found.out) == (False, "")
    workspace.end_processes()


# Commands


@pytest.mark.parametrize(
    "content", [None, b"", b"a\0b\xff\n", b"x" * 5_000_000], ids=["none", "empty", "bytes", "5 MB"]
)
@pytest.mark.parametrize("early", [True, False])
def test_stdin_arrives_whole(bench: Bench, content: bytes | None, early: bool) -> None:
    workspace = bench.open(stdin=content if early else None)
    ran = bench.run(workspace, "cat", stdin=content, cap=20_000_000)
    assert ran.result.stdout.path.read_bytes() == (content or b"")


def test_stdin_that_nobody_reads_blocks_nobody(bench: Bench) -> None:
    content = b"x" * 5_000_000
    ran = bench.bash(bench.open(stdin=content), "echo done", stdin=content)
    assert (ran.code, ran.out) == (0, "done\n")
    assert ran.result.duration < 10


def test_stdin_is_each_commands_own(bench: Bench) -> None:
    workspace = bench.open(stdin=b"first")
    assert [bench.run(workspace, "cat", stdin=content).out for content in (b"first", b"second", None)] == [
        "first",
        "second",
        "",
    ]


@pytest.mark.parametrize(
    ("script", "code"), [("exit 0", 0), ("exit 7", 7), ("exit 126", 126), ("exit 127", 127), ("kill -9 $$", 137)]
)
def test_exit_codes(bench: Bench, script: str, code: int) -> None:
    result = bench.bash(bench.open(), script).result
    assert (result.exit_code, result.timed_out, result.not_found, result.out_of_memory) == (code, False, False, False)


def test_streams_stay_apart(bench: Bench) -> None:
    ran = bench.bash(bench.open(), "echo out; echo err >&2")
    assert (ran.out, ran.err) == ("out\n", "err\n")


@pytest.mark.parametrize("program", ["no-such-program", "./no-such-file", "./given"])
def test_a_program_that_cannot_be_started_is_told_from_one_that_fails(bench: Bench, program: str) -> None:
    ran = bench.run(bench.open(text("given", "not executable")), program, "argument")
    assert (ran.result.not_found, ran.result.timed_out, ran.out) == (True, False, "")


def test_arguments_arrive_as_they_are(bench: Bench) -> None:
    arguments = ["", "a b", "ü", "$HOME", "new\nline", "'\"", "*"]
    assert bench.run(bench.open(), "printf", "<%s>", *arguments).out == "".join(f"<{a}>" for a in arguments)


@pytest.mark.parametrize("privileged", [False, True])
def test_nothing_of_the_runners_environment_is_inside(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, privileged: bool
) -> None:
    monkeypatch.setenv("FAKE_API_KEY", CANARY)
    workspace = bench.open()
    script = "env; cat /proc/1/environ /proc/self/environ /proc/$PPID/environ 2>/dev/null"
    # Without isolation an agent can look into the runner itself, which is why only its own ancestors count here.
    ran = bench.bash(
        workspace,
        script if bench.provider.name != "local" else "env; cat /proc/$PPID/environ",
        env={"GIVEN": "1", "LANG": "C"},
        privileged=privileged,
    )
    assert CANARY not in ran.out
    assert {"GIVEN=1", "LANG=C"} <= set(ran.out.splitlines())


@pytest.mark.parametrize("privileged", [False, True])
def test_home_is_private_and_writable(bench: Bench, privileged: bool) -> None:
    workspace = bench.open()
    ran = bench.bash(
        workspace,
        "ls -A $HOME | grep -v '^[.]bash\\|^[.]profile'; touch $HOME/.x && pwd && cd && pwd",
        privileged=privileged,
    )
    work, home = ran.out.splitlines()
    assert work == workspace.path
    assert not home.startswith(work)
    assert not (Path.home() / ".x").exists()


def test_graders_are_out_of_the_agents_reach(bench: Bench) -> None:
    workspace = bench.open(text("/usr/local/bin/tool", "#!/bin/bash\necho ours\n", Place.SYSTEM, chmod="755"))
    bench.bash(
        workspace,
        """echo 'echo evil' >$HOME/.bashrc; echo 'echo evil' >$HOME/.profile
        for tool in tool cat; do
          place=$(dirname "$(command -v tool)")/$tool
          { rm -f $place; printf '#!/bin/bash\necho evil\n' >$place; chmod +x $place; } 2>/dev/null
        done""",
    )
    workspace.end_processes()
    workspace.put([text("graders/check.sh", "tool; echo fine | cat; echo $LANG")])
    ran = bench.run(workspace, "bash", "graders/check.sh", privileged=True)
    assert ran.out == "ours\nfine\nC.UTF-8\n"


# Ends


def test_the_deadline_ends_the_tree(bench: Bench) -> None:
    workspace = bench.open()
    ran = bench.bash(workspace, ESCAPE + "sleep 600", timeout=2)
    assert (ran.code, ran.result.timed_out, ran.result.not_found) == (None, True, False)
    assert 2 <= ran.result.duration < 15
    assert ran.out == "ready\n"
    workspace.end_processes()
    assert bench.bash(workspace, IS_DEAD).code == 0


def test_what_a_command_leaves_does_not_hold_it_up_and_ends(bench: Bench) -> None:
    workspace = bench.open()
    ran = bench.bash(workspace, ESCAPE + "exit 3", timeout=100)
    assert (ran.code, ran.result.timed_out, ran.out) == (3, False, "ready\n")
    assert ran.result.duration < 20
    workspace.end_processes()
    assert bench.bash(workspace, IS_DEAD).code == 0


def test_a_stop_ends_a_command_at_once(bench: Bench) -> None:
    workspace, stop, output = bench.open(), Stop(), bench.next_output

    def stop_when_it_runs() -> None:
        assert eventually(lambda: output.exists() and b"ready" in output.read_bytes(), 30)
        stop.set()

    thread = threading.Thread(target=stop_when_it_runs)
    thread.start()
    started = time.monotonic()
    with pytest.raises(Cancelled):
        bench.bash(workspace, ESCAPE + "sleep 600", stop=stop, timeout=300)
    thread.join()
    assert time.monotonic() - started < 30
    workspace.close()
    assert left_of(bench) == []


def test_a_stop_that_came_before_opens_nothing(bench: Bench) -> None:
    stop = Stop()
    stop.set()
    with pytest.raises(Cancelled):
        bench.open(text("a"), stop=stop)
    assert left_of(bench) == []


def test_closing_leaves_nothing(bench: Bench) -> None:
    workspace = bench.open(text("a"))
    bench.bash(
        workspace, ESCAPE + "mkdir -p ro/sub; touch ro/sub/f; chmod 000 ro/sub/f; chmod 555 ro/sub; chmod 000 ro"
    )
    assert len(left_of(bench)) == 1
    workspace.close()
    workspace.close()
    assert left_of(bench) == []
    with pytest.raises(WorkspaceError):
        bench.bash(workspace, "true")


def test_closing_from_another_thread_ends_the_command(bench: Bench) -> None:
    workspace, output = bench.open(), bench.next_output

    def close_when_it_runs() -> None:
        assert eventually(lambda: output.exists() and b"ready" in output.read_bytes(), 30)
        workspace.close()

    thread = threading.Thread(target=close_when_it_runs)
    thread.start()
    with pytest.raises(WorkspaceError):
        bench.bash(workspace, ESCAPE + "sleep 600", timeout=300)
    thread.join()
    assert left_of(bench) == []


def test_ending_a_run_removes_what_is_open(bench: Bench, tmp_path: Path) -> None:
    run = f"{bench.run_id}-ends"
    ending = Bench(bench.provider, bench.provider.prepare(EnvironmentSpec(DockerSpec()), run, Stop()), run, tmp_path)
    workspace = ending.open(text("a"))
    assert len(left_of(ending)) == 1
    bench.provider.end_run(run)
    assert left_of(ending) == []
    assert not ending.prepared.reference.startswith("/") or not Path(ending.prepared.reference).exists()
    workspace.close()


# Output


def test_output_beyond_the_cap_keeps_head_and_tail(bench: Bench) -> None:
    ran = bench.bash(bench.open(), "echo head; head -c 30000000 /dev/zero | tr '\\0' x; echo; echo tail", cap=100_000)
    assert ran.result.exit_code == 0
    assert (ran.result.stdout.size, ran.result.stdout.truncated) == (30_000_011, True)
    assert ran.out.startswith("head\nxxx")
    assert ran.out.endswith("xxx\ntail\n")
    assert len(ran.out) < 101_000
    assert "29900011 bytes left out" in ran.out


def test_invalid_utf8_is_replaced(bench: Bench) -> None:
    assert bench.bash(bench.open(), r"printf '\303'; printf '\274\377!'").out == "ü\ufffd!"


# Files in later, and out


@pytest.mark.parametrize(
    "plant",
    [
        "mkdir graders; echo evil >graders/check.sh",
        "mkdir -p graders/check.sh/deep; touch graders/conftest.py",
        "ln -s $VICTIM graders",
        "ln -s $VICTIM/x.sh real; mkdir graders; ln -s $VICTIM/x.sh graders/check.sh",
        "echo evil >graders",
        MKFIFO.format("graders"),
        "mkdir graders; touch graders/x; chmod 000 graders",
    ],
)
def test_put_replaces_what_is_in_the_way(bench: Bench, tmp_path: Path, plant: str) -> None:
    source = tmp_path / "graders"
    source.mkdir()
    (source / "check.sh").write_text("echo ours")
    workspace = bench.open()
    victim = bench.bash(workspace, "mkdir $HOME/victim; touch $HOME/victim/kept; echo $HOME/victim").out.strip()
    assert bench.bash(workspace, plant, env={"VICTIM": victim}).code == 0
    workspace.end_processes()
    assert workspace.put([StagedFile("graders", src=source)]) == ("graders",)
    ran = bench.bash(workspace, f"bash graders/check.sh; ls graders; ls {victim}; stat -c %F graders", privileged=True)
    assert ran.out.split() == ["ours", "check.sh", "kept", "directory"]


def test_put_replaces_a_planted_link_on_the_way(bench: Bench) -> None:
    workspace = bench.open()
    victim = bench.bash(workspace, "mkdir $HOME/victim; ln -s $HOME/victim lib; echo $HOME/victim").out.strip()
    workspace.end_processes()
    assert workspace.put([text("lib/deep/check.sh", "x")]) == ("lib/deep/check.sh",)
    assert bench.bash(workspace, f"ls -A {victim}; cat lib/deep/check.sh", privileged=True).out == "x"


def test_put_into_a_clean_place_reports_nothing(bench: Bench) -> None:
    workspace = bench.open(text("lib/app.js", "app"))
    assert workspace.put([text("lib/check.js", "check"), text("graders/a/b", "b")]) == ()
    assert bench.bash(workspace, "cat lib/app.js lib/check.js graders/a/b").out == "appcheckb"


def test_put_refuses_destinations_outside(bench: Bench) -> None:
    with pytest.raises(WorkspaceError):
        bench.open().put([text("../x", "x")])


def test_read_gives_the_beginning_of_regular_files_only(bench: Bench) -> None:
    workspace = bench.open(text("report.md", "0123456789"))
    bench.bash(
        workspace,
        MKFIFO.format("fifo") + "; mkdir d; ln -s report.md inside; ln -s .. up; ln -s /etc/passwd outside; "
        "ln -s loop loop; ln -s /etc folder; printf '\\377' >'odd\nname '",
    )
    assert workspace.read("report.md", 4) == b"0123"
    assert workspace.read("./report.md", 100) == b"0123456789"
    assert workspace.read("inside", 100) == b"0123456789"
    assert workspace.read("odd\nname ", 100) == b"\xff"
    for path in (
        "missing",
        "d",
        ".",
        "",
        "fifo",
        "outside",
        "loop",
        "folder/passwd",
        "/etc/passwd",
        "../x",
        "a\0b",
        "report.md/x",
    ):
        assert workspace.read(path, 100) is None, path


def test_graders_get_the_workspace_as_it_is(bench: Bench) -> None:
    workspace = bench.open()
    bench.bash(workspace, "echo made >by-agent; ln -s by-agent link; chmod 640 by-agent")
    workspace.end_processes()
    for fresh in (False, True):
        grading = workspace.for_graders(fresh)
        assert bench.bash(grading, "cat link; stat -c %a by-agent", privileged=True).out == "made\n640\n"


def test_graders_git_starts_nothing_that_the_agent_named(bench: Bench) -> None:
    workspace = bench.open()
    plant = (
        "git init -q . && git config user.email a@b && git config user.name n && mkdir hooks && touch file &&\n"
        "git config core.fsmonitor 'touch \"$PWD/planted\"; false' && git config core.hooksPath hooks &&\n"
        "printf '#!/bin/sh\\ntouch planted\\n' >hooks/pre-commit && chmod +x hooks/pre-commit &&\n"
        "git config commit.gpgSign true && git config gpg.program hooks/pre-commit && rm -f planted"
    )
    assert bench.bash(workspace, plant).code == 0
    workspace.end_processes()
    script = "git status --short >&2 && git add file && git commit -q -m x && git log --format=%s && ls"
    ran = bench.bash(workspace, script, privileged=True, env={"GIT_CONFIG_COUNT": "0"})
    assert ran.out == "x\nfile\nhooks\n"


class Answering:
    """Writes to a pipe what a command should read once it has said something, and ends the pipe."""

    def __init__(self, answer: bytes) -> None:
        self._answer = answer
        reader, self._writer = os.pipe()
        self.reader = os.fdopen(reader, "rb", buffering=0)

    def feed(self, data: bytes) -> bytes:
        if self._writer >= 0 and data:
            os.write(self._writer, self._answer)
            os.close(self._writer)
            self._writer = -1
        return data

    def flush(self) -> bytes:
        return b""


def test_a_command_reads_from_a_pipe_what_depends_on_what_it_said(bench: Bench) -> None:
    talk = Answering(b"first\n" + b"rest\n" * 2000)
    with talk.reader:
        result = bench.open().run(
            Command(
                argv=("bash", "-c", 'echo ready; read -r line; echo "$line"; wc -l; echo over'),
                stdout=OutputSink(bench.next_output, byte_filter=talk),
                stderr=OutputSink(bench.next_output.with_suffix(".err")),
                timeout=60,
                stdin=talk.reader,
            ),
            Stop(),
        )
    assert (result.exit_code, result.stdout.text().split()) == (0, ["ready", "first", "2000", "over"])
