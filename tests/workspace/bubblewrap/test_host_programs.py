from __future__ import annotations

import sys
import sysconfig
from pathlib import Path

import pytest

from skillgrade.workspace.bubblewrap.host_programs import find_program, needed_paths, search_path


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    home = tmp_path / "home"
    home.mkdir()
    monkeypatch.setenv("HOME", str(home))
    return home


def program(path: Path, content: str = "") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content)
    path.chmod(0o755)
    return path


def installation(prefix: Path) -> Path:
    (prefix / "lib").mkdir(parents=True)
    return program(prefix / "bin" / "run")


def test_programs_of_the_system_need_nothing() -> None:
    found = find_program("env", ["/usr/bin"])
    assert found is not None
    assert needed_paths(found, ["/usr/bin"]) == ()


def test_an_installation_is_needed_whole(home: Path) -> None:
    run = installation(home / ".nvm" / "versions" / "v20")
    assert needed_paths(run, []) == (home / ".nvm" / "versions" / "v20",)


@pytest.mark.parametrize("prefix", ["", ".local", "project"])
def test_what_may_hold_secrets_is_never_shown_whole(home: Path, monkeypatch: pytest.MonkeyPatch, prefix: str) -> None:
    run = installation(home / prefix)
    (home / "project" / "sub").mkdir(parents=True, exist_ok=True)
    monkeypatch.chdir(home / "project" / "sub")
    assert needed_paths(run, []) == (run,)


def test_a_repository_is_no_installation(home: Path) -> None:
    run = installation(home / "work")
    (home / "work" / ".git").mkdir()
    assert needed_paths(run, []) == (run,)


def test_links_are_followed_and_each_end_is_needed(home: Path) -> None:
    real = program(home / ".local" / "share" / "tool" / "versions" / "1.2")
    link = home / ".local" / "bin" / "tool"
    link.parent.mkdir()
    link.symlink_to("../share/tool/versions/1.2")
    assert needed_paths(link, []) == (link, real)


def test_global_npm_packages_are_needed_with_their_prefix(home: Path) -> None:
    program(home / ".npm-global" / "lib" / "node_modules" / "cli" / "index.js", "#!/usr/bin/env node\n")
    link = home / ".npm-global" / "bin" / "cli"
    link.parent.mkdir()
    link.symlink_to("../lib/node_modules/cli/index.js")
    node = installation(home / ".nodes" / "20").rename(home / ".nodes" / "20" / "bin" / "node")
    assert needed_paths(link, [str(node.parent)]) == (home / ".npm-global", home / ".nodes" / "20")


def test_interpreters_of_scripts_are_needed_too(home: Path) -> None:
    python = installation(home / ".pythons" / "3")
    script = program(home / ".local" / "bin" / "script", f"#!{python} -I\n")
    assert needed_paths(script, []) == (script, home / ".pythons" / "3")


def test_a_loop_of_links_ends(home: Path) -> None:
    (home / "a").symlink_to("b")
    (home / "b").symlink_to("a")
    assert set(needed_paths(home / "a", [])) == {home / "a", home / "b"}


def test_a_virtual_environment_needs_the_python_that_made_it() -> None:
    needed = needed_paths(Path(sys.executable), [])
    real = Path(sysconfig.get_config_var("BINDIR"))
    for path in (Path(sys.executable).parent, real):
        assert path.is_relative_to("/usr") or any(path.is_relative_to(place) for place in needed)


def test_shims_and_relative_folders_are_not_searched() -> None:
    assert search_path("/a/bin:/x/shims:rel:/a/bin/:/b") == ["/a/bin", "/b"]


@pytest.mark.parametrize("name", ["./run", "sub/run", "no-such-program"])
def test_what_is_not_on_the_path_is_not_found(home: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    program(home / "run")
    program(home / "sub" / "run")
    monkeypatch.chdir(home)
    assert find_program(name, [str(home)]) is None
