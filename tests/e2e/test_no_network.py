"""`network: none`: an agent reaches its model and nothing else, in every provider that isolates."""

from __future__ import annotations

from pathlib import Path

import pytest

from skillgrade.results.records import Outcome
from skillgrade.suite.model import WorkspaceFile
from tests.e2e.test_agents import HELLO, a_task, execute
from tests.support.agent_clis import MODELS, PROVIDERS, need, search_path
from tests.support.agent_server import AgentServer, Shell
from tests.support.tasks import grader
from tests.support.tls import make_certificate

pytestmark = [pytest.mark.agents, pytest.mark.timeout(400)]

PLACES = [
    pytest.param("docker", marks=pytest.mark.docker),
    pytest.param("bubblewrap", marks=pytest.mark.bubblewrap),
]
CUT_OFF = grader(
    """s=1
grep -q refused reached.txt || s=0
printf '{"score": %s, "details": "%s"}' $s "$(tr -d '"\\n' <reached.txt | head -c 200)\"""",
    index=1,
)


@pytest.mark.parametrize("provider", PLACES)
@pytest.mark.parametrize("name", MODELS)
def test_it_reaches_its_model_and_nothing_else(
    name: str, provider: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    need(name)
    monkeypatch.setenv("PATH", search_path())
    with AgentServer() as server, AgentServer() as other:
        host, port = other.url.removeprefix("http://").split(":")
        reach = f"{{ exec 3<>/dev/tcp/{host}/{port}; }} 2>reached.txt && echo yes >reached.txt; touch hello.txt"
        server.script(Shell(reach), "I wrote it.")
        task = a_task(name, provider=provider, network="none", timeout=90, graders=(HELLO, CUT_OFF))
        report = execute(tmp_path, task, server.variables(PROVIDERS[name]), monkeypatch).report
        assert not other.asked
    (trial,) = [trial.record for trial in report.tasks[0].trials]
    assert trial.error is None
    assert (trial.outcome, trial.reward) == (Outcome.PASSED, 1.0), trial.grader_results


@pytest.mark.parametrize("provider", PLACES)
@pytest.mark.parametrize("name", MODELS)
def test_what_is_encrypted_passes_as_it_is(
    name: str, provider: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    need(name)
    monkeypatch.setenv("PATH", search_path())
    context, certificate = make_certificate(tmp_path, "127.0.0.2")
    inside = "/usr/local/share/model.pem" if provider == "docker" else str(certificate)
    with AgentServer("127.0.0.2", context) as server:
        server.script(Shell("touch hello.txt"), "I wrote it.")
        task = a_task(
            name,
            provider=provider,
            network="none",
            timeout=90,
            env_values={"NODE_EXTRA_CA_CERTS": inside, "SSL_CERT_FILE": inside},
            workspace=(WorkspaceFile(certificate, inside),) if provider == "docker" else (),
        )
        report = execute(tmp_path, task, server.variables(PROVIDERS[name]), monkeypatch).report
        assert server.url.startswith("https://127.0.0.2:")
    (trial,) = [trial.record for trial in report.tasks[0].trials]
    assert trial.error is None
    assert (trial.outcome, trial.reward) == (Outcome.PASSED, 1.0)
