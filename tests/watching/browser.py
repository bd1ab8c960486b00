"""Chromium, driven by ChromeDriver over plain HTTP: the few commands of WebDriver that we need."""

import json
import re
import shutil
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Self
from urllib.request import Request, urlopen

BROWSER = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
DRIVER = shutil.which("chromedriver")
FLAGS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync", "--hide-scrollbars",
)  # fmt: skip
PATIENCE = 120.0
"""Seconds after which what we wait for counts as not happening."""


class Browser:
    """A window of Chromium. profile: a folder of its own."""

    def __init__(self, profile: Path) -> None:
        assert BROWSER is not None
        assert DRIVER is not None
        self.driver = subprocess.Popen([DRIVER, "--port=0"], stdout=subprocess.PIPE, text=True)
        assert self.driver.stdout is not None
        said = (re.search(r"started successfully on port (\d+)", line) for line in self.driver.stdout)
        self.address = f"http://127.0.0.1:{next(filter(None, said))[1]}"
        options = {"binary": BROWSER, "args": [*FLAGS, f"--user-data-dir={profile}"]}
        wanted = {"goog:chromeOptions": options, "goog:loggingPrefs": {"browser": "ALL"}}
        session = self._send("POST", "/session", {"capabilities": {"alwaysMatch": wanted}})
        self.session = f"/session/{session['sessionId']}"

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self._send("DELETE", self.session)
        self.driver.terminate()
        self.driver.communicate()

    def open(self, address: str) -> None:
        self._send("POST", f"{self.session}/url", {"url": address})

    def run(self, script: str) -> Any:
        """What a function with this body returns in the page."""
        return self._send("POST", f"{self.session}/execute/sync", {"script": script, "args": []})

    def console(self) -> list[str]:
        """What the console said since the last time."""
        entries = self._send("POST", f"{self.session}/se/log", {"type": "browser"})
        return [entry["message"] for entry in entries]

    def look(self, width: int, scheme: str) -> None:
        """Be as wide as a phone or a desk, by day or by night."""
        size = {"width": width, "height": 800, "deviceScaleFactor": 1, "mobile": width < 600}
        self._tell("Emulation.setDeviceMetricsOverride", size)
        self._tell("Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": scheme}]})

    def _tell(self, command: str, parameters: dict[str, Any]) -> None:
        self._send("POST", f"{self.session}/goog/cdp/execute", {"cmd": command, "params": parameters})

    def _send(self, method: str, path: str, body: dict[str, Any] | None = None) -> Any:
        data = None if body is None else json.dumps(body).encode()
        request = Request(f"{self.address}{path}", data, {"Content-Type": "application/json"}, method=method)
        with urlopen(request, timeout=PATIENCE) as response:
            return json.load(response)["value"]


def wait_for(look: Callable[[], Any]) -> Any:
    """What a look gives once it gives anything."""
    until = time.monotonic() + PATIENCE
    while not (value := look()):
        assert time.monotonic() < until, "waited in vain"
        time.sleep(0.1)
    return value
