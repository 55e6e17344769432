"""Variables that every grader gets, whatever the provider, so that what an agent left does not act on it."""

from __future__ import annotations

_GIT_SETTINGS = (
    # In a container root looks at a workspace that the plain user owns, which git would refuse.
    ("safe.directory", "*"),
    # Programs that the workspace's own .git/config may name, and that any `git status`, `commit` or `log` would start.
    ("core.fsmonitor", "false"),
    ("core.hooksPath", "/dev/null"),
    ("core.pager", "cat"),
    ("commit.gpgSign", "false"),
    ("log.showSignature", "false"),
)


def git_variables() -> dict[str, str]:
    """What git reads over every file of settings (git-config(1), GIT_CONFIG_COUNT); to be set last."""
    variables = {"GIT_CONFIG_COUNT": str(len(_GIT_SETTINGS))}
    for number, (key, value) in enumerate(_GIT_SETTINGS):
        variables |= {f"GIT_CONFIG_KEY_{number}": key, f"GIT_CONFIG_VALUE_{number}": value}
    return variables
