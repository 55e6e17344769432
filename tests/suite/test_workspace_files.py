from pathlib import Path

import pytest

from tests.support.suites import GRADERS, load_task, problems, write

FILES = {"fixtures/app.js": "", "fixtures/lib/x.js": "", "bin/tool": "", "other/app.js": ""}


@pytest.mark.parametrize(
    ("entry", "placed"),
    [
        ("fixtures/app.js", [("fixtures/app.js", "app.js", None)]),
        ("fixtures", [("fixtures", "fixtures", None)]),
        ("./fixtures/", [("fixtures", "fixtures", None)]),
        ("{src: fixtures/app.js}", [("fixtures/app.js", "app.js", None)]),
        ("{src: fixtures/app.js, dest: src/main.js}", [("fixtures/app.js", "src/main.js", None)]),
        ("{src: fixtures/app.js, dest: src/}", [("fixtures/app.js", "src/app.js", None)]),
        ("{src: fixtures/app.js, dest: .}", [("fixtures/app.js", "app.js", None)]),
        ("{src: fixtures/app.js, dest: a/../b.js}", [("fixtures/app.js", "b.js", None)]),
        ("{src: bin/tool, dest: /usr/local/bin/tool, chmod: +x}", [("bin/tool", "/usr/local/bin/tool", "+x")]),
        ("{src: bin/tool, dest: /usr/local/bin/, chmod: 0755}", [("bin/tool", "/usr/local/bin/tool", "0755")]),
        ("{src: bin/tool, dest: /opt/../usr/tool, chmod: 755}", [("bin/tool", "/usr/tool", "755")]),
        ("{src: bin/tool, chmod: 0o644}", [("bin/tool", "tool", "0o644")]),
        ("{src: bin/tool, chmod: 'u=rwx,go-w'}", [("bin/tool", "tool", "u=rwx,go-w")]),
        ("{src: fixtures, dest: app}", [("fixtures", "app", None)]),
        ("{src: fixtures, dest: ./}", [("fixtures/app.js", "app.js", None), ("fixtures/lib", "lib", None)]),
    ],
)
def test_entries_and_their_places(tmp_path: Path, entry: str, placed: list[tuple[str, str, str | None]]) -> None:
    task = load_task(write(tmp_path, FILES), f"workspace: [{entry}]")
    assert [(str(file.src.relative_to(tmp_path)), file.dest, file.chmod) for file in task.workspace] == placed


def test_equal_names_from_different_folders_need_places_of_their_own(tmp_path: Path) -> None:
    task = load_task(write(tmp_path, FILES), "workspace: [fixtures/app.js, {src: other/app.js, dest: other/app.js}]")
    assert [file.dest for file in task.workspace] == ["app.js", "other/app.js"]


@pytest.mark.parametrize(
    ("entries", "message"),
    [
        (
            "fixtures/app.js, other/app.js",
            'the destination "app.js" is taken already; give each entry a `dest` of its own',
        ),
        (
            "{src: bin/tool, chmod: 4755}",
            '"4755" sets a set-ID or sticky bit, which no file of a workspace gets; write it like 755 or +x',
        ),
        ("{src: bin/tool, chmod: u+x;rm}", '"u+x;rm" is no mode; write it like +x, u+rw,go-w or 755'),
        ("{src: bin, dest: ..}", 'the destination ".." leads out of the workspace'),
        ("{src: bin, dest: a/../../b}", 'the destination "a/../../b" leads out of the workspace'),
        ("{src: bin, dest: ~/x}", 'the destination "~/x" leads out of the workspace'),
        ("{src: bin, dest: /}", 'the destination "/" leads out of the workspace'),
        ('{src: bin, dest: "a\\tb"}', 'the destination "a\tb" leads out of the workspace'),
        (
            "{src: bin/tool, dest: a}, {src: bin/tool, dest: a/b}",
            'the destination "a/b" lies below "a", which is a file',
        ),
        (
            "{src: bin/tool, dest: a/b}, {src: bin/tool, dest: a}",
            'the destination "a" is a file, but "a/b" lies below it',
        ),
    ],
)
def test_places_that_cannot_be_had(tmp_path: Path, entries: str, message: str) -> None:
    write(tmp_path, FILES)
    (problem,) = problems(tmp_path, f"tasks: [{{name: a, instruction: do it, {GRADERS}, workspace: [{entries}]}}]")
    assert problem.endswith(f": {message}")


@pytest.mark.parametrize(
    ("dest", "folder"),
    [("/proc/x", "/proc"), ("/sys", "/sys"), ("//dev/shm/x", "/dev"), ("/a/../run/skillgrade/x", "/run/skillgrade")],
)
def test_where_no_file_can_be_put(tmp_path: Path, dest: str, folder: str) -> None:
    write(tmp_path, FILES)
    entry = f"{{src: bin, dest: {dest}}}"
    (problem,) = problems(tmp_path, f"tasks: [{{name: a, instruction: do it, {GRADERS}, workspace: [{entry}]}}]")
    assert problem.endswith(f': the destination "{dest}" lies in {folder}, where no file can be put; choose another')


def test_a_file_may_be_laid_over_a_folder(tmp_path: Path) -> None:
    task = load_task(write(tmp_path, FILES), "workspace: [fixtures, {src: other/app.js, dest: fixtures/app.js}]")
    assert [file.dest for file in task.workspace] == ["fixtures", "fixtures/app.js"]
