"""Match names against a regular expression, in a process of its own, so that a hopeless one can be ended.

Started as a script with ``{"pattern": ..., "names": [...]}`` on standard input; prints a list of booleans.
"""

from __future__ import annotations

import json
import re
import sys


def main() -> None:
    """Answer the request on standard input."""
    request = json.load(sys.stdin)
    pattern = re.compile(request["pattern"])
    json.dump([pattern.search(name) is not None for name in request["names"]], sys.stdout)


if __name__ == "__main__":
    main()
