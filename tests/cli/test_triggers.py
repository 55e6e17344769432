"""`skillgrade triggers` and `skillgrade scout` as users run them."""

from __future__ import annotations

import json
import os
from typing import Any

import pytest

from tests.support import claude_stand_in
from tests.support.shell import Shell

ALPHA = "---\nname: alpha\ndescription: Review React components.\ntriggers: [ui review, pixel check]\n---\n# Alpha\n"
BETA = "---\nname: beta\ndescription: Review backend services. Not for React components (use `alpha`).\n---\n# Beta\n"
GAMMA = "---\nname: gamma\ndescription: Deploy a release to production.\n---\n# Gamma\n"
TRIGGERS = {
    "positive": ["review react components", "[alpha] look at it", "brighten it up"],
    "negative": ["deploy a release"],
}


@pytest.fixture
def place(shell: Shell) -> Shell:
    (shell.root / "eval.yaml").unlink(missing_ok=True)
    shell.write("skills/a/alpha/SKILL.md", ALPHA)
    shell.write("skills/a/beta/SKILL.md", BETA)
    shell.write("skills/b/gamma/SKILL.md", GAMMA)
    shell.write(".git/HEAD", "")
    shell.write("skills/a/alpha/evals.json", json.dumps({"triggers": TRIGGERS}))
    return shell


def test_prompts_are_scored_among_all_skills(place: Shell) -> None:
    done = place.run("triggers", "alpha")
    assert done.code == 1
    lines = done.out.splitlines()
    assert lines[0] == "a/alpha among 3 skills"
    assert lines[2].split("  ")[0].strip() == "brighten it up"
    assert "3 of 4 prompts fare as they must (75%)" in done.out
    assert "1 of 2 own triggers find their way back when left out" in done.out
    assert "lost: pixel check: score 0.00 without it, 0.00 by name and description" in done.out


def test_programs_get_json_and_other_prompts_may_be_named(place: Shell) -> None:
    place.write("more.json", json.dumps([{"query": "review react components", "should_trigger": True}]))
    place.write("SKILL.md", ALPHA)
    done = place.run("triggers", "skills/a/alpha", "--prompts=more.json", "--json")
    document: Any = json.loads(done.out)
    assert done.code == 0
    assert (document["skill"], document["accuracy"]) == ("a/alpha", 1.0)
    (prompt,) = document["prompts"]
    assert (prompt["expected"], prompt["selected"], prompt["observed"]) == (True, True, None)


def test_what_agents_did_stands_beside(place: Shell) -> None:
    programs = claude_stand_in.install(place.root.parent / "programs")
    env = {"PATH": f"{programs}:{os.environ['PATH']}", "ANTHROPIC_API_KEY": "k"}
    flags = ("--agent=claude", "--provider=local", "--trials=2", "--retries=0")
    assert place.run(*flags, "--file=skills/a/alpha", env=env).code == 0
    document: Any = json.loads(place.run("triggers", "alpha", "--json").out)
    observed = {each["prompt"]: each["observed"] for each in document["prompts"]}
    assert observed["[alpha] look at it"] == {"triggered": 2, "known": 2}
    assert observed["deploy a release"] == {"triggered": 0, "known": 2}
    assert "2 of 2" in place.run("triggers", "alpha").out


def test_what_cannot_be_scored_is_refused(place: Shell) -> None:
    for arguments, message in (
        (("alpga",), '"alpga" is no path, and no skill of that name is here (did you mean "alpha"?)'),
        (("gamma",), "has no prompts to score: write `triggers`"),
        (("skills/b",), "there is no SKILL.md here"),
        (("alpha", "--prompts=skills/a/alpha/SKILL.md"), "SKILL.md"),
    ):
        done = place.run("triggers", *arguments)
        assert done.code == 2
        assert message in done.err


@pytest.mark.parametrize(
    ("wish", "advice", "first"),
    [
        ("review react components please", "use", "a/alpha"),
        ("deploy the kubernetes helm chart release", "fork", "b/gamma"),
        ("underwater basket weaving championship schedule for goldfish", "create", "a/alpha"),
        ("review react components. Not for react components (use `alpha`).", "use", "a/alpha"),
    ],
)
def test_a_wish_reaches_what_is_there(place: Shell, wish: str, advice: str, first: str) -> None:
    done = place.run("scout", wish)
    assert done.code == 0
    lines = done.out.splitlines()
    assert lines[0].startswith(f"{advice}: ")
    assert lines[1].split()[1] == first


def test_a_candidate_is_compared_by_what_it_says_of_itself(place: Shell) -> None:
    place.write("vendor/ui/SKILL.md", "---\nname: ui\ndescription: Review React components.\n---\n# UI\n")
    done = place.run("scout", "--candidate=vendor/ui", "--json")
    document: Any = json.loads(done.out)
    assert document["advice"] == "use"
    assert document["nearest"][0]["skill"] == "a/alpha"
    assert "vendor/ui" not in [each["skill"] for each in document["nearest"]]
    for arguments in ((), ("a wish", "--candidate=vendor/ui"), ("--candidate=vendor",)):
        assert place.run("scout", *arguments).code == 2
