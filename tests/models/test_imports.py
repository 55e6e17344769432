"""Importing a client that is not used costs nothing."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

SDKS = ("google.genai", "anthropic", "openai")
SCRIPT = """
import json, sys
from skillgrade.models import CLIENTS, access, endpoint, newest, prices
from skillgrade.models.base import Endpoint
if sys.argv[1:]:
    CLIENTS[sys.argv[1]](Endpoint(sys.argv[1], "http://127.0.0.1:1", "k")).close()
print(json.dumps(sorted(sys.modules)))
"""


def imported(*arguments: str) -> set[str]:
    """The modules of a fresh interpreter."""
    ran = subprocess.run([sys.executable, "-c", SCRIPT, *arguments], capture_output=True, text=True, check=True)
    assert ran.stderr == ""
    return set(json.loads(ran.stdout))


def test_the_models_import_no_sdk() -> None:
    assert imported().isdisjoint({*SDKS, "httpx", "httpx2", "genai_prices", "pydantic"})


@pytest.mark.parametrize(("provider", "sdk"), list(zip(("gemini", "anthropic", "openai"), SDKS, strict=True)))
def test_a_client_imports_its_own_sdk_only(provider: str, sdk: str) -> None:
    assert imported(provider).intersection(SDKS) == {sdk}
