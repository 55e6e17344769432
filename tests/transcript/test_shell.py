from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skillgrade.transcript.shell import files_read

FILE = ".agents/skills/foo/SKILL.md"


@pytest.mark.parametrize(
    ("command", "read"),
    [
        (f"cat {FILE}", [FILE]),
        (f"sed -n '1,200p' {FILE}", ["1,200p", FILE]),
        (f"head -n 50 {FILE}", ["50", FILE]),
        (f"awk '{{print}}' {FILE}", ["{print}", FILE]),
        (f"Get-Content {FILE}", [FILE]),
        (f"cat < {FILE}", [FILE]),
        (f'/bin/bash -lc "cat {FILE}"', [FILE]),
        (f"bash -c 'ls && cat \"{FILE}\"'", [FILE]),
        (["bash", "-lc", f"cat {FILE}"], [FILE]),
        (["cat", FILE], [FILE]),
        ("cd .agents/skills/foo && cat SKILL.md", [FILE]),
        ("cd .agents/skills; cat foo/SKILL.md", [FILE]),
        ("cd .agents\ncd skills\ncat foo/SKILL.md", [FILE]),
        (f"if test -f {FILE}; then cat {FILE}; fi", [FILE]),
        (f"ls -l | head -3; FOO=1 cat {FILE} | head", [FILE]),
        (f"sudo /bin/cat {FILE}", [FILE]),
        (f"ls {FILE}", []),
        (f"grep -l name {FILE}", []),
        (f"rg --files | rg {FILE}", []),
        (f"test -f {FILE} && echo yes", []),
        (f"[ -e {FILE} ]", []),
        (f'echo "cat {FILE}"', []),
        (f"echo hi > {FILE}", []),
        (f"cat notes.md > {FILE}", ["notes.md"]),
        (f"cat notes.md >> {FILE}", ["notes.md"]),
        (f"cat <<'EOF' > {FILE}\ncat {FILE}\nEOF", []),
        (f"cat > out <<-END\n\tcat {FILE}\n\tEND\nls", []),
        (f"sed -i s/a/b/ {FILE}", []),
        (f"cp {FILE} elsewhere; rm {FILE}; stat {FILE}; wc -l {FILE}", []),
        (f"git commit -m 'cat {FILE}'", []),
        (f"# cat {FILE}", []),
        ("cat 'unclosed", []),
        ("", []),
        (None, []),
        (17, []),
        ([], []),
    ],
)
def test_only_what_a_reader_reads_counts(command: object, read: list[str]) -> None:
    assert files_read(command) == read


@given(st.text(max_size=80) | st.lists(st.text(max_size=10) | st.integers(), max_size=5))
def test_no_command_raises(command: object) -> None:
    files_read(command)


@given(st.text(alphabet="cat SKILL.md/;|&<>()'\"\n$`\\", max_size=60))
def test_no_shell_syntax_raises(command: str) -> None:
    files_read(command)
