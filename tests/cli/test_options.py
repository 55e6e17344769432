from __future__ import annotations

import click
import pytest

from skillgrade.cli.options import JudgeName


@pytest.mark.parametrize(
    ("text", "judge"),
    [
        ("openai", ("openai", None)),
        ("openai:mini", ("openai", "mini")),
        ("openai:qwen3:8b", ("openai", "qwen3:8b")),
        ("gemini: flash ", ("gemini", "flash")),
    ],
)
def test_a_judge_is_a_provider_and_perhaps_a_model(text: str, judge: tuple[str, str | None]) -> None:
    assert JudgeName().convert(text, None, None) == judge


@pytest.mark.parametrize("text", ["", "nobody", "nobody:mini", ":mini", "openai:", "openai: "])
def test_what_names_no_judge_is_refused(text: str) -> None:
    with pytest.raises(click.BadParameter):
        JudgeName().convert(text, None, None)
