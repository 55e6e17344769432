import json
import os
import pickle
import subprocess
import sys
from pathlib import Path

import pytest

from skillgrade.errors import SuiteError
from skillgrade.suite.load import load_suite
from skillgrade.suite.model import (
    AgentSpec,
    Assertion,
    AssertionsSpec,
    DockerSpec,
    Limits,
    Turn,
)
from tests.support.suites import GRADERS, RULES, grader, load, load_task, problems, task, write


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", ["eval.yaml:1:1: must be a mapping with `tasks`"]),
        (
            "- a",
            [
                (
                    "eval.yaml:1:1: must be a mapping with `tasks`, or a file of another format that is known: "
                    "evals.json, cases.yaml, skill-creator evals, trigger set, promptfoo"
                )
            ],
        ),
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


def test_graders_of_turns_come_before_those_of_the_whole_conversation(tmp_path: Path) -> None:
    suite = load(
        tmp_path,
        """
tasks:
- name: talk
  turns:
    - {instruction: hello there, graders: [{type: deterministic, run: bash graders/a.sh}]}
  on_turn_failure: stop
  graders: [{type: assertions, assertions: [{type: contains, target: "## Risks", not: false}], threshold: }]
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
    assert talk.graders[1] == AssertionsSpec("assertions", 1, assertions=(Assertion("contains", "## Risks"),))
    assert suite.own_files == {tmp_path / name for name in ("eval.yaml", "graders")}
    assert suite.warnings == ()


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


def test_loading_a_module_does_not_import_the_validator() -> None:
    code = (
        "import sys, skillgrade.suite.load, skillgrade.suite.starter, skillgrade.suite.selection; "
        "print('jsonschema' in sys.modules, 'jinja2' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "False"]


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
