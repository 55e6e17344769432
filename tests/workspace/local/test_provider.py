"""What only the local provider does: private roots, prefixes, leftovers of dead runs."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import threading
import uuid
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from skillgrade.errors import Cancelled, ProviderError, Stage, WorkspaceError
from skillgrade.stop import Stop
from skillgrade.suite.model import DockerSpec
from skillgrade.workspace.base import EnvironmentSpec, Place, Prepared, SkillSnapshot, StagedFile
from skillgrade.workspace.cleaning import sweep
from skillgrade.workspace.local.provider import LocalProvider
from skillgrade.workspace.owner import this_process
from skillgrade.workspace.temporary import make_temporary_folder
from tests.support.processes import alive, eventually
from tests.support.workspaces import Bench, text


@pytest.fixture
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where workspaces are made, for this test alone."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    return folder


@pytest.fixture
def provider(temporary: Path) -> Iterator[LocalProvider]:
    provider = LocalProvider()
    yield provider
    provider.end_run("run-1")
    assert list(temporary.iterdir()) == []


@pytest.fixture
def local(provider: LocalProvider, tmp_path: Path) -> Iterator[Bench]:
    output = tmp_path / "output"
    output.mkdir()
    bench = Bench(provider, Prepared("local"), "run-1", output)
    yield bench
    bench.close()


def setup(*setups: str, docker: str | None = None, agent: str | None = None) -> EnvironmentSpec:
    return EnvironmentSpec(DockerSpec(setup=docker), agent, setups)


def package(folder: Path) -> Path:
    """A wheel with one module and one command, so that pip needs no network."""
    wheel = folder / "canarypkg-1.0-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        archive.writestr("canarypkg.py", "def main():\n    print('from canarypkg')\n")
        info = "canarypkg-1.0.dist-info"
        archive.writestr(f"{info}/METADATA", "Metadata-Version: 2.1\nName: canarypkg\nVersion: 1.0\n")
        archive.writestr(
            f"{info}/WHEEL", "Wheel-Version: 1.0\nGenerator: x\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
        )
        archive.writestr(f"{info}/entry_points.txt", "[console_scripts]\ncanarycmd = canarypkg:main\n")
        archive.writestr(f"{info}/RECORD", "")
    return wheel


# Places


def test_the_folder_is_private(local: Bench) -> None:
    workspace = local.open(text("c", place=Place.CONTROL), text("/etc/s", place=Place.SYSTEM))
    folder = Path(workspace.path).parent
    assert folder.stat().st_mode & 0o777 == 0o700
    assert {path.name for path in folder.iterdir()} == {"workspace", "root", "home", "tmp", "control", "label.json"}


def test_absolute_destinations_land_in_a_private_root_with_a_note(local: Bench) -> None:
    name = f"tool-{uuid.uuid4().hex}"
    workspace = local.open(
        text(f"/usr/local/bin/{name}", "#!/bin/bash\necho tool\n", Place.SYSTEM, chmod="+x"),
        text(f"/opt/{name}/bin/{name}-2", "#!/bin/bash\necho two\n", Place.SYSTEM, chmod="+x"),
        text(f"/etc/{name}.conf", "x", Place.SYSTEM),
    )
    assert local.run(workspace, name).out == "tool\n"
    assert local.run(workspace, f"{name}-2").out == "two\n"
    (note,) = workspace.notes
    assert f"/etc/{name}.conf" in note
    assert "private root" in note
    assert not Path(f"/etc/{name}.conf").exists()
    assert (Path(workspace.path).parent / "root" / "etc" / f"{name}.conf").read_text() == "x"


def test_a_home_of_the_user_is_used_only_on_request(
    local: Bench, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    assert local.bash(local.open(agent_home="user"), "echo $HOME").out == f"{tmp_path}\n"
    isolated = local.open()
    assert local.bash(isolated, "echo $HOME").out == f"{Path(isolated.path).parent / 'home'}\n"
    assert local.bash(local.open(agent_home="user"), "echo $HOME", privileged=True).out != f"{tmp_path}\n"


def test_temporary_files_stay_in_the_trial(local: Bench) -> None:
    workspace = local.open()
    for privileged in (False, True):
        folder = local.bash(workspace, "dirname $(mktemp)", privileged=privileged).out.strip()
        assert Path(folder).is_relative_to(Path(workspace.path).parent)


def test_the_environment_is_exact(local: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("LANG", "TZ", "TERM"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TZ", "Asia/Tokyo")
    env = {"A": "1"}
    names = {line.split("=")[0] for line in local.run(local.open(), "env", env=env).out.splitlines()}
    assert names == {"PATH", "HOME", "TMPDIR", "TZ", "A"}
    names = {line.split("=")[0] for line in local.run(local.open(), "env", env=env, privileged=True).out.splitlines()}
    assert {name for name in names if not name.startswith("GIT_CONFIG_")} == {"PATH", "HOME", "TMPDIR", "LANG", "A"}
    assert "GIT_CONFIG_COUNT" in names


def test_network_none_is_said_to_have_no_effect(local: Bench) -> None:
    assert local.open(network="none").notes == ("network: none has no effect in provider local",)


def test_a_place_that_cannot_be_written_is_a_clear_error(
    provider: LocalProvider, local: Bench, temporary: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(temporary / "missing"))
    with pytest.raises(ProviderError, match=r"missing.*set TMPDIR"):
        local.open()


# What commands do to their folder


def test_a_workspace_that_was_removed_is_made_again_with_a_note(local: Bench) -> None:
    workspace = local.open(text("a"))
    local.bash(workspace, 'rm -rf "$PWD" "$HOME" "$TMPDIR"; ln -s / "$PWD"')
    assert local.bash(workspace, "pwd; ls -A", privileged=True).out == f"{workspace.path}\n"
    assert any("made again, empty" in note for note in workspace.notes)


def test_a_trial_folder_that_was_moved_is_tampering(local: Bench, temporary: Path) -> None:
    workspace = local.open(text("a"))
    folder = Path(workspace.path).parent
    victim = temporary / "victim"
    victim.mkdir()
    (victim / "workspace").mkdir()
    local.bash(workspace, f"cd /; mv {folder} {temporary}/moved; ln -s {victim} {folder}")
    with pytest.raises(WorkspaceError, match="tampered"):
        workspace.put([text("graders/check.sh")])
    with pytest.raises(WorkspaceError, match="tampered"):
        local.bash(workspace, "true")
    workspace.close()
    assert workspace.notes
    assert [path.name for path in victim.rglob("*")] == ["workspace"]
    folder.unlink()
    subprocess.run(["rm", "-rf", victim, temporary / "moved"], check=True)


def test_a_killed_helper_is_tampering_in_the_stage_of_the_command(local: Bench) -> None:
    for privileged, stage in ((False, Stage.AGENT), (True, Stage.GRADE)):
        workspace = local.open()
        with pytest.raises(WorkspaceError, match="tampered") as error:
            local.bash(workspace, "kill -9 $PPID; sleep 600", privileged=privileged)
        assert error.value.stage is stage
        workspace.close()


def test_a_deep_tree_is_removed(local: Bench) -> None:
    workspace = local.open()
    script = "import os\nfor _ in range(1100):\n    os.mkdir('d')\n    os.chdir('d')\nos.chmod('.', 0)"
    assert local.run(workspace, sys.executable, "-c", script).code == 0
    workspace.close()
    assert workspace.notes == ()
    assert not Path(workspace.path).exists()


def test_slots_are_lent_again_to_the_next_trial(local: Bench) -> None:
    pids = []
    for _ in range(3):
        workspace = local.open()
        pids.append(local.bash(workspace, "echo $PPID").out)
        workspace.close()
    assert len(set(pids)) == 1
    local.provider.end_run("run-1")
    assert not alive(int(pids[0]))


# Skills


def large_skill(folder: Path) -> SkillSnapshot:
    folder.mkdir()
    (folder / "SKILL.md").write_text("x" * 2_000_000)
    return SkillSnapshot("big", folder, "sha256:0", 2_000_000)


def test_a_large_skill_is_shared_and_watched(local: Bench, tmp_path: Path) -> None:
    skill = large_skill(tmp_path / "snapshot")
    first, second = local.open(skills=(skill,)), local.open(skills=(skill,))
    assert (Path(first.path) / ".claude/skills/big").readlink() == skill.folder
    local.bash(first, "cat .agents/skills/big/SKILL.md >/dev/null; touch own")
    first.end_processes()
    local.bash(first, "echo y >>.claude/skills/big/SKILL.md")
    for workspace in (first, second):
        with pytest.raises(WorkspaceError, match="skill big was changed"):
            workspace.end_processes()
    with pytest.raises(ProviderError, match="skill big was changed"):
        local.open(skills=(skill,))


def test_a_large_skill_that_the_task_adds_to_is_copied(local: Bench, tmp_path: Path) -> None:
    skill = large_skill(tmp_path / "snapshot")
    workspace = local.open(text(".claude/skills/big/extra", "e"), skills=(skill,))
    place = Path(workspace.path) / ".claude" / "skills" / "big"
    assert not place.is_symlink()
    assert sorted(path.name for path in place.iterdir()) == ["SKILL.md", "extra"]
    assert [path.name for path in skill.folder.iterdir()] == ["SKILL.md"]


# Set-up


def test_nothing_to_set_up_needs_nothing(provider: LocalProvider, temporary: Path) -> None:
    prepared = provider.prepare(setup(), "run-1", Stop())
    assert (prepared.reference, prepared.digest, prepared.root_agent) == ("", None, False)
    assert [note.split(":")[0] for note in prepared.notes] == [
        "provider local isolates nothing",
        "provider local enforces no limits",
    ]
    assert list(temporary.iterdir()) == []


def test_an_agent_is_not_installed_and_that_is_said(provider: LocalProvider) -> None:
    assert "installs no agent" in provider.prepare(setup(agent="npm i -g x"), "run-1", Stop()).notes[-1]


def test_setups_run_once_in_order_into_a_private_prefix(provider: LocalProvider, local: Bench, tmp_path: Path) -> None:
    wheel = package(tmp_path)
    node = tmp_path / "nodepkg"
    node.mkdir()
    (node / "package.json").write_text('{"name": "canarynode", "version": "1.0.0", "bin": {"canarynode": "cli.js"}}')
    (node / "cli.js").write_text("#!/usr/bin/env node\nconsole.log('from canarynode')\n")
    log = tmp_path / "log"
    environment = setup(
        f"echo second >>{log}\npython3 -m pip install -q --no-index {wheel}\ncanarycmd\npython3 -c 'import canarypkg'",
        f"npm install -g --silent --offline {node}\nRUN canarynode >>{log}\nUSER node",
        docker=f"echo first >>{log}\n# {tmp_path}",
    )
    prepared = provider.prepare(environment, "run-1", Stop())
    assert provider.prepare(environment, "run-1", Stop()) is prepared
    assert log.read_text() == "first\nsecond\nfrom canarynode\n"
    assert prepared.notes[-1] == "setup: line 3: USER is left out, it means nothing without an image"
    workspace = local.open(prepared=prepared)
    for privileged in (False, True):
        script = "canarycmd && canarynode && python3 -c 'import canarypkg; canarypkg.main()'"
        ran = local.bash(workspace, script, privileged=privileged)
        assert (ran.out, ran.err) == ("from canarypkg\nfrom canarynode\nfrom canarypkg\n", "")
    assert local.bash(local.open(), "canarycmd || canarynode").code == 127


def test_a_setup_sees_no_secret_and_a_home_of_its_own(
    provider: LocalProvider, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FAKE_API_KEY", "canary-1234")
    monkeypatch.setenv("https_proxy", "http://proxy.test:1")
    monkeypatch.setenv("npm_config_prefix", "/nowhere")
    provider.prepare(setup(f"env >{tmp_path}/env; touch $HOME/x"), "run-1", Stop())
    env = (tmp_path / "env").read_text()
    assert "canary" not in env
    assert "/nowhere" not in env
    assert "https_proxy=http://proxy.test:1" in env.splitlines()


def test_a_setup_that_fails_shows_the_end_of_its_output(provider: LocalProvider, temporary: Path) -> None:
    script = "for i in $(seq 100); do echo line $i; done\necho broken >&2; false\necho never"
    with pytest.raises(ProviderError) as error:
        provider.prepare(setup("true", script), "run-1", Stop())
    assert error.value.stage is Stage.IMAGE
    lines = str(error.value).splitlines()
    assert lines[0] == "setup: line 1: failed with exit code 1; its output ends in:"
    assert lines[-2:] == ["line 100", "broken"]
    assert len(lines) == 16
    assert list(temporary.iterdir()) == []


def test_a_stop_ends_a_setup(provider: LocalProvider, tmp_path: Path) -> None:
    stop = Stop()

    def stop_when_it_runs() -> None:
        assert eventually((tmp_path / "runs").exists)
        stop.set()

    thread = threading.Thread(target=stop_when_it_runs)
    thread.start()
    with pytest.raises(Cancelled):
        provider.prepare(setup(f"touch {tmp_path}/runs; sleep 600"), "run-1", stop)
    thread.join()


# Dead runs


def test_only_what_dead_runs_left_is_swept(temporary: Path) -> None:
    script = (
        "import sys, tempfile; tempfile.tempdir = sys.argv[1]\n"
        "from skillgrade.workspace.temporary import make_temporary_folder\n"
        "print(make_temporary_folder('dead/../run', 'trial'))"
    )
    argv = [sys.executable, "-c", script, str(temporary)]
    dead = Path(subprocess.run(argv, capture_output=True, text=True, check=True).stdout.strip())
    assert dead.parent == temporary
    (dead / "workspace").mkdir()
    foreign = temporary / "skillgrade-foreign"
    foreign.mkdir()
    (foreign / "label.json").write_text(json.dumps({"run": "x", "host": "elsewhere", "pid": 1, "started": "1"}))
    (temporary / "skillgrade-no-label").mkdir()
    (temporary / "skillgrade-broken").mkdir()
    (temporary / "skillgrade-broken" / "label.json").write_text("[]")
    (temporary / "skillgrade-link").symlink_to(dead)
    mine = make_temporary_folder("live", "trial")
    # Killed before it could label its folder, or while it removed it: the name says whose it was.
    mark = dead.name.rsplit("-", 2)[1]
    (temporary / f"skillgrade-early-{mark}-x1" / "workspace").mkdir(parents=True)
    live = temporary / f"skillgrade-early-{this_process().mark()}-x2"
    live.mkdir()
    sweep([])
    left = {path.name for path in temporary.iterdir()}
    assert left == {
        "skillgrade-foreign",
        "skillgrade-no-label",
        "skillgrade-broken",
        "skillgrade-link",
        mine.name,
        live.name,
    }
    subprocess.run(["rm", "-r", *(temporary / name for name in left)], check=True)


def test_ending_a_run_keeps_other_runs(provider: LocalProvider, local: Bench, temporary: Path) -> None:
    other = Bench(provider, Prepared("local"), "run-2", local.folder)
    kept = other.open(text("a"))
    local.open(text("b"))
    provider.end_run("run-1")
    assert [path.name.rsplit("-", 2)[0] for path in temporary.iterdir()] == ["skillgrade-run-2"]
    assert other.bash(kept, "ls").out == "a\n"
    other.close()


def test_nothing_is_written_outside(local: Bench, temporary: Path, tmp_path: Path) -> None:
    before = {path for path in tmp_path.rglob("*") if not path.is_relative_to(temporary)}
    workspace = local.open(
        text("a/b", "1"), StagedFile("c", src=Path(__file__)), text("/usr/share/x/y", "2", Place.SYSTEM), stdin=b"x"
    )
    workspace.put([text("d/e", "3")])
    after = {path for path in tmp_path.rglob("*") if not path.is_relative_to(temporary)}
    assert after == before
    assert not os.path.lexists("/usr/share/x")
