"""The file in which a reviewer answers: ``{"score": 0.8, "details": "Colours are off in a narrow window"}``.

People write it by hand, in editors that save in one go or bit by bit; so reading it never raises, and what is not
an answer (yet) is told in words.
"""

from __future__ import annotations

import errno
import json
import math
import os
import stat
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

from skillgrade.reading import UnreadableError, decode, reason
from skillgrade.results.records import Review
from skillgrade.storage import replace_file
from skillgrade.wording import shown

_LIMIT = 1024 * 1024
_EXAMPLE = 'write {"score": 0.8, "details": "why"}'


@dataclass(frozen=True, slots=True)
class ReviewProblem:
    """Why a file is no answer: one sentence with the file, what is wrong, and what to write."""

    text: str


class _Refused(Exception):
    def __init__(self, message: str, place: str = "") -> None:
        super().__init__(message)
        self.place = place


def read_review(path: Path, reviewer: str | None = None) -> Review | ReviewProblem | None:
    """Read an answer; links are not followed.

    Args:
        path: The file.
        reviewer: Whose it is.

    Returns:
        The answer, why it is none, or None where there is no file.
    """
    try:
        content = _content(path)
        return None if content is None else _review(_document(content), reviewer)
    except _Refused as refused:
        return ReviewProblem(f"{path}{refused.place}: {refused}; {_EXAMPLE}")


def write_review(path: Path, review: Review) -> None:
    """Put an answer in its place, complete or not at all.

    Raises:
        StorageError: It could not be written.
    """
    document = {"score": review.score, "details": review.details}
    replace_file(path, [json.dumps(document, ensure_ascii=False, indent=2).encode("utf-8", "backslashreplace"), b"\n"])


def _content(path: Path) -> bytes | None:
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC)
    except FileNotFoundError:
        return None
    except OSError as error:
        if error.errno == errno.ELOOP:
            raise _Refused("is a link, which is not followed") from None
        raise _Refused(f"cannot be read ({reason(error)})") from None
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise _Refused("is no regular file")
        with open(descriptor, "rb", closefd=False) as stream:
            content = stream.read(_LIMIT + 1)
    except OSError as error:
        raise _Refused(f"cannot be read ({reason(error)})") from None
    finally:
        os.close(descriptor)
    if len(content) > _LIMIT:
        raise _Refused(f"is larger than {_LIMIT // 1024} KiB")
    return content


def _document(content: bytes) -> object:
    try:
        text = decode(content)
    except UnreadableError as error:
        raise _Refused(str(error), f":{error.line}:{error.column}") from None
    if not text.strip():
        raise _Refused("is empty")
    try:
        return json.loads(text, parse_constant=_no_number)
    except json.JSONDecodeError as error:
        raise _Refused(f"is no complete JSON ({error.msg})", f":{error.lineno}:{error.colno}") from None
    except (RecursionError, ValueError):  # nested too deeply, or a number of thousands of digits
        raise _Refused("is no JSON that can be read") from None


def _no_number(name: str) -> NoReturn:
    raise _Refused(f"{name} is no number from 0 to 1")


def _review(document: object, reviewer: str | None) -> Review:
    if not isinstance(document, dict):
        raise _Refused(f"is no JSON object but {shown(document)}")
    if "score" not in document:
        raise _Refused('has no "score"')
    return Review(_score(document["score"]), _details(document.get("details")), reviewer)


def _score(value: Any) -> float:
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    if not is_number or not math.isfinite(value) or not 0 <= value <= 1:
        raise _Refused(f'its "score" must be a number from 0 to 1, not {shown(value)}')
    return float(value)


def _details(value: object) -> str:
    if value is None:
        return ""
    if not isinstance(value, str):
        raise _Refused(f'its "details" must be a text, not {shown(value)}')
    return value
