"""Grades CHANGELOG.md against the entries that the task expects: {"Section": ["entry", ...], ...}.

The same script serves every task of this kind, since the answer comes with the task and not with the script.
"""

import json
import os
import sys
from pathlib import Path


def unreleased(text: str) -> dict[str, list[str]]:
    """The entries under `## [Unreleased]`, by section."""
    sections: dict[str, list[str]] = {}
    inside = False
    section = ""
    for line in text.splitlines():
        if line.startswith("## "):
            inside = line == "## [Unreleased]"
        elif inside and line.startswith("### "):
            section = line.removeprefix("### ")
        elif inside and line.startswith("- "):
            sections.setdefault(section, []).append(line.removeprefix("- "))
    return sections


def main() -> int:
    """Print the verdict; exit code 1 when something is missing, for whoever runs this by hand."""
    expected: dict[str, list[str]] = json.loads(os.environ["SKILLGRADE_INPUT"])["expected"]
    changelog = Path("CHANGELOG.md")
    found = unreleased(changelog.read_text(encoding="utf-8", errors="replace")) if changelog.is_file() else {}
    print(f"found under [Unreleased]: {found}", file=sys.stderr)

    checks: list[dict[str, object]] = []
    for section, entries in expected.items():
        for number, entry in enumerate(entries, 1):
            there = entry in found.get(section, [])
            message = f"{section} {'has' if there else 'lacks'} {entry!r}"
            checks.append({"name": f"{section}-{number}", "passed": there, "message": message})

    # True of an untouched file as well, so it counts only once there is something.
    surplus = [
        f"{section} has {entry!r}, which does not belong there"
        for section, entries in found.items()
        for entry in entries
        if entry not in expected.get(section, [])
    ]
    message = surplus[0] if surplus else "no other entries" if found else "no entries at all"
    checks.append({"name": "nothing-else", "passed": bool(found) and not surplus, "message": message})

    passed = sum(check["passed"] is True for check in checks)
    details = f"{passed} of {len(checks)} checks passed"
    print(json.dumps({"score": round(passed / len(checks), 2), "details": details, "checks": checks}))
    return 0 if passed == len(checks) else 1


if __name__ == "__main__":
    sys.exit(main())
