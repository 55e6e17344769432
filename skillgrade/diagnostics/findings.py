"""From failed assertions to root causes: what SKILL.md asks for, what the output has, and what to change."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from skillgrade.diagnostics.classify import (
    category_of,
    failed_items,
    group_of,
    is_item,
    place_of,
)
from skillgrade.diagnostics.lookup import Place, SkillText
from skillgrade.diagnostics.model import SEVERITIES, Case, Category, Finding, Result, Severity, Status
from skillgrade.skill.sections import headings

_SHOWN = 80
_ORDER = (Severity.HIGH, Severity.MEDIUM, Severity.LOW)
_COLUMNS = re.compile(r"columns?:?\s+(?P<names>[\w /-]+(?:,\s*[\w /-]+)+)", re.IGNORECASE)


def shown_target(target: str) -> str:
    """A target as diagnostics name it: on one line, and not too long."""
    text = target.replace("\r", "").replace("\n", "\\n")
    return text if len(text) <= _SHOWN else f"{text[: _SHOWN - 1]}…"


def root_causes(case: Case, skill: SkillText) -> list[Finding]:
    """The root causes of a case, the worst first, partial successes last."""
    places = [place_of(result, skill) for result in case.results]
    groups = {number: group_of(result, places[number]) for number, result in enumerate(case.results)}
    missing = failed_items(case.results, groups)
    found: list[Finding] = []
    done: set[str] = set()
    for number, result in enumerate(case.results):
        if result.status is not Status.FAILED:
            continue
        group = groups[number]
        category = category_of(result, missing.get(group, 0) if group is not None else 0)
        if category is Category.INCOMPLETE and group is not None:
            if group not in done:
                done.add(group)
                members = [n for n, each in enumerate(case.results) if groups[n] == group and is_item(each)]
                found.append(_incomplete(case, group, members, places))
            continue
        found.append(_single(case, skill, number, result, category, places[number]))
    found.sort(key=lambda one: (_ORDER.index(one.severity), -one.weight, one.order))
    return [*found, *_partial(case, done)]


def _incomplete(case: Case, group: str, members: Sequence[int], places: Sequence[Place | None]) -> Finding:
    items = [case.results[number] for number in members]
    failed = [each for each in items if each.status is Status.FAILED]
    present = [shown_target(each.target) for each in items if each.status is Status.PASSED]
    missing = [shown_target(each.target) for each in failed]
    expected = [shown_target(each.target) for each in items]
    place = next((places[number] for number in members if places[number] is not None), None)
    known = [shown_target(each.target) for each in items if each.status is not Status.BROKEN]
    where = _where(place) if place is not None and place.section == group else f'the group "{group}"'
    section = place.section if place is not None else None
    target = _where(place) if place is not None else "SKILL.md"
    return Finding(
        category=Category.INCOMPLETE,
        severity=SEVERITIES[Category.INCOMPLETE],
        results=tuple(failed),
        weight=sum(each.weight for each in failed),
        order=case.results.index(failed[0]),
        section=section,
        quote=place.quote if place is not None else "",
        expected=tuple(expected),
        present=tuple(present),
        missing=tuple(missing),
        location="",
        tools=(),
        explanation=f'missing from "{group}" ({len(present)} of {len(known)} items present)',
        root_cause=(
            f"{where} expects {', '.join(expected)}. Present: {', '.join(present) or 'none'}. "
            f"Missing: {', '.join(missing)}."
        ),
        remediation=f"In {target}, enumerate the required items: {', '.join(expected)}.",
    )


def _single(
    case: Case, skill: SkillText, number: int, result: Result, category: Category, place: Place | None
) -> Finding:
    make = {
        Category.MISSING: _missing,
        Category.FORMAT: _format,
        Category.HALLUCINATED: _hallucinated,
        Category.TOOL: _tool,
    }[category]
    explanation, root_cause, remediation, location = make(case, skill, result, place)
    target = shown_target(result.target)
    is_there = category is Category.HALLUCINATED
    return Finding(
        category=category,
        severity=SEVERITIES[category],
        results=(result,),
        weight=result.weight,
        order=number,
        section=place.section if place is not None else None,
        quote=place.quote if place is not None else "",
        expected=() if is_there else (target,),
        present=(target,) if is_there else (),
        missing=() if is_there else (target,),
        location=location,
        tools=_tool_names(case) if category is Category.TOOL else (),
        explanation=explanation,
        root_cause=root_cause,
        remediation=remediation,
    )


def _missing(case: Case, skill: SkillText, result: Result, place: Place | None) -> tuple[str, str, str, str]:
    target = shown_target(result.target)
    fails = "does not match it" if result.type == "matches_regex" else "does not contain it"
    if result.type == "file_exists":
        fails = "does not come with it"
    seen = _headings_in(case.output)
    if place is None:
        cause = f'{_no_place(skill)} "{target}", and the output {fails}. {seen}'
        return f"the output {fails}", cause, f'State "{target}" in SKILL.md, or drop the assertion.', ""
    cause = f'{_where(place)} promises "{target}", but the output {fails}. {seen}'
    step = f"Include '{target}' in the output."
    if result.type == "matches_regex":
        step = f"Write output that matches '{target}'."
    elif target.lstrip().startswith("#"):
        step = f"Generate a section titled '{target}'."
    return f"the output {fails}", cause, f'In {_where(place)}, add an explicit step: "{step}"', ""


def _format(case: Case, skill: SkillText, result: Result, place: Place | None) -> tuple[str, str, str, str]:
    target = shown_target(result.target)
    is_pattern = result.type == "matches_regex"
    fails = "does not match it" if is_pattern else f"is not {target}"
    seen = _form_of(case.output)
    if place is None:
        cause = f'{_no_place(skill)} the format "{target}", and the output {fails}. {seen}'
        return f"the output {fails}", cause, f'State the format "{target}" in SKILL.md, or drop the assertion.', ""
    cause = f'{_where(place)} specifies "{place.quote}", but the output {fails}. {seen}'
    columns = _COLUMNS.search(place.quote)
    with_columns = f" with columns: [{columns['names'].strip()}]" if columns and target == "markdown_table" else ""
    wanted = f"Output matches '{target}'" if is_pattern else f"Output as a {target}{with_columns}"
    remedy = f'In {_where(place)}, replace "{place.quote}" with "{wanted}".'
    return f"the output {fails}", cause, remedy, ""


def _hallucinated(case: Case, skill: SkillText, result: Result, place: Place | None) -> tuple[str, str, str, str]:
    target = shown_target(result.target)
    location = _location(case.output, result.target)
    at = f" at {location}" if location else ""
    ban = f"Do NOT include '{target}' in the output."
    if place is None:
        cause = f'{_no_place(skill)} "{target}", and the output contains it{at}: nothing rules it out.'
        return f"the output contains it{at}", cause, f'Add an explicit constraint to SKILL.md: "{ban}"', location
    cause = f'{_where(place)} says "{place.quote}", but the output contains "{target}"{at}.'
    return f"the output contains it{at}", cause, f'In {_where(place)}, add an explicit constraint: "{ban}"', location


def _tool(case: Case, skill: SkillText, result: Result, place: Place | None) -> tuple[str, str, str, str]:
    target = shown_target(result.target)
    seen = _tools_in(case)
    used = (
        f"the run used {seen}" if seen else "the run called no tool" if case.tools is not None else "no call was seen"
    )
    said = f"tools seen: {seen}" if seen else "no tools seen"
    explanation = f"not called ({said})" if not result.negated else f"called though it must not be ({said})"
    if place is None:
        cause = f'{_no_place(skill)} the tool "{target}", and {used}.'
        return explanation, cause, f'Name the tool in SKILL.md: "Use the {target} tool", or drop the assertion.', ""
    cause = f'{_where(place)} specifies "{place.quote}", but {used}.'
    others = [name for name in dict.fromkeys(case.tools or ()) if name != result.target]
    ruled = f", and rule out {_listed(others)} for it" if others else ""
    return explanation, cause, f'In {_where(place)}, name the tool in the step: "Use the {target} tool"{ruled}.', ""


def _partial(case: Case, incomplete: set[str]) -> Iterator[Finding]:
    """One summary for each group that the eval names, of which a part passed and a part did not."""
    for group in dict.fromkeys(each.group for each in case.results if each.group is not None):
        if group in incomplete:
            continue
        members = [each for each in case.results if each.group == group and each.status is not Status.BROKEN]
        passed = [shown_target(each.target) for each in members if each.status is Status.PASSED]
        failed = [each for each in members if each.status is Status.FAILED]
        if not passed or not failed:
            continue
        names = [shown_target(each.target) for each in failed]
        rest = f"{len(passed)} passing assertion{'s' if len(passed) > 1 else ''}"
        yield Finding(
            category=Category.PARTIAL,
            severity=SEVERITIES[Category.PARTIAL],
            results=tuple(failed),
            weight=sum(each.weight for each in failed),
            order=case.results.index(failed[0]),
            section=None,
            quote="",
            expected=tuple(shown_target(each.target) for each in members),
            present=tuple(passed),
            missing=tuple(names),
            location="",
            tools=(),
            explanation="",
            root_cause=(
                f'{len(passed)}/{len(members)} assertions passed in "{group}". Passed: {"; ".join(passed)}. '
                f"Failed: {'; '.join(names)}."
            ),
            remediation=(
                f'Fix only the failed part of "{group}" ({"; ".join(names)}); leave the instructions behind the '
                f"{rest} unchanged."
            ),
        )


def _where(place: Place) -> str:
    return f'SKILL.md section "{place.section}"'


def _no_place(skill: SkillText) -> str:
    return "SKILL.md never mentions" if skill.is_there else "Without a SKILL.md nothing is known of"


def _headings_in(output: str) -> str:
    found = headings(output)
    if not found:
        return "The output has no headings."
    return f"The output has {len(found)} heading{'s' if len(found) > 1 else ''}: {', '.join(found)}."


def _form_of(output: str) -> str:
    """What the output looks like, in a sentence."""
    lines = [line for line in output.splitlines() if line.strip()]
    if not lines:
        return "The output is blank."
    bullets = sum(bool(re.match(r"\s*(?:[-*+]|\d+[.)])\s", line)) for line in lines)
    tables = sum(line.lstrip().startswith("|") for line in lines)
    found = headings(output)
    parts = [
        f"{count} {word}{'' if count == 1 else 's'}"
        for count, word in ((len(found), "heading"), (bullets, "list item"), (tables, "table line"))
        if count
    ]
    prose = f"The output has {len(lines)} line{'' if len(lines) == 1 else 's'}"
    return f"{prose}: {', '.join(parts)}." if parts else f"{prose} of prose."


def _location(output: str, target: str) -> str:
    at = output.lower().find(target.lower())
    return f"line {output.count(chr(10), 0, at) + 1}" if at >= 0 and target else ""


def _tool_names(case: Case) -> tuple[str, ...]:
    return tuple(dict.fromkeys(case.tools or ()))


def _tools_in(case: Case) -> str:
    counts = Counter(case.tools or ())
    return ", ".join(f"{name} x{count}" for name, count in counts.items())


def _listed(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
