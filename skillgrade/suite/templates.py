"""``{{ row.column }}`` in the texts of a dataset task: checked once against the columns, rendered for each row.

Only expressions are allowed, over ``row`` alone, with a fixed set of filters and without multiplication: a downloaded
eval must neither run code nor keep the machine busy. The language is that of Jinja2, in its sandbox.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from skillgrade.wording import did_you_mean, shown

if TYPE_CHECKING:
    from jinja2 import nodes
    from jinja2.sandbox import SandboxedEnvironment

LONGEST_TEXT = 1024 * 1024
"""Characters that one text may become."""

FILTERS = frozenset({
    "abs", "capitalize", "default", "first", "float", "int", "join", "last", "length", "lower", "replace", "round",
    "string", "title", "tojson", "trim", "upper",
})  # fmt: skip
"""The filters that may be used."""

TESTS = frozenset(("defined", "in", "none", "number", "string", "undefined"))

_NODES = frozenset({
    "Template", "Output", "TemplateData", "Name", "Getattr", "Getitem", "Const", "Filter", "Test", "Compare", "Operand",
    "And", "Or", "Not", "CondExpr", "Concat", "Add", "Sub", "Neg", "List", "Tuple",
})  # fmt: skip

Row = Mapping[str, object]


class TemplateError(ValueError):
    """A template is wrong, or a row does not fit it; the message is a sentence about it."""


def text_template(text: str, columns: Collection[str]) -> Callable[[Row], str]:
    """What renders a text for a row.

    Args:
        text: The template.
        columns: The columns that rows have.

    Raises:
        TemplateError: It is none, or names an unknown column; the returned function raises it for a row that lacks a
            column, and where too much would come out.
    """
    tree = _parsed(text, columns)
    pieces = _plain_pieces(tree)
    if pieces is not None:
        return functools.partial(_joined, pieces)
    template = _environment().from_string(text)
    return functools.partial(_rendered, template)


def value_template(text: str, columns: Collection[str]) -> Callable[[Row], object]:
    """Like `text_template`; but a text that is one expression and nothing else becomes its value, of whatever type.

    Raises:
        TemplateError: See `text_template`.
    """
    tree = _parsed(text, columns)
    pieces = _plain_pieces(tree)
    if pieces is not None and len(pieces) == 1 and isinstance(pieces[0], tuple):
        return functools.partial(_cell, pieces[0][0])
    return text_template(text, columns)


def condition(text: str, columns: Collection[str]) -> Callable[[Row], bool]:
    """What decides by an expression, such as ``row.tier == "easy"``, whether a row counts.

    Raises:
        TemplateError: See `text_template`.
    """
    _parsed(f"{{{{ {text} }}}}", columns)
    decide = _environment().compile_expression(text, undefined_to_none=False)

    def decided(row: Row) -> bool:
        try:
            return bool(decide(row=row))
        except Exception as error:  # noqa: BLE001 - what an expression does with a row's values is the user's
            raise TemplateError(f"{shown(text)}: {error}") from None

    return decided


def _parsed(text: str, columns: Collection[str]) -> nodes.Template:
    from jinja2 import TemplateSyntaxError, nodes

    try:
        tree = _environment().parse(text)
    except TemplateSyntaxError as error:
        raise TemplateError(f"{shown(text)}: {error.message}") from None
    for node in [tree, *tree.find_all(nodes.Node)]:
        _check(node, text, columns)
    return tree


def _check(node: nodes.Node, text: str, columns: Collection[str]) -> None:
    kind = type(node).__name__
    name = getattr(node, "name", None)
    if kind not in _NODES:
        raise TemplateError(f"{shown(text)}: {kind.lower()} is not allowed; use {{{{ row.column }}}} and filters")
    if kind == "Name" and name != "row":
        raise TemplateError(f"{shown(text)}: {shown(str(name))} is unknown; only `row` is there, as in row.column")
    if kind == "Filter" and name not in FILTERS:
        raise TemplateError(f"{shown(text)}: the filter {shown(str(name))} is not among {', '.join(sorted(FILTERS))}")
    if kind == "Test" and name not in TESTS:
        raise TemplateError(f"{shown(text)}: the test {shown(str(name))} is not among {', '.join(sorted(TESTS))}")
    column = _column_of(node)
    if column is not None and column not in columns:
        hint = did_you_mean(column, columns)
        listed = ", ".join(map(shown, columns))
        raise TemplateError(f"{shown(text)}: there is no column {shown(column)}{hint}; there are {listed}")


def _column_of(node: nodes.Node) -> str | None:
    """The column that a node reads from the row; None where it is something else."""
    from jinja2 import nodes

    match node:
        case nodes.Getattr(node=nodes.Name(name="row"), attr=attr):
            return str(attr)
        case nodes.Getitem(node=nodes.Name(name="row"), arg=nodes.Const(value=str(value))):
            return value
        case _:
            return None


def _plain_pieces(tree: nodes.Template) -> Sequence[str | tuple[str]] | None:
    """The texts and columns (in tuples) of a template that has nothing else; None where it has.

    Most templates are such, and joining pieces is many times faster than what renders all others.
    """
    from jinja2 import nodes

    pieces: list[str | tuple[str]] = []
    for output in tree.body:
        for node in output.nodes if isinstance(output, nodes.Output) else (output,):
            column = _column_of(node)
            if isinstance(node, nodes.TemplateData):
                pieces.append(node.data)
            elif column is not None:
                pieces.append((column,))
            else:
                return None
    return pieces


def _joined(pieces: Sequence[str | tuple[str]], row: Row) -> str:
    return "".join(piece if isinstance(piece, str) else _as_text(_cell(piece[0], row)) for piece in pieces)


def _cell(column: str, row: Row) -> object:
    try:
        return row[column]
    except KeyError:
        raise TemplateError(f"it has no {shown(column)}") from None


def _as_text(value: object) -> str:
    return value if isinstance(value, str) else str(value)


def _rendered(template: Any, row: Row) -> str:
    size, parts = 0, []
    try:
        for part in template.generate(row=row):
            size += len(part)
            parts.append(part)
            if size > LONGEST_TEXT:
                break
    except Exception as error:  # noqa: BLE001 - what an expression does with a row's values is the user's
        raise TemplateError(str(error)) from None
    if size > LONGEST_TEXT:
        raise TemplateError(f"becomes longer than {LONGEST_TEXT} characters")
    return "".join(parts)


@functools.cache
def _environment() -> SandboxedEnvironment:
    from jinja2 import StrictUndefined
    from jinja2.sandbox import SandboxedEnvironment

    return SandboxedEnvironment(undefined=StrictUndefined, autoescape=False, keep_trailing_newline=True)
