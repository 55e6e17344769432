"""Where providers are reached."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skillgrade.errors import MissingKeyError, UsageError
from skillgrade.models.base import Endpoint
from skillgrade.models.endpoint import endpoint, model_name
from skillgrade.models.keys import KEY_NAMES, URL_NAMES

SECRET = "sk-planted-0123456789"


@pytest.mark.parametrize(
    ("provider", "variables", "key", "bearer"),
    [
        ("gemini", {"GEMINI_API_KEY": "one", "GOOGLE_API_KEY": "two"}, "one", False),
        ("gemini", {"GEMINI_API_KEY": " ", "GOOGLE_API_KEY": " two\n"}, "two", False),
        ("anthropic", {"ANTHROPIC_API_KEY": "one", "ANTHROPIC_AUTH_TOKEN": "two"}, "one", False),
        ("anthropic", {"ANTHROPIC_AUTH_TOKEN": "two"}, "two", True),
        ("openai", {"OPENAI_API_KEY": "one", "GEMINI_API_KEY": "two"}, "one", False),
    ],
)
def test_keys(provider: str, variables: dict[str, str], key: str, bearer: bool) -> None:
    assert endpoint(provider, variables) == Endpoint(provider, None, key, bearer)


@pytest.mark.parametrize(
    ("provider", "message"),
    [
        (
            "gemini",
            (
                "GEMINI_API_KEY is not set, which the judges of provider gemini need: set it in the shell or in .env "
                "(or GOOGLE_GEMINI_BASE_URL for a server of your own)"
            ),
        ),
        (
            "openai",
            (
                "OPENAI_API_KEY is not set, which the judges of provider openai need: set it in the shell or in .env "
                "(or OPENAI_BASE_URL for a server of your own)"
            ),
        ),
    ],
)
def test_without_a_key_the_variable_is_named(provider: str, message: str) -> None:
    with pytest.raises(MissingKeyError) as raised:
        endpoint(provider, {KEY_NAMES[provider][0]: "  ", URL_NAMES[provider]: " "})
    assert str(raised.value) == message


@pytest.mark.parametrize(
    ("provider", "given_url", "expected"),
    [
        ("openai", "http://h:8000", "http://h:8000/v1"),
        ("openai", " http://h:8000/ ", "http://h:8000/v1"),
        ("openai", "http://h:8000/v1", "http://h:8000/v1"),
        ("openai", "http://h:8000/v1//", "http://h:8000/v1"),
        ("openai", "https://h/api/paas/v4", "https://h/api/paas/v4"),
        ("openai", "https://h/v1beta/openai/", "https://h/v1beta/openai"),
        ("openai", "https://h/proxy", "https://h/proxy/v1"),
        ("openai", "http://[::1]:80/", "http://[::1]:80/v1"),
        ("anthropic", "http://h", "http://h"),
        ("anthropic", "http://h/v1/", "http://h"),
        ("anthropic", "http://h/v1", "http://h"),
        ("anthropic", "http://h/anthropic/v1", "http://h/anthropic"),
        ("gemini", "http://h/", "http://h"),
        ("gemini", "http://h/v1beta/", "http://h/v1beta"),
    ],
)
def test_base_urls_work_with_and_without_version(provider: str, given_url: str, expected: str) -> None:
    assert endpoint(provider, {URL_NAMES[provider]: given_url}) == Endpoint(provider, expected, None)


@pytest.mark.parametrize(
    ("url", "problem"),
    [
        ("localhost:8000", "is no address such as http://localhost:8000: mend or unset it"),
        ("ftp://h", "is no address such as http://localhost:8000: mend or unset it"),
        ("http://", "is no address such as http://localhost:8000: mend or unset it"),
        ("http://:80", "is no address such as http://localhost:8000: mend or unset it"),
        ("http://h:99999", "is no address such as http://localhost:8000: mend or unset it"),
        ("http://[::1", "is no address such as http://localhost:8000: mend or unset it"),
        ("http://h /v1", "is no address such as http://localhost:8000: mend or unset it"),
        (f"http://u:{SECRET}@h", "has a user name or password in it: take it out, and set OPENAI_API_KEY"),
        (f"http://h?key={SECRET}", "has a ? or # in it, which a base URL cannot have: take off what follows"),
    ],
)
def test_what_is_no_base_url_names_the_variable_and_not_the_value(url: str, problem: str) -> None:
    with pytest.raises(UsageError) as raised:
        endpoint("openai", {"OPENAI_BASE_URL": url, "OPENAI_API_KEY": "k"})
    assert str(raised.value) == f"OPENAI_BASE_URL {problem}"


@pytest.mark.parametrize("key", [f"{SECRET}\nx", f"{SECRET} x", f"{SECRET}é"])
def test_what_is_no_key_names_the_variable_and_not_the_value(key: str) -> None:
    with pytest.raises(UsageError, match=r"^OPENAI_API_KEY holds blanks, line breaks or characters that no key has"):
        endpoint("openai", {"OPENAI_API_KEY": key})


@given(st.sampled_from(sorted(URL_NAMES)), st.text(max_size=30))
def test_any_text_is_an_address_or_a_usage_error(provider: str, text: str) -> None:
    for url in (text, f"http://{text}"):
        try:
            found = endpoint(provider, {URL_NAMES[provider]: url, KEY_NAMES[provider][0]: "k"})
        except UsageError:
            continue
        again = endpoint(provider, {URL_NAMES[provider]: found.base_url or "", KEY_NAMES[provider][0]: "k"})
        assert again == found


def test_an_endpoint_does_not_show_its_key() -> None:
    assert SECRET not in repr(endpoint("openai", {"OPENAI_API_KEY": SECRET}))


def test_model_names() -> None:
    variables = {"GEMINI_MODEL": " g ", "ANTHROPIC_MODEL": "", "OPENAI_MODEL": "o"}
    assert [model_name(provider, variables) for provider in URL_NAMES] == ["g", None, "o"]
