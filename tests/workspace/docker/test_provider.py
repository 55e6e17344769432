"""The docker provider against a real engine; what holds for every provider is in test_contract.py."""

from __future__ import annotations

import contextlib
import subprocess
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from skillgrade.errors import Cancelled, ProviderError, Stage, WorkspaceError
from skillgrade.stop import Stop
from skillgrade.suite.model import DockerSpec, Limits
from skillgrade.workspace.base import EnvironmentSpec, Place, Prepared, SkillSnapshot, StagedFile, WorkspaceSpec
from skillgrade.workspace.cleaning import sweep
from skillgrade.workspace.docker.container import Container, ContainerSpec
from skillgrade.workspace.docker.files import place_items
from skillgrade.workspace.docker.leftovers import labels_of
from skillgrade.workspace.docker.provider import DockerProvider
from tests.support.containers import DockerRun, after_output, docker_run

pytestmark = pytest.mark.docker


@pytest.fixture
def run(tmp_path: Path) -> Iterator[DockerRun]:
    with docker_run(tmp_path) as made:
        yield made


def test_the_agent_is_a_plain_user_that_owns_the_workspace(run: DockerRun) -> None:
    workspace = run.open(StagedFile("a/b.txt", data=b"x"))
    assert run.says(workspace, "id -u; pwd; stat -c %u . a a/b.txt") == "1000\n/workspace\n1000\n1000\n1000\n"
    assert run.says(workspace, 'touch "$HOME/x" && stat -c %u "$HOME/x"') == "1000\n"
    assert run.bash(workspace, "touch /etc/x /usr/local/bin/x /run/skillgrade/x").exit_code != 0
    assert "NoNewPrivs:\t1\n" in run.says(workspace, "cat /proc/self/status")


def test_graders_are_root_with_an_environment_of_their_own(run: DockerRun) -> None:
    workspace = run.open()
    assert run.says(workspace, 'id -u; echo "$HOME $LANG"', privileged=True) == "0\n/root C.UTF-8\n"
    result = run.bash(workspace, 'echo "$X"', privileged=True, env={"X": "given"})
    assert result.stdout.text() == "given\n"
    run.says(workspace, "git init -q . && git config user.email a@b && git config user.name n && touch f && git add f")
    assert run.says(workspace, "git status --short", privileged=True) == "A  f\n"


def test_files_land_where_they_were_sent_and_nowhere_else(run: DockerRun, tmp_path: Path) -> None:
    source = tmp_path / "src"
    (source / "deep").mkdir(parents=True)
    (source / "deep/run.sh").write_text("echo ran")
    (source / "deep/run.sh").chmod(0o750)
    (source / "link").symlink_to("deep/run.sh")
    tool = tmp_path / "tool"
    tool.write_text("#!/bin/sh\necho tool $1")
    tool.chmod(0o600)
    workspace = run.open(
        StagedFile("one/app.js", data=b"1"),
        StagedFile("two/app.js", data=b"2"),
        StagedFile("tree", src=source),
        StagedFile("/usr/local/bin/tool", Place.SYSTEM, src=tool, chmod="+x"),
        StagedFile("/data/input", Place.SYSTEM, data=b"in"),
        StagedFile("seen", Place.CONTROL, data=b"control"),
    )
    assert run.says(workspace, "cat one/app.js two/app.js; tool x") == "12tool x\n"
    assert run.says(workspace, "stat -c '%a %F' tree/deep/run.sh tree/link; readlink tree/link") == (
        "750 regular file\n777 symbolic link\ndeep/run.sh\n"
    )
    assert run.says(workspace, "stat -c '%u %a' /usr/local/bin /usr/local/bin/tool /data/input") == (
        "0 755\n0 755\n1000 644\n"
    )
    assert run.says(workspace, f"cat {workspace.control}/seen; find . -type f | sort") == (
        "control./one/app.js\n./tree/deep/run.sh\n./two/app.js\n"
    )


def test_stdin_reaches_only_the_command_it_was_meant_for(run: DockerRun) -> None:
    workspace = run.open(stdin=b"first")
    assert run.bash(workspace, "cat", stdin=b"first").stdout.text() == "first"
    assert run.bash(workspace, "cat", stdin=b"second").stdout.text() == "second"
    assert run.bash(workspace, "cat").stdout.text() == ""


def test_large_output_is_capped_and_costs_little(run: DockerRun) -> None:
    workspace = run.open()
    command = run.command("bash", "-c", "echo begin; head -c 200000000 /dev/zero; echo end >&1", cap=1000)
    result = workspace.run(command, run.stop)
    assert (result.exit_code, result.stdout.size, result.stdout.truncated) == (0, 200_000_010, True)
    text = result.stdout.text()
    assert text.startswith("begin\n")
    assert text.endswith("end\n")
    assert len(text) < 1100


def test_both_streams_come_apart(run: DockerRun) -> None:
    workspace = run.open()
    result = run.bash(workspace, "for i in 1 2 3; do echo out$i; echo err$i >&2; done; printf 'h\\303\\251'; exit 9")
    assert (result.exit_code, result.stdout.text(), result.stderr.text()) == (
        9,
        "out1\nout2\nout3\nhé",
        "err1\nerr2\nerr3\n",
    )


def test_a_program_that_cannot_be_started_is_told_from_exit_127(run: DockerRun) -> None:
    workspace = run.open(StagedFile("bad", data=b"#!/no/such/shell\n", chmod="+x"))
    for argv in (("no-such-program",), ("/etc/passwd",), ("./bad",)):
        assert workspace.run(run.command(*argv), run.stop).not_found, argv
    result = run.bash(workspace, "echo sh: not found >&2; exit 127")
    assert (result.exit_code, result.not_found, result.stderr.text()) == (127, False, "sh: not found\n")


def test_the_deadline_kills_everything_and_the_workspace_lives_on(run: DockerRun) -> None:
    workspace = run.open()
    script = "trap '' TERM; (trap '' TERM; setsid sleep 1000 &) ; echo began; sleep 1000"
    started = time.monotonic()
    result = run.bash(workspace, script, timeout=1)
    assert time.monotonic() - started < 10
    assert (result.exit_code, result.timed_out, result.stdout.text()) == (None, True, "began\n")
    assert run.says(workspace, "cat /proc/[0-9]*/cmdline | tr '\\0' ' '").count("sleep 1000") == 0


def test_end_processes_leaves_only_the_first_process(run: DockerRun) -> None:
    workspace = run.open()
    run.bash(workspace, "(setsid sleep 1000 >/dev/null 2>&1 &)", timeout=20)
    workspace.end_processes()
    assert "sleep 1000" not in run.says(workspace, "cat /proc/[0-9]*/cmdline | tr '\\0' ' '")


def test_a_fork_bomb_is_limited_and_ended(run: DockerRun) -> None:
    workspace = run.open(limits=Limits(cpus=1, memory_mb=256, pids=24))
    result = run.bash(workspace, "for i in $(seq 100); do sleep 1000 & done; wait", timeout=2)
    assert result.timed_out
    assert "Resource temporarily unavailable" in result.stderr.text()
    workspace.end_processes()
    assert run.says(workspace, "echo usable") == "usable\n"


def test_an_agent_that_fills_its_limit_of_processes_is_judged(run: DockerRun) -> None:
    workspace = run.open(limits=Limits(cpus=1, memory_mb=256, pids=24))
    bomb = (
        "import os\n"
        "for number in (1, 2): os.dup2(os.open(os.devnull, os.O_WRONLY), number)\n"
        "def fill():\n"
        "    try: return os.fork() == 0\n"
        "    except OSError: return None\n"
        "while (child := fill()) is False: pass\n"
        "while child: fill()\n"
        "os._exit(5)\n"
    )
    result = workspace.run(run.command("python3", "-c", bomb), run.stop)
    assert (result.exit_code, result.out_of_memory) == (5, False)
    workspace.end_processes()
    assert run.says(workspace, "echo usable", privileged=True) == "usable\n"


def test_out_of_memory_is_named(run: DockerRun) -> None:
    workspace = run.open(limits=Limits(cpus=1, memory_mb=64, pids=64))
    result = run.bash(workspace, "head -c 200000000 /dev/zero | tail -c 150000000 | wc -c; exit ${PIPESTATUS[1]}")
    assert (result.exit_code, result.out_of_memory) == (137, True)
    again = run.bash(workspace, "exit 3")
    assert (again.exit_code, again.out_of_memory) == (3, False)


def test_network_none_has_no_way_out_and_cpus_are_no_more_than_there_are(run: DockerRun) -> None:
    workspace = run.open(limits=Limits(cpus=4096, memory_mb=256, pids=64))
    assert run.says(workspace, "ls /sys/class/net") == "lo\n"
    assert len(workspace.notes) == 1
    assert "fewer than environment.cpus (4096)" in workspace.notes[0]


def test_put_replaces_what_is_in_the_way_and_follows_no_link(run: DockerRun) -> None:
    workspace = run.open(StagedFile("graders/old.sh", data=b"old"))
    run.says(
        workspace, "rm -r graders; mkdir /tmp/evil; ln -s /tmp/evil graders; ln -s /tmp/evil/f lone; mkdir -p d/sub"
    )
    files = [StagedFile(dest, data=b"ours") for dest in ("graders/check.sh", "lone", "d", "fresh/new")]
    assert set(workspace.put(files)) == {"graders/check.sh", "lone", "d"}
    assert run.says(workspace, "cat graders/check.sh lone d fresh/new; ls /tmp/evil; test ! -L graders") == "ours" * 4


def test_read_follows_no_link_out(run: DockerRun) -> None:
    workspace = run.open(StagedFile("a b/c.txt", data=b"content"))
    run.says(workspace, "ln -s /etc/passwd out; ln -s /etc etc; ln -s 'a b/c.txt' inside; mkdir folder")
    assert workspace.read("a b/c.txt", 100) == b"content"
    assert workspace.read("a b/c.txt", 3) == b"con"
    assert workspace.read("inside", 100) == b"content"
    for path in ("out", "etc/passwd", "../etc/passwd", "folder", "nothing", "folder/nothing", "a\0b"):
        assert workspace.read(path, 100) is None, path


@pytest.mark.parametrize("size", [10, 2_000_000], ids=["small", "large"])
def test_skills_stand_where_agents_look_and_can_be_written_to(run: DockerRun, tmp_path: Path, size: int) -> None:
    folder = tmp_path / "copy"
    (folder / "bin").mkdir(parents=True)
    (folder / "SKILL.md").write_bytes(b"s" * size)
    (folder / "bin/link").symlink_to("../SKILL.md")
    skill = SkillSnapshot("demo", folder, "sha256:1", size)
    for _trial in range(2):
        workspace = run.open(StagedFile("x", data=b"x"), skills=(skill,))
        for place in (".claude/skills/demo", ".agents/skills/demo"):
            script = f"cd {place} && stat -c '%u %s' SKILL.md && readlink bin/link && echo more >>SKILL.md"
            assert run.says(workspace, script) == f"1000 {size}\n../SKILL.md\n"
    label = {"label": f"skillgrade.run={run.id}"}
    assert len(run.client.api.images(filters=label)) == (1 if size > 1_000_000 else 0)
    run.close()
    assert run.client.api.images(filters=label) == []


def test_variables_of_the_image_give_a_plain_agent_no_root(run: DockerRun) -> None:
    setup = "ENV PATH=/tmp/bin:$PATH BASH_ENV=/tmp/env ENV=/tmp/env PYTHONPATH=/tmp/lib:/opt/lib"
    prepared = run.provider.prepare(EnvironmentSpec(DockerSpec(setup=setup)), run.id, run.stop)
    workspace = run.provider.open(WorkspaceSpec(run.id, "t", prepared, limits=Limits(1, 256, 24)), run.stop)
    plant = (
        "mkdir /tmp/bin; echo 'id -u >>/tmp/who' >/tmp/env; chmod 666 /tmp/env; touch /tmp/who; chmod 666 /tmp/who\n"
        "for name in bash sleep cat head rm tar readlink printf; do\n"
        "  printf '#!/bin/sh\\n. /tmp/env\\nexec /bin/%s \"$@\"' $name >/tmp/bin/$name; chmod +x /tmp/bin/$name\n"
        "done; echo text >file"
    )
    assert run.bash(workspace, plant).exit_code == 0
    assert run.says(workspace, "echo $PATH $BASH_ENV $PYTHONPATH").startswith("/tmp/bin:/")
    workspace.end_processes()
    assert workspace.read("file", 10) == b"text\n"
    workspace.put([StagedFile("file", data=b"ours")])
    assert run.says(workspace, "cat file; echo $PYTHONPATH", privileged=True) == "ours/opt/lib\n"
    assert run.says(workspace, "echo ${BASH_ENV-unset}${ENV-unset}", privileged=True) == "\n"
    run.bash(workspace, "for i in $(/bin/seq 100); do (exec -a x /bin/sleep 1000) & done; wait", timeout=3)
    workspace.end_processes()
    who = run.says(workspace, "cat /tmp/who", privileged=True).split()
    workspace.close()
    run.client.images.remove(prepared.reference)
    assert set(who) == {"1000"}


def test_a_root_agent_cannot_touch_the_graders_container(run: DockerRun) -> None:
    workspace = run.open(
        StagedFile("deleted", data=b""),
        StagedFile("/usr/local/bin/tool", Place.SYSTEM, data=b"#!/bin/sh\necho ours\n", chmod="+x"),
        user="root",
    )
    assert workspace.run(run.command("id", "-u"), run.stop).stdout.text() == "0\n"
    run.says(
        workspace,
        "rm deleted; echo work >result; chmod 600 result; cp /bin/true su; chmod 4755 su; ln -s /etc/passwd link\n"
        "printf '#!/bin/sh\\necho planted\\n' >/usr/local/bin/tool; ln -s /usr/local/bin/tool /usr/local/bin/cat",
    )
    workspace.end_processes()
    assert workspace.for_graders(fresh=False) is workspace
    fresh = workspace.for_graders(fresh=True)
    assert run.says(fresh, "tool; cat result; ls", privileged=True) == "ours\nwork\nlink\nresult\nsu\n"
    assert run.says(fresh, "stat -c '%a %u' result su; readlink link", privileged=True) == "600 0\n755 0\n/etc/passwd\n"
    workspace.close()
    assert run.containers() == []


def test_special_files_of_a_root_agent_are_left_behind(run: DockerRun) -> None:
    workspace = run.open(user="root")
    run.says(workspace, "mkfifo a; ln a b; mknod c c 1 3; ln c d; echo kept >e; ln e f")
    workspace.end_processes()
    fresh = workspace.for_graders(fresh=True)
    assert run.says(fresh, "ls; cat f", privileged=True) == "e\nf\nkept\n"


def test_a_root_agent_that_defeats_the_kill_is_not_graded(run: DockerRun) -> None:
    workspace = run.open(user="root")
    run.says(workspace, "(setsid sleep 1000 >/dev/null 2>&1 &) ; rm -f /bin/bash; cp /bin/true /bin/bash")
    with pytest.raises(WorkspaceError, match="tampered") as error:
        workspace.end_processes()
    assert error.value.stage is Stage.AGENT
    assert run.containers() == []


def test_a_container_removed_under_a_command_is_an_error_with_its_reason(run: DockerRun) -> None:
    workspace = run.open()
    command = run.command("bash", "-c", "echo began; sleep 1000")
    with (
        after_output(command, b"began", lambda: run.client.api.remove_container(run.containers()[0], force=True)),
        pytest.raises(WorkspaceError, match="the container was ended or removed while the trial used it"),
    ):
        workspace.run(command, run.stop)
    with pytest.raises(WorkspaceError, match="ended or removed"):
        workspace.end_processes()
    workspace.close()
    assert workspace.notes == ()


def test_a_container_that_ended_under_a_command_is_an_error(run: DockerRun) -> None:
    workspace = run.open(user="root")
    with pytest.raises(WorkspaceError, match="the container was ended or removed while the trial used it"):
        run.bash(workspace, "kill -TERM 1; sleep 1000")


def test_a_stop_ends_a_command_at_once_and_leaves_nothing(run: DockerRun) -> None:
    workspace = run.open()
    command = run.command("bash", "-c", "trap '' TERM INT; echo began; sleep 1000", timeout=60)
    started = time.monotonic()
    with after_output(command, b"began", run.stop.set), pytest.raises(Cancelled):
        workspace.run(command, run.stop)
    assert time.monotonic() - started < 20
    workspace.close()
    assert run.containers() == []


def test_a_stop_before_or_while_containers_are_made_leaves_none(run: DockerRun) -> None:
    prepared = run.prepare()
    for delay in (0.0, 0.02, 0.06, 0.15):
        stop = Stop()
        timer = threading.Timer(delay, stop.set)
        timer.start()
        opened = []
        with contextlib.suppress(Cancelled):
            opened.append(run.provider.open(WorkspaceSpec(run.id, "t", prepared), stop))
        timer.join()
        for workspace in opened:
            workspace.close()
    assert run.containers() == []


def test_close_works_twice_at_once(run: DockerRun) -> None:
    workspace = run.open()
    threads = [threading.Thread(target=workspace.close) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (run.containers(), workspace.notes) == ([], ())


def test_end_run_removes_what_was_left_open_of_this_run_only(run: DockerRun, tmp_path: Path) -> None:
    with docker_run(tmp_path) as other:
        run.open()
        other.open()
        run.provider.end_run(run.id)
        assert (len(run.containers()), len(other.containers())) == (0, 1)


def test_what_a_dead_process_left_is_swept_and_nothing_else(run: DockerRun) -> None:
    with subprocess.Popen(["true"]) as dead:
        dead.wait()
    mine = labels_of(run.id, "t")
    kept = [mine, {**mine, "skillgrade.host": "other", "skillgrade.pid": "1"}, {**mine, "skillgrade.pid": "not ours"}]
    swept = [{**mine, "skillgrade.pid": str(dead.pid)}, {**mine, "skillgrade.started": "1"}]  # gone, and used again
    image = run.prepare().reference
    made = [run.client.api.create_container(image, labels=labels)["Id"] for labels in (*kept, *swept)]
    sweep({"docker"})
    assert set(run.containers()) == set(made[: len(kept)])


def test_a_restart_ends_processes_and_keeps_files(run: DockerRun) -> None:
    prepared = run.prepare()
    spec = ContainerSpec(prepared.reference, labels_of(run.id, "t"), Limits(1, 256, 64), "none", {}, False)
    container = Container(run.client.api, spec)
    container.make(place_items([StagedFile("kept", data=b"")], False, print).write, run.stop)
    container.start(run.stop)
    container.ask("(setsid sleep 1000 >/dev/null 2>&1 &)")
    assert container.restart()
    script = "cat /proc/[0-9]*/cmdline | tr '\\0' ' ' | grep -c 'sleep 100[0]'; ls /workspace"
    assert container.ask(script)[1] == b"0\nkept\n"
    container.remove()


def test_containers_say_whose_they_are(run: DockerRun) -> None:
    run.open()
    labels = run.client.api.inspect_container(run.containers()[0])["Config"]["Labels"]
    assert (labels["skillgrade.run"], labels["skillgrade.trial"]) == (run.id, "task/0")
    assert labels.items() >= labels_of(run.id, "task/0").items()


def test_an_image_that_is_gone_is_an_error(run: DockerRun) -> None:
    gone = Prepared("docker", reference="sha256:" + "0" * 64)
    with pytest.raises(ProviderError, match="No such image"):
        run.provider.open(WorkspaceSpec(run.id, "t", gone), run.stop)


def test_without_a_daemon_everything_is_one_sentence(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("DOCKER_HOST", f"unix://{tmp_path}/dead.sock")
    provider = DockerProvider()
    problem = provider.check()
    assert problem is not None
    assert "no Docker daemon answers at unix://" in problem
    assert "--provider=local" in problem
    assert "\n" not in problem
    with pytest.raises(ProviderError, match="no Docker daemon answers"):
        provider.open(WorkspaceSpec("r", "t", Prepared("docker", reference="x")), Stop())
    provider.end_run("r")
