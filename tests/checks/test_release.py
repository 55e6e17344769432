"""The gate: good evidence holds, and evidence that is spoilt in one way is refused for just that."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from skillgrade.agents.model_prompt import RUNNER_PROMPT_VERSION
from skillgrade.checks.release.build import accuracy_of, sha256, verdict_of
from skillgrade.checks.release.document import (
    EvidenceScenario,
    EvidenceTrial,
    RecordedVerdict,
    SkillEvidence,
    read_evidence,
    write_evidence,
)
from skillgrade.checks.release.examine import reasons_against
from skillgrade.checks.release.policy import Policy, Runner, read_policy
from skillgrade.checks.release.skills import catalog_of, release_at, skill_digest
from skillgrade.errors import SuiteError, UserError
from skillgrade.judges.base import Judge
from skillgrade.judges.scenario import SCENARIO_PROMPT_VERSION
from skillgrade.skill.catalog import Scope
from skillgrade.skill.scorer import score_triggers
from tests.checks.test_inspection import EVALS, PACK, SCENARIO, SKILL
from tests.support.recordings import record
from tests.support.suites import write

POLICY = "judges: [openai:mini]\nrunners: ['model:anthropic:haiku']\n"
TRIGGERS = {"positive": ["how heavy is one, what weighs it"], "negative": ["write a poem"]}
GRADED = {"scenarios": [{**SCENARIO, "strictness": "high"}], "triggers": TRIGGERS}
ANSWER = "It weighs 3 kg."


@pytest.fixture
def pack(tmp_path: Path) -> Path:
    root = tmp_path / "post"
    files = {"pack.json": PACK, "gate.yaml": POLICY, "skills/parcels/SKILL.md": SKILL, "skills/parcels/table.md": "",
             "skills/parcels/evals.json": json.dumps({**EVALS, **GRADED})}  # fmt: skip
    write(root, files)
    record(root / "skills" / "parcels")
    write_evidence(root, [good(root)])
    return root


def good(root: Path) -> SkillEvidence:
    release = release_at(root)
    catalog, digest = catalog_of(release, Scope.BUNDLED)
    scores = score_triggers(catalog, "post/parcels", TRIGGERS["positive"], TRIGGERS["negative"])
    trial = EvidenceTrial(
        ANSWER, sha256(ANSWER), sha256(SCENARIO["prompt"]), (True,), True, RecordedVerdict("pass", "So.")
    )
    prompts = tuple(
        EvidenceScenario(f"{kind}-1", kind, text, "high", 1, 1, 1.0, 1, "trigger-rank-fork-family", "ran")
        for kind, (text,) in (("trigger-positive", TRIGGERS["positive"]), ("trigger-negative", TRIGGERS["negative"]))
    )
    behavior = EvidenceScenario("weighs", "behavior", SCENARIO["prompt"], "high", 10, 10, 1.0, 1, "regex+judge", "ran",
                                trial_records=(trial,) * 10)  # fmt: skip
    accuracy, scenarios = accuracy_of(scores), (*prompts, behavior)
    return SkillEvidence(
        "post/parcels", "high", 10, accuracy, "authored", scenarios, verdict_of(accuracy, scenarios), "bundled",
        skill_digest(root / "skills" / "parcels"), digest, "model", "anthropic:haiku", RUNNER_PROMPT_VERSION,
        "2026-12-01T10:00:00+00:00", SCENARIO_PROMPT_VERSION, "openai", "mini", "20261201-100000-abcd",
    )  # fmt: skip


def reasons(root: Path) -> list[str]:
    release = release_at(root)
    found = reasons_against(release, root / "skills" / "parcels", read_evidence(root), read_policy(root))
    return [reason.removeprefix("post/parcels: ") for reason in found]


def test_good_evidence_holds_and_has_the_public_keys(pack: Path) -> None:
    assert reasons(pack) == []
    document = json.loads((pack / "governance" / "eval.json").read_text())
    assert list(document) == ["schemaVersion", "reports"]
    (report,) = document["reports"]
    assert {"skillId", "strictness", "trials", "triggerAccuracy", "evidence", "scenarios", "verdict", "scope",
            "skillDigest", "catalogDigest", "judgePromptVersion", "runner", "model", "runnerPromptVersion",
            "recordedAt", "judge", "judgeModel", "schemaVersion", "run", "tuned"} == report.keys()  # fmt: skip
    assert report["triggerAccuracy"] == {"truePositive": 1, "falsePositive": 0, "positives": 1, "negatives": 1}
    behavior = report["scenarios"][-1]
    assert {"id", "kind", "prompt", "strictness", "trials", "passes", "passRate", "passAtK", "grader", "status",
            "trialRecords"} == behavior.keys()  # fmt: skip
    assert behavior["trialRecords"][0].keys() == {
        "output", "outputSha256", "promptSha256", "deterministic", "passed", "judge"
    }  # fmt: skip
    assert read_evidence(pack) == (good(pack),)


def top(**fields: Any) -> Callable[[dict[str, Any]], object]:
    return lambda report: report.update(fields)


def behavior(**fields: Any) -> Callable[[dict[str, Any]], object]:
    return lambda report: report["scenarios"][-1].update(fields)


def trial(**fields: Any) -> Callable[[dict[str, Any]], object]:
    return lambda report: report["scenarios"][-1]["trialRecords"][3].update(fields)


def fewer(report: dict[str, Any]) -> None:
    report["scenarios"][-1].update(trials=9, passes=9)
    report["scenarios"][-1]["trialRecords"].pop()


def dropped(report: dict[str, Any]) -> None:
    report["scenarios"][-1]["trialRecords"].pop()


def failing(report: dict[str, Any]) -> None:
    for each in report["scenarios"][-1]["trialRecords"][:3]:
        each.update(passed=False, judge={"verdict": "fail", "reason": "No."})
    report["scenarios"][-1].update(passes=7, passRate=0.7)


SPOILT: list[tuple[Callable[[dict[str, Any]], object], str]] = [
    (top(skillId="post/letters"), "has no evidence; write it with `skillgrade gate "),
    (top(tuned=True), "the run is one by which the skill was tuned"),
    (top(verdict="fail"), 'says "fail", and its own numbers say "pass"'),
    (top(triggerAccuracy={"truePositive": 1, "falsePositive": 0, "positives": 1, "negatives": 2}),
     "counts 2 trigger-negative prompts and has 1"),
    (top(evidence="synthesized"), "its prompts are not authored"),
    (top(strictness="medium"), 'its strictness is "medium"; every scenario needs "high"'),
    (top(trials=9), "it has 9 trials of 10"),
    (top(scope="all"), 'its scope is "all", and the policy asks for "bundled"'),
    (top(model=""), "does not say who answered"),
    (top(runner="claude"), "claude:anthropic:haiku answered, and the policy allows model:anthropic:haiku"),
    (top(skillDigest="0"), "SKILL.md or its evals have changed since the run"),
    (behavior(id="other"), 'the scenario "weighs" has not run'),
    (lambda report: report["scenarios"][0].update(prompt="x"), "the trigger-positive prompts have changed"),
    (lambda report: report["scenarios"][1].update(prompt="x"), "the trigger-negative prompts have changed"),
    (top(runnerPromptVersion="runner-0"), "the agent was told runner-0, and it is runner-1 now"),
    (fewer, '"weighs" has 9 trials of 10'),
    (top(judge="gemini"), "gemini:mini judged, and the policy allows openai:mini"),
    (lambda report: report.pop("judge"), "does not say who judged"),
    (top(judgePromptVersion="2026-09-25.1"), "the judge was asked with the prompt 2026-09-25.1, and it is scenario-1"),
    (behavior(trialRecords=[]), '"weighs" has no trial records'),
    (dropped, '"weighs": says 10 trials and has records of 9'),
    (trial(output="It weighs 4 kg."), '"weighs": trial 3 has another output than its digest names'),
    (trial(promptSha256="0"), '"weighs": trial 3 answers another prompt than the scenario\'s'),
    (trial(deterministic=[False]), '"weighs": trial 3 says otherwise of its checks than its output shows'),
    (lambda report: report["scenarios"][-1]["trialRecords"][3].pop("judge"), '"weighs": trial 3 has no verdict'),
    (trial(judge={"verdict": "pass", "reason": "", "error": "x"}), "trial 3 passed though its judge gave no verdict"),
    (trial(judge={"verdict": "fail", "reason": ""}), "trial 3 says that it passed, and its checks and its verdict say"),
    (trial(output=" ", outputSha256=sha256(" "), deterministic=[False]), "trial 3 passed without an answer"),
    (trial(passed=False), "trial 3 says that it failed, and its checks and its verdict say otherwise"),
    (behavior(passes=9), '"weighs": says 9 passes, and its records show 10'),
    (behavior(passRate=0.9), '"weighs": says a pass rate of 0.9, and its records show 1'),
    (behavior(passAtK=0), '"weighs": says 0 for pass@k, and its records show 1'),
    (failing, '"weighs" passed 70% of its trials, and the floor is 80%'),
    (lambda report: report["scenarios"][0].update(passes=0), "its triggers score otherwise now than when they were"),
]  # fmt: skip


@pytest.mark.parametrize(("change", "reason"), SPOILT, ids=[reason[:40] for _, reason in SPOILT])
def test_spoilt_evidence_is_refused(pack: Path, change: Callable[[dict[str, Any]], object], reason: str) -> None:
    file = pack / "governance" / "eval.json"
    document = json.loads(file.read_text())
    change(document["reports"][0])
    file.write_text(json.dumps(document))
    found = reasons(pack)
    assert reason in found[0]


def test_what_changed_since_is_refused(pack: Path) -> None:
    skill = pack / "skills" / "parcels"
    write(skill, {"SKILL.md": SKILL + "Begin your reply with the weight.\n"})
    found = reasons(pack)
    assert found[0] == "SKILL.md or its evals have changed since the run"
    assert any(each.startswith("I5: ") for each in found)
    write(skill, {"SKILL.md": SKILL})
    (pack / "judge-recordings" / "post__parcels.json").unlink()
    found = reasons(pack)
    assert {each.split(":")[0] for each in found[:2]} == {"AG", "I2"}
    assert "no verdicts on canned answers are recorded yet" in found[-1]
    record(skill, samples=2)
    assert "has 2 samples of 3" in reasons(pack)[0]
    record(skill, provider="gemini", model="flash")
    assert "gemini:flash judged, and the policy allows openai:mini" in reasons(pack)[0]
    (skill / "SKILL.md").unlink()
    assert reasons(pack) == [f"{skill}: there is no SKILL.md"]


def test_strictness_is_what_the_evals_say_not_the_evidence(pack: Path) -> None:
    skill = pack / "skills" / "parcels"
    write(skill, {"evals.json": json.dumps({**EVALS, **GRADED, "scenarios": [{**SCENARIO, "strictness": "low"}]})})
    write_evidence(pack, [good(pack)])
    assert reasons(pack)[0] == 'the scenario "weighs" has the strictness "low"; it needs "high"'


def test_a_grader_that_leaves_nothing_in_the_evidence_is_refused(pack: Path) -> None:
    skill = pack / "skills" / "parcels"
    (skill / "evals.json").unlink()
    graders = [{"type": "assertions", "assertions": [{"type": "matches_regex", "target": r"\d+ kg"}]},
               {"type": "deterministic", "run": "exit 1"}]  # fmt: skip
    task = {"name": "weighs", "instruction": SCENARIO["prompt"], "metadata": {"strictness": "high"}, "graders": graders}
    write(skill, {"eval.yaml": json.dumps({"version": "1", "triggers": TRIGGERS, "tasks": [task]})})
    write_evidence(pack, [good(pack)])
    assert reasons(pack)[0] == '"weighs" is graded by deterministic too, of which evidence shows nothing'


def test_another_skill_that_takes_the_prompts_is_noticed(pack: Path) -> None:
    thief = "---\nname: thief\ndescription: How heavy is one, what weighs it.\n---\n# Thief\n"
    write(pack.parent, {"other/thief/SKILL.md": thief, ".git/HEAD": ""})
    assert reasons(pack)[0] == (
        "its triggers score otherwise now than when they were recorded (other skills have changed since)"
    )


def test_a_policy_has_numbers_of_its_own() -> None:
    policy = Policy((Judge("openai"),), (Runner("claude", "opus"),))
    assert (policy.min_trials, policy.floor, policy.samples, policy.scope) == (10, 0.8, 3, Scope.BUNDLED)
    assert policy.allows_judge("openai", "any")
    assert policy.allows_runner("claude", "opus")
    assert not policy.allows_runner("claude", "haiku")


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "gate.yaml:1:1: must be a mapping with `judges` and `runners`"),
        ("judges: [openai]", "gate.yaml:1:1: runners: must be a list with at least one of the runners that count"),
        ("judges: []\nrunners: [claude]", "gate.yaml:1:9: judges: must be a list with at least one of the judges"),
        ("judges: ['']\nrunners: [claude]", "gate.yaml:1:10: judges[0]: must be NAME or NAME:MODEL"),
        (POLICY + "floor: 2", "gate.yaml:3:8: floor: must be a number from 0 to 1, not 2"),
        (POLICY + "min_trials: 0", "gate.yaml:3:13: min_trials: must be a whole number from 1 to 10000, not 0"),
        (POLICY + "scope: here", 'gate.yaml:3:8: scope: must be bundled or all, not "here"'),
        (POLICY + "flor: 1", 'gate.yaml:3:1: flor: unknown key (did you mean "floor"?)'),
    ],
)
def test_a_wrong_policy_is_refused(tmp_path: Path, text: str, problem: str) -> None:
    write(tmp_path, {"gate.yaml": text})
    with pytest.raises(SuiteError) as caught:
        read_policy(tmp_path)
    assert problem in str(caught.value)


def test_without_a_policy_nothing_is_released(tmp_path: Path) -> None:
    with pytest.raises(SuiteError, match="it says who may judge and answer"):
        read_policy(tmp_path)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[", "cannot be read as JSON"),
        ("[]", 'needs "skills": lists of names, by group'),
        ('{"id": "x", "skills": {"a": ["b"]}}', 'its "id" must be the name of its folder, post'),
        ('{"id": "post", "skills": {}}', "lists no skills"),
    ],
)
def test_a_pack_says_what_it_holds(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(UserError, match=message):
        release_at(write(tmp_path / "post", {"pack.json": text}))
    with pytest.raises(UserError, match=r"holds neither pack\.json nor SKILL\.md"):
        release_at(tmp_path)


def test_one_report_alone_is_no_evidence_of_a_pack(pack: Path) -> None:
    file = pack / "governance" / "eval.json"
    file.write_text(json.dumps(json.loads(file.read_text())["reports"][0]))
    with pytest.raises(UserError, match="reports: must be a list: one report alone is not the evidence of a pack"):
        read_evidence(pack)
