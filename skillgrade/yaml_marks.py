"""YAML with places: every value knows the file, the line and the column that it was written at.

Scalars follow the core schema of YAML 1.2 (https://yaml.org/spec/1.2.2/#103-core-schema), as js-yaml reads them:
``yes``, ``no``, ``on`` and dates are text, ``1e3`` is a number. Keys are always the text that was written. Merge keys
(``<<``) work. What no hand-written file needs is refused: duplicate keys, several documents, tags, numbers that JSON
cannot hold, nesting beyond `MAX_DEPTH`, anchors that contain themselves or blow a small file up.

Values are built from the parser's events in one pass, so that hostile nesting meets a counter and not the C stack.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

import yaml

from skillgrade.errors import Problem, SuiteError

MAX_DEPTH = 100
"""Mappings and lists inside each other."""

ALIAS_BUDGET = 4 * 1024 * 1024
"""How much all aliases of a file together may repeat, in characters; each node counts as `_NODE_SIZE` more."""

_NODE_SIZE = 16
_MAX_NUMBER_LENGTH = 400
_CORE_TAG = "tag:yaml.org,2002:"
_WORDS: dict[str, bool | None] = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL"), None),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
}
_INTEGER = re.compile(r"[-+]?(?:[0-9][0-9_]*|0b[01][01_]*|0o[0-7][0-7_]*|0x[0-9a-fA-F][0-9a-fA-F_]*)")
_FLOAT = re.compile(r"[-+]?(?:[0-9][0-9_]*(?:\.[0-9_]*)?|\.[0-9][0-9_]*)(?:[eE][-+]?[0-9]+)?")
_NOT_FINITE = re.compile(r"[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)")
_NUMBER_STARTS = frozenset("-+.0123456789")
_BASES = {"0b": 2, "0o": 8, "0x": 16}


class Mark(NamedTuple):
    """Where something stands: a file, and the 1-based line and column in it."""

    file: Path
    line: int
    column: int


class MarkedMap(dict[str, object]):
    """A mapping that knows where it begins and where each of its keys and values stands.

    Attributes:
        mark: Where the mapping begins.
        key_marks: By key, where the key stands.
        value_marks: By key, where the value stands.
        written: By key, the text of those values that are no text themselves (``007`` for the number 7).
    """

    __slots__ = ("key_marks", "mark", "value_marks", "written")

    def __init__(self, mark: Mark) -> None:
        super().__init__()
        self.mark = mark
        self.key_marks: dict[str, Mark] = {}
        self.value_marks: dict[str, Mark] = {}
        self.written: dict[str, str] = {}

    def take(self, key: str, source: MarkedMap) -> None:
        """Take over a key of another mapping, with its marks."""
        self[key] = source[key]
        self.key_marks[key] = source.key_marks[key]
        self.value_marks[key] = source.value_marks[key]
        if key in source.written:
            self.written[key] = source.written[key]
        else:
            self.written.pop(key, None)


class MarkedList(list[object]):
    """A list that knows where it begins and where each of its items stands.

    Attributes:
        mark: Where the list begins.
        item_marks: Where each item stands.
        written: By index, the text of those items that are no text themselves.
    """

    __slots__ = ("item_marks", "mark", "written")

    def __init__(self, mark: Mark) -> None:
        super().__init__()
        self.mark = mark
        self.item_marks: list[Mark] = []
        self.written: dict[int, str] = {}

    def add(self, value: object, mark: Mark, written: str | None = None) -> None:
        """Append an item with its mark."""
        if written is not None:
            self.written[len(self)] = written
        self.append(value)
        self.item_marks.append(mark)


class Document(NamedTuple):
    """What one YAML file holds.

    Attributes:
        value: A `MarkedMap`, a `MarkedList`, a scalar, or None for an empty file.
        mark: Where it begins.
        size: Characters, aliases written out; each node counts as a few more.
    """

    value: object
    mark: Mark
    size: int


def plain(value: object) -> object:
    """The same value in plain dicts and lists, without marks."""
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, list):
        return [plain(item) for item in value]
    return value


def parse_yaml(text: str, file: Path) -> Document:
    """Read one YAML document.

    Args:
        text: The document.
        file: What the marks and the error name.

    Raises:
        SuiteError: It is not valid YAML, or holds what is refused; with the place.
    """
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)(text)
    builder = _Builder(file)
    try:
        while loader.check_event():
            builder.take(loader.get_event())
    except yaml.MarkedYAMLError as error:
        raise _syntax_problem(error, text, file) from None
    except yaml.reader.ReaderError as error:
        raise _character_problem(error, text, file) from None
    finally:
        loader.dispose()
    return builder.document()


class _Node(NamedTuple):
    """A finished value on its way into its container."""

    value: object
    mark: Mark
    written: str | None
    size: int
    is_merge_key: bool = False


@dataclass(slots=True)
class _Frame:
    """A container that is being filled."""

    container: MarkedMap | MarkedList
    anchor: str | None
    size: int = _NODE_SIZE
    key: _Node | None = None
    merges: list[MarkedMap] = field(default_factory=list)


class _Builder:
    """Turns parser events into a marked value."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._frames: list[_Frame] = []
        self._anchors: dict[str, _Node] = {}
        self._aliased = 0
        self._root: _Node | None = None
        self._documents = 0

    def document(self) -> Document:
        """What was built."""
        if self._root is None:
            return Document(None, Mark(self._file, 1, 1), 0)
        return Document(self._root.value, self._root.mark, self._root.size)

    def take(self, event: yaml.Event) -> None:
        """Take the next event."""
        if isinstance(event, yaml.ScalarEvent):
            self._add(self._scalar(event), event.anchor)
        elif isinstance(event, yaml.MappingStartEvent):
            self._open(MarkedMap(self._mark(event)), event, "map")
        elif isinstance(event, yaml.SequenceStartEvent):
            self._open(MarkedList(self._mark(event)), event, "seq")
        elif isinstance(event, yaml.CollectionEndEvent):
            self._close()
        elif isinstance(event, yaml.AliasEvent):
            self._add(self._aliased_node(event), None)
        elif isinstance(event, yaml.DocumentStartEvent):
            self._documents += 1
            if self._documents > 1:
                raise self._fault(event, "a second YAML document begins here; one file holds one document")

    def _mark(self, event: yaml.Event) -> Mark:
        start = event.start_mark
        return Mark(self._file, start.line + 1, start.column + 1) if start else Mark(self._file, 1, 1)

    def _fault(self, place: yaml.Event | Mark, message: str) -> SuiteError:
        mark = place if isinstance(place, Mark) else self._mark(place)
        return SuiteError([Problem(message, *mark)])

    def _open(self, container: MarkedMap | MarkedList, event: yaml.CollectionStartEvent, kind: str) -> None:
        if event.tag not in (None, "!", _CORE_TAG + kind):
            raise self._fault(event, f"the tag {_shown_tag(event.tag)} is not supported; leave it out")
        if len(self._frames) >= MAX_DEPTH:
            raise self._fault(event, f"is nested more than {MAX_DEPTH} levels deep")
        frame = self._frames[-1] if self._frames else None
        if frame is not None and isinstance(frame.container, MarkedMap) and frame.key is None:
            raise self._fault(event, "a key must be text, not a mapping or a list; put braces in a text into quotes")
        self._frames.append(_Frame(container, event.anchor))

    def _close(self) -> None:
        frame = self._frames.pop()
        container = frame.container
        if isinstance(container, MarkedMap):
            for source in frame.merges:
                for key in source:
                    if key not in container:
                        container.take(key, source)
        self._add(_Node(container, container.mark, None, frame.size), frame.anchor)

    def _aliased_node(self, event: yaml.AliasEvent) -> _Node:
        name = event.anchor
        if any(frame.anchor == name for frame in self._frames):
            raise self._fault(event, f"the anchor &{name} contains itself")
        if name not in self._anchors:
            raise self._fault(event, f"no anchor &{name} stands above this alias")
        node = self._anchors[name]
        self._aliased += node.size
        if self._aliased > ALIAS_BUDGET:
            raise self._fault(event, f"the aliases of this file blow it up beyond {ALIAS_BUDGET >> 20} MiB")
        return node

    def _scalar(self, event: yaml.ScalarEvent) -> _Node:
        mark, text, tag = self._mark(event), event.value, event.tag
        size = _NODE_SIZE + len(text)
        if "\0" in text:
            raise self._fault(mark, "contains a NUL character, which no path, variable or command can hold")
        is_plain = event.implicit[0] and tag is None
        if not is_plain and tag in (None, "!", _CORE_TAG + "str"):
            return _Node(text, mark, None, size)
        try:
            value = _resolve(text)
        except ValueError as error:
            raise self._fault(mark, f"{error}; quote it if a text is meant") from None
        if tag is not None:
            value = self._tagged(value, tag.removeprefix(_CORE_TAG), mark)
        return _Node(value, mark, None if isinstance(value, str) else text, size, is_plain and text == "<<")

    def _tagged(self, value: object, tag: str, mark: Mark) -> object:
        if tag == "float" and type(value) is int:
            return float(value)
        wanted = {"int": int, "float": float, "bool": bool, "null": type(None)}.get(tag)
        if wanted is None:
            raise self._fault(mark, f"the tag {_shown_tag(tag)} is not supported; leave it out")
        if type(value) is not wanted:
            raise self._fault(mark, f"this is no {tag}, as its tag says")
        return value

    def _add(self, node: _Node, anchor: str | None) -> None:
        if anchor is not None:
            self._anchors[anchor] = node
        if not self._frames:
            self._root = node
            return
        frame = self._frames[-1]
        frame.size += node.size
        if isinstance(frame.container, MarkedList):
            frame.container.add(node.value, node.mark, node.written)
        elif frame.key is None:
            self._begin_pair(frame, frame.container, node)
        else:
            self._end_pair(frame, frame.container, frame.key, node)

    def _begin_pair(self, frame: _Frame, container: MarkedMap, node: _Node) -> None:
        if isinstance(node.value, (dict, list)):
            raise self._fault(node.mark, "a key must be text, not a mapping or a list")
        name = node.value if isinstance(node.value, str) else (node.written or "")
        earlier = container.key_marks.get(name)
        if earlier is not None or (node.is_merge_key and frame.merges):
            where = f"; it stands in line {earlier.line} already" if earlier else ""
            raise self._fault(node.mark, f'the key "{name}" stands here twice{where}')
        frame.key = node._replace(value=name)

    def _end_pair(self, frame: _Frame, container: MarkedMap, key: _Node, node: _Node) -> None:
        frame.key = None
        if key.is_merge_key:
            sources = node.value if isinstance(node.value, MarkedList) else [node.value]
            for source in sources:
                if not isinstance(source, MarkedMap):
                    raise self._fault(node.mark, "<< merges mappings; this is none")
                frame.merges.append(source)
            return
        name = str(key.value)
        container[name] = node.value
        container.key_marks[name] = key.mark
        container.value_marks[name] = node.mark
        if node.written is not None:
            container.written[name] = node.written


def _resolve(text: str) -> object:
    """The value of a plain scalar.

    Raises:
        ValueError: It is a number that cannot be held.
    """
    if text in _WORDS:
        return _WORDS[text]
    if text[0] not in _NUMBER_STARTS:
        return text
    if _NOT_FINITE.fullmatch(text):
        raise ValueError(f"{text} is not a finite number")
    is_integer = _INTEGER.fullmatch(text) is not None
    if not is_integer and _FLOAT.fullmatch(text) is None:
        return text
    if len(text) > _MAX_NUMBER_LENGTH:
        raise ValueError(f"a number of {len(text)} digits is too long")
    digits = text.replace("_", "")
    if is_integer:
        return int(digits, _BASES.get(digits.lstrip("+-")[:2], 10))
    number = float(digits)
    if not math.isfinite(number):
        raise ValueError(f"{text} is not a finite number")
    return number


def _shown_tag(tag: str | None) -> str:
    name = (tag or "").removeprefix(_CORE_TAG)
    return name if name.startswith("!") else f"!!{name}"


_HINTS: Sequence[tuple[str, str]] = (
    ("cannot start any token", "a text that begins with this character needs quotes"),
    ("mapping values are not allowed", 'a text that contains ": " needs quotes'),
    ("did not find expected key", "check the indentation, and quotes inside quoted text"),
    ("did not find expected '-' indicator", "check the indentation"),
    ("could not find expected ':'", 'every key needs a ": " after it'),
)


def _syntax_problem(error: yaml.MarkedYAMLError, text: str, file: Path) -> SuiteError:
    mark = error.problem_mark or error.context_mark
    line, column = (mark.line, mark.column) if mark else (0, 0)
    lines = text.splitlines()
    said = error.problem or error.context or "it cannot be read"
    if line < len(lines) and "\t" in lines[line][: column + 1] and not lines[line][:column].strip():
        return SuiteError([Problem("a tab indents this line; YAML wants spaces", file, line + 1, column + 1)])
    hint = next((hint for part, hint in _HINTS if part in said), "")
    message = f"is not valid YAML: {said}" + (f" ({hint})" if hint else "")
    return SuiteError([Problem(message, file, line + 1, column + 1)])


def _character_problem(error: yaml.reader.ReaderError, text: str, file: Path) -> SuiteError:
    before = text.encode("utf-8", "surrogatepass")[: error.position].decode("utf-8", "ignore")
    line, column = before.count("\n") + 1, len(before) - (before.rfind("\n") + 1) + 1
    return SuiteError([Problem("this control character may not stand in YAML; remove it", file, line, column)])
