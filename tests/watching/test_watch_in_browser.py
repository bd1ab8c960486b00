"""The page in Chromium: a real design whose numbers move, a finished one, on a desk and a phone, by day and night."""

import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from browser import BROWSER, DRIVER, Browser, wait_for
from watching_helpers import NAME

from metasmith.watching.server import served

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not (BROWSER and DRIVER), reason="there is no Chromium with its driver here to look with"),
]
SOURCE = """
import metasmith as ms

slow = ms.Problem(lambda x: float(x.sum()), ms.Bits(50), name="ones")
"""
LOOKS = [(1280, "light"), (1280, "dark"), (360, "light"), (360, "dark")]

SEEN = """
const words = name => document.getElementById(name).textContent;
const all = what => [...document.querySelectorAll(what)];
const facts = Object.fromEntries(all("dl.facts div").map(each => [...each.children].map(one => one.textContent)));
const colour = name => getComputedStyle(document.body)[name].match(/\\d+/g).slice(0, 3).reduce((a, b) => a + +b, 0) / 3;
const chart = document.getElementById("chart").getBoundingClientRect();
return {
  state: words("state"), heading: words("heading"), message: words("message"), spent: words("spent"), facts,
  bar: parseFloat(document.getElementById("done").style.width),
  rows: all("#shares tr").length, raced: all("#standing tr").length,
  program: words("program"), pseudocode: words("pseudocode"),
  line: document.querySelector("#chart .line.best")?.getAttribute("d"),
  outside: all("#chart text").filter(word => {
    const box = word.getBoundingClientRect(); return box.left < chart.left - 1 || box.right > chart.right + 1; })
    .map(word => word.textContent),
  sections: all("section").filter(each => each.getBoundingClientRect().height > 0).map(each => each.id),
  images: all("img").length, scripts: all("script").length, title: document.title,
  width: innerWidth, needed: document.documentElement.scrollWidth,
  page: colour("backgroundColor"), ink: colour("color"),
};
"""
"""What a reader would notice."""


@pytest.fixture
def browser(tmp_path: Path) -> Iterator[Browser]:
    with Browser(tmp_path / "profile") as opened:
        yield opened


@pytest.fixture
def design(tmp_path: Path) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """A design under way, which takes much longer than it is looked at, and the address of its page."""
    (tmp_path / "mine.py").write_text(SOURCE)
    words = ("design", f"{tmp_path}/mine.py:slow", "--effort", "thorough", "--out", f"{tmp_path}/run", "--watch")
    process = subprocess.Popen(
        [sys.executable, "-m", "metasmith", *words, "--evaluations", "4000"],
        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )  # fmt: skip
    assert process.stderr is not None
    match = re.search(r"http://127\.0\.0\.1:\d+/", process.stderr.readline())
    assert match
    yield process, match[0]
    process.kill()
    process.communicate()


def check_look(browser: Browser, width: int, scheme: str) -> dict[str, Any]:
    """What is seen at a width, once the window has it; nothing may stand over the edge."""
    browser.look(width, scheme)
    wait_for(lambda: browser.run(f"return innerWidth === {width} && document.querySelector('#chart svg') !== null"))
    browser.run("return new Promise(resolve => requestAnimationFrame(() => requestAnimationFrame(resolve)))")
    seen: dict[str, Any] = browser.run(SEEN)
    assert seen["needed"] <= seen["width"] == width
    assert seen["outside"] == []
    assert (seen["page"] > 200 > 100 > seen["ink"]) if scheme == "light" else (seen["page"] < 60 < 180 < seen["ink"])
    return seen


def test_the_numbers_of_a_design_move(browser: Browser, design: tuple[subprocess.Popen[str], str]) -> None:
    process, address = design
    browser.open(address)
    for width, scheme in LOOKS:
        wait_for(lambda: browser.run("return document.querySelector('#chart svg') !== null"))
        before = check_look(browser, width, scheme)
        assert before["state"] == "running"
        assert before["heading"] == "Designing an algorithm for mine.py:slow"
        assert before["sections"] == ["scores", "sources", "best", "work"]
        assert before["rows"] >= 1
        assert before["program"].startswith("population ")
        assert before["pseudocode"].startswith("Input: ")
        moved = f"return document.getElementById('spent').textContent !== {before['spent']!r}"
        wait_for(lambda moved=moved: browser.run(moved))
        after = check_look(browser, width, scheme)
        assert after["state"] == "running"
        assert after["line"] != before["line"]
        assert after["bar"] > before["bar"]
        assert after["facts"]["runs done"] != before["facts"]["runs done"]
    assert browser.console() == []
    process.send_signal(signal.SIGINT)
    process.wait(timeout=60)
    wait_for(lambda: browser.run("return document.getElementById('state').textContent === 'no answer'"))
    assert browser.run(SEEN)["message"].startswith("No answer from metasmith since ")


def test_a_finished_run_whose_name_means_ill(browser: Browser, run: Path) -> None:
    with served(run) as address:
        browser.open(address)
        for width, scheme in LOOKS:
            seen = check_look(browser, width, scheme)
            assert seen["state"] == "finished"
            assert seen["heading"] == seen["title"] == f"An algorithm for {NAME}"
            assert seen["sections"] == ["scores", "sources", "race", "best", "work"]
            assert (seen["images"], seen["scripts"]) == (0, 1)
            assert seen["raced"] >= 2
        assert browser.console() == []
    assert browser.run(SEEN)["state"] == "finished"  # the server has gone, and nothing is missing
    assert browser.console() == []


def test_the_console_is_heard(browser: Browser, run: Path) -> None:
    """What the tests above rely on: what the page does not allow is told off."""
    with served(run) as address:
        browser.open(address)
        browser.run("document.body.append(Object.assign(new Image(), { src: 'http://127.0.0.1:9/' }))")
        assert wait_for(browser.console)
