"""The server: a few addresses, to be read only, for this machine only."""

import json
import re
import socket
import sys
from base64 import b64encode
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from http.client import HTTPConnection, HTTPResponse
from pathlib import Path
from typing import Any, Self

import pytest
from watching_helpers import NAME, Told

import metasmith as ms
from metasmith.runs.folder import Folder
from metasmith.watching import server, tail
from metasmith.watching.server import Server, start
from metasmith.watching.state import state_of


@contextmanager
def serving_of(run: Path) -> Iterator[Server]:
    """The page of a run."""
    running = start(run)
    try:
        yield running
    finally:
        running.stop()


@pytest.fixture
def serving(run: Path) -> Iterator[Server]:
    """The page of a finished run."""
    with serving_of(run) as running:
        yield running


def answer(serving: Server, path: str = "/", method: str = "GET", **headers: str) -> tuple[HTTPResponse, bytes]:
    connection = HTTPConnection("127.0.0.1", serving.server_port, timeout=60)
    connection.request(method, path, headers=headers)
    response = connection.getresponse()
    body = response.read()
    connection.close()
    return response, body


class Stream:
    """Who listens to events."""

    def __init__(self, serving: Server) -> None:
        self.connection = socket.create_connection(("127.0.0.1", serving.server_port), timeout=60)
        self.connection.sendall(b"GET /events HTTP/1.1\r\nHost: localhost\r\n\r\n")
        self.lines = self.connection.makefile("rb")
        self.head = list(iter(lambda: self.lines.readline().strip().decode(), ""))

    def said(self) -> Iterator[str]:
        """All lines that say something."""
        return (line.decode().strip() for line in self.lines if line.strip())

    def states(self) -> Iterator[dict[str, Any]]:
        return (json.loads(line.removeprefix("data: ")) for line in self.said() if line.startswith("data: "))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.lines.close()
        self.connection.close()


def test_the_page_allows_its_own_script_and_nothing_else(serving: Server) -> None:
    response, body = answer(serving)
    assert response.status == 200
    text, policy = body.decode(), response.headers["Content-Security-Policy"]
    for kind, parts in (("script", r"<script>(.*?)</script>"), ("style", r"<style>(.*?)</style>")):
        (inside,) = re.findall(parts, text, re.DOTALL)
        digest = b64encode(sha256(inside.encode()).digest()).decode()
        assert f"{kind}-src 'sha256-{digest}';" in policy
    assert policy.startswith("default-src 'none';")
    assert "unsafe" not in policy
    assert "http" not in policy
    assert not re.search(r"""(src|href)=["'](?!data:)|@import|url\(| style=| on\w+=""", text)
    assert not re.search(r"innerHTML|outerHTML|insertAdjacent|document\.write|\beval\(", text)


def test_the_state_is_that_of_the_folder(serving: Server, run: Path) -> None:
    response, body = answer(serving, "/state.json")
    state = json.loads(body)
    assert (response.status, response.headers["Content-Type"]) == (200, "application/json")
    assert state.pop("age") >= 0
    assert state == json.loads(json.dumps(state_of(Folder(run))))
    assert state["task"] == NAME
    assert "Access-Control-Allow-Origin" not in response.headers
    assert response.headers["Cross-Origin-Resource-Policy"] == "same-origin"


@pytest.mark.parametrize("path", ["/", "/state.json", "/events"])
def test_a_head_has_no_body(serving: Server, path: str) -> None:
    response, body = answer(serving, path, "HEAD")
    assert (response.status, body) == (200, b"")


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH", "OPTIONS"])
def test_nothing_can_be_changed(serving: Server, method: str) -> None:
    assert answer(serving, "/state.json", method)[0].status == 501


@pytest.mark.parametrize(
    "path", ["/design.toml", "/../design.toml", "/%2e%2e/design.toml", "/?run=x", "/state", "/events/", "*"]
)
def test_there_is_nothing_else(serving: Server, path: str) -> None:
    response, body = answer(serving, path)
    assert response.status == 404
    assert "Content-Security-Policy" in response.headers
    assert body == b"404 Not Found\n"


@pytest.mark.parametrize("host", ["evil.example", "evil.example:80", "localhost.evil.example", "", "[", "127.0.0.1@x"])
@pytest.mark.parametrize("path", ["/", "/state.json", "/events"])
def test_another_name_of_this_machine_is_refused(serving: Server, host: str, path: str) -> None:
    response, body = answer(serving, path, Host=host)
    assert response.status == 403
    assert NAME.encode() not in body


@pytest.mark.parametrize("host", ["localhost", "LOCALHOST:8000", "127.0.0.1:8000"])
def test_a_tunnel_may_have_another_port(serving: Server, host: str) -> None:
    assert answer(serving, "/state.json", Host=host)[0].status == 200


@pytest.mark.skipif(sys.platform != "linux", reason="only there all of 127.0.0.0/8 is this machine")
def test_only_loopback_is_listened_to(serving: Server) -> None:
    """Whoever listens to all addresses is reached by this one too."""
    assert serving.address == f"http://127.0.0.1:{serving.server_port}/"
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.2", serving.server_port), timeout=60)


def test_an_event_comes_with_every_new_step(run: Path, told: Told, monkeypatch: pytest.MonkeyPatch) -> None:
    for each in (server, tail):
        monkeypatch.setattr(each, "POLL", 0.02)
    steps = Folder(run).history()
    folder = told(steps[:1])
    with serving_of(folder.path) as serving, Stream(serving) as stream:
        assert stream.head[0].endswith("200 OK")
        assert "Content-Type: text/event-stream; charset=utf-8" in stream.head
        states = stream.states()
        assert next(states)["batches"] == 0
        for count in (1, 2):
            folder.append(steps[count])
            assert next(states)["batches"] == count


def test_who_listens_is_told_the_last_state(run: Path, told: Told, monkeypatch: pytest.MonkeyPatch) -> None:
    """A design that shows its page ends right after its last step, before the next look at the files."""
    for each in (server, tail):
        monkeypatch.setattr(each, "POLL", 60.0)
    folder = told(Folder(run).history())
    design = Folder(run).design()
    assert design is not None
    with serving_of(folder.path) as serving, Stream(serving) as stream:
        states = stream.states()
        assert next(states)["state"] == "interrupted"
        folder.finish(design)
        serving.stop()
        assert [state["state"] for state in states] == ["finished"]


def test_there_are_signs_of_life(serving: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server, "HEARTBEAT", 0.0)
    monkeypatch.setattr(server, "POLL", 0.01)
    with Stream(serving) as stream:
        said = stream.said()
        assert next(said).startswith("data: ")
        assert [next(said), next(said)] == [": still here"] * 2


def test_too_many_listeners_are_refused(serving: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server, "STREAMS", 1)
    with Stream(serving) as stream:
        next(stream.said())
        assert answer(serving, "/events")[0].status == 503
        assert answer(serving, "/")[0].status == 200


def test_a_port_in_use_is_one_line(serving: Server, run: Path) -> None:
    with pytest.raises(ValueError, match=f"cannot serve on port {serving.server_port}: .*; choose another"):
        start(run, serving.server_port)
    with pytest.raises(ValueError, match="cannot serve on port 65536: it is a number from 0 to 65535"):
        start(run, 65536)


def test_in_python(run: Path, tmp_path: Path) -> None:
    address = ms.watch(run)
    match = re.fullmatch(r"http://127\.0\.0\.1:(\d+)/", address)
    assert match
    connection = HTTPConnection("127.0.0.1", int(match[1]), timeout=60)
    connection.request("GET", "/state.json")
    assert json.loads(connection.getresponse().read())["state"] == "finished"
    connection.close()
    assert ms.watch(tmp_path / "later")
    with pytest.raises(ValueError, match="is not the folder of a run"):
        ms.watch(tmp_path)
