"""Who may ask the review pages for something, and what browsers are told."""

from __future__ import annotations

import http.client
import os
import socket
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from skillgrade.errors import UsageError
from skillgrade.reports.review.app import Desk, review_app
from skillgrade.reports.review.files import list_files, read_bytes
from skillgrade.reports.review.server import serve
from skillgrade.results.folder import RunFolder
from skillgrade.stop import Stop
from tests.support.review_site import TOKEN, Site, served
from tests.support.reviews import DRAWING, PIXEL


@pytest.mark.parametrize("host", ["evil.example", "evil.example:80", "127.0.0.1.evil.example", "", "[::1", "0.0.0.0"])
def test_other_hosts_are_refused(site: Site, host: str) -> None:
    answer = site.get(Host=host)
    assert answer.status in (400, 403)
    assert b"redesign" not in answer.body


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "localhost:1234"])
def test_this_machine_s_names_are_taken_whatever_the_port(site: Site, host: str) -> None:
    assert site.get(Host=host).status == 200  # a tunnel may have another port


@pytest.mark.parametrize(
    "path", ["/", f"/{TOKEN}", f"/{TOKEN[:-1]}/", f"/{TOKEN}x/", "//", f"/x/../{TOKEN}/", "/static/review.css", "/%74/"]
)
def test_without_the_token_there_is_nothing(site: Site, path: str) -> None:
    answer = site.ask("GET", path)
    assert (answer.status, answer.body) == (404, b"not found\n")


def post_as(site: Site, **headers: str) -> int:
    item = site.items()[0]
    status = site.post(f"/trials/{item.id}", {"score": "1"}, **headers).status
    if status != 303:
        assert not item.place.result().exists()
        assert site.saves == []
    return status


def test_forms_of_other_sites_are_refused(site: Site) -> None:
    port = site.port
    assert post_as(site, Origin="http://evil.example") == 403
    assert post_as(site, Origin="null") == 403
    assert post_as(site, Origin=f"http://localhost:{port}") == 403
    assert post_as(site, Origin=f"https://127.0.0.1:{port}") == 403
    assert post_as(site, Sec_Fetch_Site="cross-site") == 403
    assert post_as(site, Sec_Fetch_Site="same-site") == 403
    assert post_as(site, Host="evil.example", Origin="http://evil.example") == 403
    assert post_as(site, Sec_Fetch_Site="same-origin") == 303


def test_a_form_without_an_origin_is_refused(site: Site) -> None:
    item = site.items()[0]
    path = f"/{TOKEN}/trials/{item.id}"
    answer = site.ask("POST", path, b"score=1", Content_Type="application/x-www-form-urlencoded")
    assert answer.status == 403
    assert not item.place.result().exists()


def test_only_forms_of_bounded_size_are_taken(site: Site) -> None:
    assert post_as(site, Content_Type="text/plain") == 415
    assert post_as(site, Content_Type="multipart/form-data; boundary=x") == 415
    item = site.items()[0]
    assert site.post(f"/trials/{item.id}", {"score": "1", "comment": "x" * 600_000}).status == 413
    assert site.post(f"/trials/{item.id}", {"score": "1", "comment": "x" * 200_000}).status == 422
    assert not item.place.result().exists()


def test_a_body_of_unknown_length_is_refused(site: Site) -> None:
    item = site.items()[0]
    connection = http.client.HTTPConnection("127.0.0.1", site.port, timeout=30)
    headers = {"Origin": f"http://127.0.0.1:{site.port}", "Content-Type": "application/x-www-form-urlencoded"}
    connection.request("POST", f"/{TOKEN}/trials/{item.id}", iter([b"score=1"]), headers, encode_chunked=True)
    assert connection.getresponse().status == 411
    connection.close()


@pytest.mark.parametrize("method", ["PUT", "DELETE", "OPTIONS", "PATCH", "TRACE"])
def test_other_methods_are_refused(site: Site, method: str) -> None:
    assert site.ask(method, f"/{TOKEN}/").status == 405


def test_every_answer_tells_the_browser_to_be_strict(site: Site) -> None:
    item = site.items()[0]
    paths = ["/", "/static/review.js", f"/trials/{item.id}", f"/trials/{item.id}/raw/{_file(site, 'logo.svg')}", "/no"]
    for path in paths:
        headers = site.get(path).headers
        assert headers["X-Content-Type-Options"] == "nosniff"
        assert headers["X-Frame-Options"] == "DENY"
        assert headers["Cross-Origin-Resource-Policy"] == "same-origin"
        assert headers["Referrer-Policy"] == "same-origin"
        assert headers["Cache-Control"] == "no-store"
        assert "default-src 'none'" in headers["Content-Security-Policy"]
        assert headers["Server"] is None
    policy = site.get().headers["Content-Security-Policy"]
    assert "script-src 'self'" in policy
    assert "unsafe" not in policy
    assert "frame-ancestors 'none'" in policy


def _file(site: Site, path: str) -> str:
    return next(file.id for file in list_files(site.items()[0].place.workspace).files if file.path == path)


@pytest.mark.parametrize(
    ("path", "media_type", "content"),
    [
        ("logo.svg", "image/svg+xml", DRAWING),
        ("shots/wide.png", "image/png", PIXEL),
        ("index.html", "application/octet-stream", None),
        ("data.bin", "application/octet-stream", b"\0\1\2"),
    ],
)
def test_files_are_never_pages(site: Site, path: str, media_type: str, content: bytes | None) -> None:
    answer = site.get(f"/trials/{site.items()[0].id}/raw/{_file(site, path)}")
    assert answer.status == 200
    assert answer.headers["Content-Type"] == media_type
    assert answer.headers["Content-Disposition"] == f'attachment; filename="{Path(path).name}"'
    assert answer.headers["Content-Security-Policy"].startswith("sandbox; default-src 'none'")
    assert content is None or answer.body == content


def test_a_file_s_text_is_shown_as_text(site: Site) -> None:
    item = site.items()[0]
    page = site.get(f"/trials/{item.id}/files/{_file(site, 'index.html')}").text
    assert "&lt;script&gt;" in page
    assert "<script>" not in page
    assert "This is no text." in site.get(f"/trials/{item.id}/files/{_file(site, 'data.bin')}").text
    picture = site.get(f"/trials/{item.id}/files/{_file(site, 'logo.svg')}").text
    assert f'<img src="/{TOKEN}/trials/{item.id}/raw/{_file(site, "logo.svg")}"' in picture
    assert "<rect" not in picture


@pytest.mark.parametrize(
    "name",
    ["../../../../journal.jsonl", "..%2f..%2fjournal.jsonl", "%2e%2e/journal.jsonl", "index.html", "/etc/passwd"],
)
def test_no_path_of_a_request_reaches_the_disk(site: Site, name: str) -> None:
    item = site.items()[0]
    for kind in ("raw", "files"):
        answer = site.get(f"/trials/{item.id}/{kind}/{name}")
        assert answer.status == 404
        assert b"run_id" not in answer.body
        assert b"root:" not in answer.body
    assert site.get(f"/static/{name}").status == 404


def test_links_pipes_and_reviews_are_no_files_of_a_trial(run: RunFolder, tmp_path: Path) -> None:
    secret = tmp_path / "secret.txt"
    secret.write_text("secret")
    with served(run) as site:
        workspace = site.items()[0].place.workspace
        (workspace / "link.txt").symlink_to(secret)
        (workspace / "folder").symlink_to(tmp_path)
        os.mkfifo(workspace / "pipe")
        (workspace / ".git").mkdir()
        (workspace / ".git" / "config").touch()
        listed = [file.path for file in list_files(workspace).files]
    assert listed == ["data.bin", "index.html", "logo.svg", "shots/wide.png"]


@pytest.mark.parametrize("replaced", ["shots/wide.png", "shots"])
def test_a_file_that_becomes_a_link_is_gone(run: RunFolder, tmp_path: Path, replaced: str) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "wide.png").write_bytes(b"secret")
    with served(run) as site:
        workspace = site.items()[0].place.workspace
        file = next(file for file in list_files(workspace).files if file.path == "shots/wide.png")
        (workspace / "shots").rename(tmp_path / "away")
        if replaced == "shots":
            (workspace / "shots").symlink_to(outside)
        else:
            (workspace / "shots").mkdir()
            (workspace / "shots" / "wide.png").symlink_to(outside / "wide.png")
    with pytest.raises(OSError, match=r"Not a directory|Too many levels|symbolic link"):
        read_bytes(workspace, file)


def test_it_listens_on_this_machine_alone(run: RunFolder, monkeypatch: pytest.MonkeyPatch) -> None:
    bound: list[tuple[str, int]] = []
    create: Callable[..., socket.socket] = socket.create_server

    def noting(address: tuple[str, int]) -> socket.socket:
        bound.append(address)
        return create(address)

    monkeypatch.setattr(socket, "create_server", noting)
    with served(run):
        pass
    assert bound == [("127.0.0.1", 0)]


def test_a_port_that_is_taken_is_a_user_s_error(run: RunFolder) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(UsageError, match=f"--port={port}: cannot be used"):
            serve(review_app(Desk(run, None, TOKEN, lambda: None)), port, Stop(), lambda port: None)


def test_a_stop_ends_it_though_a_browser_holds_its_connection(run: RunFolder) -> None:
    before = threading.active_count()
    with served(run) as site:
        idle = socket.create_connection(("127.0.0.1", site.port))
    idle.close()
    assert threading.active_count() == before
