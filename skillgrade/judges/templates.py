"""The templates of prompts, and the digests that tags and recordings are made from."""

from __future__ import annotations

import functools
import hashlib
from importlib import resources
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from jinja2.sandbox import SandboxedEnvironment

TAG_DIGITS = 16
"""Hexadecimal digits of a digest that a tag is made of."""


def digest(*texts: str) -> str:
    """The sha256 of some texts in their order, in hexadecimal."""
    parts = [text.encode() for text in texts]
    # The lengths stand before them, so that no two lists of texts give the same bytes.
    return hashlib.sha256(b"".join([b"%d:%b" % (len(part), part) for part in parts])).hexdigest()


@functools.cache
def source(name: str) -> str:
    """What a template says, before anything is put into it."""
    return resources.files(__package__).joinpath("prompts", name).read_text("utf-8")


def render(name: str, **values: object) -> str:
    """What a template makes of some values; one that it does not know is an error of ours."""
    return _templates().get_template(name).render(values)


@functools.cache
def _templates() -> SandboxedEnvironment:
    # jinja2 takes longer to import than everything else that a start needs.
    from jinja2 import FunctionLoader, StrictUndefined
    from jinja2.sandbox import SandboxedEnvironment

    return SandboxedEnvironment(
        loader=FunctionLoader(source),
        autoescape=False,  # what is put in is data between tags that it cannot contain, and no HTML
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )
