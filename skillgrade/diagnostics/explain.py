"""What a model is asked to add to a diagnosis: it sees SKILL.md, the task, the work and the results, nothing else."""

from __future__ import annotations

from skillgrade.diagnostics.model import Case, Result
from skillgrade.judges.templates import TAG_DIGITS, digest, render
from skillgrade.judges.untrusted import ARTIFACT, INSTRUCTION, TRANSCRIPT, Budget, excerpt
from skillgrade.models.base import ModelRequest

_SKILL = Budget(30_000, 10_000)


def explanation_request(case: Case, skill_text: str, model: str) -> ModelRequest:
    """The request for an explanation; every one is a conversation of its own.

    Args:
        case: The work.
        skill_text: All of SKILL.md.
        model: Who is asked.
    """
    results = "\n".join(map(_in_words, case.results))
    texts = [
        ("The skill's definition, SKILL.md:", excerpt(skill_text, _SKILL)),
        ("The task:", excerpt(case.prompt, INSTRUCTION)),
        ("The work:", excerpt(case.output, TRANSCRIPT)),
        ("What came of the assertions:", excerpt(results, ARTIFACT)),
    ]
    seal = digest(*(shown.text for _, shown in texts))
    parts = [
        {
            "title": title,
            "tag": f"data-{digest(seal, str(index))[:TAG_DIGITS]}",
            "missing": shown.missing,
            "text": shown.text,
        }
        for index, (title, shown) in enumerate(texts)
    ]
    return ModelRequest(model, render("explain-system.j2"), render("explain-user.j2", parts=parts))


def _in_words(result: Result) -> str:
    kind = f"{'not ' if result.negated else ''}{result.type} {result.target}"
    return f"{result.status}: {kind} (weight {result.weight:g}) {result.detail}"
