"""JSON with places: the marked values that `skillgrade.yaml_reader` makes of YAML.

The grammar is that of RFC 8259. Refused besides: numbers too large for a float, a key that stands twice in one object,
half a surrogate pair, and nesting beyond `MAX_DEPTH`.
"""

from __future__ import annotations

import bisect
import json
import math
import re
from pathlib import Path
from typing import NoReturn

from skillgrade.errors import Problem, SuiteError
from skillgrade.wording import shown
from skillgrade.yaml_reader import MAX_DEPTH, Document
from skillgrade.yaml_values import Mark, MarkedList, MarkedMap

_SPACE = frozenset(" \t\r\n")
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?P<fraction>\.[0-9]+)?(?P<exponent>[eE][-+]?[0-9]+)?(?![\w.])", re.ASCII)
_WORD = re.compile(r"\w+")
_WORDS = {"true": True, "false": False, "null": None}
_SURROGATE = re.compile("[\ud800-\udfff]")
_DECODER = json.JSONDecoder()
_LONGEST_NUMBER = 400
"""Characters; the largest float has 309 digits before its point."""


def parse_json(text: str, file: Path) -> Document:
    """Read one JSON document.

    Args:
        text: The document.
        file: What the marks and the error name.

    Raises:
        SuiteError: It is not valid JSON, or holds what is refused; with the place.
    """
    return _Reader(text, file).document()


class _Reader:
    """Reads a text from its beginning to its end."""

    def __init__(self, text: str, file: Path) -> None:
        self._text = text
        self._file = file
        self._at = 0
        self._lines = [0, *(match.end() for match in re.finditer("\n", text))]

    def document(self) -> Document:
        """The value, which must be all that there is."""
        self._skip()
        mark = self._mark(self._at)
        value, _ = self._value(0)
        self._skip()
        if self._at < len(self._text):
            self._fail(self._at, "more follows behind the end of the document")
        return Document(value, mark, len(self._text))

    def _value(self, depth: int) -> tuple[object, str | None]:
        """The value that begins here, and the text of a number or a word."""
        if depth > MAX_DEPTH:
            self._fail(self._at, f"is nested more than {MAX_DEPTH} levels deep")
        begin = self._at
        first = self._text[begin : begin + 1]
        if first == "{":
            return self._object(depth), None
        if first == "[":
            return self._array(depth), None
        if first == '"':
            return self._string(), None
        if number := _NUMBER.match(self._text, begin):
            self._at = number.end()
            return self._number(number), number[0]
        word = _WORD.match(self._text, begin)
        if word is None or word[0] not in _WORDS:
            self._fail(begin, "a value is missing here: text in double quotes, a number, true, false, null, [ or {")
        self._at = word.end()
        return _WORDS[word[0]], None if word[0] == "null" else word[0]

    def _object(self, depth: int) -> MarkedMap:
        result = MarkedMap(self._mark(self._at))
        is_open = self._opens("}")
        while is_open:
            begin = self._at
            if not self._text.startswith('"', begin):
                self._fail(begin, "a key in double quotes is missing here")
            key = self._string()
            if key in result:
                line = result.key_marks[key].line
                self._fail(begin, f"the key {shown(key)} stands here twice, in line {line} already")
            self._skip()
            if not self._text.startswith(":", self._at):
                self._fail(self._at, f"a colon is missing behind the key {shown(key)}")
            self._at += 1
            self._skip()
            result.key_marks[key] = self._mark(begin)
            result.value_marks[key] = self._mark(self._at)
            value, written = self._value(depth + 1)
            result[key] = value
            if written is not None:
                result.written[key] = written
            is_open = self._goes_on("}")
        return result

    def _array(self, depth: int) -> MarkedList:
        result = MarkedList(self._mark(self._at))
        is_open = self._opens("]")
        while is_open:
            mark = self._mark(self._at)
            value, written = self._value(depth + 1)
            result.add(value, mark, written)
            is_open = self._goes_on("]")
        return result

    def _opens(self, end: str) -> bool:
        """Step into an array or object; whether something is in it."""
        self._at += 1
        self._skip()
        if not self._text.startswith(end, self._at):
            return True
        self._at += 1
        return False

    def _goes_on(self, end: str) -> bool:
        """Step over what follows an item; whether another item comes."""
        self._skip()
        found = self._text[self._at : self._at + 1]
        if found == end:
            self._at += 1
            return False
        if found != ",":
            self._fail(self._at, f"a comma or {end} is missing here")
        comma = self._at
        self._at += 1
        self._skip()
        if self._text.startswith(end, self._at):
            self._fail(comma, f"nothing follows this comma; take it out before {end}")
        return True

    def _string(self) -> str:
        begin = self._at
        try:
            text, self._at = _DECODER.raw_decode(self._text, begin)
        except json.JSONDecodeError as error:
            self._fail(error.pos, f"the text cannot be read: {error.msg[:1].lower()}{error.msg[1:]}")
        if _SURROGATE.search(text):
            self._fail(begin, "the text holds half a surrogate pair, which is no character")
        return str(text)

    def _number(self, match: re.Match[str]) -> int | float:
        if len(match[0]) > _LONGEST_NUMBER:
            self._fail(match.start(), "the number is too long")
        if match["fraction"] is None and match["exponent"] is None:
            return int(match[0])
        number = float(match[0])
        if not math.isfinite(number):
            self._fail(match.start(), "the number is too large")
        return number

    def _skip(self) -> None:
        while self._text[self._at : self._at + 1] in _SPACE:
            self._at += 1

    def _mark(self, at: int) -> Mark:
        line = bisect.bisect_right(self._lines, at)
        return Mark(self._file, line, at - self._lines[line - 1] + 1)

    def _fail(self, at: int, message: str) -> NoReturn:
        raise SuiteError([Problem(f"is not valid JSON: {message}", *self._mark(at))])
