from __future__ import annotations

import pytest

from skillgrade.agents.command import CommandAgent, program_of
from tests.support.tasks import make_task


@pytest.mark.parametrize(
    ("command_line", "program"),
    [
        ("node mycli.js --flag", "node"),
        ("  ./agent.sh  ", "./agent.sh"),
        ("A=1 B='two words' python3 -m agent", "python3"),
        ("'/opt/my agent/run' x", None),
        ("(cd sub; ./run)", None),
        ("$AGENT --go", None),
        ("{ true; }", None),
        ("echo 'unfinished", None),
        ("A=1", None),
        ("", None),
        ("# only a comment", None),
    ],
)
def test_the_program_is_known_only_where_it_stands_plainly(command_line: str, program: str | None) -> None:
    assert program_of(command_line) == program


def test_the_instruction_is_its_stdin() -> None:
    assert CommandAgent().stdin("grüß dich\n") == "grüß dich\n".encode()


def test_it_needs_nothing_in_the_image_or_the_workspace() -> None:
    agent, task = CommandAgent(), make_task()
    assert agent.install_commands(task.agent) is None
    assert agent.files(task) == ()
