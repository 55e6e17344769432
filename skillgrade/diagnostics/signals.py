"""When assertions should be harder next time; advice only, but for the last one."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from skillgrade.diagnostics.classify import is_content, is_format, is_tool
from skillgrade.diagnostics.model import Result, Status

_LOW, _HIGH = 0.6, 0.9
"""Weights below the one are easy, from the other on they are what the work is for."""


def escalation_signals(results: Sequence[Result], oracle: bool | None) -> Iterator[str]:
    """Why the assertions should be harder, in sentences.

    Args:
        results: What came of the assertions; those that could not be evaluated are left out.
        oracle: Whether graders of another kind let the work pass; None where nobody asked.
    """
    known = [each for each in results if each.status is not Status.BROKEN]
    failed = [each for each in known if each.status is Status.FAILED]

    def counts(which: Callable[[Result], bool]) -> tuple[int, int]:
        chosen = [each for each in known if which(each)]
        return sum(each.status is Status.FAILED for each in chosen), len(chosen)

    format_failed, formats = counts(is_format)
    content_failed, contents = counts(is_content)
    if formats and not format_failed and content_failed:
        yield (
            f"format assertions pass ({formats}/{formats}) but content assertions fail ({content_failed}/{contents}): "
            "correct structure, wrong content"
        )
    tool_failed, tools = counts(is_tool)
    others = len(known) - tools
    if tools and not tool_failed and failed:
        yield (
            f"tool assertions pass ({tools}/{tools}) but output assertions fail ({len(failed)}/{others}): "
            "right tools, misread results"
        )
    low_failed, lows = counts(lambda each: each.weight < _LOW)
    high_failed, highs = counts(lambda each: each.weight >= _HIGH)
    if lows and not low_failed and high_failed:
        yield (
            f"low-weight assertions pass ({lows}/{lows}) but high-weight assertions fail ({high_failed}/{highs}): "
            "easy cases handled, core requirements missed"
        )
    if known and not failed and oracle is False:
        yield f"all surrogate assertions pass ({len(known)}/{len(known)}) but the oracle fails: the tests are too weak"
