"""Serves the page of a run: to this machine only, to be read only, from the files in the run's folder.

/            the page, the same for every run
/state.json  where the run stands
/events      the same as server-sent events: one at once, then one whenever something has changed
"""

import json
import os
import re
import socketserver
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from metasmith.watching.page import CONTENT_SECURITY_POLICY, PAGE
from metasmith.watching.tail import POLL, Tail

LOOPBACK = "127.0.0.1"
HOST = re.compile(r"(127\.0\.0\.1|localhost)(:\d{1,5})?", re.IGNORECASE)
"""What a browser on this machine calls it; the port may be that of a tunnel."""

HEADERS = {
    "Content-Security-Policy": CONTENT_SECURITY_POLICY,
    "X-Content-Type-Options": "nosniff",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
}
"""Of every answer."""

HEARTBEAT = 5.0
"""Seconds of silence after which a sign of life is sent, which also shows whether anybody still listens."""

LINGER = 2.0
"""Seconds that listeners have to take in the last state when the server ends."""

STREAMS = 32
"""Listeners at a time, at most."""


@contextmanager
def served(run: Path | str, port: int = 0) -> Iterator[str]:
    """Serve the page of a run for as long as the context lasts; yields the address. port: 0 for any that is free."""
    server = start(run, port)
    try:
        yield server.address
    finally:
        server.stop()


def start(run: Path | str, port: int = 0) -> "Server":
    """Begin to serve the page of a run, in the background. Raises ValueError if the port cannot be had."""
    try:
        server = Server(Tail(run), port)
    except (OSError, OverflowError) as error:
        reason = getattr(error, "strerror", None) or "it is a number from 0 to 65535"
        raise ValueError(f"cannot serve on port {port}: {reason}; choose another, or 0 for any that is free") from error
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.1}, daemon=True).start()
    return server


class Server(ThreadingHTTPServer):
    """A thread for every request, all reading one Tail."""

    daemon_threads = True
    allow_reuse_address = os.name == "posix"  # elsewhere this would let two servers have one port

    def __init__(self, tail: Tail, port: int) -> None:
        self.tail = tail
        self.ending = threading.Event()
        self.streams: set[threading.Thread] = set()
        super().__init__((LOOPBACK, port), Handler)

    @property
    def address(self) -> str:
        return f"http://{LOOPBACK}:{self.server_port}/"

    def server_bind(self) -> None:
        socketserver.TCPServer.server_bind(self)  # HTTPServer's would ask the network for this machine's name
        self.server_name, self.server_port = LOOPBACK, self.server_address[1]

    def handle_error(self, request: object, client_address: object) -> None:
        """Say nothing of a browser that went away."""

    def stop(self) -> None:
        """End, after whoever listens has been told the last state."""
        self.ending.set()
        until = time.monotonic() + LINGER
        for stream in list(self.streams):
            stream.join(max(0.0, until - time.monotonic()))
        self.shutdown()
        self.server_close()


class Handler(BaseHTTPRequestHandler):
    """Answers one request, GET or HEAD; all others are refused."""

    server: Server
    server_version, sys_version = "metasmith", ""
    error_content_type, error_message_format = "text/plain; charset=utf-8", "%(code)d %(message)s\n"
    timeout = 30  # of a client that asks for nothing, or takes nothing

    def do_GET(self) -> None:
        if not HOST.fullmatch(
            self.headers.get("Host", "")
        ):  # a page elsewhere whose name was made to mean this machine
            self.send_error(HTTPStatus.FORBIDDEN, f"Open http://{LOOPBACK} instead")
            return
        match self.path:
            case "/":
                self._answer("text/html; charset=utf-8", PAGE.encode())
            case "/state.json":
                self._answer("application/json", self._text(self.server.tail.look().state).encode())
            case "/events":
                self._stream()
            case _:
                self.send_error(HTTPStatus.NOT_FOUND)

    def do_HEAD(self) -> None:
        self.do_GET()

    def end_headers(self) -> None:
        for name, value in HEADERS.items():
            self.send_header(name, value)
        super().end_headers()

    def log_message(self, *words: object) -> None:
        """Nobody wants to read who has asked for what."""

    def _answer(self, kind: str, body: bytes) -> None:
        self.send_response(HTTPStatus.OK)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def _stream(self) -> None:
        """Send the state, and send it again whenever it has changed, until the listener or the server goes."""
        if len(self.server.streams) >= STREAMS:
            self.send_error(HTTPStatus.SERVICE_UNAVAILABLE, "Too many pages are open")
            return
        self.send_response(HTTPStatus.OK)
        self.send_header("Content-Type", "text/event-stream; charset=utf-8")
        self.end_headers()
        if self.command == "HEAD":
            return
        self.server.streams.add(threading.current_thread())
        try:
            self._send_changes()
        except OSError:
            pass  # the listener has gone
        finally:
            self.server.streams.discard(threading.current_thread())

    def _send_changes(self) -> None:
        tail, ending, sent, at = self.server.tail, self.server.ending, None, 0.0
        while True:
            last = ending.is_set()
            look, now = tail.look(last=last), time.monotonic()
            if look.number != sent:
                self.wfile.write(f"data: {self._text(look.state)}\n\n".encode())
                sent, at = look.number, now
            elif now - at >= HEARTBEAT:
                self.wfile.write(b": still here\n\n")
                at = now
            if last:
                return
            ending.wait(POLL)

    def _text(self, state: dict[str, Any]) -> str:
        return json.dumps({**state, "age": self.server.tail.age()})
