from __future__ import annotations

import re

import pytest

from skillgrade.transcript.shorten import Growing, short_arguments, shortened


def test_a_cut_text_keeps_its_ends_fits_and_is_cut_no_further() -> None:
    cut = shortened("a" * 500 + "b" * 500, 200)
    assert cut == "a" * 60 + "\n[... 880 characters left out here ...]\n" + "b" * 60
    assert len(cut) <= 200
    assert shortened(cut, 200) == cut
    assert shortened("a" * 200, 200) == "a" * 200


@pytest.mark.parametrize("piece", [1, 7, 150, 1000])
def test_a_growing_text_is_cut_as_if_it_had_come_at_once(piece: int) -> None:
    text = "".join(chr(97 + number % 26) for number in range(1000))
    growing = Growing(200)
    for start in range(0, len(text), piece):
        growing.add(text[start : start + piece])
    assert growing.take() == shortened(text, 200)
    assert growing.take() == ""


def test_arguments_are_cut_in_length_number_and_depth() -> None:
    deep: object = "end"
    for _ in range(20):
        deep = {"in": [deep]}
    short = short_arguments({"long": "x" * 20_000, "many": list(range(1000)), "deep": deep, "none": None})
    assert len(short["long"]) <= 16_000
    assert short["many"] == list(range(100))
    assert short["none"] is None
    assert re.fullmatch(r".{0,60}(\[\.\.\.\]|\{\.\.\.\}).{0,30}", repr(short["deep"]))
    assert short_arguments(["no", "object"]) == {}
