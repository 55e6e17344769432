"""docs/models.md: its variables, numbers, forms and messages are the code's."""

from __future__ import annotations

import inspect
import re

import pytest

from skillgrade.judges import asking
from skillgrade.models import CLIENTS, access, endpoint, failures, forms, limiter, newest, wire
from skillgrade.models.base import Endpoint
from skillgrade.models.keys import KEY_NAMES, MODEL_NAMES, URL_NAMES
from tests.support.pages import REPOSITORY

PAGE = (REPOSITORY / "docs" / "models.md").read_text("utf-8")


def rows(section: str) -> list[list[str]]:
    """The cells of the first table of a section."""
    table = PAGE.split(f"\n## {section}\n")[1].split("\n## ")[0]
    return [
        [cell.strip() for cell in line.strip("|").split("|")] for line in re.findall(r"^\|.*\|$", table, re.MULTILINE)
    ][2:]


def codes(cell: str) -> list[str]:
    return re.findall(r"`([^`]+)`", cell)


def test_every_variable_is_in_its_providers_row() -> None:
    found = {codes(first)[0]: (codes(keys), codes(url), codes(model)) for first, keys, url, model in rows("Variables")}
    expected = {name: ([*KEY_NAMES[name]], [URL_NAMES[name]], [MODEL_NAMES[name]]) for name in KEY_NAMES}
    assert {name: ([key for key in keys if key.isupper()], *rest) for name, (keys, *rest) in found.items()} == expected


def test_every_limit_is_that_of_the_code() -> None:
    assert {first: last for first, last in rows("Retries and limits") if re.search(r"\d", last)} == {
        "Requests at once": f"{limiter.START} at the start, 1 to {limiter.MOST}",
        "Attempts": f"{limiter.ATTEMPTS}",
        "Delay before the next": (
            f"a random time up to {limiter._FIRST_DELAY:g} s, doubled each time, up to {limiter._LONGEST_DELAY:g} s"
        ),
        "A request": f"{asking.CALL_TIMEOUT:g} s",
        "A connection": f"{wire._CONNECT:g} s",
        "All of one judge in one trial": f"{asking.JUDGE_DEADLINE:g} s",
        "The list of models": f"{access.LIST_TIMEOUT:g} s a request, {access.LIST_DEADLINE:g} s in all",
        "A reply": f"{wire.LARGEST_REPLY // 1024**2} MiB",
    }


def test_the_statuses_are_those_of_the_code() -> None:
    again = re.findall(r"Tried again: .*?5xx", PAGE, re.DOTALL)[0]
    assert {int(code) for code in re.findall(r"\b\d{3}\b", again)} == failures._TRANSIENT
    refusing = re.findall(r"\(status ([^)]*) in words", PAGE)[0]
    assert {int(code) for code in re.findall(r"\d{3}", refusing)} == forms._REFUSING


@pytest.mark.parametrize("row", rows("What is sent"), ids=lambda row: row[0])
def test_the_forms_are_those_of_the_clients(row: list[str]) -> None:
    [provider], outputs, limits = map(codes, row)
    client = CLIENTS[provider](Endpoint(provider, "http://127.0.0.1:1"))
    best = vars(client)["_talk"]._forms._best
    client.close()
    assert outputs == list(best.outputs)
    assert limits == [limit for limit in best.limits if limit]
    assert row[2].endswith("none") == ("" in best.limits)


def test_every_message_is_one_of_the_code() -> None:
    sources = "".join(map(inspect.getsource, (access, endpoint, failures, limiter, newest)))
    messages = [message for first, _ in rows("Errors") for message in codes(first)]
    assert len(messages) == 13
    for message in messages:
        assert re.sub(r"answered \d+", "answered {status}", message) in sources, message
