"""``{{ row.column }}`` in the texts of a dataset task: checked once against the columns, rendered for each row.

Only expressions are allowed, over ``row`` alone, with a fixed set of filters and without multiplication: a downloaded
eval must neither run code nor keep the machine busy. The language is that of Jinja2, in its sandbox.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from skillgrade.suite.template_filters import FILTERS, LONGEST_TEXT, filters
from skillgrade.wording import did_you_mean, shown

if TYPE_CHECKING:
    from jinja2 import nodes
    from jinja2.sandbox import SandboxedEnvironment

TESTS = frozenset(("defined", "in", "none", "number", "string", "undefined"))

_NODES = frozenset({
    "Template", "Output", "TemplateData", "Name", "Getattr", "Getitem", "Const", "Filter", "Test", "Compare", "Operand",
    "And", "Or", "Not", "CondExpr", "Concat", "Add", "Sub", "Neg", "List", "Tuple",
})  # fmt: skip

_TOO_LONG = f"a text becomes longer than {LONGEST_TEXT} characters"

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
        return _joining(pieces)
    with _faults_of(text):
        return functools.partial(_rendered, _environment().from_string(text))


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
    with _faults_of(text):
        decide = _environment().compile_expression(text, undefined_to_none=False)

    def decided(row: Row) -> bool:
        try:
            return bool(decide(row=row))
        except Exception as error:  # noqa: BLE001 - what an expression does with a row's values is the user's
            raise TemplateError(f"{shown(text)}: {error}") from None

    return decided


@contextmanager
def _faults_of(text: str) -> Iterator[None]:
    """Make what Jinja2 finds wrong with a template a `TemplateError`."""
    from jinja2 import TemplateSyntaxError

    try:
        yield
    except TemplateSyntaxError as error:
        raise TemplateError(f"{shown(text)}: {error.message}") from None
    except (SyntaxError, RecursionError, MemoryError, OverflowError):  # of the Python that templates become
        raise TemplateError(f"{shown(text)}: is nested too deeply") from None


def _parsed(text: str, columns: Collection[str]) -> nodes.Template:
    from jinja2 import nodes

    with _faults_of(text):
        tree = _environment().parse(text)
        found = [tree, *tree.find_all(nodes.Node)]
    for node in found:
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


def _joining(pieces: Sequence[str | tuple[str]]) -> Callable[[Row], str]:
    """What puts a row's values between texts, by the formatting of `%`, which is the quickest."""
    pattern = "".join(piece.replace("%", "%%") if isinstance(piece, str) else "%s" for piece in pieces)
    columns = [piece[0] for piece in pieces if not isinstance(piece, str)]

    def joined(row: Row) -> str:
        try:
            text = pattern % tuple([row[column] for column in columns])
        except KeyError as error:
            raise TemplateError(f"it has no {shown(str(error.args[0]))}") from None
        if len(text) > LONGEST_TEXT:
            raise TemplateError(_TOO_LONG)
        return text

    return joined


def _cell(column: str, row: Row) -> object:
    try:
        return row[column]
    except KeyError:
        raise TemplateError(f"it has no {shown(column)}") from None


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
        raise TemplateError(_TOO_LONG)
    return "".join(parts)


@functools.cache
def _environment() -> SandboxedEnvironment:
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
                return self.undefined(obj=obj, name=argument)

    # A text may hold `{#`, and none needs Jinja2's comments.
    environment = Rows(
        undefined=StrictUndefined, autoescape=False, keep_trailing_newline=True, comment_start_string="\0#"
    )
    environment.filters = filters(environment.filters)
    return environment
