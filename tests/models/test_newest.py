"""The newest small model of a list."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skillgrade.errors import ModelError
from skillgrade.models.base import Endpoint, ListedModel
from skillgrade.models.newest import newest_small_model

GEMINI = [
    "gemini-2.0-flash", "gemini-2.0-flash-001", "gemini-2.0-flash-exp", "gemini-2.0-flash-lite", "gemini-2.5-flash",
    "gemini-2.5-flash-image", "gemini-2.5-flash-lite", "gemini-2.5-flash-preview-05-20", "gemini-2.5-flash-preview-tts",
    "gemini-2.5-pro", "gemini-3-flash-preview", "gemini-flash-latest", "gemini-2.5-flash-live-001",
    "gemini-10-flash-native-audio", "gemini-embedding-001", "gemma-3-27b-it",
]  # fmt: skip
ANTHROPIC = {
    "claude-3-haiku-20240307": 1.0, "claude-3-5-haiku-20241022": 2.0, "claude-haiku-4-5-20251001": 4.0,
    "claude-sonnet-4-5-20250929": 3.0, "claude-opus-5": 9.0, "claude-3-5-haiku-latest": 2.0,
}  # fmt: skip
OPENAI = {
    "gpt-4o-mini": 1.0, "gpt-4o-mini-2024-07-18": 1.0, "gpt-4.1-mini": 2.0, "gpt-5-mini": 3.1,
    "gpt-5-mini-2025-08-07": 3.0, "gpt-4o-mini-audio-preview": 8.0, "gpt-4o-mini-realtime-preview": 8.0,
    "gpt-4o-mini-search-preview": 8.0, "gpt-4o-mini-tts": 8.0, "gpt-4o-mini-transcribe": 8.0, "gpt-image-1-mini": 8.0,
    "gpt-audio-mini": 8.0, "gpt-5.1-codex-mini": 8.0, "o4-mini-deep-research": 8.0, "gpt-5-nano": 8.0, "gpt-6": 9.0,
}  # fmt: skip
LISTS = {
    "gemini": [ListedModel(name) for name in GEMINI],
    "anthropic": [ListedModel(*pair) for pair in ANTHROPIC.items()],
    "openai": [ListedModel(*pair) for pair in OPENAI.items()],
}
NEWEST = {"gemini": "gemini-2.5-flash", "anthropic": "claude-haiku-4-5-20251001", "openai": "gpt-5-mini"}


@given(st.sampled_from(sorted(LISTS)), st.data())
def test_the_order_of_the_list_does_not_matter(provider: str, data: st.DataObject) -> None:
    listed = data.draw(st.permutations(LISTS[provider]))
    assert newest_small_model(Endpoint(provider), listed) == NEWEST[provider]


@given(st.sampled_from(sorted(LISTS)), st.data())
def test_a_model_of_the_list_is_chosen_or_none(provider: str, data: st.DataObject) -> None:
    listed = data.draw(st.lists(st.sampled_from(LISTS[provider])))
    try:
        chosen = newest_small_model(Endpoint(provider), listed)
    except ModelError as error:
        chosen = str(error)
    assert chosen in {model.name for model in listed} or "grader_model" in chosen


@pytest.mark.parametrize(
    ("provider", "listed", "newest"),
    [
        ("gemini", ["gemini-9-flash", "gemini-10-flash", "gemini-9.5-flash"], "gemini-10-flash"),
        ("gemini", ["gemini-2.0-flash-001", "gemini-2.0-flash-002"], "gemini-2.0-flash-002"),
        ("gemini", ["google/gemini-2.5-flash", "google/gemini-2.5-pro"], "google/gemini-2.5-flash"),
        (
            "anthropic",
            ["claude-haiku-4-5", "claude-haiku-4-5-20251001", "claude-3-5-haiku-20241022"],
            "claude-haiku-4-5",
        ),
        ("anthropic", ["claude-haiku-5", "claude-haiku-4-5"], "claude-haiku-5"),
        ("anthropic", ["anthropic/claude-haiku-4.5", "anthropic/claude-3-haiku"], "anthropic/claude-haiku-4.5"),
        ("openai", ["gpt-4.1-mini", "gpt-5-mini", "gpt-4o-mini"], "gpt-5-mini"),
    ],
)
def test_without_dates_the_version_decides(provider: str, listed: list[str], newest: str) -> None:
    assert newest_small_model(Endpoint(provider), map(ListedModel, listed)) == newest


def test_equal_dates_leave_it_to_the_version() -> None:
    listed = [ListedModel(name, 1677610602.0) for name in ("gpt-5-mini", "gpt-4o-mini")]
    assert newest_small_model(Endpoint("openai"), listed) == "gpt-5-mini"


def test_the_only_model_of_an_own_server_is_taken() -> None:
    listed = [ListedModel("Qwen/Qwen3-8B", 1.0)]
    assert newest_small_model(Endpoint("openai", "http://h/v1"), listed) == "Qwen/Qwen3-8B"
    with pytest.raises(ModelError):
        newest_small_model(Endpoint("openai", None, "k"), listed)


@pytest.mark.parametrize(
    ("provider", "message"),
    [
        ("gemini", "gemini lists no flash model among its 2: name the model with grader_model or GEMINI_MODEL"),
        ("openai", "openai lists no mini model among its 2: name the model with grader_model or OPENAI_MODEL"),
    ],
)
def test_without_a_small_model_one_must_be_named(provider: str, message: str) -> None:
    with pytest.raises(ModelError) as raised:
        newest_small_model(Endpoint(provider, "http://h"), [ListedModel("a"), ListedModel("b")])
    assert str(raised.value) == message
