"""`governance/eval.json`: the evidence of a pack, a report per skill.

The keys are those of keryx, the public system whose packs have such a file.
"""

from __future__ import annotations

import dataclasses
import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from skillgrade.errors import UserError
from skillgrade.reading import UnreadableError, read_bytes
from skillgrade.results.encoding import FormatError, decode, load_document
from skillgrade.storage import replace_file, storing

EVIDENCE_FILE = "governance/eval.json"
SCHEMA_VERSION = "1.0.0"
_LARGEST = 256 * 1024 * 1024
_CAMEL = re.compile(r"_([a-z0-9])")
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class TriggerAccuracy:
    """How prompts fared: those that mean the skill and select it, those that do not but do, and how many of each."""

    true_positive: int
    false_positive: int
    positives: int
    negatives: int


@dataclass(frozen=True, slots=True)
class RecordedVerdict:
    """What a judge said of a trial: ``pass`` or ``fail``, why, and what went wrong, if anything did."""

    verdict: str
    reason: str
    error: str | None = None


@dataclass(frozen=True, slots=True)
class EvidenceTrial:
    """One trial.

    Attributes:
        output: The answer.
        output_sha256: Of the answer, 64 hexadecimal digits.
        prompt_sha256: Of the scenario's prompt, likewise.
        deterministic: Whether each check held, in order.
        judge: What the judge said, where there is one.
        passed: Whether all checks held and the judge let it pass.
    """

    output: str
    output_sha256: str
    prompt_sha256: str
    deterministic: tuple[bool, ...]
    passed: bool
    judge: RecordedVerdict | None = None


@dataclass(frozen=True, slots=True)
class EvidenceScenario:
    """One scenario, or one prompt that triggers.

    Attributes:
        id: Its name; ``trigger-positive-1`` and so on for prompts.
        kind: ``behavior``, ``trigger-positive`` or ``trigger-negative``.
        prompt: What was asked.
        strictness: ``low``, ``medium`` or ``high``.
        trials: How many there were.
        passes: How many of them passed.
        pass_rate: Their share.
        pass_at_k: 1 where one passed, else 0.
        grader: What graded it, with ``+`` between.
        status: ``ran`` or ``not-run``.
        reason: Why it did not run.
        trial_records: The trials, of a scenario that ran.
    """

    id: str
    kind: str
    prompt: str
    strictness: str
    trials: int
    passes: int
    pass_rate: float
    pass_at_k: int
    grader: str
    status: str
    reason: str | None = None
    trial_records: tuple[EvidenceTrial, ...] = ()


@dataclass(frozen=True, slots=True)
class SkillEvidence:
    """The evidence of one skill; see docs/gate.md for each key."""

    skill_id: str
    strictness: str
    trials: int
    trigger_accuracy: TriggerAccuracy
    evidence: str
    scenarios: tuple[EvidenceScenario, ...]
    verdict: str
    scope: str
    skill_digest: str
    catalog_digest: str
    runner: str
    model: str
    runner_prompt_version: str
    recorded_at: str
    judge_prompt_version: str | None = None
    judge: str | None = None
    judge_model: str | None = None
    run: str | None = None
    tuned: bool = False
    schema_version: str = field(default=SCHEMA_VERSION)

    @property
    def behavior(self) -> tuple[EvidenceScenario, ...]:
        """The scenarios, without the prompts that trigger."""
        return tuple(each for each in self.scenarios if each.kind == "behavior")

    def prompts(self, kind: str) -> list[str]:
        """The prompts of a kind, sorted."""
        return sorted(each.prompt for each in self.scenarios if each.kind == kind)


def read_evidence(folder: Path) -> tuple[SkillEvidence, ...]:
    """The evidence of a pack or skill; empty where there is none.

    Raises:
        UserError: It cannot be read, or is none.
    """
    file = folder / EVIDENCE_FILE
    if not file.exists():
        return ()
    try:
        return _reports(load_document(read_bytes(file, _LARGEST)))
    except UnreadableError as error:
        raise UserError(f"{file}: {error}") from None
    except FormatError as error:
        raise UserError(f"{file}: is no evidence that can be read: {error}") from None


def _reports(document: Mapping[str, Any]) -> tuple[SkillEvidence, ...]:
    reports = document.get("reports")
    if not isinstance(reports, list):
        raise FormatError("must be a list: one report alone is not the evidence of a pack", "reports")
    return tuple(decode(SkillEvidence, _renamed(each, _snake)) for each in reports)


def write_evidence(folder: Path, reports: Iterable[SkillEvidence]) -> Path:
    """Write the evidence of a pack or skill; one that says the same stays as it is.

    Raises:
        StorageError: It could not be written.
    """
    file = folder / EVIDENCE_FILE
    ordered = sorted(reports, key=lambda each: each.skill_id)
    document = {"schemaVersion": SCHEMA_VERSION, "reports": [_document(each) for each in ordered]}
    text = json.dumps(document, ensure_ascii=False, indent=2) + "\n"
    with storing(file, "make room, or permit it"):
        file.parent.mkdir(parents=True, exist_ok=True)
    replace_file(file, [text.encode("utf-8", "backslashreplace")])
    return file


def _document(value: Any) -> Any:
    if dataclasses.is_dataclass(value):
        pairs = ((each.name, getattr(value, each.name)) for each in dataclasses.fields(value))
        return {_camel(name): _document(item) for name, item in pairs if item is not None}
    return [_document(item) for item in value] if isinstance(value, tuple) else value


def _renamed(value: Any, rename: Any) -> Any:
    if isinstance(value, Mapping):
        return {rename(key): _renamed(item, rename) for key, item in value.items()}
    return [_renamed(item, rename) for item in value] if isinstance(value, list) else value


_ODD = {"output_sha256": "outputSha256", "prompt_sha256": "promptSha256", "pass_at_k": "passAtK"}
_ODD_BACK = {camel: snake for snake, camel in _ODD.items()}


def _camel(name: str) -> str:
    return _ODD.get(name) or _CAMEL.sub(lambda match: match[1].upper(), name)


def _snake(name: str) -> str:
    return _ODD_BACK.get(name) or re.sub(r"(?<=[a-z0-9])([A-Z])", lambda match: f"_{match[1].lower()}", name)
