"""The refiner: a command of the user's that changes the files of a skill."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from skillgrade.capture import OutputSink
from skillgrade.errors import Stage, UserError
from skillgrade.process import ProcessSlot
from skillgrade.stop import Stop
from skillgrade.storage import storing

_OF_THE_SHELL = ("PWD", "OLDPWD")


@dataclass(frozen=True, slots=True)
class Refiner:
    """A command line for bash, and the seconds that it may take."""

    command: str
    timeout: float

    def run(self, folder: Path, told: str, kept: Path, variables: Mapping[str, str], stop: Stop) -> None:
        """Let it change a copy of the skill.

        It runs as the user, with the user's variables but for those that name the folder of the eval. All that it
        started is dead afterwards.

        Args:
            folder: The copy, in which it runs.
            told: What it reads on standard input.
            kept: The folder for what it was told and what it said.
            variables: The user's variables.
            stop: Kills it.

        Raises:
            UserError: It could not be started, did not end in time, or failed; the copy may be half changed.
            StorageError: Its output could not be kept.
            Cancelled: The stop came.
        """
        with storing(kept):
            kept.mkdir(parents=True, exist_ok=True)
            (kept / "told.txt").write_text(told, "utf-8")
        env = {name: value for name, value in variables.items() if name not in _OF_THE_SHELL} | {"PWD": str(folder)}
        out, err = OutputSink(kept / "stdout.txt"), OutputSink(kept / "stderr.txt")
        slot = ProcessSlot()
        try:
            result = slot.run(
                ["bash", "-c", self.command],
                env=env,
                cwd=folder,
                stdin=told.encode("utf-8", "replace"),
                stdout=out,
                stderr=err,
                timeout=self.timeout,
                stop=stop,
                stage=Stage.AGENT,
            )
        finally:
            slot.close()
            said = [sink.close() for sink in (out, err)]
        if result.exit_code == 0:
            return
        if result.timed_out:
            why = f"did not end within {self.timeout:g} s; --refiner-timeout gives it more"
        elif result.start_error is not None:
            why = f"could not be started: {result.start_error}"
        else:
            last = said[1].text().strip().rpartition("\n")[2]
            why = f"ended with exit code {result.exit_code}" + (f": {last}" if last else "")
        raise UserError(f"the refiner {why}; what it said is in {kept}; --resume goes on from here")


def users_variables() -> dict[str, str]:
    """The variables of this process."""
    return dict(os.environ)
