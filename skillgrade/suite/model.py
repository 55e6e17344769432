"""The suite: what eval.yaml says, resolved.

Every path here is absolute, every file reference is read, every default is applied. Nothing in these classes looks at
the disk or the environment; `skillgrade.suite.load` makes them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path

from skillgrade.skill.model import Skill
from skillgrade.suite.rubric_sections import RubricSection, rubric_sections

SKILL_USED = "skill_used"
"""The assertion that the agent used a skill by itself; its target is the skill's name."""

PLAIN_USER_ID = 1000
"""The uid (and gid) of the plain user that owns the workspace in Docker."""


@dataclass(frozen=True, slots=True)
class WorkspaceFile:
    """A file or folder of the eval that a task puts into the workspace.

    Attributes:
        src: Absolute path on the host.
        dest: POSIX path; relative to the workspace, or absolute.
        chmod: A mode as chmod takes it (``+x``, ``755``); None keeps the file's own.
    """

    src: Path
    dest: str
    chmod: str | None = None

    def overlaps(self, path: str) -> bool:
        """Whether it and a path of the workspace are one, or one of them lies in the other."""
        return f"{path}/".startswith(f"{self.dest}/") or self.dest.startswith(f"{path}/")

    def source_of(self, path: str) -> Path | None:
        """What comes to a path of the workspace from here, be it there or not; None where that is something else."""
        if not f"{path}/".startswith(f"{self.dest}/"):
            return None
        return self.src / path[len(self.dest) :].lstrip("/")


@dataclass(frozen=True, slots=True)
class DockerSpec:
    """The image that a task needs.

    Attributes:
        base: The image to start from.
        setup: Commands that run as root when the image is built; may have many lines.
        user: ``root``, or None for the plain user (uid 1000) that owns the workspace.
        required: Whether the file says `docker:` anywhere for this task; then no other provider is chosen by itself.
    """

    base: str = "node:20-slim"
    setup: str | None = None
    user: str | None = None
    required: bool = False


@dataclass(frozen=True, slots=True)
class Limits:
    """What a workspace may use: processors, memory in MiB, processes."""

    cpus: float = 2.0
    memory_mb: int = 2048
    pids: int = 512


@dataclass(frozen=True, slots=True)
class AgentSpec:
    """Which agent works on a task, and how.

    Attributes:
        name: A key of `skillgrade.agents.AGENTS`; None when neither the file nor a flag says it.
        model: Passed to agents that take one.
        command: The command line of the `command` agent.
        output_format: What the `command` agent prints.
        acp_command: The command line of the `acp` agent.
        acp_env: Extra variables of the `acp` agent.
        version: Which version of the agent's CLI goes into the image.
        home: ``isolated`` or ``user``: the agent's home in local and bubblewrap.
        opencode_agent: The `opencode` agent's own agent.
        opencode_model: The `opencode` agent's model; wins over `model`.
    """

    name: str | None = None
    model: str | None = None
    command: str | None = None
    output_format: str = "text"
    acp_command: str | None = None
    acp_env: Mapping[str, str] = field(default_factory=dict)
    version: str | None = None
    home: str = "isolated"
    opencode_agent: str | None = None
    opencode_model: str | None = None


@dataclass(frozen=True, slots=True)
class GraderFile:
    """A file or folder of the eval that a grader needs in the workspace while it runs.

    Attributes:
        src: Absolute path on the host.
        dest: POSIX path relative to the workspace.
    """

    src: Path
    dest: str


@dataclass(frozen=True, slots=True)
class JudgeChoice:
    """A judge as a grader names it; None leaves it to the task's `grader_provider` and `grader_model`."""

    provider: str | None = None
    model: str | None = None


@dataclass(frozen=True, slots=True)
class GraderSpec:
    """One grader of a task.

    Attributes:
        type: A key of `skillgrade.graders.GRADERS`.
        index: Position among the task's graders, from 0; the name of the grader in records.
        weight: Share of the reward, >= 0.
        judges: The judges that it names, for types that ask some; empty where it names none.
        turn: The turn after which it runs, from 0; None for after the last one.
    """

    type: str
    index: int
    weight: float = 1.0
    judges: tuple[JudgeChoice, ...] = field(default=(), kw_only=True)
    turn: int | None = field(default=None, kw_only=True)


@dataclass(frozen=True, slots=True)
class DeterministicSpec(GraderSpec):
    """A grader that is a command in the workspace.

    Attributes:
        run: A command line or a script of many lines for bash; empty when `script` says what to run.
        script: The path of one script relative to the workspace, run by its kind; it is among `files`.
        setup: Commands that prepare what the grader needs, once per image or run.
        files: What of the eval goes into the workspace for this grader; it replaces whatever is at those paths.
    """

    run: str = ""
    script: str | None = None
    setup: str | None = None
    files: tuple[GraderFile, ...] = ()


@dataclass(frozen=True, slots=True)
class Calibration:
    """Answers whose verdict is known, written by hand; one that the file lacks is empty.

    Attributes:
        known_right: It must pass.
        known_wrong: It must fail: it does what must not be done.
        vague: It must fail: it names the direction and shows nothing.
        subtle_wrong: It must fail, though it sounds right.
    """

    known_right: str = ""
    known_wrong: str = ""
    vague: str = ""
    subtle_wrong: str = ""


@dataclass(frozen=True, slots=True)
class LlmRubricSpec(GraderSpec):
    """A grader that asks judges how well the work meets a rubric.

    Attributes:
        rubric: What to look at, and for how many points.
        artifacts: Files of the workspace that the judges get to read, relative to it, normalised.
        samples: How often each judge is asked, >= 1.
        calibration: Answers with known verdicts, for `skillgrade judge-check`; None where there are none.
        is_optional: Whether it is skipped, and shown as skipped, where no judge can be asked.
    """

    rubric: str = ""
    artifacts: tuple[str, ...] = ()
    samples: int = 1
    calibration: Calibration | None = None
    is_optional: bool = False

    @property
    def sections(self) -> tuple[RubricSection, ...]:
        """The parts of the rubric that are scored by themselves; empty where it is scored as a whole."""
        return rubric_sections(self.rubric)


@dataclass(frozen=True, slots=True)
class HumanSpec(GraderSpec):
    """A grader that asks a person: the prompt, and the seconds after which the score is 0."""

    prompt: str = ""
    timeout: float = 1800.0


@dataclass(frozen=True, slots=True)
class JudgeSpec(GraderSpec):
    """A grader that asks judges for pass or fail, by criteria.

    Attributes:
        rubric: What a right answer does.
        pass_criteria: All of them must hold; at least one.
        fail_criteria: None of them may hold.
        calibration: Answers with known verdicts, for `skillgrade judge-check`; None where there are none.
        anti_patterns: Literal constructs that a wrong answer shows.
        artifacts: Files of the workspace that the judges get to read beside the answer, relative to it, normalised.
        samples: How often each judge is asked, >= 1; they must agree.
    """

    rubric: str = ""
    pass_criteria: tuple[str, ...] = ()
    fail_criteria: tuple[str, ...] = ()
    calibration: Calibration | None = None
    anti_patterns: tuple[str, ...] = ()
    artifacts: tuple[str, ...] = ()
    samples: int = 1


class Subject(StrEnum):
    """What an assertion about text looks at; a file that it names wins over it.

    `WORK` is the answer and, below it, the text files that the agent made.
    """

    ANSWER = "answer"
    WORK = "work"
    TRANSCRIPT = "transcript"


@dataclass(frozen=True, slots=True)
class Assertion:
    """One check of an `AssertionsSpec`.

    Attributes:
        type: What is checked; a key of `skillgrade.graders.assertions.CHECKS`, such as `SKILL_USED`.
        target: What it is compared with; its shape depends on the type.
        weight: Its share of the grader's score, >= 0.
        negated: Whether it must not hold.
        subject: What it looks at, for types that look at text.
        file: The file of the workspace that it looks at instead, relative to it, normalised.
        is_case_sensitive: Whether upper and lower case differ; None for the type's own habit.
        group: What it belongs to, for diagnostics.
        options: What else the type takes, by key, as the file has it.
        fault: Why it cannot be evaluated, where it stands in a file of another tool; None where it can.
    """

    type: str
    target: object = None
    weight: float = 1.0
    negated: bool = False
    subject: Subject = Subject.ANSWER
    file: str | None = None
    is_case_sensitive: bool | None = None
    group: str | None = None
    options: Mapping[str, object] = field(default_factory=dict)
    fault: str | None = None


@dataclass(frozen=True, slots=True)
class AssertionsSpec(GraderSpec):
    """A grader that checks what was kept of a trial.

    Attributes:
        assertions: Its checks, whose weights are not all 0.
        threshold: The weighted share that makes its score 1, and below which it is 0; None where the score is the
            weighted share.
    """

    assertions: tuple[Assertion, ...] = ()
    threshold: float | None = None


@dataclass(frozen=True, slots=True)
class Reply:
    """What a scripted user says next where the agent said something that a regular expression finds."""

    when: str
    content: str


@dataclass(frozen=True, slots=True)
class SimulatedUser:
    """A user whom a model plays.

    Attributes:
        persona: Who the user is and what they want.
        facts: What the user knows and may tell.
        max_turns: The most messages of the user, the first one included, >= 1.
        provider: The model's provider; None for that of the task's judges.
        model: The model; None for that of the task's judges.
    """

    persona: str
    facts: tuple[str, ...] = ()
    max_turns: int = 10
    provider: str | None = None
    model: str | None = None


@dataclass(frozen=True, slots=True)
class Turn:
    """One of a task's turns.

    Attributes:
        instruction: What the agent is told.
        solution: The reference solution's script of this turn.
        replies: What a scripted user answers in this turn.
    """

    instruction: str
    solution: Path | None = None
    replies: tuple[Reply, ...] = ()


@dataclass(frozen=True, slots=True)
class Task:
    """One task, with every default applied.

    Attributes:
        name: Unique in the suite; any printable text.
        instruction: What the agent is told; of several turns, in the first.
        workspace: What the workspace holds at the start beside the skill.
        graders: At least one; not all of weight 0. Those of turns come first, in the order of the turns.
        file: The file that holds the task.
        line: Its line there, 1-based.
        agent: Who works on it.
        provider: ``docker``, ``bubblewrap``, ``local`` or ``auto``.
        network: ``default`` or ``none``.
        trials: Independent trials, >= 1.
        timeout: Seconds for the agent, per turn.
        grader_timeout: Seconds for one deterministic grader.
        threshold: The mean reward that `--ci` asks for, 0..1.
        pass_threshold: The reward at which one trial passes, 0..1.
        retries: How often an errored trial is tried again.
        grader_provider: The judges' provider where a grader names none.
        grader_model: The judges' model where a grader names none.
        grader_workspace: ``same``, ``fresh``, or None to decide by whether the agent was root.
        env_names: Variables that agent and graders get from the shell or `.env`.
        env_values: Variables that the file itself sets for them.
        docker: The image.
        limits: What the workspace may use.
        solution: The reference solution's script.
        expected: The answer, for graders only; any YAML value.
        metadata: Labels for selection and reports.
        turns: All turns, where there are several; empty where `instruction` is all that the agent is told.
        user: The user whom a model plays; None where what the user says is written down. Then there is a single turn,
            in which the whole conversation takes place, and an empty instruction where the user begins.
        on_turn_failure: ``continue`` or ``stop``, after a turn that failed.
        dataset: The name of the dataset task that it is a row of; None where it is none.
    """

    name: str
    instruction: str
    graders: tuple[GraderSpec, ...]
    file: Path
    line: int
    workspace: tuple[WorkspaceFile, ...] = ()
    agent: AgentSpec = AgentSpec()
    provider: str = "auto"
    network: str = "default"
    trials: int = 5
    timeout: float = 300.0
    grader_timeout: float = 120.0
    threshold: float = 0.8
    pass_threshold: float = 0.5
    retries: int = 1
    grader_provider: str | None = None
    grader_model: str | None = None
    grader_workspace: str | None = None
    env_names: tuple[str, ...] = ()
    env_values: Mapping[str, str] = field(default_factory=dict)
    docker: DockerSpec = DockerSpec()
    limits: Limits = Limits()
    solution: Path | None = None
    expected: object = None
    metadata: Mapping[str, object] = field(default_factory=dict)
    turns: tuple[Turn, ...] = ()
    user: SimulatedUser | None = None
    on_turn_failure: str = "continue"
    dataset: str | None = None

    @property
    def each_turn(self) -> tuple[Turn, ...]:
        """Its turns; a single one where there is just an instruction."""
        return self.turns or (Turn(self.instruction, self.solution),)

    @property
    def is_conversation(self) -> bool:
        """Whether the agent may be told more than one thing."""
        return bool(self.turns) or self.user is not None

    @property
    def has_solution(self) -> bool:
        """Whether every turn has a reference solution."""
        return all(turn.solution is not None for turn in self.each_turn)

    def graders_after(self, turn: int) -> tuple[GraderSpec, ...]:
        """The graders that run after a turn."""
        last = len(self.each_turn) - 1
        return tuple(spec for spec in self.graders if turn == (last if spec.turn is None else spec.turn))


@dataclass(frozen=True, slots=True)
class TriggerPrompts:
    """What people say when a skill is meant, and what they say when it is not."""

    positive: tuple[str, ...] = ()
    negative: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Suite:
    """One eval.yaml, or a file of another tool that is read as one, resolved.

    Attributes:
        file: The eval.yaml.
        root: Its folder.
        tasks: In the order of the file.
        skills: The skills under test; empty when there is none.
        env_file: The `.env` beside the file; None when there is none.
        own_files: Files and folders, absolute, that belong to the eval and must not reach the agent with the skill:
            eval.yaml, its imports, everything it references.
        warnings: What is suspicious but no error, one sentence each, with its place.
        contents: Digests of the files that the outcome of a trial depends on, by the names that people know them by.
        digest: ``sha256:...`` over everything that the outcome of a trial depends on.
        format: What kind of file it is: ``eval.yaml``, or a key of `skillgrade.suite.formats.FORMATS`.
        triggers: The prompts by which triggering is measured; None where the file has none.
    """

    file: Path
    root: Path
    tasks: tuple[Task, ...]
    skills: tuple[Skill, ...] = ()
    env_file: Path | None = None
    own_files: frozenset[Path] = frozenset()
    warnings: tuple[str, ...] = ()
    contents: Mapping[str, str] = field(default_factory=dict)
    digest: str = ""
    format: str = "eval.yaml"
    triggers: TriggerPrompts | None = None
