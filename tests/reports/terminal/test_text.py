from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skillgrade.reports.terminal.console import make_console
from skillgrade.reports.terminal.text import one_line, printable, seconds


@pytest.mark.parametrize(
    ("text", "safe"),
    [
        ("plain", "plain"),
        ("two\nlines\tand a tab", "two\nlines\tand a tab"),
        ("\x1b[2J\x1b]0;title\x07gone", "\ufffd[2J\ufffd]0;title\ufffdgone"),
        ("over\rwrite", "over\ufffdwrite"),
        ("dos\r\nline", "dos\nline"),
        ("c1 \x9b31m", "c1 \ufffd31m"),
        ("abc\u202etxt.exe", "abc\ufffdtxt.exe"),
        ("ümläut 漢字 👩‍🚀", "ümläut 漢字 👩‍🚀"),
        ("\udc80", "\ufffd"),
    ],
)
def test_nothing_that_steers_a_terminal_gets_through(text: str, safe: str) -> None:
    assert printable(text) == safe


@given(st.text())
def test_no_text_keeps_a_control_character(text: str) -> None:
    kept = {unicodedata.category(char) for char in printable(text) if char not in "\n\t\u200d"}
    assert not kept & {"Cc", "Cf", "Cs", "Co", "Zl", "Zp"}


@given(st.text(), st.integers(min_value=1, max_value=50))
def test_one_line_is_one_line_and_short(text: str, limit: int) -> None:
    line = one_line(text, limit)
    assert len(line) <= limit
    assert len(line.splitlines()) <= 1


def test_a_cut_is_visible() -> None:
    assert one_line("abc def", 7) == "abc def"
    assert one_line("abc defg", 7) == "abc de…"
    assert one_line("a\n  b", 10) == "a b"


@pytest.mark.parametrize(
    ("milliseconds", "text"),
    [
        (0, "0.0 s"),
        (340, "0.3 s"),
        (9_940, "9.9 s"),
        (12_300, "12 s"),
        (185_000, "3 min 05 s"),
        (3_720_000, "1 h 02 min"),
    ],
)
def test_durations_read_as_people_say_them(milliseconds: int, text: str) -> None:
    assert seconds(milliseconds) == text


def test_markup_in_text_is_text(capsys: pytest.CaptureFixture[str]) -> None:
    make_console(to_stderr=False).print("[red]not markup[/red] :smile: " + "x" * 150)
    captured = capsys.readouterr()
    assert captured.out == "[red]not markup[/red] :smile: " + "x" * 150 + "\n"
    make_console(to_stderr=True).print("over here")
    assert capsys.readouterr().err == "over here\n"
