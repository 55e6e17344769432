"""``$import``: parts of a suite that live in other files.

The value of ``$import`` is a file, a folder (every .yaml and .yml in it, sorted), a glob, or a list of those, relative
to the file that says it. In a list its documents are spliced in; elsewhere one mapping is merged in place. Keys beside
``$import`` win over what was imported. An imported mapping keeps the marks of its own file, so that errors and relative
paths stay right.
"""

from __future__ import annotations

import fnmatch
import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from skillgrade.errors import Problem, SuiteError
from skillgrade.json_reader import parse_json
from skillgrade.reading import UnreadableError, read_text, reason
from skillgrade.suite.cursor import join_path
from skillgrade.suite.eval_files import EvalFiles
from skillgrade.suite.findings import in_order
from skillgrade.wording import shown
from skillgrade.yaml_reader import MAX_DEPTH, Document, parse_yaml
from skillgrade.yaml_values import Mark, MarkedList, MarkedMap

IMPORT_KEY = "$import"
MAX_FILE = 8 * 1024 * 1024
"""Bytes of one YAML file."""

_MAX_CHAIN = 32
_MAX_FILES = 10_000
_MAX_SIZE = 64 * 1024 * 1024
_MOST_PROBLEMS = 100
_SUFFIXES = (".yaml", ".yml")
_JSON = ".json"
_SKIPPED_FOLDERS = frozenset({".git", "node_modules"})


@dataclass(frozen=True, slots=True)
class Expanded:
    """A suite file with every import in its place.

    Attributes:
        value: What it holds, marked.
        mark: Where it begins.
        files: It and every imported file, absolute.
    """

    value: object
    mark: Mark
    files: frozenset[Path]


def load_yaml(file: Path, files: EvalFiles) -> Expanded:
    """Read a file of YAML, or of JSON where its name says so, and everything that it imports.

    Raises:
        SuiteError: Files are missing, unreadable, no YAML or JSON, outside the border, or import themselves; with all
            of them.
    """
    importer = _Importer(files)
    try:
        document = importer.parse(file)
        value = importer.expand(document.value, (file,), "", 0)
    except SuiteError as error:
        importer.problems += error.problems
    if importer.problems:
        raise SuiteError(in_order(importer.problems))
    return Expanded(value, document.mark, frozenset(importer.documents))


class _TooMuchError(SuiteError):
    """There is no point in looking at further imports."""


@dataclass(slots=True)
class _Imported:
    """What one ``$import`` brings: its items, and whether it is a single mapping."""

    items: MarkedList
    is_mapping: bool


@dataclass(slots=True)
class _Importer:
    """Expands imports, and keeps count, because a few files that import each other twice grow without end."""

    files: EvalFiles
    documents: dict[Path, Document] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)
    loads: int = 0
    size: int = 0

    def parse(self, file: Path) -> Document:
        """Read one file, once."""
        if file not in self.documents:
            try:
                text = read_text(file, MAX_FILE)
            except UnreadableError as error:
                raise SuiteError([Problem(str(error), file, error.line, error.column)]) from None
            parse = parse_json if file.suffix.lower() == _JSON else parse_yaml
            self.documents[file] = parse(text, file)
        return self.documents[file]

    def expand(self, value: object, chain: tuple[Path, ...], path: str, depth: int) -> object:
        """The value with imports in their place; `chain` leads to the file that holds it."""
        if depth > MAX_DEPTH:
            raise SuiteError([Problem(f"is nested more than {MAX_DEPTH} levels deep", chain[-1], path=path)])
        if isinstance(value, MarkedList):
            return self._expand_list(value, chain, path, depth)
        if not isinstance(value, MarkedMap):
            return value
        if IMPORT_KEY not in value:
            return self._expand_map(value, chain, path, depth)
        imported = self._import(value, chain, path, depth)
        return imported.items[0] if imported.is_mapping else imported.items

    def _expand_list(self, source: MarkedList, chain: tuple[Path, ...], path: str, depth: int) -> MarkedList:
        result = MarkedList(source.mark)
        for index, item in enumerate(source):
            place = join_path(path, index)
            if isinstance(item, MarkedMap) and IMPORT_KEY in item:
                imported = self._import(item, chain, place, depth + 1).items
                for offset, one in enumerate(imported):
                    result.add(one, imported.item_marks[offset], imported.written.get(offset))
            else:
                expanded = self.expand(item, chain, place, depth + 1)
                result.add(expanded, source.item_marks[index], source.written.get(index))
        return result

    def _expand_map(self, source: MarkedMap, chain: tuple[Path, ...], path: str, depth: int) -> MarkedMap:
        result = MarkedMap(source.mark)
        for key, item in source.items():
            if key == IMPORT_KEY:
                continue
            result.take(key, source)
            result[key] = self.expand(item, chain, join_path(path, key), depth + 1)
        return result

    def _import(self, node: MarkedMap, chain: tuple[Path, ...], path: str, depth: int) -> _Imported:
        place = join_path(path, IMPORT_KEY)
        siblings = self._expand_map(node, chain, path, depth)
        result = MarkedList(node.mark)
        sees_list = False
        for reference, mark in _references(node):
            with self._gathering():
                for target in self._targets(reference, mark, place):
                    with self._gathering():
                        document = self._load(target, chain, mark, place)
                        value = self.expand(document.value, (*chain, target), "", depth)
                        sees_list |= isinstance(value, MarkedList)
                        if value is None:
                            raise _fault(mark, place, f"{self.files.shown(target)} is empty")
                        _splice(result, value, document.mark)
        if siblings:
            with self._gathering():
                result = _override(result, siblings, node.value_marks[IMPORT_KEY], place)
        return _Imported(result, len(result) == 1 and not sees_list and isinstance(result[0], MarkedMap))

    @contextmanager
    def _gathering(self) -> Iterator[None]:
        """Note what an import is refused for, so that the next one is looked at too."""
        try:
            yield
        except _TooMuchError:
            raise
        except SuiteError as error:
            self.problems += error.problems
            if len(self.problems) >= _MOST_PROBLEMS:
                raise _TooMuchError(()) from None

    def _load(self, target: Path, chain: tuple[Path, ...], mark: Mark, place: str) -> Document:
        if target in chain:
            names = " -> ".join(self.files.shown(file) for file in (*chain[chain.index(target) :], target))
            raise _fault(mark, place, f"the files import each other in a circle: {names}")
        if len(chain) >= _MAX_CHAIN:
            raise _fault(mark, place, f"imports are nested more than {_MAX_CHAIN} files deep")
        document = self.parse(target)
        self.loads += 1
        self.size += document.size
        if self.loads > _MAX_FILES or self.size > _MAX_SIZE:
            message = f"imports bring more than {_MAX_FILES} files or {_MAX_SIZE >> 20} MiB"
            raise _TooMuchError([Problem(message, *mark, path=place)])
        return document

    def _targets(self, reference: object, mark: Mark, place: str) -> list[Path]:
        if not isinstance(reference, str) or not reference:
            raise _fault(mark, place, f"must be a path or a list of paths, not {shown(reference)}")
        folder = mark.file.parent
        if "*" in reference:
            targets = self._matches(reference, folder)
        else:
            found = self.files.find(reference, [folder])
            if found is None:
                raise _fault(mark, place, f"{shown(reference)} does not exist")
            targets = [found] if self.files.leaves(found) or not found.is_dir() else _yaml_files(found)
        for target in targets:
            if self.files.leaves(target):
                message = f"{shown(reference)} lies outside {self.files.border}; pass --allow-outside if it may be read"
                raise _fault(mark, place, message)
        if not targets:
            raise _fault(mark, place, f"{shown(reference)} matches no file")
        for target in targets:
            try:
                target.stat()
            except OSError as error:
                raise _fault(mark, place, f"{shown(reference)} cannot be read: {reason(error)}") from None
        return targets

    def _matches(self, pattern: str, folder: Path) -> list[Path]:
        steps = [step for step in pattern.split("/") if step not in ("", ".")]
        magic = next(index for index, step in enumerate(steps) if "*" in step)
        start = Path(os.path.normpath(Path("/" if pattern.startswith("/") else folder, *steps[:magic])))
        if self.files.leaves(start):
            return [start]
        return sorted(
            file for file in _files_below(start) if _matches_glob(file.relative_to(start).parts, steps[magic:])
        )


def _references(node: MarkedMap) -> Iterable[tuple[object, Mark]]:
    value, mark = node[IMPORT_KEY], node.value_marks[IMPORT_KEY]
    return zip(value, value.item_marks, strict=True) if isinstance(value, MarkedList) else [(value, mark)]


def _splice(target: MarkedList, value: object, mark: Mark) -> None:
    if isinstance(value, MarkedList):
        for index, item in enumerate(value):
            target.add(item, value.item_marks[index], value.written.get(index))
    else:
        target.add(value, mark)


def _override(items: MarkedList, siblings: MarkedMap, mark: Mark, place: str) -> MarkedList:
    result = MarkedList(items.mark)
    for index, item in enumerate(items):
        if not isinstance(item, MarkedMap):
            raise _fault(mark, place, f"brings {shown(item)}, which the keys beside it cannot be merged into")
        merged = MarkedMap(item.mark)
        for source in (item, siblings):
            for key in source:
                merged.take(key, source)
        result.add(merged, items.item_marks[index])
    return result


def _yaml_files(folder: Path) -> list[Path]:
    return sorted(file for file in _files_below(folder) if file.suffix in _SUFFIXES)


def _files_below(folder: Path) -> Iterator[Path]:
    for current, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if name not in _SKIPPED_FOLDERS]
        yield from (Path(current, name) for name in names)


def _matches_glob(parts: Sequence[str], steps: Sequence[str]) -> bool:
    """Whether the parts of a path match: ``*`` within one name, ``**`` for any number of folders."""
    reached = {0}
    for part in parts:
        following = set()
        for at in _past_double_stars(reached, steps):
            if at < len(steps) and steps[at] == "**":
                following.add(at)
            elif at < len(steps) and _matches_name(part, steps[at]):
                following.add(at + 1)
        reached = following
    return len(steps) in reached or (steps[-1] == "**" and len(steps) - 1 in reached)


def _past_double_stars(positions: set[int], steps: Sequence[str]) -> set[int]:
    result = set(positions)
    for at in sorted(positions):
        while at < len(steps) and steps[at] == "**":
            at += 1  # noqa: PLW2901  (walks on from each position)
            result.add(at)
    return result


def _matches_name(name: str, pattern: str) -> bool:
    # fnmatch does not backtrack over its stars, as a regex made by hand would; only the star is magic here.
    return fnmatch.fnmatchcase(name, pattern.replace("[", "[[]").replace("?", "[?]"))


def _fault(mark: Mark, path: str, message: str) -> SuiteError:
    return SuiteError([Problem(message, *mark, path=path)])
