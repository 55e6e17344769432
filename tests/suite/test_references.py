"""What a suite says by naming a file: whose contents it is, and what is out of bounds."""

import os
from pathlib import Path

import pytest

from skillgrade.suite.load import load_suite
from skillgrade.suite.model import (
    HumanSpec,
    JudgeSpec,
    LlmRubricSpec,
)
from tests.support.suites import GRADERS, RULES, load, load_task, problems, task, write


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
        LlmRubricSpec("llm_rubric", 0, 1.0, "the rubric", samples=3),
        HumanSpec("human", 1, 1.0, "Well?", 9.0),
        JudgeSpec("judge", 2, 2.0, "the rubric", ("x",)),
        HumanSpec("human", 3, 1.0, "Is it good?", 1800.0),
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
