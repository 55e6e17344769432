"""What is easily overlooked in an eval."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from skillgrade.checks.findings import Finding, Rule, warning
from skillgrade.reading import UnreadableError, read_text
from skillgrade.suite.assertion_types import SHAPES, Shape
from skillgrade.suite.model import SKILL_USED, AssertionsSpec, DeterministicSpec, JudgeSpec, LlmRubricSpec, Suite, Task
from skillgrade.wording import shown

LOADS = Rule(
    "eval-loads", "The eval can be read.",
    "Nothing runs before that.", "mend the place that is named",
)  # fmt: skip
NOTED = warning(
    "eval-noted", "Reading the eval raises no doubts.",
    "What looks odd is often not what was meant.", "see what the note says",
)  # fmt: skip
SECRET = Rule(
    "eval-secret", "The eval holds no keys.",
    "It is committed, and agents may read what lies beside it.", "revoke the key, and name its variable with `env`",
)  # fmt: skip
NAMED_FILES = warning(
    "instruction-names-files", "The instruction names the files that graders look for.",
    "An agent cannot guess them, and fails for that alone.", "name the file in the instruction",
)  # fmt: skip
SOLUTION = warning(
    "task-solution", "Every task that programs grade has a solution.",
    "Without one `--validate` cannot prove that the task can be passed.", "write a `solution`",
)  # fmt: skip
WEIGHT = warning(
    "grader-weight", "Every grader weighs something.",
    "One of weight 0 costs time or money and changes nothing.", "give it a weight, or take it out",
)  # fmt: skip
PACKAGE = Rule(
    "cases-balance", "A cases.yaml has a case that must use the skill and two that must not.",
    "Without them nobody sees a skill that always triggers, or never.", "add such cases, with `trigger_expected`",
)  # fmt: skip
RULES = (LOADS, NOTED, SECRET, NAMED_FILES, SOLUTION, WEIGHT, PACKAGE)

_SECRET = re.compile(
    r"\b(?:sk-(?:ant-|proj-)?[A-Za-z0-9_-]{20,}|AIza[A-Za-z0-9_-]{30,}|gh[pousr]_[A-Za-z0-9]{30,}|AKIA[A-Z0-9]{16}|"
    r"xox[abprs]-[A-Za-z0-9-]{10,}|glpat-[A-Za-z0-9_-]{20,})|-----BEGIN [A-Z ]*PRIVATE KEY-----"
)
_LARGEST = 1024 * 1024
_READS = re.compile(
    r"(?:(?<!\S)(?:-[fsre]|cat)\s+|\b(?:open|read_text|readFileSync|existsSync|Path)\(\s*)"
    r"[\"']?(?P<path>\w[\w./-]*\.[A-Za-z]\w{0,7})\b"
)
_CASES = "cases.yaml"
_MOST_NEGATIVE = 2


def eval_findings(suite: Suite) -> Iterator[Finding]:
    """What is wrong, or odd, in an eval."""
    for sentence in suite.warnings:
        file, line, message = _placed(sentence, suite.file)
        yield Finding(NOTED, message, file, line)
    yield from _secrets(suite)
    for task in suite.tasks:
        yield from _on_task(task)
    if suite.format == _CASES:
        yield from _balance(suite)


def _on_task(task: Task) -> Iterator[Finding]:
    name = shown(task.name)
    told = "\n".join(turn.instruction for turn in task.each_turn)
    for path in dict.fromkeys(_looked_for(task)):
        if PurePosixPath(path).name not in told and not any(each.overlaps(path) for each in task.workspace):
            message = f"a grader of {name} looks for {path}, which its instruction does not name"
            yield Finding(NAMED_FILES, message, task.file, task.line)
    if any(isinstance(spec, DeterministicSpec) for spec in task.graders) and not task.has_solution:
        yield Finding(SOLUTION, f"{name} has no solution", task.file, task.line)
    for spec in task.graders:
        if spec.weight == 0 and not (isinstance(spec, LlmRubricSpec) and spec.is_optional):
            message = f"the {spec.type} grader {spec.index} of {name} weighs nothing"
            yield Finding(WEIGHT, message, task.file, task.line)


def _looked_for(task: Task) -> Iterator[str]:
    """The files of the workspace that graders look for, as far as the file says it."""
    for spec in task.graders:
        if isinstance(spec, AssertionsSpec):
            for each in spec.assertions:
                if each.file is not None:
                    yield each.file
                elif SHAPES.get(each.type) is Shape.PATH and not each.negated:
                    yield str(each.target)
        elif isinstance(spec, LlmRubricSpec | JudgeSpec):
            yield from spec.artifacts
        elif isinstance(spec, DeterministicSpec):
            brought = {file.dest for file in spec.files}
            sources = [spec.run, *(_content(file.src) for file in spec.files if file.dest == spec.script)]
            for match in _READS.finditer("\n".join(sources)):
                path = match["path"].removeprefix("./")
                if not any(f"{path}/".startswith(f"{dest}/") for dest in brought):
                    yield path


def _content(path: Path) -> str:
    try:
        return read_text(path, _LARGEST) if path.is_file() else ""
    except UnreadableError:
        return ""


def _secrets(suite: Suite) -> Iterator[Finding]:
    for file in dict.fromkeys((suite.file, *(task.file for task in suite.tasks))):
        for number, line in enumerate(_content(file).splitlines(), 1):
            if _SECRET.search(line):
                yield Finding(SECRET, "this line holds what looks like a key", file, number)


def _balance(suite: Suite) -> Iterator[Finding]:
    counts = {True: 0, False: 0}
    for task in suite.tasks:
        for spec in task.graders:
            for each in spec.assertions if isinstance(spec, AssertionsSpec) else ():
                if each.type == SKILL_USED:
                    counts[not each.negated] += 1
    if counts[True] < 1:
        yield Finding(PACKAGE, "no case must use the skill", suite.file)
    if counts[False] < _MOST_NEGATIVE:
        yield Finding(PACKAGE, f"{counts[False]} cases must not use the skill", suite.file)


def _placed(sentence: str, usual: Path) -> tuple[Path, int | None, str]:
    """A note of the loader, which is a sentence with its place before it, taken apart."""
    match = re.match(r"(?P<file>[^:\n]+):(?P<line>\d+):\d+: (?P<rest>.*)", sentence, re.DOTALL)
    if match is None:
        return usual, None, sentence
    return Path(match["file"]).absolute(), int(match["line"]), match["rest"]
