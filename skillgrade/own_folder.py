"""The folder beside eval.yaml that holds what skillgrade writes, and keeps itself out of version control."""

from __future__ import annotations

from collections.abc import Mapping

OWN_FOLDER = ".skillgrade"
"""Its name; what is in it is neither committed nor given to agents."""

OWN_FILES: Mapping[str, str] = {".gitignore": "*\n"}
"""What stands in it from the start, by name."""
