"""What a reply cost."""

from __future__ import annotations

import sys

import pytest

from skillgrade.models.prices import cost_usd

TOKENS = {"input": 1_000_000, "output": 100_000}


def test_a_known_model_has_a_price() -> None:
    # Google's list prices of gemini-2.5-flash: 0.30 USD a million in, 2.50 a million out.
    assert cost_usd("gemini", "gemini-2.5-flash", TOKENS) == pytest.approx(0.30 + 0.25)


def test_cached_input_is_cheaper() -> None:
    full, cached = (cost_usd("openai", "gpt-5-mini", {**TOKENS, "cached_input": n}) for n in (0, 900_000))
    assert full is not None
    assert cached is not None
    assert 0 < cached < full


@pytest.mark.parametrize(
    ("model", "tokens"), [("no-such-model", TOKENS), ("gpt-5-mini", None), ("gpt-5-mini", {"input": 5})]
)
def test_what_is_unknown_has_none(model: str, tokens: dict[str, int] | None) -> None:
    assert cost_usd("openai", model, tokens) is None


def test_without_the_package_there_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "genai_prices", None)
    assert cost_usd("gemini", "gemini-2.5-flash", TOKENS) is None
