"""How messages quote what a user wrote, and guess what was meant."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """A hint at the nearest known word, ready to be appended; empty when none is near."""
    near = difflib.get_close_matches(word.lower(), list(known), n=1, cutoff=0.6) if len(word) <= 100 else []
    return f' (did you mean "{near[0]}"?)' if near else ""


def shown(value: object) -> str:
    """A value as a message quotes it: short, and recognisable as what YAML made of it."""
    if isinstance(value, str):
        return f'"{value}"' if len(value) <= 60 else f'"{value[:57]}..."'
    if value is None or isinstance(value, bool):
        return {None: "nothing", True: "true", False: "false"}[value]
    if isinstance(value, (dict, list)):
        return "a mapping" if isinstance(value, dict) else "a list"
    text = str(value)
    return text if len(text) <= 60 else f"{text[:57]}..."
