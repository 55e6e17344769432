"""``{{ row.column }}`` in the texts of a dataset task: checked once against the columns, rendered for each row."""

from __future__ import annotations

import functools
import json
import operator
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NoReturn

from skillgrade.suite.template_filters import LONGEST_TEXT
from skillgrade.suite.template_language import TemplateError, column_of, environment, faults_of, parsed
from skillgrade.wording import shown

if TYPE_CHECKING:
    from jinja2 import nodes

_TOO_LONG = f"a text becomes longer than {LONGEST_TEXT} characters"

_EXPRESSION = re.compile(r"\{\{[-+]?(.*?)-?\}\}", re.DOTALL)

Row = Mapping[str, object]


def text_template(text: str, columns: Collection[str]) -> Callable[[Row], str]:
    """What renders a text for a row.

    Args:
        text: The template.
        columns: The columns that rows have.

    Raises:
        TemplateError: It is none, or names an unknown column; the returned function raises it for a row that lacks a
            column, and where too much would come out.
    """
    tree = parsed(text, columns)
    pieces = _plain_pieces(tree)
    if pieces is not None:
        return _joining(pieces)
    with faults_of(text):
        return functools.partial(_rendered, environment().from_string(text))


def value_template(text: str, columns: Collection[str]) -> Callable[[Row], object]:
    """Like `text_template`; but a text that is one expression and nothing else becomes its value, of whatever type.

    Raises:
        TemplateError: See `text_template`.
    """
    tree = parsed(text, columns)
    pieces = _plain_pieces(tree)
    if pieces is not None and len(pieces) == 1 and isinstance(pieces[0], tuple):
        return functools.partial(_cell, pieces[0][0])
    if pieces is None and _is_one_expression(tree) and (written := _EXPRESSION.fullmatch(text)):
        with faults_of(text):
            return functools.partial(_value, environment().compile_expression(written[1], undefined_to_none=False))
    return text_template(text, columns)


def condition(text: str, columns: Collection[str]) -> Callable[[Row], bool]:
    """What decides by an expression, such as ``row.tier == "easy"``, whether a row counts.

    Raises:
        TemplateError: See `text_template`.
    """
    if "{{" in text:
        raise TemplateError(f'{shown(text)}: an expression stands here without braces, such as row.tier == "easy"')
    parsed(f"{{{{ {text} }}}}", columns)
    with faults_of(text):
        decide = environment().compile_expression(text, undefined_to_none=False)

    def decided(row: Row) -> bool:
        try:
            return bool(decide(row=row))
        except Exception as error:  # noqa: BLE001 - what an expression does with a row's values is the user's
            raise TemplateError(f"{shown(text)}: {error}") from None

    return decided


def _plain_pieces(tree: nodes.Template) -> Sequence[str | tuple[str]] | None:
    """The texts and columns (in tuples) of a template that has nothing else; None where it has.

    Most templates are such, and joining pieces is many times faster than what renders all others.
    """
    from jinja2 import nodes

    pieces: list[str | tuple[str]] = []
    for output in tree.body:
        for node in output.nodes if isinstance(output, nodes.Output) else (output,):
            column = column_of(node)
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
    # Of one column it gets the value itself, which is no tuple in any row.
    values = operator.itemgetter(*columns) if columns else lambda _row: ()

    def joined(row: Row) -> str:
        try:
            text = pattern % values(row)
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


def _is_one_expression(tree: nodes.Template) -> bool:
    from jinja2 import nodes

    outputs = [node for output in tree.body if isinstance(output, nodes.Output) for node in output.nodes]
    return len(tree.body) == len(outputs) == 1 and not isinstance(outputs[0], nodes.TemplateData)


def _value(evaluate: Callable[..., object], row: Row) -> object:
    """What an expression makes of a row, in the types of JSON."""
    try:
        value = json.dumps(evaluate(row=row), allow_nan=False, default=_refuse)
    except Exception as error:  # noqa: BLE001 - what an expression does with a row's values is the user's
        raise TemplateError(str(error)) from None
    if len(value) > LONGEST_TEXT:
        raise TemplateError(_TOO_LONG)
    return json.loads(value)


def _refuse(undefined: object) -> NoReturn:
    """Fail as strict undefined values do when they are used."""
    raise ValueError(str(undefined))


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
