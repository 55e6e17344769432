"""`skillgrade` itself: list, validate or run the selected tasks of an eval.yaml."""

from __future__ import annotations

import gc
import shlex
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from skillgrade import __version__
from skillgrade.cli.exit_codes import ExitCode
from skillgrade.cli.options import Fraction, GivenPath, JudgeName, Text, core_count, eval_folder, results_base
from skillgrade.errors import UsageError

if TYPE_CHECKING:
    from skillgrade.cli.execute import Asking
    from skillgrade.suite.model import Suite
    from skillgrade.suite.overrides import Overrides
    from skillgrade.suite.selection import Selection

# The rest is imported where it is needed: `--help` and `--version` must not wait for the engine.

PRESETS = {"smoke": 5, "reliable": 15, "regression": 30}
"""Trials per task that each preset stands for."""

_EPILOG = """\b
Commands:
  skillgrade check        say whether skills and evals can be trusted
  skillgrade clean        remove what killed runs left, and images that nobody uses
  skillgrade compare      say what changed from one run to another
  skillgrade diagnose     say why trials failed, and what to change in SKILL.md
  skillgrade doctor       look at agents, places and judges before money is spent
  skillgrade gate         say whether the evidence of a pack or skill may release it
  skillgrade init         write a starter eval.yaml for the skill here
  skillgrade judge-check  try judges with planted answers, and record it
  skillgrade preview      show a run once more, with every trial
  skillgrade regrade      grade a finished run again from its records
  skillgrade reverify     judge a sample of a run again, and say how much differs
  skillgrade review       show what people are asked to score, and take their scores
  skillgrade schema       print the JSON Schema of eval.yaml
  skillgrade scout        say which skills a sentence would reach
  skillgrade triggers     say how well prompts reach a skill by its description

\b
Exit codes, the first that applies:
  2 the files or flags are wrong       130 interrupted
  3 something errored or is ungraded   1 a gate or a validation said no
  0 all well; failed trials alone do not change that without --ci
"""


@click.command(epilog=_EPILOG)
@click.argument("name", required=False)
@click.option("-f", "--file", type=GivenPath(), help="The eval.yaml or its folder (default: here).")
@click.option("--eval", "evals", type=Text(), metavar="NAME[,NAME]", multiple=True, help="Only these tasks.")
@click.option("--task", "old_evals", type=Text(), metavar="NAME[,NAME]", multiple=True, hidden=True)
@click.option(
    "--filter", "filters", type=Text(), metavar="KEY=V[,V]", multiple=True, help="Only tasks with this metadata."
)
@click.option(
    "--not-filter", "not_filters", type=Text(), metavar="KEY=V[,V]", multiple=True, help="No tasks with this metadata."
)
@click.option("--filter-pattern", type=Text(), metavar="REGEX", help="Only tasks whose name matches.")
@click.option(
    "--grader", "graders", type=Text(), metavar="TYPE[,TYPE]", multiple=True, help="Only graders of these types."
)
@click.option("--list", "list_only", is_flag=True, help="List the selected tasks and run nothing.")
@click.option("--trials", type=click.IntRange(min=1), help="Trials per task.")
@click.option("--smoke", is_flag=True, help="5 trials per task.")
@click.option("--reliable", is_flag=True, help="15 trials per task.")
@click.option("--regression", is_flag=True, help="30 trials per task.")
@click.option("--parallel", type=click.IntRange(min=1), help="Trials that run at a time (default: the cores).")
@click.option("--retries", type=click.IntRange(min=0), help="How often an errored trial is tried again.")
@click.option(
    "--resume",
    metavar="[RUN]",
    is_flag=False,
    flag_value="latest",
    help="Go on with an interrupted run (--resume=RUN; by default the latest): only what is missing or errored runs.",
)
@click.option("--no-wait", is_flag=True, help="Wait for no person's review: end with those trials ungraded.")
@click.option("--judge", type=JudgeName(), metavar="PROVIDER[:MODEL]", help="Who judges, whatever the file says.")
@click.option(
    "--verdicts", type=click.Choice(["live", "record", "replay"]), help="Where verdicts come from (default: live)."
)
@click.option("--agent", type=Text(), metavar="NAME", help="Who works on the tasks.")
@click.option("--model", type=Text(), metavar="NAME", help="The agent's model, if it takes one.")
@click.option("--command", "agent_command", type=Text(), metavar="CMD", help="What the `command` agent runs.")
@click.option("--acp-command", type=Text(), metavar="CMD", help="What starts the `acp` agent.")
@click.option("--opencode-agent", type=Text(), metavar="NAME", help="The `opencode` agent's own agent.")
@click.option("--opencode-model", type=Text(), metavar="MODEL", help="The `opencode` agent's model.")
@click.option("--provider", type=click.Choice(["auto", "docker", "local", "bubblewrap"]), help="Where trials run.")
@click.option("--no-skill", is_flag=True, help="Run without the skill, to see what it changes.")
@click.option("--baseline", is_flag=True, help="Run every trial without the skill too, and say what it changes.")
@click.option("--validate", "validate_only", is_flag=True, help="Prove the graders on the reference solutions instead.")
@click.option("--ci", is_flag=True, help="Gate: exit 1 when a task's mean reward is below its threshold.")
@click.option("--threshold", type=Fraction(), help="The mean reward that --ci asks of every task.")
@click.option("--output", type=GivenPath(), help="Where results go (default: .skillgrade beside the file).")
@click.option("--preview", is_flag=True, help="Explain every trial at the end, passed ones too.")
@click.option("--json", "as_json", is_flag=True, help="The report alone on stdout, all else on stderr.")
@click.option("--allow-outside", is_flag=True, help="Let the eval name files outside its repository.")
@click.version_option(__version__, prog_name="skillgrade")
def command(**values: Any) -> int:
    """Run the tasks of an eval.yaml, or the task called NAME, and say how often the skill works.

    Every task runs several independent trials in clean workspaces; graders score each trial.
    """
    from skillgrade.results.folder import find_run_folder, run_folders
    from skillgrade.suite.load import load_suite
    from skillgrade.suite.overrides import apply_overrides
    from skillgrade.suite.selection import select, without_skills

    _refuse_without_effect(values)
    results = run_folders(values["output"].absolute()) if values["output"] else ()
    loaded = load_suite(
        values["file"] or Path(),
        allow_outside=values["allow_outside"],
        results=results,
        with_digests=not values["list_only"],
    )
    suite = selected = apply_overrides(select(loaded, _selection(values)), _overrides(values))
    if values["no_skill"]:
        suite = without_skills(suite)
    base = results_base(eval_folder(values["file"]), values["output"])
    parallel = values["parallel"] or core_count()
    if values["list_only"]:
        return _list(suite)
    from skillgrade.cli.execute import run_trials, run_validation
    from skillgrade.engine.run import RunOptions

    asking = _asking(suite, values)
    if values["validate_only"]:
        return run_validation(suite, base, parallel, asking, ci=values["ci"])
    options = RunOptions(
        base=base,
        parallel=parallel,
        selection=_narrowing(values),
        grader_filter=_split(values["graders"]),
        partial=_is_partial(loaded, selected),
        resumed=None if values["resume"] is None else find_run_folder(base, values["resume"]),
        wait_for_reviews=not values["no_wait"],
    )
    return run_trials(
        suite,
        options,
        asking,
        ci=values["ci"],
        baseline=values["baseline"],
        every_trial=values["preview"],
        as_json=values["as_json"],
    )


_NEEDS_A_RUN = {
    "baseline": "--baseline",
    "resume": "--resume",
    "as_json": "--json",
    "preview": "--preview",
    "no_wait": "--no-wait",
}


def _refuse_without_effect(values: Mapping[str, Any]) -> None:
    """Refuse flags that would do nothing: whoever gave them expects something of them."""
    instead = [flag for name, flag in (("list_only", "--list"), ("validate_only", "--validate")) if values[name]]
    if values["baseline"] and values["no_skill"]:
        raise UsageError("--baseline and --no-skill exclude each other: --baseline runs with and without the skill")
    idle = [flag for name, flag in _NEEDS_A_RUN.items() if values[name]]
    if len(instead) > 1:
        raise UsageError("--list and --validate exclude each other: give one of them")
    if values["list_only"]:
        idle += [f"--{name}" for name in ("judge", "verdicts") if values[name]]
    if instead and idle:
        raise UsageError(f"{' and '.join(idle)} has no effect with {instead[0]}, which runs no trials of an agent")


def _list(suite: Suite) -> int:
    from skillgrade.reports.terminal.console import make_console
    from skillgrade.reports.terminal.listing import print_tasks
    from skillgrade.reports.terminal.text import printable

    # Rows of a dataset are many and stay: searching them for garbage, also at the end, costs as much as listing them.
    gc.freeze()
    notes = make_console(to_stderr=True)
    for warning in suite.warnings:
        notes.print(f"note: {printable(warning)}", style="yellow", soft_wrap=True)
    print_tasks(make_console(to_stderr=False), suite)
    return ExitCode.OK


def _selection(values: Mapping[str, Any]) -> Selection:
    from skillgrade.suite.selection import Selection

    names = (*values["evals"], *values["old_evals"])
    if values["name"]:
        names = (*names, values["name"])
    return Selection(
        names=names,
        filters=tuple(values["filters"]),
        not_filters=tuple(values["not_filters"]),
        pattern=values["filter_pattern"],
        graders=_split(values["graders"]),
    )


def _overrides(values: Mapping[str, Any]) -> Overrides:
    from skillgrade.suite.overrides import Overrides

    agent = values["agent"]
    if agent is None and values["agent_command"] is not None:
        agent = "command"  # whoever says what the command agent runs means it
    provider, model = values["judge"] or (None, None)
    return Overrides(
        agent=agent,
        model=values["model"],
        command=values["agent_command"],
        acp_command=values["acp_command"],
        opencode_agent=values["opencode_agent"],
        opencode_model=values["opencode_model"],
        provider=values["provider"],
        trials=_trials(values),
        retries=values["retries"],
        threshold=values["threshold"],
        grader_provider=provider,
        grader_model=model,
    )


def _asking(suite: Suite, values: Mapping[str, Any]) -> Asking:
    """Where verdicts come from, and the command that records those that this one asks for."""
    from skillgrade.cli.execute import Asking
    from skillgrade.judges.base import Verdicts

    provider, model = values["judge"] or (None, None)
    flags = [f"--file={suite.file}"]
    flags += [f"--grader={','.join(_split(values['graders']))}"] if values["graders"] else []
    flags += [f"--judge={provider}{f':{model}' if model else ''}"] if provider else []
    flags += ["--validate"] if values["validate_only"] else []
    return Asking(Verdicts(values["verdicts"] or "live"), shlex.join(["skillgrade", *flags, "--verdicts=record"]))


def _trials(values: Mapping[str, Any]) -> int | None:
    presets = [preset for preset in PRESETS if values[preset]]
    if len(presets) > 1:
        raise UsageError(f"--{' and --'.join(presets)} exclude each other: give one of them")
    if values["trials"] is not None:
        return int(values["trials"])
    return PRESETS[presets[0]] if presets else None


def _is_partial(loaded: Suite, selected: Suite) -> bool:
    """Whether a selected task lost a grader to the selection."""
    before = {task.name: len(task.graders) for task in loaded.tasks}
    return any(len(task.graders) < before[task.name] for task in selected.tasks)


def _split(values: Iterable[str]) -> tuple[str, ...]:
    return tuple(part.strip() for value in values for part in value.split(",") if part.strip())


def _narrowing(values: Mapping[str, Any]) -> tuple[str, ...]:
    """The flags that narrowed the tasks, as a person would give them again."""
    flags = [f"--eval={name}" for name in _selection(values).names]
    flags += [f"--filter={value}" for value in values["filters"]]
    flags += [f"--not-filter={value}" for value in values["not_filters"]]
    flags += [f"--filter-pattern={values['filter_pattern']}"] if values["filter_pattern"] else []
    flags += ["--no-skill"] if values["no_skill"] else []
    return tuple(flags)
