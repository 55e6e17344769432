import pytest

from skillgrade.suite.run_words import Program, only_program, programs, script_words


@pytest.mark.parametrize(
    ("run", "script"),
    [
        ("bash graders/check.sh", "graders/check.sh"),
        ("python3 -I graders/check.py --strict", "graders/check.py"),
        ("npx tsx graders/check.ts", "graders/check.ts"),
        ("node 'graders/check.mjs'", "graders/check.mjs"),
        ("graders/check.sh", "graders/check.sh"),
        ("graders/check.sh report.md", "graders/check.sh"),
        ("check.py", "check.py"),
        ("bash graders/check.sh | tail -1", None),
        ("cd app && bash graders/check.sh", None),
        ("bash $HOME/check.sh", None),
        ("npm test", None),
        ("MODE=x bash graders/check.sh", None),
        ("set -e\nbash graders/check.sh", None),
        ("", None),
    ],
)
def test_the_one_script_that_a_run_consists_of(run: str, script: str | None) -> None:
    assert only_program(run) == script


def test_the_scripts_that_interpreters_get() -> None:
    run = "# python3 no.py\nset -e; python3 a.py && python -I 'b/c.py' | (node --test d.mjs)\nmybash e.sh\nbash -c f.sh"
    assert programs(run) == (
        Program("a.py", False),
        Program("b/c.py", True),
        Program("d.mjs", False),
        Program("f.sh", False),
    )


@pytest.mark.parametrize(
    ("run", "words"),
    [
        ("bash graders/check.sh && node lib/x.mjs report.md", ["graders/check.sh", "lib/x.mjs"]),
        ("python3 check.py", ["check.py"]),
        ("test -f app.js", []),
        ("bash $DIR/check.sh ${DIR}/a/b.sh $(pwd)/c/d.sh /e/f.sh", []),
        ("cat > tmp/x.sh; bash tmp/x.sh", []),
        ("cd graders\nbash lib/x.sh", []),
        ("curl https://host/a/x.sh", []),
        ("eslint src/*.js", []),
        ("# bash graders/old.sh\ntrue", []),
    ],
)
def test_words_that_should_name_scripts(run: str, words: list[str]) -> None:
    assert list(script_words(run)) == words
