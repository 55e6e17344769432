"""What skillgrade's exit codes mean."""

from __future__ import annotations

from enum import IntEnum


class ExitCode(IntEnum):
    """What an exit code means; of several that apply, the first of USAGE, INTERRUPTED, ERRORED, REFUSED."""

    OK = 0
    REFUSED = 1
    USAGE = 2
    ERRORED = 3
    INTERRUPTED = 130
