"""A place to run commands, one at a time, within limits.

The helper process itself sits in a control group for as long as it lives, so that a trial costs no move: moving a
process takes up to 16 ms, setting limits a fraction of one.
"""

from __future__ import annotations

from collections.abc import Sequence

from skillgrade.process import ProcessSlot
from skillgrade.suite.model import Limits
from skillgrade.workspace.control_groups import make_control_group

_HELPERS = 3
"""Processes of ours in the group: the helper, and bubblewrap outside and inside of the sandbox."""


class LimitedSlot(ProcessSlot):
    """A slot whose commands stay within limits, as far as this user may set any.

    Attributes:
        enforced: Which controllers hold: of ``memory``, ``pids`` and ``cpu``.
    """

    def __init__(self) -> None:
        super().__init__()
        self._group = make_control_group(self.pid)
        self._limits: Limits | None = None
        self.enforced = frozenset(self._group.folders) if self._group else frozenset()

    def limit(self, limits: Limits) -> None:
        """Set the limits of the commands to come.

        Raises:
            OSError: The kernel refuses them.
        """
        if self._group is not None and limits != self._limits:
            self._group.limit(limits, _HELPERS)
            self._limits = limits

    def bounded(self, argv: Sequence[str], limits: Limits) -> tuple[str, ...]:
        """A command line under a memory limit of its own, where no control group holds one (for each process then)."""
        if "memory" in self.enforced:
            return tuple(argv)
        return ("/bin/sh", "-c", 'ulimit -d "$0"; exec "$@"', str(limits.memory_mb << 10), *argv)

    def oom_kills(self) -> int:
        """How many processes the memory limit has killed so far.

        Raises:
            OSError: The group cannot be read.
        """
        return self._group.oom_kills() if self._group else 0

    def close(self) -> None:
        """End the helper, and with it the group."""
        super().close()
        if self._group is not None:
            self._group.remove()
