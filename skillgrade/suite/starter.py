"""A first eval.yaml for a skill, with a grader and a reference solution that work as they are."""

from __future__ import annotations

import re
from collections.abc import Mapping
from importlib import resources

from skillgrade.own_folder import OWN_FILES, OWN_FOLDER
from skillgrade.skill.model import Skill
from skillgrade.suite.source import SUITE_FILE

SCHEMA_FILE = f"{OWN_FOLDER}/eval.schema.json"
"""Where editors find the schema, relative to eval.yaml."""

_LONGEST_DESCRIPTION = 300
_READY_FILES = {
    "graders/check.sh": "check.sh",
    "solutions/solve.sh": "solve.sh",
    "fixtures/names.txt": "names.txt",
}


def starter_files(skill: Skill) -> Mapping[str, str]:
    """The files of a first suite.

    Args:
        skill: The skill under test.

    Returns:
        Text by POSIX path, relative to the skill's folder. They load, and `skillgrade --validate` passes on them.
    """
    # jinja2 takes longer to import than everything else that a start needs.
    import jinja2

    environment = jinja2.Environment(
        autoescape=False,  # noqa: S701  (YAML, not HTML; what is put in is reduced to safe characters below)
        keep_trailing_newline=True,
        undefined=jinja2.StrictUndefined,
    )
    values = {
        "name": _one_line(skill.name),
        "slug": re.sub(r"[^a-z0-9]+", "-", skill.name.lower()).strip("-") or "skill",
        "description": _one_line(skill.description)[:_LONGEST_DESCRIPTION],
        "schema": SCHEMA_FILE,
    }
    starter = resources.files(__package__).joinpath("starter")
    template = environment.from_string(starter.joinpath("eval.yaml.j2").read_text("utf-8"))
    ready = {path: starter.joinpath(name).read_text("utf-8") for path, name in _READY_FILES.items()}
    schema = resources.files(__package__).joinpath("schema.json").read_text("utf-8")
    own = {f"{OWN_FOLDER}/{name}": text for name, text in OWN_FILES.items()}
    return {SUITE_FILE: template.render(values), **ready, **own, SCHEMA_FILE: schema}


def _one_line(text: str) -> str:
    """A text that can stand in a comment."""
    return " ".join("".join(character if character.isprintable() else " " for character in text).split())
