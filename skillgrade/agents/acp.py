"""The `acp` agent: any agent that speaks the Agent Client Protocol on its standard streams.

Its process runs in the workspace like any other command, with a pipe as its standard input.
"""

from __future__ import annotations

import importlib.util
import tempfile
import weakref
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from skillgrade.agents.acp_session import Ask, CannotGoOnError
from skillgrade.agents.base import AgentTurn
from skillgrade.agents.ending import failed, how_it_ended
from skillgrade.agents.npm_agent import Access
from skillgrade.capture import OutputSink
from skillgrade.errors import AgentError
from skillgrade.models.keys import KEY_NAMES, URL_NAMES
from skillgrade.stop import Stop
from skillgrade.suite.model import AgentSpec, Task
from skillgrade.transcript.summary import TranscriptSummary
from skillgrade.workspace.base import Command, CommandResult, StagedFile, Workspace

_START = Path(__file__).with_name("acp.sh")
_NOT_FOUND = 127


class AcpAgent:
    """Talks to whatever `acp.command` starts."""

    name = "acp"
    is_llm = True
    gets_env_file = False
    has_version = False

    def __init__(self) -> None:
        self._sessions: weakref.WeakKeyDictionary[Workspace, str] = weakref.WeakKeyDictionary()

    def model(self, spec: AgentSpec) -> str | None:
        """None: it takes none."""
        return None

    def key_names(self, spec: AgentSpec) -> tuple[str, ...]:
        """None: the eval names what its agent needs, with `env` or `acp.env`."""
        return ()

    def model_url(self, task: Task, env: Mapping[str, str]) -> str | None:
        """That of the one provider of which it gets a key or an address; see `Agent.model_url`."""
        given = {**env, **task.agent.acp_env}
        if any(name in task.agent.acp_env for name in URL_NAMES.values()):
            return None  # what the file sets for the agent alone reaches it as it is
        found = [url for provider in KEY_NAMES if (url := Access.of(provider).model_url(given))]
        return found[0] if len(found) == 1 else None

    def output_format(self, spec: AgentSpec) -> str:
        """See `skillgrade.agents.acp_session`."""
        return "acp"

    def problem(self, task: Task, variables: Mapping[str, str]) -> str | None:
        """A command and the protocol's library are needed; see `Agent.problem`."""
        if not (task.agent.acp_command and task.agent.acp_command.strip()):
            return 'the "acp" agent needs a command: set `acp: {command: ...}`, or pass --acp-command="gemini --acp"'
        if importlib.util.find_spec("acp") is None:
            return 'the "acp" agent needs a library: pip install "skillgrade[acp]"'
        return None

    def install_commands(self, spec: AgentSpec) -> str | None:
        """Nothing: whoever brings the command installs it with `docker.setup`."""
        return None

    def version(self, workspace: Workspace, folder: Path, stop: Stop) -> str | None:
        """None; see `Agent.version`."""
        return None

    def files(self, task: Task) -> tuple[StagedFile, ...]:
        """Nothing; see `Agent.files`."""
        return ()

    def stdin(self, instruction: str) -> bytes | None:
        """Nothing that is known before; see `Agent.stdin`."""
        return None

    def command_line(self, task: Task, env: Mapping[str, str]) -> tuple[str, ...]:
        """See `Agent.command_line`."""
        return ("bash", "-c", task.agent.acp_command or "")

    def failure(self, result: CommandResult, summary: TranscriptSummary) -> str | None:
        """What its messages say; see `Agent.failure`."""
        return failed(result, summary)

    def act(self, task: Task, turn: AgentTurn, workspace: Workspace, stop: Stop) -> CommandResult:
        """Take a turn; see `Agent.act`."""
        from skillgrade.agents.acp_talk import Talk, pipe

        ask = Ask(turn.instruction, workspace.path, self._sessions.get(workspace) if turn.number else None)
        command_line = task.agent.acp_command or ""
        with tempfile.TemporaryDirectory() as folder, pipe() as (reading, writing):
            talk = Talk(ask, writing, turn.stdout)
            command = Command(
                argv=("bash", "-c", _START.read_text(encoding="utf-8"), command_line),
                env={**turn.env, **task.agent.acp_env},
                timeout=turn.timeout,
                stdin=reading,
                stdout=OutputSink(Path(folder, "talk"), byte_filter=talk),
                stderr=turn.stderr,
            )
            with talk.going_on():
                result = workspace.run(command, stop)
        result = replace(result, stdout=turn.stdout.close())
        if talk.session is not None:
            self._sessions[workspace] = talk.session
            return replace(result, exit_code=0)  # its turn is over; its own end came from here
        if result.timed_out:
            return result
        raise AgentError(_what_went_wrong(command_line, result, talk.error))


def _what_went_wrong(command_line: str, result: CommandResult, error: Exception | None) -> str:
    agent = f"the agent `{command_line}`"
    if result.exit_code == _NOT_FOUND:
        return (
            f"{agent} cannot be started: it {how_it_ended(result)}; install it with `docker.setup`, or on this machine"
        )
    if isinstance(error, CannotGoOnError):
        return f"{agent} cannot take up an earlier session (loadSession), which a task with several turns needs"
    if isinstance(error, ConnectionError) or error is None:
        return f"{agent} broke off its turn: it {how_it_ended(result)}"
    data = getattr(error, "data", None)
    return f"{agent} answered with an error: {error}{f' ({data})' if data else ''}"
