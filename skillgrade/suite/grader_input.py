"""`SKILLGRADE_INPUT`: the one JSON document that tells a deterministic grader what it grades."""

from __future__ import annotations

import json

from skillgrade.suite.model import Task

MAX_GRADER_INPUT = 128 * 1024 - len("SKILLGRADE_INPUT=\0")
"""Bytes of the document: Linux takes 128 KiB (MAX_ARG_STRLEN) for one variable with its name and the NUL at its end."""

_LONGEST_PATH = 4096
_LARGEST_NUMBER = 999_999


def grader_input(task: Task, trial: int, turn: int, transcript: str) -> dict[str, object]:
    """The document.

    Args:
        task: The task; of it graders get the name, `expected` and `metadata`.
        trial: The trial's number, from 0.
        turn: The turn after which the grader runs, from 0.
        transcript: The path at which the grader can read what the agent printed.
    """
    return {
        "task": task.name,
        "trial": trial,
        "turn": turn,
        "expected": task.expected,
        "metadata": dict(task.metadata),
        "transcript": transcript,
    }


def grader_input_text(document: object) -> str:
    """The document as the variable holds it."""
    return json.dumps(document, ensure_ascii=False)


def grader_input_size(task: Task) -> int:
    """The most bytes that the document of any trial of a task can have."""
    document = grader_input(task, _LARGEST_NUMBER, _LARGEST_NUMBER, "x" * _LONGEST_PATH)
    return len(grader_input_text(document).encode("utf-8", "surrogatepass"))
