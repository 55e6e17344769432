from __future__ import annotations

import base64
import itertools
import json
import pickle
import textwrap
from urllib.parse import quote, quote_plus

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from skillgrade.results.redaction import MARK, Redactor, secret_values

SECRET = "sk-ant/Äp+i\"03\\x'=ßé?"

# Brackets are left out, since a secret that holds a part of the mark would stand in its own replacement.
_secrets = st.text(st.characters(exclude_characters="[]", codec="utf-8"), min_size=6, max_size=40).filter(
    lambda secret: secret not in MARK
)
_noise = st.binary(max_size=60)


def forms_of(secret: str, padding: bytes) -> list[bytes]:
    """What real encoders make of a secret that stands among other bytes."""
    raw = secret.encode()
    wrapped = "\n".join(textwrap.wrap(base64.b64encode(padding + raw + padding).decode(), 10))
    return [
        raw,
        quote(raw).encode(),
        quote(raw, safe="").encode(),
        quote_plus(raw).encode(),
        json.dumps(secret).encode(),
        json.dumps(secret, ensure_ascii=False).encode(),
        json.dumps(json.dumps({"event": secret})).encode(),
        base64.b64encode(padding + raw + padding),
        base64.urlsafe_b64encode(padding + raw + padding),
        wrapped.encode(),
    ]


def shows(secret: str, data: bytes) -> bool:
    """Whether the secret can be had from `data` by undoing what encoders do."""
    raw = secret.encode()
    alphabet = data.replace(b"-", b"+").replace(b"_", b"/").translate(None, b"\r\n")
    stable = {base64.b64encode(bytes(n) + raw)[-(-n * 8 // 6) : (n + len(raw)) * 8 // 6] for n in range(3)}
    plain = [raw, quote(raw, safe="").encode(), json.dumps(secret)[1:-1].encode()]
    return any(form in data for form in plain) or any(form in alphabet for form in stable)


@given(_secrets, _noise, _noise, _noise, st.data())
@example(SECRET, b"", b"", b"x", None)
def test_no_form_of_a_secret_survives_any_chunking(
    secret: str, before: bytes, after: bytes, padding: bytes, data: st.DataObject | None
) -> None:
    redactor = Redactor({secret})
    for form in forms_of(secret, padding):
        stream = before + form + after
        filtered = redactor.filter()
        out, rest = b"", stream
        while rest:
            size = 1 if data is None else data.draw(st.integers(1, len(rest)))
            out += filtered.feed(rest[:size])
            rest = rest[size:]
        out += filtered.flush()
        assert MARK.encode() in out
        assert not shows(secret, out)
        whole = redactor.filter()
        assert whole.feed(stream) + whole.flush() == out


@given(_secrets, st.text(max_size=80), st.text(max_size=80))
def test_text_loses_the_secret_and_nothing_else(secret: str, before: str, after: str) -> None:
    # Where the surroundings complete a secret of their own, what is lost is not only the one in the middle.
    assume((before + secret + after).count(secret) == 1 and not shows(secret, (before + after).encode()))
    assert secret not in Redactor({secret}).text(before + secret + after)


@given(st.binary(max_size=300), st.lists(st.integers(0, 300)))
def test_a_stream_without_secrets_is_unchanged(stream: bytes, cuts: list[int]) -> None:
    assume(not shows("hunter2!", stream))
    filtered = Redactor({"hunter2!"}).filter()
    edges = [0, *sorted(min(cut, len(stream)) for cut in cuts), len(stream)]
    pieces = [filtered.feed(stream[start:end]) for start, end in itertools.pairwise(edges)]
    assert b"".join(pieces) + filtered.flush() == stream


def test_the_longer_of_two_secrets_goes_first() -> None:
    assert Redactor({"hunter2", "hunter2-and-more"}).text("a hunter2-and-more b hunter2 c") == (f"a {MARK} b {MARK} c")


def test_output_of_base64_is_found_where_a_line_breaks_in_the_secret() -> None:
    listing = f"PATH=/usr/local/bin:/usr/bin:/bin\nHOME=/root\nAPI_KEY={SECRET * 3}\nLANG=C\n"
    out = Redactor({SECRET * 3}).text(base64.encodebytes(listing.encode()).decode())
    assert MARK in out
    assert SECRET.encode() not in base64.b64decode(out.replace(MARK, ""), validate=False)


def test_values_of_any_shape_are_redacted() -> None:
    value = {"tags": ["hunter2", 3], "hunter2": {"deep": ("x hunter2",)}, "none": None}
    assert Redactor({"hunter2"}).value(value) == {
        "tags": [MARK, 3],
        MARK: {"deep": (f"x {MARK}",)},
        "none": None,
    }


def test_lone_surrogates_pass() -> None:
    assert Redactor({"hunter2"}).text("\udc80 hunter2 \ud800") == f"\udc80 {MARK} \ud800"


def test_without_secrets_nothing_is_held_back() -> None:
    assert Redactor(()).filter().feed(b"abc") == b"abc"
    assert Redactor(()).text("abc") == "abc"


def test_it_survives_pickling() -> None:
    assert pickle.loads(pickle.dumps(Redactor({"hunter2"}))).text("hunter2") == MARK


class Counting(Redactor):
    """Counts how often the slow search over all forms was needed."""

    searches = 0

    def replace_until(self, data: bytes, end: int) -> tuple[bytes, int]:
        self.searches += 1
        return super().replace_until(data, end)


def test_only_a_chunk_with_a_secret_is_searched() -> None:
    redactor = Counting({"hunter2"})
    filtered = redactor.filter()
    line = b"an ordinary line of output, number 12345\n"
    kept = b"".join(filtered.feed(chunk) for chunk in [line] * 100) + filtered.feed(b"hunter2 ") + filtered.feed(line)
    assert kept + filtered.flush() == line * 100 + MARK.encode() + b" " + line
    assert redactor.searches == 2  # the chunk itself, and the next one with what was held back of it


@pytest.mark.parametrize(
    "name",
    ["OPENAI_API_KEY", "GITHUB_TOKEN", "PGPASSWORD", "MYSQL_PWD", "DB_PASSWD", "aws_secret_access_key", "APIKEY",
     "NPM_AUTH", "SESSION_COOKIE", "AZURE_CREDENTIALS", "AWS_ACCESS_KEY_ID", "GH_PAT", "KEYS"],
)  # fmt: skip
def test_variables_that_hold_secrets(name: str) -> None:
    assert secret_values({}, {name: "abcdef"}) == {"abcdef"}


@pytest.mark.parametrize(
    "name",
    ["SSH_AUTH_SOCK", "GIT_AUTHOR_NAME", "MAX_TOKENS", "XAUTHORITY", "PWD", "OLDPWD", "PATH", "KEYBOARD",
     "API_KEY_FILE", "TOKENIZERS_PARALLELISM", "KEYRING_DIR", "PATTERN"],
)  # fmt: skip
def test_variables_that_hold_none(name: str) -> None:
    assert secret_values({}, {name: "abcdef"}) == frozenset()


def test_env_file_values_of_six_characters_and_more_are_secrets() -> None:
    values = {"MODE": "production", "SHORT": "12345", "NAKED": None, "PADDED": "  padded-value\n"}
    assert secret_values(values, {"MODE": "other-value"}) == {"production", "padded-value"}
