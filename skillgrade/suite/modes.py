"""What a mode as chmod takes it makes of a file's mode.

Grammar: POSIX chmod, "EXTENDED DESCRIPTION"; octal (``755``, as YAML writes it too: ``0o755``) and symbolic (``+x``,
``u+rwx,g-w``, ``a=rX``). Without a ``who`` a clause means everybody: the umask of whoever runs the evaluation must not
change what an agent meets. The set-user-ID, set-group-ID and sticky bits are refused.
"""

from __future__ import annotations

import re

from skillgrade.wording import shown

_OCTAL = re.compile(r"(?:0o?)?[0-7]{3}")
_SPECIAL = re.compile(r"(?:0o?)?[1-7][0-7]{3}|[ugoa]*[-+=][rwxXst]*[st].*")
_CLAUSE = re.compile(r"(?P<who>[ugoa]*)(?P<actions>(?:[-+=][rwxX]*)+)")
_ACTION = re.compile(r"(?P<operator>[-+=])(?P<permissions>[rwxX]*)")
_SHIFTS = {"u": 6, "g": 3, "o": 0}
_BITS = {"r": 4, "w": 2, "x": 1}


def apply_chmod(chmod: str, mode: int) -> int:
    """The mode of a file after `chmod`.

    Args:
        chmod: Octal or symbolic.
        mode: The permission bits before.

    Raises:
        ValueError: `chmod` is neither; with what is wrong about it.
    """
    if _OCTAL.fullmatch(chmod):
        return int(chmod, 8)
    for text in chmod.split(","):
        clause = _CLAUSE.fullmatch(text)
        if clause is None:
            raise ValueError(_fault(chmod, text))
        for action in _ACTION.finditer(clause["actions"]):
            mode = _apply(clause["who"], action["operator"], action["permissions"], mode)
    return mode


def _fault(chmod: str, clause: str) -> str:
    if _SPECIAL.fullmatch(clause):
        return f"{shown(chmod)} sets a set-ID or sticky bit, which no file of a workspace gets; write it like 755 or +x"
    return f"{shown(chmod)} is no mode; write it like +x, u+rw,go-w or 755"


def _apply(who: str, operator: str, permissions: str, mode: int) -> int:
    executable = "x" in permissions or ("X" in permissions and mode & 0o111)
    triple = sum(_BITS[letter] for letter in set(permissions) & {"r", "w"}) | (_BITS["x"] if executable else 0)
    everybody = not who or "a" in who
    for letter, shift in _SHIFTS.items():
        if not (everybody or letter in who):
            continue
        if operator == "=":
            mode &= ~(0o7 << shift)
        mode = mode & ~(triple << shift) if operator == "-" else mode | (triple << shift)
    return mode
