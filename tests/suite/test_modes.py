from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skillgrade.suite.modes import apply_chmod


@pytest.mark.parametrize(
    ("chmod", "before", "after"),
    [
        ("755", 0o600, 0o755),
        ("0644", 0o777, 0o644),
        ("0o644", 0o777, 0o644),
        ("+x", 0o644, 0o755),
        ("-w", 0o666, 0o444),
        ("u+rwx,g-w", 0o660, 0o740),
        ("a=rx", 0o200, 0o555),
        ("go=", 0o777, 0o700),
        ("u=rw,go=r", 0o777, 0o644),
        ("a+rX", 0o600, 0o644),
        ("a+rX", 0o700, 0o755),
        ("u+x-w", 0o600, 0o500),
    ],
)
def test_modes(chmod: str, before: int, after: int) -> None:
    assert apply_chmod(chmod, before) == after


@pytest.mark.parametrize("chmod", ["", "999", "+y", "x", "u+x,", "rwxr-xr-x", "75", "07777x", "u+x;rm", "u+x\n"])
def test_what_is_no_mode_is_refused(chmod: str) -> None:
    with pytest.raises(ValueError, match=r"write it like \+x"):
        apply_chmod(chmod, 0o644)


@pytest.mark.parametrize("chmod", ["4755", "01777", "0o2755", "u+s", "+t", "+x,u+s", "a=rxt", "u+s,+t"])
def test_set_id_and_sticky_bits_are_refused(chmod: str) -> None:
    with pytest.raises(ValueError, match=f'^"{re.escape(chmod)}" sets a set-ID or sticky bit'):
        apply_chmod(chmod, 0o644)


_clause = st.builds(
    "{}{}{}".format,
    st.sampled_from(["u", "g", "o", "a", "ug", "go", "ugo"]),
    st.sampled_from("+-="),
    st.text("rwxX", max_size=3),
)


@given(st.lists(_clause, min_size=1, max_size=3).map(",".join), st.integers(0o400, 0o777))
def test_symbolic_modes_agree_with_chmod(tmp_path_factory: pytest.TempPathFactory, chmod: str, mode: int) -> None:
    file = Path(tmp_path_factory.getbasetemp()) / "agrees"
    file.touch()
    file.chmod(mode)
    subprocess.run(["chmod", "--", chmod, file], check=True)
    expected = file.stat().st_mode & 0o777
    file.chmod(0o600)
    assert apply_chmod(chmod, mode) == expected
