"""Which skills or files a command means that takes several: paths, or names of skills in a scope."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from skillgrade.errors import UsageError
from skillgrade.skill.catalog import Scope, skills_in_scope
from skillgrade.wording import did_you_mean, shown


def meant_paths(given: Sequence[str], scope: Scope) -> tuple[Path, ...]:
    """The folder or file of each skill that is meant.

    Args:
        given: Paths, or names of skills in the scope; none means the current folder.
        scope: Where names are looked for.

    Raises:
        UsageError: A name is no path and no skill, or the name of several skills.
    """
    if not given:
        return (Path(),)
    return tuple(_meant(each, scope) for each in given)


def _meant(given: str, scope: Scope) -> Path:
    if Path(given).exists():
        return Path(given)
    skills = skills_in_scope(Path(), scope, Path.home())
    found = [skill for skill in skills if skill.name == given]
    if len(found) == 1:
        return found[0].folder
    if not found:
        names = [skill.name for skill in skills]
        more = "" if scope is Scope.ALL else "; --scope=all looks at installed skills too"
        raise UsageError(
            f"{shown(given)} is no path, and no skill of that name is here{did_you_mean(given, names)}{more}"
        )
    places = ", ".join(str(skill.folder) for skill in found)
    raise UsageError(f"several skills are called {shown(given)}: give the path of one of them: {places}")
