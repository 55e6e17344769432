"""YAML as people write it by hand, read with places; what no such file needs is refused.

Merge keys (``<<``) work, and keys are always the text that was written. Refused are duplicate keys, several documents,
tags, nesting beyond `MAX_DEPTH`, and anchors that contain themselves or blow a small file up.

Values are built from the parser's events in one pass, so that hostile nesting meets a counter and not the C stack.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

import yaml

from skillgrade.errors import Problem, SuiteError
from skillgrade.yaml_scalars import CORE_TAG, apply_tag, resolve_scalar, unsupported_tag
from skillgrade.yaml_values import Mark, MarkedList, MarkedMap

MAX_DEPTH = 100
"""Mappings and lists inside each other."""

ALIAS_BUDGET = 4 * 1024 * 1024
"""How much all aliases of a file together may repeat, in characters; each node counts as `_NODE_SIZE` more."""

_NODE_SIZE = 16


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
        self._anchors: dict[str, _Node | None] = {}  # None while the node that it names is being read
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
        if event.tag not in (None, "!", CORE_TAG + kind):
            raise self._fault(event, unsupported_tag(event.tag))
        if len(self._frames) >= MAX_DEPTH:
            raise self._fault(event, f"is nested more than {MAX_DEPTH} levels deep")
        frame = self._frames[-1] if self._frames else None
        if frame is not None and isinstance(frame.container, MarkedMap) and frame.key is None:
            raise self._fault(event, "a key must be text, not a mapping or a list; put braces in a text into quotes")
        if event.anchor is not None:
            self._anchors[event.anchor] = None
        self._frames.append(_Frame(container, event.anchor))

    def _close(self) -> None:
        frame = self._frames.pop()
        container = frame.container
        if isinstance(container, MarkedMap):
            for source in frame.merges:
                for key in source:
                    if key not in container:
                        container.take(key, source)
        # An anchor of this name that was set inside stands further down, and counts from there on.
        is_newest = frame.anchor is not None and self._anchors[frame.anchor] is None
        self._add(_Node(container, container.mark, None, frame.size), frame.anchor if is_newest else None)

    def _aliased_node(self, event: yaml.AliasEvent) -> _Node:
        name = event.anchor
        if name not in self._anchors:
            raise self._fault(event, f"no anchor &{name} stands above this alias")
        node = self._anchors[name]
        if node is None:
            raise self._fault(event, f"the anchor &{name} contains itself")
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
        if not is_plain and tag in (None, "!", CORE_TAG + "str"):
            return _Node(text, mark, None, size)
        try:
            value = resolve_scalar(text)
        except ValueError as error:
            raise self._fault(mark, f"{error}; quote it if a text is meant") from None
        if tag is not None:
            try:
                value = apply_tag(value, tag)
            except ValueError as error:
                raise self._fault(mark, str(error)) from None
        return _Node(value, mark, None if isinstance(value, str) else text, size, is_plain and text == "<<")

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
