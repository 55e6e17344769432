"""The language of templates: that of Jinja2 in its sandbox, of which only expressions over ``row`` are allowed.

There is a fixed set of filters and no multiplication: a downloaded eval must neither run code nor keep the machine
busy.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from skillgrade.suite.template_filters import FILTERS, filters
from skillgrade.wording import did_you_mean, shown

if TYPE_CHECKING:
    from jinja2 import nodes
    from jinja2.sandbox import SandboxedEnvironment

TESTS = frozenset(("defined", "in", "none", "number", "string", "undefined"))

_NODES = frozenset({
    "Template", "Output", "TemplateData", "Name", "Getattr", "Getitem", "Const", "Filter", "Test", "Compare", "Operand",
    "And", "Or", "Not", "CondExpr", "Concat", "Add", "Sub", "Neg", "List", "Tuple",
})  # fmt: skip

_MOST_LISTED = 30
"""Columns that a message names; a table may have thousands."""


class TemplateError(ValueError):
    """A template is wrong, or a row does not fit it; the message is a sentence about it.

    Attributes:
        line: The 1-based line of the template that is meant; None where a row is.
    """

    def __init__(self, message: str, line: int | None = None) -> None:
        super().__init__(message)
        self.line = line


@contextmanager
def faults_of(text: str) -> Iterator[None]:
    """Make what Jinja2 finds wrong with a template a `TemplateError`."""
    from jinja2 import TemplateSyntaxError

    try:
        yield
    except TemplateSyntaxError as error:
        raise _wrong(text, error.lineno, error.message or "is no template") from None
    except (SyntaxError, RecursionError, MemoryError, OverflowError):  # of the Python that templates become
        raise TemplateError(f"{shown(text)}: is nested too deeply", 1) from None


def _wrong(text: str, line: int, message: str) -> TemplateError:
    """What is wrong with one line of a template, which is quoted."""
    lines = text.split("\n")
    written = lines[min(line, len(lines)) - 1].strip()
    where = f"line {line} of the text, {shown(written)}" if len(lines) > 1 else shown(written)
    return TemplateError(f"{where}: {message}", line)


def parsed(text: str, columns: Collection[str]) -> nodes.Template:
    """What Jinja2 makes of a template.

    Raises:
        TemplateError: It is none, uses what is not allowed, or names an unknown column.
    """
    from jinja2 import nodes

    with faults_of(text):
        tree = environment().parse(text)
        found = [tree, *tree.find_all(nodes.Node)]
    for node in found:
        _check(node, text, columns)
    return tree


def _check(node: nodes.Node, text: str, columns: Collection[str]) -> None:
    kind = type(node).__name__
    name = getattr(node, "name", None)
    if kind not in _NODES:
        raise _wrong(text, node.lineno, f"{kind.lower()} is not allowed; use {{{{ row.column }}}} and filters")
    if kind == "Name" and name != "row":
        message = f"{shown(str(name))} is unknown; only `row` is there, as in row.column"
        raise _wrong(text, node.lineno, message)
    if kind == "Filter" and name not in FILTERS:
        message = f"the filter {shown(str(name))} is not among {', '.join(sorted(FILTERS))}"
        raise _wrong(text, node.lineno, message)
    if kind == "Test" and name not in TESTS:
        raise _wrong(text, node.lineno, f"the test {shown(str(name))} is not among {', '.join(sorted(TESTS))}")
    column = column_of(node)
    if column is not None and column not in columns:
        raise _wrong(text, node.lineno, no_column(column, columns))


def no_column(column: str, columns: Collection[str]) -> str:
    """A sentence that says which columns there are instead."""
    listed = ", ".join(map(shown, itertools.islice(columns, _MOST_LISTED)))
    more = f" and {len(columns) - _MOST_LISTED} more" if len(columns) > _MOST_LISTED else ""
    return f"there is no column {shown(column)}{did_you_mean(column, columns)}; there are {listed}{more}"


def column_of(node: nodes.Node) -> str | None:
    """The column that a node reads from the row; None where it is something else."""
    from jinja2 import nodes

    match node:
        case nodes.Getattr(node=nodes.Name(name="row"), attr=attr):
            return str(attr)
        case nodes.Getitem(node=nodes.Name(name="row"), arg=nodes.Const(value=str(value))):
            return value
        case _:
            return None


@functools.cache
def environment() -> SandboxedEnvironment:
    """What renders templates and evaluates expressions."""
    from jinja2 import StrictUndefined
    from jinja2.sandbox import SandboxedEnvironment

    class Rows(SandboxedEnvironment):
        """Where a dot reads a value of a mapping, and never an attribute: a column may be called `items`."""

        def getattr(self, obj: Any, attribute: str) -> Any:
            """The value; undefined where there is none."""
            return self.getitem(obj, attribute)

        def getitem(self, obj: Any, argument: Any) -> Any:
            """The value; undefined where there is none."""
            try:
                return obj[argument]
            except (LookupError, TypeError):
                return self.undefined(f"it has no {shown(str(argument))}")

    # A text may hold `{#`, and none needs Jinja2's comments.
    environment = Rows(
        undefined=StrictUndefined, autoescape=False, keep_trailing_newline=True, comment_start_string="\0#"
    )
    environment.filters = filters(environment.filters)
    return environment
