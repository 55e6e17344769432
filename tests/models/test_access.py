"""The models of a run: shared clients, counted calls, and an end that comes at once."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from skillgrade.errors import Cancelled, ModelError
from skillgrade.models import CLIENTS, access
from skillgrade.models.access import Models
from skillgrade.models.base import Endpoint, ModelClient, ModelReply
from skillgrade.models.endpoint import endpoint
from skillgrade.models.limiter import ATTEMPTS, Limiter
from skillgrade.stop import Stop
from tests.support.clients import PROVIDERS, REQUEST, assert_keyless
from tests.support.model_server import KEY, Drop, Listed, ModelServer, Stall, Status
from tests.support.processes import eventually

SMALL = {"gemini": "gemini-9-flash", "anthropic": "claude-haiku-9", "openai": "gpt-9-mini"}


class Desk:
    """A server, what is asked of it, and how often a client was made."""

    def __init__(self, server: ModelServer, models: Models) -> None:
        self.server = server
        self.models = models
        self.stop = Stop()
        self.made: list[Endpoint] = []

    def place(self, provider: str) -> Endpoint:
        return endpoint(provider, self.server.variables(provider))

    def ask(self, provider: str = "openai", timeout: float = 10, seconds: float = 20) -> ModelReply:
        return self.models.ask(self.place(provider), REQUEST, timeout, time.monotonic() + seconds, self.stop)

    def newest(self, provider: str = "openai") -> str:
        return self.models.newest_small_model(self.place(provider), self.stop)


@pytest.fixture
def desk(monkeypatch: pytest.MonkeyPatch) -> Iterator[Desk]:
    with ModelServer() as server:
        models = Models()
        models._limiters.default_factory = lambda: Limiter(jitter=lambda: 0.0)
        made = Desk(server, models)
        for provider, make in list(CLIENTS.items()):
            monkeypatch.setitem(CLIENTS, provider, noting(made.made, make))
        yield made
        models.close()


def noting(made: list[Endpoint], make: Callable[[Endpoint], ModelClient]) -> Callable[[Endpoint], ModelClient]:
    def noted(place: Endpoint) -> ModelClient:
        made.append(place)
        return make(place)

    return noted


def test_everybody_shares_one_client_per_endpoint(desk: Desk) -> None:
    with ThreadPoolExecutor(8) as threads:
        replies = list(threads.map(lambda n: desk.ask(PROVIDERS[n % 3]), range(24)))
    assert {reply.text for reply in replies} == {"fine"}
    assert sorted(place.provider for place in desk.made) == sorted(PROVIDERS)
    assert desk.models.calls == len(desk.server.asked) == 24


def test_another_key_is_another_endpoint(desk: Desk) -> None:
    for key in (KEY, "another-key", KEY):
        place = endpoint("openai", desk.server.variables("openai", key))
        desk.models.ask(place, REQUEST, 10, time.monotonic() + 10, desk.stop)
    assert [place.key for place in desk.made] == [KEY, "another-key"]


@pytest.mark.parametrize("provider", PROVIDERS)
def test_repeated_and_refused_requests_are_counted(desk: Desk, provider: str) -> None:
    desk.server.next(Status(429, retry_after=0), Drop(), Status(529), Status(400, "temperature: no"))
    reply = desk.ask(provider)
    assert (reply.text, reply.calls, desk.models.calls, len(desk.server.asked)) == ("fine", 5, 5, 5)
    assert "temperature" not in reply.sent


def test_what_lasts_is_asked_once(desk: Desk) -> None:
    desk.server.always(Status(404, f"no such model for {KEY}"))
    with pytest.raises(ModelError) as raised:
        desk.ask()
    assert str(raised.value) == (
        f"openai at {desk.server.url}/v1 answered 404: no such model for [redacted]; "
        "are the model's name and OPENAI_BASE_URL right?"
    )
    assert_keyless(raised.value)
    assert (desk.models.calls, len(desk.server.asked), raised.value.calls) == (1, 1, 1)


def test_what_passes_is_asked_until_the_attempts_are_used_up(desk: Desk) -> None:
    desk.server.always(Status(503, "busy", retry_after=0.001))
    with pytest.raises(ModelError) as raised:
        desk.ask()
    assert str(raised.value) == f"openai at {desk.server.url}/v1 answered 503: busy ({ATTEMPTS} attempts)"
    assert (desk.models.calls, len(desk.server.asked), raised.value.calls) == (ATTEMPTS,) * 3


def test_the_deadline_ends_a_call_that_stalls(desk: Desk) -> None:
    desk.server.always(Stall())
    started = time.monotonic()
    with pytest.raises(ModelError, match=r"did not answer within 0\.\d+ s; there is no time left"):
        desk.ask(seconds=0.3)
    assert time.monotonic() - started < 5


@pytest.mark.parametrize("provider", PROVIDERS)
@pytest.mark.parametrize("headers", [False, True])
def test_a_stop_ends_a_stalled_call_at_once(desk: Desk, provider: str, headers: bool) -> None:
    desk.ask(provider)  # imports the SDK
    desk.server.always(Stall(headers))
    with ThreadPoolExecutor(3) as threads:
        calls = [threads.submit(desk.ask, provider, 100, 100) for _ in range(3)]
        desk.server.wait_for(4)
        started = time.monotonic()
        desk.stop.set()
        for call in calls:
            with pytest.raises(Cancelled):
                call.result(10)
    assert time.monotonic() - started < 1
    assert not [thread for thread in threading.enumerate() if thread.name == "skillgrade model call"]


def test_a_stopped_run_asks_nothing(desk: Desk) -> None:
    desk.stop.set()
    with pytest.raises(Cancelled):
        desk.ask()
    with pytest.raises(Cancelled):
        desk.newest()
    assert (desk.made, desk.server.asked, desk.server.lists) == ([], [], [])


def test_one_stop_does_not_end_the_calls_of_another(desk: Desk) -> None:
    desk.ask()
    desk.server.next(Stall(), Stall())
    stopping = Stop()
    with ThreadPoolExecutor(2) as threads:
        doomed = threads.submit(desk.models.ask, desk.place("openai"), REQUEST, 50, time.monotonic() + 50, stopping)
        desk.server.wait_for(2)
        other = threads.submit(desk.ask)
        desk.server.wait_for(3)
        stopping.set()
        with pytest.raises(Cancelled):
            doomed.result(10)
        assert other.result(10).text == "fine"


def test_a_call_that_does_not_end_is_left_behind(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(access, "_GRACE", -9.9)
    desk.server.always(Stall())
    with pytest.raises(ModelError) as raised:
        desk.ask(timeout=10)
    assert str(raised.value) == f"openai did not end its answer within 0.1 s ({ATTEMPTS} attempts)"
    assert raised.value.calls == desk.models.calls == len(desk.made) == ATTEMPTS
    monkeypatch.undo()
    desk.server.always("fine")
    assert desk.ask().text == "fine"


@pytest.mark.parametrize("provider", PROVIDERS)
def test_the_newest_model_is_looked_up_once_for_all(desk: Desk, provider: str) -> None:
    desk.server.models = [Listed(SMALL[provider], 1.7e9), Listed("other", 1.8e9)]
    with ThreadPoolExecutor(8) as threads:
        assert set(threads.map(lambda _: desk.newest(provider), range(16))) == {SMALL[provider]}
    assert (len(desk.server.lists), len(desk.made), desk.models.calls) == (1, 1, 0)


def test_a_list_that_cannot_be_had_says_how_to_go_without(desk: Desk) -> None:
    desk.server.list_answer = Status(403, f"no lists for {KEY}")
    with pytest.raises(ModelError) as raised:
        desk.newest("anthropic")
    assert str(raised.value) == (
        f"anthropic at {desk.server.url} answered 403: no lists for [redacted]; "
        "is ANTHROPIC_API_KEY or ANTHROPIC_AUTH_TOKEN right?; "
        "without its list of models, name one with grader_model or ANTHROPIC_MODEL"
    )
    desk.server.list_answer, desk.server.models = None, [Listed("claude-haiku-9")]
    assert desk.newest("anthropic") == "claude-haiku-9"


def test_a_stop_ends_the_wait_for_a_list(desk: Desk) -> None:
    desk.ask()
    desk.server.list_answer = Stall()
    with ThreadPoolExecutor(2) as threads:
        lookups = [threads.submit(desk.newest) for _ in range(2)]
        assert eventually(lambda: bool(desk.server.lists))
        desk.stop.set()
        for lookup in lookups:
            with pytest.raises(Cancelled):
                lookup.result(10)
    assert len(desk.server.lists) == 1


def test_closing_ends_what_is_going_on(desk: Desk) -> None:
    desk.ask()
    desk.server.always(Stall())
    with ThreadPoolExecutor(1) as threads:
        call = threads.submit(desk.ask, "openai", 50, 0.5)
        desk.server.wait_for(2)
        desk.models.close()
        with pytest.raises(ModelError, match="no time left"):
            call.result(20)
    desk.models.close()
