"""What tests read out of the documentation."""

from __future__ import annotations

import re
import textwrap
from pathlib import Path

from skillgrade.suite.schema import schema_errors

REPOSITORY = Path(__file__).parents[2]


def yaml_blocks(page: Path) -> list[str]:
    """The YAML that a page shows."""
    return [textwrap.dedent(block) for block in re.findall(r"(?ms)^ *```yaml\n(.*?)^ *```$", page.read_text("utf-8"))]


def problems(suite: object) -> list[str]:
    """What the schema refuses in a suite."""
    return [f"{error.json_path}: {error.message}" for error in schema_errors(suite)]
