from __future__ import annotations

import json
import os
import re
import signal
import subprocess
from pathlib import Path

import pytest

from skillgrade.cli.run import PRESETS
from tests.support.processes import alive, eventually
from tests.support.shell import Shell
from tests.support.streams import FOLDER

EXPECTS = """\
version: "1"
defaults: {{agent: command, command: "{command}", output_format: claude-stream-json, provider: local, trials: 2}}
tasks:
  - name: wanted
    instruction: write this down
    expect_skill: ws-claude-skills
  - name: unwanted
    instruction: read that
    graders: [{{type: deterministic, run: 'echo "{{\\"score\\": 1, \\"details\\": \\"fine\\"}}"'}}]
    expect_skill: none
"""


def report_of(root: Path) -> dict[str, object]:
    (run,) = (path for path in (root / ".skillgrade").iterdir() if path.is_dir())
    document: dict[str, object] = json.loads((run / "report.json").read_text())
    return document


def test_a_run_prints_what_a_person_needs_and_exits_0_though_trials_failed(shell: Shell) -> None:
    done = shell.run()
    assert done.code == 0
    assert re.search(r"passed\s+writes #0\s+reward 1\.00", done.out)
    assert re.search(r"writes\s+2 of 2\s+2\s+100% \[34%, 100%\]", done.out)
    assert re.search(r"reads\s+2 of 2\s+0\s+0% \[0%, 66%\]", done.out)
    assert "2 failed:" in done.out
    assert "✗ answered" in done.out
    assert "provider local isolates nothing" in done.out
    assert f"results: {shell.root}/.skillgrade/" in done.out
    assert "\x1b" not in done.out
    assert done.err == ""


def test_json_is_alone_on_stdout(shell: Shell) -> None:
    done = shell.run("--json", "--eval=writes")
    document = json.loads(done.out)
    assert document == report_of(shell.root)
    assert [task["task"] for task in document["tasks"]] == ["writes"]
    assert document["totals"]["passed"] == 2
    assert "writes #0" in done.err


@pytest.mark.parametrize(
    ("arguments", "tasks"),
    [
        (("writes",), ["writes"]),
        (("--eval=reads",), ["reads"]),
        (("--task=reads",), ["reads"]),
        (("--eval=reads,writes",), ["writes", "reads"]),
        (("--filter=tier=easy",), ["writes"]),
        (("--filter=tier=easy,hard",), ["writes", "reads"]),
        (("--filter=tags=smoke", "--filter=tags=fast"), ["writes"]),
        (("--not-filter=tier=easy",), ["reads"]),
        (("--filter-pattern=^r",), ["reads"]),
    ],
)
def test_tasks_are_selected(shell: Shell, arguments: tuple[str, ...], tasks: list[str]) -> None:
    done = shell.run("--list", *arguments)
    assert done.code == 0
    assert [line.split()[0] for line in done.out.splitlines()[:-1]] == tasks
    assert not (shell.root / ".skillgrade").exists()


def test_list_shows_trials_graders_and_metadata(shell: Shell) -> None:
    assert shell.run("--list").out.splitlines() == [
        "writes  2 trials  deterministic  tier=easy tags=smoke,fast",
        "reads   2 trials  deterministic  tier=hard",
        "metadata keys: tags, tier",
    ]


def test_list_warns_with_paths_from_the_current_folder(shell: Shell) -> None:
    text = (shell.root / "eval.yaml").read_text()
    shell.write("eval.yaml", text.replace("instruction: read that", "instruction: prompts/read.md"))
    done = shell.run("--list")
    assert done.err.startswith('note: eval.yaml:19:18: tasks[1].instruction: "prompts/read.md" looks like a path, but')
    assert len(done.err.splitlines()) == 1
    assert [line.split()[0] for line in done.out.splitlines()] == ["writes", "reads", "metadata"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--trials=abc",), "abc"),
        (("--trials=0",), "0"),
        (("--trials=1.5",), "1.5"),
        (("--threshold=2",), "'2' is no number from 0 to 1"),
        (("--threshold=nan",), "'nan' is no number from 0 to 1"),
        (("--threshold=abc",), "'abc'"),
        (("--parallel=0",), "0"),
        (("--retries=-1",), "-1"),
        (("--bogus",), "--bogus"),
        (("--grader=",), "is empty: give a value or leave it out"),
        (("--agent= ",), "is empty: give a value or leave it out"),
        (("--output=",), "is empty: give a path or leave it out"),
        (("--file=",), "is empty: give a path or leave it out"),
        (("--validate", "--json"), "--json has no effect with --validate"),
        (("--list", "--resume"), "--resume has no effect with --list"),
        (("--list", "--validate"), "--list and --validate exclude each other"),
        (("--smoke", "--regression"), "--smoke and --regression exclude each other"),
        (("--eval=wriites",), "wriites"),
        (("no-such-task",), "no-such-task"),
        (("--filter=teir=easy",), "teir"),
        (("--filter=tier",), "tier"),
        (("--filter-pattern=(",), "("),
        (("--filter-pattern=nothing",), "no task matches"),
        (("--grader=determinstic",), "determinstic"),
        (("--grader=human",), "human"),
        (("--agent=clod",), 'the agent "clod" is not part of this version'),
        (("--provider=podman",), "podman"),
        (("-f", "nowhere.yaml"), "nowhere.yaml: does not exist"),
    ],
)
def test_wrong_flags_are_one_clear_sentence_and_exit_2(shell: Shell, arguments: tuple[str, ...], message: str) -> None:
    for more in ((), ("--ci",)):
        done = shell.run(*arguments, *more)
        assert done.code == 2
        assert message in done.err
        assert done.err.startswith("skillgrade: error: ")
        assert done.out == ""
    assert not (shell.root / ".skillgrade").exists()


def test_every_fault_of_the_file_is_said_with_its_place(shell: Shell) -> None:
    shell.write(
        "eval.yaml", "version: '1'\ntasks:\n  - name: a\n    instruction: x\n    graders: [{type: deterministc}]\n"
    )
    done = shell.run("--list")
    assert done.code == 2
    assert re.search(r"eval\.yaml:5:\d+: .*deterministc.*deterministic", done.err)


def test_no_file_says_what_to_do(shell: Shell) -> None:
    (shell.root / "eval.yaml").unlink()
    done = shell.run()
    assert done.code == 2
    assert "`skillgrade init` writes a first one" in done.err


@pytest.mark.parametrize(("preset", "trials"), PRESETS.items())
def test_presets_set_the_trials_and_trials_win(shell: Shell, preset: str, trials: int) -> None:
    assert f"writes  {trials} trials" in shell.run("--list", f"--{preset}").out
    assert "writes  7 trials" in shell.run("--list", f"--{preset}", "--trials=7").out


def test_the_gate_passes_fails_and_names_each_task(shell: Shell) -> None:
    assert shell.run("--ci", "--eval=writes").code == 0
    done = shell.run("--ci")
    assert done.code == 0  # the file asks 0.3 of `reads`, and it gets 0.4
    done = shell.run("--ci", "--threshold=0.8")
    assert done.code == 1
    assert re.search(r"fails\s+reads: mean reward 0\.400 is below the threshold 0\.8", done.out)
    assert "gate not passed" in done.out


def test_errors_exit_3_and_the_gate_never_passes_on_them(shell: Shell) -> None:
    for arguments in ((), ("--ci", "--threshold=0")):
        done = shell.run("--command=no-such-program", "--retries=0", *arguments)
        assert done.code == 3
        assert "4 errored (no verdict; in no rate):" in done.out
        assert "agent: the command 'no-such-program' cannot be found or started" in done.out


def test_flags_win_over_the_file(shell: Shell) -> None:
    done = shell.run("--command=exit 5", "--trials=1", "--eval=writes", "--json")
    (task,) = json.loads(done.out)["tasks"]
    assert task["planned"] == 1
    assert task["trials"][0]["agent"]["exit_code"] == 5


def test_grader_takes_graders_out_and_says_that_the_reward_is_partial(shell: Shell) -> None:
    text = (shell.root / "eval.yaml").read_text()
    rubric = "      - {type: llm_rubric, rubric: Was it good?}\n    solution"
    shell.write("eval.yaml", text.replace("    solution", rubric))
    refused = shell.run()
    assert refused.code == 2
    assert "--grader=deterministic" in refused.err
    done = shell.run("--grader=deterministic", "--eval=writes")
    assert done.code == 0
    assert "partial: rewards are over deterministic graders only" in done.out
    report = report_of(shell.root)
    assert (report["partial"], report["grader_filter"]) == (True, ["deterministic"])


def test_output_names_the_results_folder(shell: Shell) -> None:
    done = shell.run("--output=elsewhere", "--eval=writes")
    assert f"results: {shell.root}/elsewhere/" in done.out
    assert not (shell.root / ".skillgrade").exists()


def test_the_file_may_be_named_and_lie_elsewhere(shell: Shell) -> None:
    shell.write("other/suite.yaml", (shell.root / "eval.yaml").read_text().replace("    solution: solve.sh\n", ""))
    assert shell.run("-f", "other/suite.yaml", "--eval=writes").code == 0
    assert (shell.root / "other" / ".skillgrade").is_dir()
    (shell.root / "other" / "suite.yaml").rename(shell.root / "other" / "eval.yaml")
    assert shell.run("--file=other", "--list").code == 0


def test_preview_explains_passed_trials_too(shell: Shell) -> None:
    assert "✓ written" not in shell.run("--eval=writes").out
    assert "✓ written" in shell.run("--eval=writes", "--preview").out


def test_no_skill_leaves_the_skill_out(shell: Shell) -> None:
    shell.write("SKILL.md", "---\nname: my-skill\ndescription: d\n---\n")
    arguments = ("--json", "--eval=writes", "--trials=1")
    assert [skill["name"] for skill in json.loads(shell.run(*arguments).out)["skills"]] == ["my-skill"]
    bare = json.loads(shell.run(*arguments, "--no-skill").out)
    assert (bare["skills"], bare["selection"]) == ([], ["--eval=writes", "--no-skill"])


def test_a_skill_that_is_expected_is_scored_counted_and_explained(shell: Shell) -> None:
    skill = "---\nname: {}\ndescription: d\n---\n"
    for name in ("ws-claude-skills", "home-claude-skills"):
        shell.write(f"skills/{name}/SKILL.md", skill.format(name))
    stream = FOLDER / "claude-skill.jsonl"
    shell.write("eval.yaml", EXPECTS.format(command=f"cat {stream}"))
    done = shell.run("--json")
    wanted, unwanted = json.loads(done.out)["tasks"]
    assert (done.code, wanted["mean_reward"], unwanted["mean_reward"]) == (0, 1.0, 0.75)
    assert [(one["grader_type"], one["score"]) for one in unwanted["trials"][0]["grader_results"]] == [
        ("deterministic", 1.0),
        ("assertions", 0.5),
    ]
    unused, used = wanted["triggers"]
    assert (used["skill"], used["triggered"], used["not_triggered"]) == ("ws-claude-skills", 2, 0)
    assert (unused["skill"], unused["triggered"], unused["not_triggered"]) == ("home-claude-skills", 0, 2)
    assert "wanted: skill ws-claude-skills used in 2 of 2 trials\n" in done.err
    preview = shell.run("preview").out
    assert "✓ skill_used: ws-claude-skills: triggered: event 3: the agent called its skill tool\n" in preview
    assert "skill home-claude-skills not triggered: nothing that it did opened the skill (tool calls: 1)\n" in preview
    graded = json.loads(shell.run("regrade", "--eval=unwanted", "--grader=assertions", "--json").out)
    assert graded["regrades"] == [{"cause": "regrade", "trials": 2, "changed": 0}]


def test_without_the_skill_a_run_does_not_ask_for_it(shell: Shell) -> None:
    shell.write("SKILL.md", "---\nname: ws-claude-skills\ndescription: d\n---\n")
    shell.write("eval.yaml", EXPECTS.format(command=f"cat {FOLDER / 'claude.jsonl'}"))
    done = shell.run("--eval=unwanted", "--no-skill", "--json")
    (task,) = json.loads(done.out)["tasks"]
    assert [one["grader_type"] for one in task["trials"][0]["grader_results"]] == ["deterministic"]
    assert 'note: --no-skill: no grader asks whether a skill was used, in "unwanted"' in done.err


def test_ctrl_c_stops_cleans_up_reports_and_exits_130(shell: Shell, tmp_path: Path) -> None:
    for signals in ([signal.SIGINT], [signal.SIGINT] * 3, [signal.SIGTERM, signal.SIGINT], [signal.SIGHUP]):
        pid_file = tmp_path / "pid"
        pid_file.unlink(missing_ok=True)
        command = f"trap '' INT TERM; echo $$ > {pid_file}.new; mv {pid_file}.new {pid_file}; sleep 600"
        with shell.start("--eval=writes", f"--command={command}", "--parallel=1") as process:
            assert eventually(pid_file.exists)
            for number in signals:
                os.killpg(process.pid, number)
            out, _ = process.communicate(timeout=60)
        assert process.returncode == 130
        assert "Traceback" not in out
        assert "interrupted: 2 of 2 trials did not run to their end" in out
        assert not alive(int(pid_file.read_text()))
    assert list(shell.tmp.iterdir()) == []


def test_a_reader_that_goes_away_is_no_traceback(shell: Shell) -> None:
    process = subprocess.Popen(
        shell.argv("schema"),
        cwd=shell.root,
        env=shell.environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.close()
    assert process.stderr.read() == b""
    process.stderr.close()
    assert process.wait(timeout=60) == 141


def test_colours_only_on_terminals_and_never_with_no_color(shell: Shell) -> None:
    import pty

    seen = {}
    for name, more in (("plain", {"NO_COLOR": "1"}), ("coloured", {})):
        primary, secondary = pty.openpty()
        process = subprocess.Popen(
            shell.argv("--eval=reads", "--trials=1"),
            cwd=shell.root,
            env=shell.environment(TERM="xterm-256color", **more),
            stdout=secondary,
            stderr=secondary,
        )
        os.close(secondary)
        seen[name] = read_terminal(primary)
        assert process.wait(timeout=60) == 0
    assert "\x1b[31m" in seen["coloured"]
    assert not re.search(r"\x1b\[(3[0-7]|9[0-7])m", seen["plain"])
    assert "1/1 trials" in seen["coloured"] or "0/1 trials" in seen["coloured"]


def read_terminal(descriptor: int) -> str:
    data = b""
    while True:
        try:
            block = os.read(descriptor, 65536)
        except OSError:  # what Linux says when the other end is closed
            block = b""
        if not block:
            os.close(descriptor)
            return data.decode()
        data += block


def test_resume_goes_on_with_the_latest_run_and_names_what_differs(shell: Shell) -> None:
    first = shell.run("--retries=0", "--command=no-such-program")
    assert first.code == 3
    refused = shell.run("--resume", "--trials=3", "--command=no-such-program")
    assert refused.code == 2
    assert 'task "writes": planned was 2 and is 3' in refused.err
    again = shell.run("--resume", "--retries=0", "--command=no-such-program", "--json")
    document = json.loads(again.out)
    assert (again.code, document["totals"]["errored"]) == (3, 4)
    assert document["tasks"][0]["trials"][0]["attempts"] == 2
    assert document["run_id"] in first.out
    by_name = shell.run(f"--resume={document['run_id']}", "--retries=0", "--command=no-such-program", "--json")
    assert json.loads(by_name.out)["tasks"][0]["trials"][0]["attempts"] == 3
    assert shell.run("--resume=20200101-000000-0000").code == 2


def test_a_killed_run_goes_on_where_it_was(shell: Shell, tmp_path: Path) -> None:
    """Killed by SIGKILL while its second trial runs: the first stays, the second and the others run."""
    command = f"[ -e {tmp_path}/done ] && {{ [ -e {tmp_path}/go ] || {{ touch {tmp_path}/second; sleep 600; }}; }}; "
    command += f"touch {tmp_path}/done; cat > out.txt"
    arguments = ("--eval=writes", f"--command={command}", "--parallel=1", "--trials=3")
    with shell.start(*arguments) as process:
        assert eventually((tmp_path / "second").exists)
        process.kill()
    (tmp_path / "go").touch()
    done = shell.run("--resume", *arguments, "--json")
    assert done.code == 0, done.err
    document = json.loads(done.out)
    (task,) = document["tasks"]
    assert [(trial["trial"], trial["outcome"], trial["attempts"]) for trial in task["trials"]] == [
        (0, "passed", 1), (1, "passed", 1), (2, "passed", 1),
    ]  # fmt: skip
    assert not document["interrupted"]
    assert list(shell.tmp.iterdir()) == []


def test_a_full_standard_output_is_one_sentence(shell: Shell) -> None:
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            shell.argv("--list"),
            cwd=shell.root,
            env=shell.environment(),
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
        )
    assert done.returncode == 3
    assert done.stderr == "skillgrade: error: standard output cannot be written: No space left on device\n"
