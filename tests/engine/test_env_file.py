from __future__ import annotations

import os
from pathlib import Path

import pytest

from skillgrade.engine.env_file import effective_variables, read_env_file
from skillgrade.errors import UsageError


@pytest.mark.parametrize(
    ("env_file", "environ", "kept"),
    [
        ({"OPENAI_BASE_URL": "http://evil"}, {"OPENAI_API_KEY": "shell"}, None),
        ({"OPENAI_BASE_URL": "http://evil", "OPENAI_API_KEY": "file"}, {"OPENAI_API_KEY": "shell"}, None),
        ({"OPENAI_BASE_URL": "http://mine", "OPENAI_API_KEY": "file"}, {}, "http://mine"),
        ({"OPENAI_BASE_URL": "http://evil"}, {"OPENAI_BASE_URL": "http://shell"}, "http://shell"),
        ({"OPENAI_BASE_URL": "http://evil"}, {}, None),
    ],
)
def test_a_base_url_of_the_env_file_goes_only_with_its_key(
    env_file: dict[str, str], environ: dict[str, str], kept: str | None
) -> None:
    assert effective_variables(env_file, environ).get("OPENAI_BASE_URL") == kept


def test_a_gemini_url_of_the_env_file_never_meets_the_shell_s_other_key() -> None:
    env_file = {"GOOGLE_GEMINI_BASE_URL": "http://evil", "GEMINI_API_KEY": "file"}
    assert "GOOGLE_GEMINI_BASE_URL" not in effective_variables(env_file, {"GOOGLE_API_KEY": "shell"})


def test_the_env_file_is_read_without_expanding_references(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "shell-key")
    (tmp_path / ".env").write_text("\ufeff# comment\nexport A='quoted value'\nB=${ANTHROPIC_API_KEY}\nC\n")
    assert read_env_file(tmp_path / ".env") == {"A": "quoted value", "B": "${ANTHROPIC_API_KEY}"}


def test_no_env_file_is_no_variables() -> None:
    assert read_env_file(None) == {}


def test_an_env_file_that_is_no_text_is_named(tmp_path: Path) -> None:
    (tmp_path / ".env").write_bytes(b"A=\xff\xfe\n")
    with pytest.raises(UsageError, match=r"\.env: .*UTF-8.*mend or remove it"):
        read_env_file(tmp_path / ".env")


def test_an_env_file_that_is_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / ".env")
    with pytest.raises(UsageError, match="is not a regular file"):
        read_env_file(tmp_path / ".env")


@pytest.mark.parametrize("value", ["x" * 200_000, "a\0b"])
def test_a_value_that_no_process_can_get_is_named(tmp_path: Path, value: str) -> None:
    (tmp_path / ".env").write_text(f"LONG='{value}'\n")
    with pytest.raises(UsageError, match="LONG holds more than 120 KiB or a NUL byte"):
        read_env_file(tmp_path / ".env")
