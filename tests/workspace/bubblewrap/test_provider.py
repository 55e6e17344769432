"""What only sandboxes promise: what they hide, what they share, and how they end."""

from __future__ import annotations

import base64
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import uuid
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from skillgrade.errors import ProviderError, Stage, WorkspaceError
from skillgrade.stop import Stop
from skillgrade.suite.model import DockerSpec, Limits
from skillgrade.workspace.base import EnvironmentSpec, Place, SkillSnapshot, StagedFile, Workspace, WorkspaceSpec
from skillgrade.workspace.bubblewrap.limited_slot import LimitedSlot
from skillgrade.workspace.bubblewrap.provider import BubblewrapProvider
from tests.support.processes import eventually
from tests.support.sandboxes import found
from tests.support.workspaces import Bench, text
from tests.workspace.local.test_provider import package

pytestmark = pytest.mark.bubblewrap
RUN = "run-1"
PROJECT = Path(__file__).parents[3]


@pytest.fixture
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where workspaces are made, for this test alone."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    return folder


@pytest.fixture
def provider(temporary: Path) -> Iterator[BubblewrapProvider]:
    found()
    provider = BubblewrapProvider()
    yield provider
    provider.end_run(RUN)
    assert list(temporary.iterdir()) == []


@pytest.fixture
def bubble(provider: BubblewrapProvider, tmp_path: Path) -> Iterator[Bench]:
    output = tmp_path / "output"
    output.mkdir()
    bench = Bench(provider, provider.prepare(EnvironmentSpec(DockerSpec()), RUN, Stop()), RUN, output)
    yield bench
    bench.close()


@pytest.fixture
def skill(tmp_path: Path) -> SkillSnapshot:
    folder = tmp_path / "telling-name" / "lint"
    (folder / "sub").mkdir(parents=True)
    (folder / "SKILL.md").write_text("pristine")
    (folder / "sub" / "more.md").write_text("more")
    return SkillSnapshot("lint", folder, "sha256:1", 12)


def host_folder(bench: Bench, temporary: Path) -> Path:
    """The one trial's folder on the host."""
    (folder,) = (path for path in temporary.iterdir() if str(path) != bench.prepared.reference)
    return folder


# What is hidden


@pytest.mark.parametrize("privileged", [False, True])
def test_the_first_process_tells_nothing(
    bubble: Bench, monkeypatch: pytest.MonkeyPatch, skill: SkillSnapshot, privileged: bool
) -> None:
    monkeypatch.setenv("FAKE_API_KEY", "canary-1234")
    script = "cat /proc/[0-9]*/environ /proc/self/mountinfo; cat /proc/1/cmdline | tr '\\0' ' '"
    ran = bubble.bash(bubble.open(skills=(skill,)), script, privileged=privileged)
    assert "canary" not in ran.out
    assert "telling-name" not in ran.out
    assert ran.out.splitlines()[-1].startswith(f"{found().path} --args 100 -- bash -c cat ")


def test_commands_inherit_their_streams_only(bubble: Bench) -> None:
    assert bubble.bash(bubble.open(), "for n in {0..254}; do [ -e /proc/$$/fd/$n ] && echo $n; done").out.split() == [
        "0",
        "1",
        "2",
    ]


@pytest.fixture
def _system_programs(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing on the PATH that needs to be shown, and so no folder on the way to it."""
    monkeypatch.setenv("PATH", "/usr/local/bin:/usr/bin:/bin")


@pytest.mark.usefixtures("_system_programs")
def test_of_the_host_only_the_system_is_there(bubble: Bench, tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("secret")
    workspace = bubble.open()
    hidden = [
        str(path) for path in (tmp_path, Path.home() / ".ssh", PROJECT, "/etc/shadow", "/var/run/docker.sock", "/sys")
    ]
    ran = bubble.run(workspace, "ls", "-d", *hidden)
    assert ran.out == ""
    assert bubble.bash(workspace, "id -u; id -g; id -un; hostname; echo $HOME; ls -A ~ /tmp /var/tmp").out.split() == [
        "1000", "1000", "agent", "sandbox", "/home/agent", "/home/agent:", "/tmp:", "/var/tmp:",
    ]  # fmt: skip


def test_nothing_outside_of_the_trial_can_be_written(bubble: Bench) -> None:
    workspace = bubble.open(text("t", place=Place.CONTROL))
    places = "/x /etc/x /usr/x /usr/bin/x /opt/x /home/x /dev/x /run/x /run/skillgrade/x"
    # Only asked, not tried: to the kernel, root in a sandbox is root still.
    # Pressure stall information is for everyone to ask.
    look = "find $(ls -d /proc/[!0-9]* | grep -v -e self$ -e pressure$) -type f -writable 2>/dev/null"
    for privileged in (False, True):
        script = f"for p in {places}; do (echo >$p) 2>/dev/null && echo $p; done; {look}"
        assert bubble.bash(workspace, script, privileged=privileged).out == ""
    assert bubble.bash(workspace, "echo x >/dev/shm/x && df --output=size -m /dev/shm | tail -1").out.split() == ["64"]


@pytest.mark.usefixtures("_system_programs")
def test_home_and_temporary_files_lie_on_disk_and_last_for_the_trial(bubble: Bench, temporary: Path) -> None:
    workspace = bubble.open()
    bubble.bash(workspace, "touch ~/.kept /tmp/kept /var/tmp/too")
    assert bubble.bash(workspace, "ls -A ~ /tmp").out.split() == ["/home/agent:", ".kept", "/tmp:", "kept", "too"]
    folder = host_folder(bubble, temporary)
    assert [(folder / name).is_file() for name in ("home/.kept", "tmp/kept")] == [True, True]
    assert bubble.bash(workspace, "ls -A ~ $TMPDIR; ls -A /tmp", privileged=True).out.split() == [
        "/home/grader:", "/var/tmp:", "kept", "too",
    ]  # fmt: skip


def test_a_setuid_file_is_behind_a_private_folder(bubble: Bench, temporary: Path) -> None:
    workspace = bubble.open()
    assert bubble.bash(workspace, "cp /bin/bash . && chmod 6755 bash && stat -c %a bash").out == "6755\n"
    assert host_folder(bubble, temporary).stat().st_mode & 0o777 == 0o700


# Network


def test_the_network_is_the_hosts_or_none(bubble: Bench) -> None:
    connect = "(echo >/dev/tcp/127.0.0.1/$PORT) 2>/dev/null && echo connected; tail -n +3 /proc/net/dev | cut -d: -f1"
    with socket.create_server(("127.0.0.1", 0)) as server:
        env = {"PORT": str(server.getsockname()[1])}
        assert "connected" in bubble.bash(bubble.open(), connect, env=env).out
        for privileged in (False, True):
            cut_off = bubble.bash(bubble.open(network="none"), connect, env=env, privileged=privileged)
            assert cut_off.out.split() == ["lo"]


def test_names_are_resolved_as_on_the_host(bubble: Bench) -> None:
    expected = Path("/etc/resolv.conf").read_text()
    assert bubble.run(bubble.open(), "cat", "/etc/resolv.conf").out == expected


# Layers


def test_folders_of_the_task_can_be_renamed(bubble: Bench) -> None:
    workspace = bubble.open(text("given/file", "1"))
    script = "import os; os.rename('given', 'renamed'); print(open('renamed/file').read())"
    assert bubble.run(workspace, "python3", "-c", script).out == "1\n"


def test_a_skill_is_copied_once_and_no_trial_changes_it(bubble: Bench, skill: SkillSnapshot, temporary: Path) -> None:
    first, second = bubble.open(skills=(skill,)), bubble.open(skills=(skill,))
    (layer,) = Path(bubble.prepared.reference).glob("skills-*")
    places = [layer / folder / "skills" / "lint" / "SKILL.md" for folder in (".claude", ".agents")]
    assert {place.stat().st_ino for place in places} == {(skill.folder / "SKILL.md").stat().st_ino}
    script = "cd .claude/skills/lint; echo mine >>SKILL.md; rm -r sub; mv SKILL.md ../; chmod 700 ..; ls -A . .."
    assert bubble.bash(first, script).out.split() == [".:", "..:", "SKILL.md", "lint"]
    for privileged in (False, True):
        seen = bubble.bash(first, "cat .claude/skills/SKILL.md; ls .claude/skills/lint", privileged=privileged)
        assert seen.out == "pristinemine\n"
        ran = bubble.bash(second, "cd .claude/skills/lint; cat SKILL.md sub/more.md", privileged=privileged)
        assert ran.out == "pristinemore"
    assert (skill.folder / "SKILL.md").read_text() == "pristine"


def test_a_folder_that_was_deleted_and_made_again_is_empty(bubble: Bench, skill: SkillSnapshot) -> None:
    workspace = bubble.open(skills=(skill,))
    assert workspace.read(".claude/skills/lint/sub/more.md", 10) == b"more"
    bubble.bash(workspace, "cd .claude/skills/lint; rm -r sub; mkdir sub; rm SKILL.md")
    assert bubble.bash(workspace, "ls -A .claude/skills/lint/sub", privileged=True).out == ""
    assert workspace.read(".claude/skills/lint/sub/more.md", 10) is None
    assert workspace.read(".claude/skills/lint/SKILL.md", 10) is None


def test_a_graders_folder_hides_that_of_the_skill(bubble: Bench, skill: SkillSnapshot, tmp_path: Path) -> None:
    (tmp_path / "ours").mkdir()
    (tmp_path / "ours" / "check.sh").write_text("ours")
    workspace = bubble.open(skills=(skill,))
    assert workspace.put([StagedFile(".claude/skills/lint/sub", src=tmp_path / "ours")]) == ()
    ran = bubble.bash(workspace, "cd .claude/skills/lint; ls . sub; cat SKILL.md", privileged=True)
    assert ran.out.split() == [".:", "SKILL.md", "sub", "sub:", "check.sh", "pristine"]


def test_what_graders_write_is_for_graders_only(bubble: Bench) -> None:
    workspace = bubble.open(text("a", "agent's"))
    assert bubble.bash(workspace, "echo graders >a; touch b", privileged=True).code == 0
    assert bubble.bash(workspace, "cat a; ls", privileged=True).out == "graders\na\nb\n"
    assert bubble.bash(workspace, "cat a; ls").out == "agent'sa\n"


# Ends


def running(marker: str) -> bool:
    """Whether a process with this word in its command line is on the host."""
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if marker in (process / "cmdline").read_text():
                return True
        except OSError:
            continue
    return False


@pytest.mark.parametrize(("rest", "timeout"), [("sleep 600", 1.0), ("exit 1", 60.0)])
def test_no_process_stays_on_the_host(bubble: Bench, rest: str, timeout: float) -> None:
    marker = f"600.{uuid.uuid4().int}"
    leave = f"(setsid bash -c 'trap \"\" TERM; echo up >up; exec sleep {marker}' & )"
    ran = bubble.bash(bubble.open(), f"trap '' TERM; {leave}; until [ -s up ]; do :; done; {rest}", timeout=timeout)
    assert ran.result.timed_out is (timeout < 60)
    assert not running(marker)


def test_a_sandbox_that_cannot_be_made_is_no_failure_of_the_command(bubble: Bench, temporary: Path) -> None:
    workspace = bubble.open()
    assert bubble.bash(workspace, "exit 1").code == 1
    assert bubble.bash(workspace, "echo 'bwrap: execvp x: forged' >&2; exit 1").result.not_found is False
    shutil.rmtree(host_folder(bubble, temporary) / "tmp")
    for privileged, stage in ((False, Stage.AGENT), (True, Stage.GRADE)):
        with pytest.raises(WorkspaceError, match=r"could not make the sandbox.*tmp: No such file") as error:
            bubble.bash(workspace, "true", privileged=privileged)
        assert error.value.stage is stage


def test_a_sandbox_killed_from_outside_is_an_error(bubble: Bench) -> None:
    marker = f"600.{uuid.uuid4().int}"

    def kill_bubblewrap() -> None:
        assert eventually(lambda: running(marker), 30)
        subprocess.run(["pkill", "-KILL", "-f", f"^{found().path} .*{marker}"], check=True)

    thread = threading.Thread(target=kill_bubblewrap)
    thread.start()
    with pytest.raises(WorkspaceError, match=r"was killed"):
        bubble.run(bubble.open(), "sleep", marker)
    thread.join()
    assert not running(marker)


# Limits


def limited(bench: Bench, **limits: Any) -> Workspace:
    spec = WorkspaceSpec(run=RUN, trial="limits", prepared=bench.prepared, limits=replace(Limits(), **limits))
    return bench.provider.open(spec, Stop())


@pytest.fixture
def _control_groups() -> None:
    slot = LimitedSlot()
    slot.close()
    if slot.enforced != {"memory", "pids", "cpu"}:
        pytest.skip("this user may make no control groups here")


@pytest.mark.usefixtures("_control_groups")
def test_limits_hold_and_running_out_of_memory_is_named(bubble: Bench) -> None:
    assert bubble.prepared.notes == ()
    workspace = limited(bubble, memory_mb=64, pids=20, cpus=0.5)
    hungry = bubble.run(workspace, "python3", "-c", "x = b'x' * 200_000_000")
    assert (hungry.result.exit_code, hungry.result.out_of_memory) == (137, True)
    child = bubble.bash(workspace, "python3 -c 'x = bytearray(200_000_000)'; echo $?")
    assert (child.out, child.result.out_of_memory) == ("137\n", True)
    assert bubble.bash(workspace, "exit 3").result.out_of_memory is False
    fork = "import os, time\nfor n in range(30):\n    if os.fork() == 0: time.sleep(600)\n    print(n + 1, flush=True)"
    forks = bubble.run(workspace, "python3", "-c", fork)
    assert (forks.out.split()[-1], forks.err.splitlines()[-1][:20]) == ("19", "BlockingIOError: [Er")
    burn = "import time; end = time.monotonic() + 1\nwhile time.monotonic() < end: pass\nprint(time.process_time())"
    assert float(bubble.run(workspace, "python3", "-c", burn).out) < 0.8
    workspace.close()
    roomy = limited(bubble, memory_mb=512)
    assert bubble.run(roomy, "python3", "-c", "x = bytearray(200_000_000)").code == 0
    roomy.close()


def test_without_control_groups_each_process_is_limited_and_that_is_said(
    provider: BubblewrapProvider, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("skillgrade.workspace.bubblewrap.limited_slot.make_control_group", lambda _pid: None)
    bench = Bench(provider, provider.prepare(EnvironmentSpec(DockerSpec()), RUN, Stop()), RUN, tmp_path)
    assert [note.split(", since")[0] for note in bench.prepared.notes] == [
        "provider bubblewrap: memory_mb holds for each process alone, not for them together",
        "provider bubblewrap: pids and cpus have no effect",
    ]
    workspace = limited(bench, memory_mb=64)
    hungry = bench.run(workspace, "python3", "-c", "x = bytearray(200_000_000)")
    assert (hungry.code, hungry.err.splitlines()[-1]) == (1, "MemoryError")
    workspace.close()


# Absolute destinations


def test_absolute_destinations_are_where_they_were_asked_for(bubble: Bench, tmp_path: Path) -> None:
    name = f"it-{uuid.uuid4().hex}"
    (tmp_path / "tree" / "bin").mkdir(parents=True)
    (tmp_path / "tree" / "bin" / "run").write_text("r")
    (tmp_path / "tree" / "link").symlink_to("bin/run")
    places = [f"/usr/share/{name}/deep/f", f"/usr/local/bin/{name}", f"/bin/{name}", f"/etc/{name}", f"/data/{name}/f"]
    inner = [f"/tmp/{name}", f"/home/agent/.config/{name}", f"/etc/ssl/certs/{name}"]
    workspace = bubble.open(
        *(text(place, "x", Place.SYSTEM) for place in (*places, *inner)),
        StagedFile(f"/opt/{name}", Place.SYSTEM, src=tmp_path / "tree"),
    )
    for privileged in (False, True):
        ran = bubble.run(workspace, "cat", *places, *inner, f"/opt/{name}/link", privileged=privileged)
        assert (ran.out, ran.err) == ("xxxxxxxxr", "")
    assert bubble.bash(workspace, f"ls /usr/local/bin /usr/bin | grep -c -x -e {name} -e env").out == "3\n"
    assert bubble.bash(workspace, f"echo y >/tmp/{name} && ! (echo y >/etc/{name}) 2>/dev/null").code == 0
    assert [place for place in (*places, *inner) if os.path.lexists(place)] == []
    assert workspace.notes == ()


# Programs outside of the system's folders


def write_program(path: Path, content: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content)
    path.chmod(0o755)


def test_programs_are_shown_by_their_prefix_and_nothing_beside_it(
    bubble: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = tmp_path / "home"
    monkeypatch.setenv("HOME", str(home))
    write_program(
        home / ".tools" / "v1" / "bin" / "engine", '#!/bin/bash\nsource "${0%/*}/../lib/word"\nshift; echo $WORD $*\n'
    )
    write_program(home / ".tools" / "v1" / "lib" / "word", "WORD=engine\n")
    write_program(home / ".local" / "bin" / "tool", "#!/usr/bin/env engine\n")
    write_program(home / ".local" / "share" / "keyring", "secret")
    write_program(home / ".ssh" / "id", "secret")
    monkeypatch.setenv("PATH", f"{home}/.local/bin:{home}/.tools/v1/bin:{os.environ['PATH']}")
    workspace = bubble.open()
    for privileged in (False, True):
        assert bubble.run(workspace, "tool", "a", privileged=privileged).out == "engine a\n"
        assert bubble.bash(workspace, "cd /; tool b", privileged=privileged).out == "engine b\n"
    ran = bubble.bash(workspace, f"tool; cd {home}; find . -type f | sort")
    assert ran.out.splitlines()[1:] == ["./.local/bin/tool", "./.tools/v1/bin/engine", "./.tools/v1/lib/word"]


def test_this_python_runs_inside(bubble: Bench) -> None:
    script = "import sys, json, ssl; print(sys.prefix)"
    ran = bubble.run(bubble.open(), sys.executable, "-c", script)
    assert (ran.out, ran.err) == (f"{sys.prefix}\n", "")


def test_a_mere_shim_is_said_to_be_none(bubble: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_program(tmp_path / "shims" / "prog-7f", "#!/bin/bash\n")
    monkeypatch.setenv("PATH", f"{tmp_path}/shims:{os.environ['PATH']}")
    workspace = bubble.open()
    assert bubble.run(workspace, "prog-7f").result.not_found
    assert "only looks for the real prog-7f" in workspace.notes[0]


def test_a_users_home_is_there_only_on_request(bubble: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = tmp_path / "home"
    write_program(home / ".login", "token")
    monkeypatch.setenv("HOME", str(home))
    script = f"echo $HOME; cat {home}/.login"
    assert bubble.bash(bubble.open(agent_home="user"), script).out == f"{home}\ntoken"
    assert bubble.bash(bubble.open(), script).out == "/home/agent\n"
    assert bubble.bash(bubble.open(agent_home="user"), script, privileged=True).out == "/home/grader\n"


def test_certificates_that_variables_name_are_shown(bubble: Bench, tmp_path: Path) -> None:
    (tmp_path / "ca.pem").write_text("certificate")
    env = {"SSL_CERT_FILE": str(tmp_path / "ca.pem")}
    assert bubble.bash(bubble.open(), "cat $SSL_CERT_FILE", env=env).out == "certificate"


# Set-up


def test_setups_run_in_a_sandbox_into_a_private_prefix(
    provider: BubblewrapProvider, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FAKE_API_KEY", "canary-1234")
    wheel = package(tmp_path)
    content = base64.b64encode(wheel.read_bytes()).decode()
    name = f"it-{uuid.uuid4().hex}"
    setup = f"""
echo {content} | base64 -d >{wheel.name}
python3 -m pip install -q --no-index ./{wheel.name}
canarycmd
mkdir pkg && cd pkg
echo '{{"name": "canarynode", "version": "1.0.0", "bin": {{"canarynode": "cli.js"}}}}' >package.json
printf '#!/usr/bin/env node\\nconsole.log("from canarynode")\\n' >cli.js
npm install -g --silent --offline .
mkdir /etc/{name} && echo kept >/etc/{name}/f && mkdir -p /opt/{name} && echo too >/opt/{name}/f
! env | grep canary-
! ls {tmp_path} {PROJECT} 2>/dev/null
"""
    prepared = provider.prepare(EnvironmentSpec(DockerSpec(setup=setup)), RUN, Stop())
    assert not Path("/etc", name).exists()
    bench = Bench(provider, prepared, RUN, tmp_path)
    workspace = bench.open(text(f"/etc/{name}-2", "and mine", Place.SYSTEM))
    for privileged in (False, True):
        script = f"canarycmd; canarynode; python3 -c 'import canarypkg'; cat /etc/{name}/f /opt/{name}/f /etc/{name}-2"
        ran = bench.bash(workspace, script, privileged=privileged)
        assert (ran.out, ran.err) == ("from canarypkg\nfrom canarynode\nkept\ntoo\nand mine", "")
    assert bench.bash(workspace, "touch /opt/skillgrade/x").code == 1
    bench.close()


def test_a_setup_that_needs_the_system_fails_with_the_reason(provider: BubblewrapProvider) -> None:
    with pytest.raises(
        ProviderError, match=r"^setup: line 2: failed .*\n.*/usr/bin/x.*Read-only file system$"
    ) as error:
        provider.prepare(EnvironmentSpec(DockerSpec(setup="RUN true\nRUN touch /usr/bin/x")), RUN, Stop())
    assert error.value.stage is Stage.IMAGE


# Without root


PLAIN = """
import pathlib, sys, tempfile
from skillgrade.stop import Stop
from skillgrade.suite.model import DockerSpec
from skillgrade.workspace.base import EnvironmentSpec, Place, SkillSnapshot
from skillgrade.workspace.bubblewrap.provider import BubblewrapProvider
from tests.support.workspaces import Bench, text

folder = pathlib.Path(tempfile.gettempdir())
(folder / "skill").mkdir()
(folder / "skill" / "SKILL.md").write_text("pristine")
provider = BubblewrapProvider()
bench = Bench(provider, provider.prepare(EnvironmentSpec(DockerSpec()), "plain", Stop()), "plain", folder)
tool = text("/usr/local/bin/tool-7f", "#!/bin/bash\\necho tool\\n", Place.SYSTEM, chmod="755")
workspace = bench.open(tool, text("a/b", "1"), skills=(SkillSnapshot("s", folder / "skill", "d", 8),))
script = "id -u; tool-7f; mv a c; cat c/b .claude/skills/s/SKILL.md; echo; rm -r .claude; mkdir -m 000 graders; ls"
ran = bench.bash(workspace, script)
print(ran.out.split(), ran.err)
print(workspace.put([text("graders/check", "echo graded $(ls -A .claude 2>/dev/null)")]))
print(bench.run(workspace, "bash", "graders/check", privileged=True).out.split())
bench.close()
print(workspace.notes)
provider.end_run("plain")
print(sorted(path.name for path in folder.glob("skillgrade-*")))
"""


@pytest.mark.skipif(os.geteuid() != 0 or not Path("/usr/bin/python3").exists(), reason="only root can become another")
def test_a_plain_user_gets_the_same(tmp_path: Path) -> None:
    version = subprocess.run(
        ["/usr/bin/python3", "-c", "import sys; print(sys.version_info >= (3, 11))"], capture_output=True
    )
    if version.stdout != b"True\n":
        pytest.skip("the system's python is older than 3.11")
    with tempfile.TemporaryDirectory(dir="/tmp") as folder:  # the test's own folder is root's alone
        Path(folder).chmod(0o777)
        argv = ["setpriv", "--reuid=1000", "--regid=1000", "--clear-groups", "/usr/bin/python3", "-c", PLAIN]
        packages = str(Path(pytest.__file__).parents[1])
        env = {
            "PATH": "/usr/bin:/bin",
            "TMPDIR": folder,
            "PYTHONPATH": f"{PROJECT}:{packages}",
            "PYTHONDONTWRITEBYTECODE": "1",
        }
        done = subprocess.run(argv, env=env, capture_output=True, text=True, cwd=folder)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines() == [
        "['1000', 'tool', '1pristine', 'c', 'graders'] ",
        "()",
        "['graded']",
        "()",
        "[]",
    ]
