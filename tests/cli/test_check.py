"""`skillgrade check` as users run it."""

from __future__ import annotations

import json
from typing import Any

from tests.checks.test_inspection import EVALS, SKILL, good, scenario
from tests.support.shell import Shell


def test_a_good_skill_has_no_faults(shell: Shell) -> None:
    good(shell.root)
    done = shell.run("check", "post")
    assert (done.code, done.out) == (0, "nothing to find fault with\n")


def test_faults_stand_by_their_files_with_what_to_do(shell: Shell) -> None:
    good(
        shell.root,
        scenario(lambda one: one.update(anti_patterns=["`lbs.`", "`oz.`"])),
        SKILL + "Begin your reply with it.\n",
    )
    done = shell.run("check", "post/skills/parcels")
    assert done.code == 1
    assert 'post/skills/parcels/SKILL.md\n  :10   error  I5: "Begin your reply with" tells how to word' in done.out
    assert "why: Words that are there for the grader make the numbers good" in done.out
    assert "do:  teach it in SKILL.md, or drop the anti-pattern" in done.out
    assert done.out.rstrip().endswith("4 errors and 0 warnings")
    found: Any = json.loads(shell.run("check", "post", "--json").out)
    assert [each["rule"] for each in found] == ["I5", "I6", "I7", "I7c"]
    assert found[0].keys() == {"rule", "severity", "file", "line", "message", "why", "mend"}


def test_warnings_alone_are_no_refusal(shell: Shell) -> None:
    good(shell.root, {**EVALS, "triggers": {"positive": ["weigh my parcel"]}}, is_pack=False)
    done = shell.run("check", "post/skills/parcels")
    assert (done.code, "0 errors and 1 warning" in done.out) == (0, True)
    assert shell.run("check", "post/skills/parcels", "--strict").code == 1


def test_nothing_to_check_is_a_wrong_path(shell: Shell) -> None:
    (shell.root / "eval.yaml").unlink()
    done = shell.run("check")
    assert done.code == 2
    assert "there is no SKILL.md, no eval and no pack.json here" in done.err
