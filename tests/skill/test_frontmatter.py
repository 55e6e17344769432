import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from skillgrade.errors import Problem, SuiteError
from skillgrade.skill.frontmatter import read_skill
from skillgrade.skill.model import Skill


def read(folder: Path, content: str | bytes) -> Skill:
    file = folder / "SKILL.md"
    file.write_bytes(content.encode() if isinstance(content, str) else content)
    return read_skill(file)


@pytest.mark.parametrize(
    ("content", "name", "description"),
    [
        ("---\nname: my-skill\ndescription: Does it.\n---\n# Other\n", "my-skill", "Does it."),
        ("\ufeff---\r\nname: 'my skill'\r\n---\r\n", "my skill", ""),
        ("---\nname: 42\ndescription: >\n  Two\n  lines\n---\n", "42", "Two lines"),
        ("---\nname: 1.10\nmetadata: {x: [1]}\nallowed-tools: Bash(git:*)\n---\n", "1.10", ""),
        ("---\ndescription: d\n---\n\n# My *Great* Skill!\n", "my-great-skill", "d"),
        ("---\n---\n# X\n", "x", ""),
        ("```\n# no heading\n```\n# Yes, it is\n", "yes-it-is", ""),
        ("# Überprüfung\n", "überprüfung", ""),
        ("no heading\n## second\n", "folder", ""),
        ("# !!!\n", "folder", ""),
        ("", "folder", ""),
    ],
)
def test_name_and_description(tmp_path: Path, content: str, name: str, description: str) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    assert read(folder, content) == Skill(name, description, folder)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("---\nname: ../x\n---\n", "2:7: name: the name '../x' must be one folder's name, without slashes"),
        (
            "---\ndescription: d\nname: a/b\n---\n",
            "3:7: name: the name 'a/b' must be one folder's name, without slashes",
        ),
        ("---\nname: ..\n---\n", "2:7: name: the name '..' must be one folder's name, without slashes"),
        ("---\nname: a\\b\n---\n", "2:7: name: the name 'a\\\\b' must be one folder's name, without slashes"),
        ("---\nname: ''\n---\n", "2:7: name: the name '' is empty"),
        ('---\nname: "a\\tb"\n---\n', "2:7: name: the name 'a\\tb' contains characters that cannot be printed"),
        (f"---\nname: {'é' * 101}\n---\n", "is longer than 200 bytes"),
        ("---\nname: [a]\n---\n", "2:7: name: must be text"),
        ("---\nname: a\ndescription: {b: c}\n---\n", "3:14: description: must be text"),
        ("---\nname: a\n", "1:1: the frontmatter that begins here is never closed with ---"),
        ("---\n- a\n---\n", '2:1: the frontmatter must be a mapping such as "name: my-skill"'),
        ("---\nname: a\ndescription: Use when: now\n---\n", "3:22: is not valid YAML: mapping values are not allowed"),
        ("---\nname: a\nname: b\n---\n", '3:1: the key "name" stands here twice; it stands in line 2 already'),
        (b"---\nname: \xff\n---\n", "2:7: is not UTF-8 text"),
    ],
)
def test_what_is_wrong_is_said_with_its_place(tmp_path: Path, content: str | bytes, message: str) -> None:
    with pytest.raises(SuiteError) as caught:
        read(tmp_path, content)
    assert f"SKILL.md:{message}" in str(caught.value) or message in str(caught.value)


def test_a_pipe_is_refused_without_waiting(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "SKILL.md")
    with pytest.raises(SuiteError, match="is not a regular file"):
        read_skill(tmp_path / "SKILL.md")


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.binary(max_size=80) | st.text(max_size=80).map(lambda text: f"---\nname: {text}\n---\n".encode()))
def test_any_content_gives_a_safe_name_or_an_error(tmp_path: Path, content: bytes) -> None:
    refused: tuple[Problem, ...] = ()
    try:
        skill = read(tmp_path, content)
    except SuiteError as error:
        refused = error.problems
    else:
        assert (tmp_path / "skills" / skill.name).parent == tmp_path / "skills"
        assert skill.name not in ("", ".", "..")
    assert all(problem.file == tmp_path / "SKILL.md" for problem in refused)
