"""What an agent behind a gateway is told of its model's address."""

from __future__ import annotations

import pytest

from skillgrade.workspace.gateway.address import ModelAddress

TLS = ModelAddress("models.example", 443, is_tls=True)
PLAIN = ModelAddress("127.0.0.1", 8000, is_tls=False)


@pytest.mark.parametrize(
    ("url", "address"),
    [
        ("https://models.example", TLS),
        ("HTTPS://me:word@Models.Example/v1/", TLS),
        ("https://models.example:8443/v1", ModelAddress("models.example", 8443, is_tls=True)),
        ("http://models.example", ModelAddress("models.example", 80, is_tls=False)),
        ("http://[::1]:9/x", ModelAddress("::1", 9, is_tls=False)),
        ("models.example", None),
        ("ftp://models.example", None),
        ("https://", None),
        ("https://models.example:port", None),
        ("http://[::1", None),
    ],
)
def test_the_address_in_a_url(url: str, address: ModelAddress | None) -> None:
    assert ModelAddress.of_url(url) == address


def test_an_address_of_six_parts_is_written_in_brackets() -> None:
    assert ModelAddress("::1", 9, is_tls=False).authority == "[::1]:9"
    assert TLS.authority == "models.example:443"


def test_what_is_encrypted_goes_through_a_proxy_under_its_own_name() -> None:
    env = {"URL": "https://models.example/v1", "HTTP_PROXY": "http://proxy:1", "all_proxy": "x", "OTHER": "y"}
    inside = TLS.variables(env)
    assert inside["URL"] == "https://models.example/v1"
    assert inside["HTTPS_PROXY"] == inside["https_proxy"] == "http://127.0.0.1:8471"
    assert {"HTTP_PROXY", "all_proxy"}.isdisjoint(inside)
    assert inside["OTHER"] == "y"


def test_what_is_not_encrypted_goes_to_the_relay_as_if_that_were_the_host() -> None:
    env = {
        "URL": "http://127.0.0.1:8000/v1?x=1",
        "ELSE": "http://127.0.0.1:8001",
        "HTTPS_PROXY": "p",
        "WORD": "http://",
    }
    assert PLAIN.variables(env) == {
        "URL": "http://127.0.0.1:8471/v1?x=1",
        "ELSE": "http://127.0.0.1:8001",
        "WORD": "http://",
    }
