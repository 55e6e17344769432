import json
import os
import pickle
import re
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from skillgrade.errors import Problem, SuiteError
from skillgrade.suite.load import load_suite
from skillgrade.suite.model import (
    AgentSpec,
    DockerSpec,
    GraderSpec,
    HumanSpec,
    Limits,
    LlmRubricSpec,
    Reply,
    SimulatedUser,
    Turn,
)
from tests.support.suites import GRADERS, load, load_task, problems, write

RULES = "name: one, instruction: do it"


def task(keys: str) -> str:
    return f"tasks:\n- {{{RULES}, {GRADERS}, {keys}}}\n"


def grader(keys: str) -> str:
    return f"tasks:\n- {{{RULES}, graders: [{{{keys}}}]}}\n"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", ["eval.yaml:1:1: must be a mapping with `tasks`"]),
        ("- a", ["eval.yaml:1:1: must be a mapping with `tasks`"]),
        ("version: '1'", ['eval.yaml:1:1: "tasks" is missing']),
        ("tasks: []", ["eval.yaml:1:8: tasks: must not be empty"]),
        ("tasks: {}", ["eval.yaml:1:8: tasks: must be a list, not a mapping"]),
        (f"version: 2\n{task('trials: 1')}", ["eval.yaml:1:10: version: must be 1 or 1.0, not 2"]),
        (task("trials: 0"), ["eval.yaml:2:90: tasks[0].trials: must be at least 1, not 0"]),
        (task("trials: -2"), ["eval.yaml:2:90: tasks[0].trials: must be at least 1, not -2"]),
        (task("trials: 1.5"), ["eval.yaml:2:90: tasks[0].trials: must be a whole number, not 1.5"]),
        (task("trials: two"), ['eval.yaml:2:90: tasks[0].trials: must be a whole number, not "two"']),
        (task("trials: true"), ["eval.yaml:2:90: tasks[0].trials: must be a whole number, not true"]),
        (task("timeout: 0"), ["eval.yaml:2:91: tasks[0].timeout: must be more than 0, not 0"]),
        (task("threshold: abc"), ['eval.yaml:2:93: tasks[0].threshold: must be a number, not "abc"']),
        (task("threshold: 2"), ["eval.yaml:2:93: tasks[0].threshold: must be at most 1, not 2"]),
        (task("pass_threshold: -0.1"), ["eval.yaml:2:98: tasks[0].pass_threshold: must be at least 0, not -0.1"]),
        (task("retries: -1"), ["eval.yaml:2:91: tasks[0].retries: must be at least 0, not -1"]),
        (task("timout: 3"), ['eval.yaml:2:82: tasks[0].timout: unknown key (did you mean "timeout"?)']),
        (task("timout: "), ['eval.yaml:2:82: tasks[0].timout: unknown key (did you mean "timeout"?)']),
        (
            task("provider: dokcer"),
            [
                (
                    "eval.yaml:2:92: tasks[0].provider: must be docker, bubblewrap, local or auto, "
                    'not "dokcer" (did you mean "docker"?)'
                )
            ],
        ),
        (task("metadata: [a]"), ["eval.yaml:2:92: tasks[0].metadata: must be a mapping, not a list"]),
        (task("docker: {user: me}"), ['eval.yaml:2:97: tasks[0].docker.user: must be root, not "me"']),
        (task("env: [A B]"), ['eval.yaml:2:88: tasks[0].env[0]: "A B" is no name for a variable']),
        (task("env: {A-B: 1}"), ['eval.yaml:2:88: tasks[0].env.A-B: "A-B" is no name for a variable']),
        (task("acp: {env: {}}"), ['eval.yaml:2:87: tasks[0].acp: "command" is missing']),
        (task('model: ""'), ["eval.yaml:2:89: tasks[0].model: must not be empty"]),
        ("tasks: [3]", ["eval.yaml:1:9: tasks[0]: must be a mapping, not 3"]),
        (
            "tasks:\n- {}",
            [
                'eval.yaml:2:3: tasks[0]: "graders" is missing',
                'eval.yaml:2:3: tasks[0]: "instruction" is missing',
                'eval.yaml:2:3: tasks[0]: "name" is missing',
            ],
        ),
        (
            f"tasks:\n- {{name: [a], instruction: do it, {GRADERS}}}",
            ["eval.yaml:2:10: tasks[0].name: must be text, not a list"],
        ),
        (
            f"tasks:\n- {{name: , instruction: do it, {GRADERS}}}",
            ['eval.yaml:2:3: tasks[0]: "name" is missing'],
        ),
        (
            f'tasks:\n- {{name: "a\\tb", instruction: do it, {GRADERS}}}',
            ["eval.yaml:2:10: tasks[0].name: must be printable text, not 'a\\tb'"],
        ),
        (
            f"tasks:\n- {{{RULES}, {GRADERS}}}\n- {{{RULES}, {GRADERS}}}",
            [
                (
                    'eval.yaml:3:10: tasks[1].name: another task is called "one" already, in eval.yaml:2; '
                    "names must be unique"
                )
            ],
        ),
        (f"tasks:\n- {{name: a, instruction: ' ', {GRADERS}}}", ["eval.yaml:2:26: tasks[0].instruction: is blank"]),
        (f"tasks:\n- {{{RULES}, graders: []}}", ["eval.yaml:2:44: tasks[0].graders: must not be empty"]),
        (
            grader("type: determinstic, run: x"),
            [
                (
                    "eval.yaml:2:52: tasks[0].graders[0].type: must be deterministic, llm_rubric, human, judge or "
                    'assertions, not "determinstic" (did you mean "deterministic"?)'
                )
            ],
        ),
        (grader("run: x"), ['eval.yaml:2:45: tasks[0].graders[0]: "type" is missing']),
        (
            grader("type: deterministic"),
            ['eval.yaml:2:45: tasks[0].graders[0]: "run" is missing; a grader of type deterministic needs it'],
        ),
        (
            grader("type: llm_rubric"),
            ['eval.yaml:2:45: tasks[0].graders[0]: "rubric" is missing; a grader of type llm_rubric needs it'],
        ),
        (
            grader("type: human"),
            ['eval.yaml:2:45: tasks[0].graders[0]: "prompt" is missing; a grader of type human needs it'],
        ),
        (grader("type: deterministic, run: ' '"), ["eval.yaml:2:72: tasks[0].graders[0].run: is blank"]),
        (
            grader("type: deterministic, ruun: x"),
            [
                'eval.yaml:2:45: tasks[0].graders[0]: "run" is missing; a grader of type deterministic needs it',
                (
                    "eval.yaml:2:67: tasks[0].graders[0].ruun: a grader of type deterministic has no such key "
                    '(did you mean "run"?)'
                ),
            ],
        ),
        (
            grader("type: human, prompt: a b, rubric: x y"),
            [
                (
                    "eval.yaml:2:72: tasks[0].graders[0].rubric: a grader of type human has no such key; "
                    "known are type, prompt, timeout, weight"
                )
            ],
        ),
        (
            grader("type: deterministic, run: x, weight: -1"),
            ["eval.yaml:2:83: tasks[0].graders[0].weight: must be at least 0, not -1"],
        ),
        (
            grader("type: deterministic, run: x, weight: '1'"),
            ['eval.yaml:2:83: tasks[0].graders[0].weight: must be a number, not "1"'],
        ),
        (
            grader("type: deterministic, run: x, weight: 0"),
            [
                (
                    "eval.yaml:2:44: tasks[0].graders: all weights are 0, so there is nothing to score; "
                    "give one grader a weight above 0"
                )
            ],
        ),
        (
            grader("type: llm_rubric, rubric: rubrics/nope.md"),
            [
                (
                    'eval.yaml:2:72: tasks[0].graders[0].rubric: "rubrics/nope.md" looks like a path, '
                    "but there is no such file; a text needs a second word"
                )
            ],
        ),
        (
            grader("type: judge, rubric: quality.md, pass_criteria: [a]"),
            [
                (
                    'eval.yaml:2:67: tasks[0].graders[0].rubric: "quality.md" looks like a path, '
                    "but there is no such file; a text needs a second word"
                )
            ],
        ),
        (
            grader("type: deterministic, run: x, files: [../a, lib]"),
            [
                (
                    'eval.yaml:2:83: tasks[0].graders[0].files[0]: "../a" must be a path below the eval\'s folder, '
                    "because it gets the same place in the workspace"
                ),
                'eval.yaml:2:89: tasks[0].graders[0].files[1]: "lib" does not exist',
            ],
        ),
        (task("solution: solve.sh"), ['eval.yaml:2:92: tasks[0].solution: "solve.sh" does not exist']),
        (task("workspace: [app.js]"), ['eval.yaml:2:94: tasks[0].workspace[0]: "app.js" does not exist']),
        (
            task("workspace: [{src: eval.yaml, dest: ../../x}]"),
            ['eval.yaml:2:117: tasks[0].workspace[0].dest: the destination "../../x" leads out of the workspace'],
        ),
        (task("workspace: [{dest: x}]"), ['eval.yaml:2:94: tasks[0].workspace[0]: "src" is missing']),
        (
            task("workspace: [eval.yaml, {src: eval.yaml, dest: ./eval.yaml}]"),
            [
                (
                    'eval.yaml:2:105: tasks[0].workspace[1]: the destination "eval.yaml" is taken already; '
                    "give each entry a `dest` of its own"
                )
            ],
        ),
        (
            task("workspace: [{src: eval.yaml, chmod: wx}]"),
            ['eval.yaml:2:118: tasks[0].workspace[0].chmod: "wx" is no mode; write it like +x, u+rw,go-w or 755'],
        ),
        (
            task("turns: [{instruction: hello there}]"),
            [
                (
                    "eval.yaml:2:15: tasks[0].instruction: `turns` stand instead of `instruction`; "
                    "write one into each turn"
                )
            ],
        ),
        ("skill: nowhere\n" + task("trials: 1"), ['eval.yaml:1:8: skill: there is no SKILL.md at "nowhere"']),
        ("tasks: [*a]", ["eval.yaml:1:9: no anchor &a stands above this alias"]),
        (b"tasks:\n  \xff", ["eval.yaml:2:3: is not UTF-8 text"]),
        (
            "tasks: []\ntask: []",
            [
                "eval.yaml:1:8: tasks: must not be empty",
                'eval.yaml:2:1: task: unknown key (did you mean "tasks"?)',
            ],
        ),
    ],
)
def test_what_is_wrong_is_said_where_it_stands(tmp_path: Path, text: str | bytes, expected: list[str]) -> None:
    assert problems(tmp_path, text) == expected


def test_every_problem_is_reported_at_once_in_the_order_of_the_file(tmp_path: Path) -> None:
    text = (
        "defaults: {timout: 3, trials: two}\n"
        "tasks:\n"
        "- name: a\n"
        "  instruction: do it\n"
        "  workspace: [nope]\n"
        "  graders: [{type: llm_rubric, rubric: nope.md, weight: '1'}]\n"
        "- {}\n"
    )
    assert [line.split(": ")[1] for line in problems(tmp_path, text)] == [
        "defaults.timout",
        "defaults.trials",
        "tasks[0].workspace[0]",
        "tasks[0].graders[0].rubric",
        "tasks[0].graders[0].weight",
        "tasks[1]",
        "tasks[1]",
        "tasks[1]",
    ]


def test_a_missing_file_or_folder_is_one_sentence(tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "nope.yaml", tmp_path / "a" / "b", Path("x\0y")):
        with pytest.raises(SuiteError, match=r"does not exist; `skillgrade init` writes a first one$"):
            load_suite(path)


def test_a_pipe_is_refused_without_waiting(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "eval.yaml")
    with pytest.raises(SuiteError, match=r"eval\.yaml: is not a regular file$"):
        load_suite(tmp_path)


def test_the_built_in_values(tmp_path: Path) -> None:
    task = load_task(tmp_path, "trials:")
    assert (task.trials, task.timeout, task.grader_timeout) == (5, 300.0, 120.0)
    assert (task.threshold, task.pass_threshold, task.retries) == (0.8, 0.5, 1)
    assert (task.provider, task.network, task.grader_workspace) == ("auto", "default", None)
    assert (task.agent, task.docker, task.limits) == (AgentSpec(), DockerSpec(), Limits())
    assert (task.file, task.line) == (tmp_path / "eval.yaml", 2)


def test_a_task_wins_over_the_defaults_and_maps_merge_key_by_key(tmp_path: Path) -> None:
    suite = load(
        tmp_path,
        f"""
defaults:
  agent: acp
  acp: {{command: a b, env: {{DEBUG: 1, V: 1.10}}}}
  agent_version: 2.10
  trials: 3
  threshold: 0.9
  env: [HTTP_PROXY]
  docker: {{base: "python:3.11-slim", setup: apt}}
  environment: {{cpus: 1, pids: 9}}
tasks:
  - {{name: a, instruction: do it, {GRADERS}}}
  - name: b
    instruction: do it
    {GRADERS}
    agent: command
    command: node x.js
    output_format: codex-jsonl
    model: 4.10
    trials: 7
    threshold: 0
    env: {{A: yes, B: 1.50, C: }}
    docker: {{setup: npm, user: root}}
    environment: {{memory_mb: 512}}
""",
    )
    first, second = suite.tasks
    assert first.agent == AgentSpec("acp", acp_command="a b", acp_env={"DEBUG": "1", "V": "1.10"}, version="2.10")
    assert (first.trials, first.threshold, first.env_names, first.env_values) == (3, 0.9, ("HTTP_PROXY",), {})
    assert first.docker == DockerSpec("python:3.11-slim", "apt", None, required=True)
    assert first.limits == Limits(1.0, 2048, 9)
    assert (second.agent.name, second.agent.command, second.agent.output_format) == (
        "command",
        "node x.js",
        "codex-jsonl",
    )
    assert second.agent.model == "4.10"
    assert (second.trials, second.threshold) == (7, 0.0)
    assert (second.env_names, second.env_values) == (("C",), {"A": "yes", "B": "1.50"})
    assert second.docker == DockerSpec("python:3.11-slim", "npm", "root", required=True)
    assert second.limits == Limits(1.0, 512, 9)


def test_names_are_any_printable_text_as_it_was_written(tmp_path: Path) -> None:
    names = ["42", "007", "a/b", "../../victim", "ünïcode ✓", "true", "x" * 300, "1.10", "2020-01-01"]
    entries = "".join(f"- {{name: {name}, instruction: do it, {GRADERS}}}\n" for name in names)
    assert [task.name for task in load(tmp_path, f"tasks:\n{entries}").tasks] == names


def test_one_line_that_names_a_file_is_its_contents(tmp_path: Path) -> None:
    task = load_task(
        tmp_path,
        "graders:\n- {type: llm_rubric, rubric: rubrics/q.md, samples: 3}\n"
        "- {type: human, prompt: ask.txt, timeout: 9}\n"
        "- {type: judge, rubric: rubrics/q.md, pass_criteria: [x], weight: 2}\n- {type: human, prompt: Is it good?}",
        rubrics__q_md="\n the rubric \n",
        ask_txt="Well?\n",
    )
    assert task.graders == (
        LlmRubricSpec("llm_rubric", 0, 1.0, {}, "the rubric", samples=3),
        HumanSpec("human", 1, 1.0, {}, "Well?", 9.0),
        GraderSpec("judge", 2, 2.0, {"rubric": "the rubric", "pass_criteria": ["x"]}),
        HumanSpec("human", 3, 1.0, {}, "Is it good?", 1800.0),
    )


def test_a_text_of_many_lines_is_never_a_path(tmp_path: Path) -> None:
    suite = load(tmp_path, f"tasks:\n- name: a\n  instruction: |\n    a.md\n    b.md\n  {GRADERS}\n", a_md="no")
    assert suite.tasks[0].instruction == "a.md\nb.md"


@pytest.mark.parametrize("instruction", ["docs/nope.md", "nope.txt", "/review"])
def test_an_instruction_that_looks_like_a_missing_file_is_a_warning(tmp_path: Path, instruction: str) -> None:
    suite = load(tmp_path, f"tasks:\n- name: a\n  instruction: {instruction}\n  {GRADERS}\n")
    assert suite.tasks[0].instruction == instruction
    assert suite.warnings == (
        (
            f'{tmp_path}/eval.yaml:3:16: tasks[0].instruction: "{instruction}" looks like a path, '
            "but there is no such file; it is taken as the text itself"
        ),
    )


@pytest.mark.parametrize("text", ["Is it clean and/or short?", "Look at report.md", "Fix e.g. this", "/", "."])
def test_ordinary_sentences_are_no_paths(tmp_path: Path, text: str) -> None:
    suite = load(tmp_path, f"tasks:\n- name: a\n  instruction: do it\n  graders: [{{type: human, prompt: {text}}}]\n")
    grader = suite.tasks[0].graders[0]
    assert isinstance(grader, HumanSpec)
    assert grader.prompt == text
    assert [warning for warning in suite.warnings if text != "/"] == []


def test_keys_of_other_tools_on_a_task_are_warnings(tmp_path: Path) -> None:
    suite = load(tmp_path, task("description: a, expected_output: b, expectations: [c], assertions: [d]"))
    assert [warning.split(": ")[1:] for warning in suite.warnings] == [
        [f"tasks[0].{key}", "has no meaning on a task here; it is ignored"]
        for key in ("description", "expected_output", "expectations", "assertions")
    ]


def test_own_keys_at_the_top_and_empty_keys_are_fine(tmp_path: Path) -> None:
    tops = "_base: &b {trials: 2}\nx-note: hi\nskill:\ndefaults:\n"
    text = f"{tops}tasks:\n- {{<<: *b, {RULES}, {GRADERS}, workspace: }}\n"
    suite = load(tmp_path, text)
    assert (suite.tasks[0].trials, suite.tasks[0].workspace) == (2, ())


def test_what_is_built_later_is_kept_as_the_file_has_it(tmp_path: Path) -> None:
    suite = load(
        tmp_path,
        """
tasks:
- name: talk
  turns:
    - {instruction: hello there, graders: [{type: deterministic, run: bash graders/a.sh}]}
  on_turn_failure: stop
  graders: [{type: assertions, assertions: [{type: contains, target: "## Risks", not: false}], threshold: null}]
""",
        graders__a_sh="",
    )
    (talk,) = suite.tasks
    assert (talk.instruction, talk.on_turn_failure) == ("hello there", "stop")
    assert talk.turns == (Turn("hello there"),)
    assert [(spec.type, spec.index, spec.turn) for spec in talk.graders] == [
        ("deterministic", 0, 0),
        ("assertions", 1, None),
    ]
    assert talk.graders[1].config == {
        "assertions": [{"type": "contains", "target": "## Risks", "not": False}],
    }
    assert suite.own_files == {tmp_path / name for name in ("eval.yaml", "graders")}
    assert suite.warnings == ()


def test_a_turn_is_checked_like_a_task(tmp_path: Path) -> None:
    turn = "{instruction: hi you, graders: [{type: llm_rubric, rubric: q.md}], solution: s.sh}"
    text = f"tasks:\n- name: a\n  turns: [{turn}]\n  {GRADERS}"
    assert [line.split(": ")[1] for line in problems(tmp_path, text)] == [
        "tasks[0].turns[0].graders[0].rubric",
        "tasks[0].turns[0].solution",
    ]


def test_graders_in_turns_are_enough(tmp_path: Path) -> None:
    suite = load(tmp_path, f"tasks:\n- name: a\n  turns: [{{instruction: hi you, {GRADERS}}}]\n")
    assert [(spec.index, spec.turn) for spec in suite.tasks[0].graders] == [(0, 0)]


def test_the_graders_of_a_turn_may_weigh_nothing_where_others_do(tmp_path: Path) -> None:
    unweighed = "{instruction: hi you, graders: [{type: deterministic, run: 'true', weight: 0}]}"
    suite = load(tmp_path, f"tasks:\n- name: a\n  turns: [{unweighed}]\n  {GRADERS}\n")
    assert [spec.weight for spec in suite.tasks[0].graders] == [0.0, 1.0]


def test_a_turn_has_its_replies_its_solution_and_graders_that_follow_on(tmp_path: Path) -> None:
    turns = (
        "[{instruction: hi you, reply: [{when: 'which\\?', content: this}, {content: go on}], solution: s.sh, "
        f"{GRADERS}}}, {{instruction: bye, {GRADERS}}}]"
    )
    suite = load(tmp_path, f"tasks:\n- name: a\n  turns: {turns}\n  {GRADERS}\n", s_sh="true")
    (task,) = suite.tasks
    assert task.turns == (
        Turn("hi you", tmp_path / "s.sh", (Reply("which\\?", "this"), Reply("", "go on"))),
        Turn("bye"),
    )
    assert [(spec.index, spec.turn) for spec in task.graders] == [(0, 0), (1, 1), (2, None)]
    assert tmp_path / "s.sh" in suite.own_files


def test_a_reply_s_pattern_is_checked(tmp_path: Path) -> None:
    text = f"tasks:\n- name: a\n  turns: [{{instruction: hi you, reply: [{{when: '(', content: x}}]}}]\n  {GRADERS}"
    (line,) = problems(tmp_path, text)
    assert "tasks[0].turns[0].reply[0].when" in line
    assert "is no regular expression" in line


def test_a_simulated_user_is_read(tmp_path: Path) -> None:
    user = "{persona: in a hurry, facts: [a, b], max_turns: 3, provider: openai, model: m}"
    suite = load(tmp_path, f"tasks:\n- name: a\n  user: {user}\n  {GRADERS}\n")
    assert suite.tasks[0].user == SimulatedUser("in a hurry", ("a", "b"), 3, "openai", "m")
    assert suite.tasks[0].instruction == ""


def test_expected_and_metadata_are_plain_values(tmp_path: Path) -> None:
    task = load_task(tmp_path, "expected: {a: [1, 2.5, {b: no}], c: }\nmetadata: {tier: easy, tags: [x], n: 3}")
    assert json.dumps(task.expected) == '{"a": [1, 2.5, {"b": "no"}], "c": null}'
    assert task.metadata == {"tier": "easy", "tags": ["x"], "n": 3}
    assert type(task.metadata) is dict


def test_an_answer_key_that_fits_into_a_variable_is_taken_and_a_larger_one_is_not(tmp_path: Path) -> None:
    assert load_task(tmp_path, f"expected: {'x' * 120_000}").expected == "x" * 120_000
    (problem,) = problems(tmp_path, task(f"expected: {'é' * 100 * 1024}"))
    assert problem == (
        'eval.yaml:2:92: tasks[0].expected: task "one": `expected` and `metadata` make SKILLGRADE_INPUT 204 KiB '
        "long, of which 127 KiB fit; move them into a file and name it in the grader's `files`"
    )


@pytest.mark.parametrize(
    ("keys", "where"),
    [
        ("workspace: [{src: '{secret}', dest: x}]", "workspace[0].src"),
        ("workspace: [{secret}]", "workspace[0]"),
        ("workspace: [link]", "workspace[0]"),
        ("workspace: [folder]", "workspace[0]"),
        ("solution: '{secret}'", "solution"),
        ("solution: ../secret", "solution"),
        ("graders: [{type: llm_rubric, rubric: '{secret}'}]", "graders[0].rubric"),
        ("graders: [{type: deterministic, run: link}]", "graders[0].run"),
        ("graders: [{type: deterministic, run: bash folder/link}]", "graders[0].run"),
        ("graders: [{type: deterministic, run: 'true', files: [folder]}]", "graders[0].files[0]"),
    ],
)
def test_nothing_outside_is_read_without_leave(tmp_path: Path, keys: str, where: str) -> None:
    secret = tmp_path / "secret"
    secret.write_text("key")
    root = tmp_path / "eval"
    (root / "folder").mkdir(parents=True)
    (root / "link").symlink_to(secret)
    (root / "folder" / "link").symlink_to("../../secret")
    keys = keys.replace("{secret}", str(secret))
    graders = "" if "graders" in keys else f", {GRADERS}"
    text = f"tasks:\n- {{{RULES}{graders}, {keys}}}\n"
    (problem,) = problems(root, text)
    assert f": tasks[0].{where}: " in problem
    assert f"lies outside {root}; pass --allow-outside if it may be read" in problem
    assert load_suite(root, allow_outside=True).tasks


def test_instructions_cannot_read_the_system_or_the_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path / "home", {".ssh/id_rsa": "key"})
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    root = tmp_path / "eval"
    for secret in ("/etc/passwd", "~/.ssh/id_rsa", "../home/.ssh/id_rsa"):
        (problem,) = problems(root, f"tasks:\n- {{name: a, instruction: {secret}, {GRADERS}}}\n")
        assert f'"{secret}" lies outside {root}; pass --allow-outside' in problem


def test_the_git_root_is_the_border_where_there_is_one(tmp_path: Path) -> None:
    write(tmp_path, {".git/HEAD": "", "shared/q.md": "rubric"})
    text = "tasks:\n- {name: a, instruction: ../shared/q.md, graders: [{type: deterministic, run: 'true'}]}\n"
    assert load(tmp_path / "eval", text).tasks[0].instruction == "rubric"


@pytest.mark.parametrize("keys", ["workspace: [pipe]", "solution: pipe", "workspace: [folder]"])
def test_special_files_are_refused_without_waiting(tmp_path: Path, keys: str) -> None:
    (tmp_path / "folder").mkdir()
    os.mkfifo(tmp_path / "pipe")
    os.mkfifo(tmp_path / "folder" / "pipe")
    (problem,) = problems(tmp_path, task(keys))
    assert problem.endswith("is neither a file nor a folder")


def test_an_instruction_from_a_pipe_is_refused_without_waiting(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    text = f"tasks:\n- {{name: a, instruction: pipe, {GRADERS}}}\n"
    assert problems(tmp_path, text) == ['eval.yaml:2:26: tasks[0].instruction: "pipe" is neither a file nor a folder']


def test_a_link_to_nowhere_is_refused_where_it_is_named_and_kept_inside_a_folder(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "link").symlink_to("made-later")
    (tmp_path / "gone").symlink_to("nothing")
    assert problems(tmp_path, task("solution: gone")) == [
        'eval.yaml:2:92: tasks[0].solution: "gone" is a link that leads nowhere (No such file or directory)'
    ]
    assert load(tmp_path, task("workspace: [folder]")).tasks[0].workspace[0].dest == "folder"


def test_a_file_that_is_no_text_is_refused_as_an_instruction(tmp_path: Path) -> None:
    write(tmp_path, {"a.md": b"\xff\xfe", "b.md": " \n"})
    text = f"tasks:\n- {{name: a, instruction: a.md, {GRADERS}}}\n- {{name: b, instruction: b.md, {GRADERS}}}\n"
    assert problems(tmp_path, text) == [
        'eval.yaml:2:26: tasks[0].instruction: "a.md" is not UTF-8 text',
        'eval.yaml:3:26: tasks[1].instruction: "b.md" is an empty file',
    ]


def test_the_files_of_the_eval_are_known_also_behind_links(tmp_path: Path) -> None:
    write(tmp_path, {"SKILL.md": "# S", "hidden/real.md": "rubric", "graders/a.sh": "", "solve.sh": "", "app.js": ""})
    (tmp_path / "q.md").symlink_to("hidden/real.md")
    suite = load(
        tmp_path,
        "tasks:\n- name: a\n  instruction: do it\n  solution: solve.sh\n  workspace: [app.js]\n"
        "  graders: [{type: llm_rubric, rubric: q.md}, {type: deterministic, run: bash graders/a.sh}]\n",
    )
    names = ("eval.yaml", "q.md", "hidden/real.md", "graders", "solve.sh", "app.js")
    assert suite.own_files == {tmp_path / name for name in names}
    assert suite.warnings == (
        (
            f'{tmp_path}/eval.yaml:5:15: tasks[0].workspace[0]: "app.js" is a file of the eval here, so the agent\'s '
            "copy of the skill lacks it"
        ),
    )


def test_a_file_that_the_skill_lacks_is_said_once_and_a_tool_of_the_system_never(tmp_path: Path) -> None:
    entry = "workspace: [data/x.csv, {src: bin/tool, dest: /usr/local/bin/tool, chmod: +x}]"
    tasks = "".join(f"- {{name: {name}, instruction: do it, {GRADERS}, {entry}}}\n" for name in "ab")
    suite = load(tmp_path, f"tasks:\n{tasks}", SKILL_md="# S", data__x_csv="", bin__tool="")
    assert [warning.split(": ", 2)[2] for warning in suite.warnings] == [
        '"data/x.csv" is a file of the eval here, so the agent\'s copy of the skill lacks it'
    ]
    assert {tmp_path / "data/x.csv", tmp_path / "bin/tool"} <= suite.own_files


def test_a_workspace_that_is_the_whole_skill_does_not_take_the_skill_away(tmp_path: Path) -> None:
    suite = load(tmp_path, task("workspace: [{src: ., dest: repo}]"), SKILL_md="# S")
    assert suite.own_files == {tmp_path / "eval.yaml"}


def test_loading_a_module_does_not_import_the_validator() -> None:
    code = (
        "import sys, skillgrade.suite.load, skillgrade.suite.starter, skillgrade.suite.selection; "
        "print('jsonschema' in sys.modules, 'jinja2' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "False"]


_KEYS = st.sampled_from(
    (
        *("version", "skill", "defaults", "tasks", "name", "instruction", "graders", "type", "run", "rubric", "weight"),
        *("trials", "workspace", "src", "dest", "docker", "env", "turns", "dataset", "metadata", "expected", "acp"),
        *("$import", "files", "x"),
    )
)
_VALUES = st.sampled_from(["one", "a/b.md", "deterministic", "llm_rubric", "eval.yaml", ".", "/", "../x", "*", "~"])
_TREES = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 3) | st.floats(-2, 2) | _VALUES | st.text(max_size=4),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_KEYS, inner, max_size=6),
    max_leaves=25,
)


def _refusals(root: Path) -> tuple[Problem, ...]:
    try:
        load_suite(root)
    except SuiteError as error:
        assert error.problems  # noqa: PT017  (other errors than this one must surface)
        return error.problems
    return ()


@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.binary(max_size=100) | _TREES.map(lambda tree: json.dumps(tree).encode()))
def test_whatever_the_file_holds_is_loaded_or_refused_with_places(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "eval.yaml").write_bytes(content)
    lines = content.decode(errors="replace").splitlines() or [""]
    for problem in _refusals(tmp_path):
        assert problem.message
        assert problem.file == tmp_path / "eval.yaml"
        assert problem.line is None or 1 <= problem.line <= len(lines) + 1


@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.dictionaries(_KEYS, _TREES, max_size=8), st.dictionaries(_KEYS, _TREES, max_size=8))
def test_any_task_is_loaded_or_refused_with_places(
    tmp_path: Path, keys: dict[str, object], grader: dict[str, object]
) -> None:
    task = {"name": "a", "instruction": "do it", "graders": [{"type": "deterministic", "run": "x", **grader}], **keys}
    text = json.dumps({"tasks": [task]}, indent=0, ensure_ascii=False)
    (tmp_path / "eval.yaml").write_text(text)
    lines = re.split("[\n\x85\u2028\u2029]", text)  # the line breaks of YAML
    for problem in _refusals(tmp_path):
        if "YAML" in problem.message:
            continue
        assert problem.line is not None
        assert problem.column is not None
        # Every place is the first character of a key or of a value.
        assert lines[problem.line - 1][problem.column - 1] in '"{[-0123456789tfn'


def test_a_file_in_the_shape_of_the_npm_tool_loads(tmp_path: Path) -> None:
    write(
        tmp_path,
        {
            "SKILL.md": "---\nname: tidy\n---\n",
            "fixtures/messy.js": "",
            "bin/tidy": "",
            "graders/check.ts": "",
            "rubrics/flow.md": "Did it check first?",
            "ask.md": "Tidy up.",
        },
    )
    suite = load(
        tmp_path,
        """
version: "1"
# skill: elsewhere
defaults:
  agent: gemini
  provider: docker
  trials: 5
  timeout: 300
  threshold: 0.8
  grader_model: some-model
  docker:
    base: node:20-slim
    # setup: |
    #   apt-get update
  environment:
    cpus: 2
    memory_mb: 2048
tasks:
  - name: tidy-up
    instruction: ask.md
    workspace:
      # - src: fixtures/other.js
    graders:
      - type: deterministic
        setup: npm install typescript
        run: npx ts-node graders/check.ts
        weight: 0.7
      - type: llm_rubric
        rubric: rubrics/flow.md
        provider: anthropic
        model: a-model
        weight: 0.3
    agent: command
    command: cat
    grader_provider: openai
    timeout: 600
  - name: 7
    instruction: Tidy up fixtures/messy.js and say so.
    workspace: [fixtures/messy.js, {src: bin/tidy, dest: /usr/local/bin/tidy, chmod: "+x"}]
    graders:
      - type: deterministic
        run: |
          # prints its score
          if test -f done.txt; then
            echo '{"score": 1.0, "details": "done"}'
          else
            echo '{"score": 0.0, "details": "not done"}'
          fi
    expected:
    metadata: {tier: 1}
""",
    )
    first, second = suite.tasks
    assert (first.instruction, first.workspace, first.agent.name, first.timeout) == ("Tidy up.", (), "command", 600.0)
    assert (first.grader_provider, first.grader_model) == ("openai", "some-model")
    assert [grader.weight for grader in first.graders] == [0.7, 0.3]
    assert (second.name, second.agent.name, second.expected, second.metadata) == ("7", "gemini", None, {"tier": 1})
    assert [file.dest for file in second.workspace] == ["messy.js", "/usr/local/bin/tidy"]
    assert pickle.loads(pickle.dumps(suite)) == suite
