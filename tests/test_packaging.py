"""What pyproject.toml asks for is what the lock file pins."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

REPOSITORY = Path(__file__).parent.parent
LOCK = (REPOSITORY / "requirements-dev.lock").read_text(encoding="utf-8")
# A package can be pinned more than once, each pin for some of the Python versions.
PINS = [(canonicalize_name(name), version) for name, version in re.findall(r"(?m)^([\w.-]+)==([^\s;]+)", LOCK)]


def test_the_lock_file_satisfies_pyproject() -> None:
    project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    for text in project["dependencies"] + project["optional-dependencies"]["dev"]:
        wanted = Requirement(text)
        versions = [version for name, version in PINS if name == canonicalize_name(wanted.name)]
        assert versions, f"{text} is not in the lock file"
        assert [version for version in versions if version not in wanted.specifier] == [], text


def test_the_lock_file_names_no_place() -> None:
    lines = [line for line in LOCK.splitlines() if not line.lstrip().startswith(("#", "--hash="))]
    assert [line for line in lines if re.search(r"://|file:|^-| @ ", line)] == []


def test_every_pin_has_a_hash() -> None:
    blocks = re.split(r"(?m)^(?=[\w.-]+==)", LOCK)[1:]
    assert len(blocks) == len(PINS)
    assert [block.split()[0] for block in blocks if "--hash=sha256:" not in block] == []
