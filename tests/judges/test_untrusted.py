from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skillgrade.judges.untrusted import Budget, Excerpt, excerpt, visible


@pytest.mark.parametrize(
    ("hidden", "shown"),
    [
        ("a\u200bb", "a\\u{200b}b"),
        ("\u202egnp.exe", "\\u{202e}gnp.exe"),
        ("\u2066x\u2069", "\\u{2066}x\\u{2069}"),
        ("\U000e0041\U000e007f", "\\u{e0041}\\u{e007f}"),
        ("\x1b[31mred\x1b[0m", "\\u{1b}[31mred\\u{1b}[0m"),
        ("50%\r100%", "50%\\u{d}100%"),
        ("bell\x07 null\x00 del\x7f c1\x9b", "bell\\u{7} null\\u{0} del\\u{7f} c1\\u{9b}"),
        ("\ufeffbom", "\\u{feff}bom"),
        ("so\xadft", "so\\u{ad}ft"),
        ("a\ufe0f\U000e0100", "a\\u{fe0f}\\u{e0100}"),
        ("lone \ud83d surrogate", "lone \\u{d83d} surrogate"),
        ("line\u2028separator", "line\\u{2028}separator"),
        ("filler\u3164\u115f\uffa0", "filler\\u{3164}\\u{115f}\\u{ffa0}"),
    ],
)
def test_what_is_hidden_is_shown(hidden: str, shown: str) -> None:
    assert visible(hidden) == shown


@pytest.mark.parametrize("text", ["tab\tand\nline", "naïve Ünïcödé ✓ 漢字 🎉", "עברית العربية", "e\u0301", "a\xa0b"])
def test_what_can_be_seen_stays(text: str) -> None:
    assert visible(text) == text


def test_lines_of_windows_end_like_others() -> None:
    assert visible("a\r\nb\r\n") == "a\nb\n"


def test_every_control_and_format_character_is_hidden() -> None:
    hidden = [
        chr(code)
        for code in range(0x110000)
        if unicodedata.category(chr(code)) in ("Cc", "Cf", "Cs", "Zl", "Zp") and chr(code) not in "\t\n"
    ]
    assert [f"{ord(character):x}" for character in hidden if visible(character) == character] == []


@given(st.text(alphabet=st.characters(categories=["L", "N", "C", "Z"])))
def test_what_is_shown_can_be_sent_and_is_shown_once(text: str) -> None:
    shown = visible(text)
    assert shown.encode("utf-8").decode("utf-8") == shown
    assert visible(shown) == shown


def test_a_short_part_is_whole() -> None:
    assert excerpt("0123456789", Budget(3, 7)) == Excerpt("0123456789", 0)


def test_a_long_part_is_cut_in_its_middle_and_says_so() -> None:
    cut = excerpt("aaa" + "x" * 1000 + "zzzz", Budget(3, 4))
    assert cut == Excerpt("aaa\n[... 1000 characters are missing here ...]\nzzzz", 1000)


def test_a_budget_without_a_tail_keeps_none() -> None:
    assert excerpt("abcdef", Budget(2, 0)) == Excerpt("ab\n[... 4 characters are missing here ...]\n", 4)


def test_what_is_cut_out_is_not_looked_at() -> None:
    assert excerpt("a" + "\x00" * 10**7 + "b", Budget(1, 1)).missing == 10**7
