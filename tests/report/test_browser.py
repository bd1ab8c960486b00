"""The page in a browser: nothing to complain of, everything drawn, on a desk and on a phone, by day and by night."""

import json
import re
import shutil
import subprocess
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from report_helpers import FORKED, record

from metasmith.program import Program
from metasmith.report.design_page import SECTIONS, page
from metasmith.report.diagram import laid_out

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
BROWSER = next((found for name in NAMES if (found := shutil.which(name))), None)
FLAGS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync", "--hide-scrollbars",
    "--enable-logging=stderr", "--virtual-time-budget=2000",
)  # fmt: skip

pytestmark = pytest.mark.skipif(
    BROWSER is None, reason="there is no Chromium here; install it to test the page as it is seen"
)

MEASURE = """<script>
function seen(element) { const box = element.getBoundingClientRect(); return box.width > 0 && box.height > 0; }
function all(what) { return [...document.querySelectorAll(what)]; }
function outside(svg) {
  const box = svg.getBoundingClientRect();
  return [...svg.querySelectorAll("text")].filter(word => {
    const own = word.getBoundingClientRect(); return own.left < box.left - 2 || own.right > box.right + 2 || own.bottom
  > box.bottom + 2; }).map(word => word.textContent);
}
function crowded(svg) {
  const words = [...svg.querySelectorAll("text")].map(word => [word.textContent, word.getBoundingClientRect()]);
  return words.flatMap(([one, a], i) => words.slice(i + 1).filter(([other, b]) =>
    Math.min(a.right, b.right) - Math.max(a.left, b.left) > 3 && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) >
  5 ).map(([other]) => one + " / " + other));
}
parent.postMessage(JSON.stringify({
  width: innerWidth, needed: document.documentElement.scrollWidth,
  sections: all("section").filter(seen).map(each => each.id),
  boxes: all("#diagram rect.step").filter(seen).length, arrows: all("#diagram path.tip").filter(seen).length,
  charts: all("svg.chart").filter(seen).length,
  curves: all(".curve path").filter(each => each.getBoundingClientRect().width > 0).length,
  letters: Math.min(...all("svg.chart text").map(word =>
    parseFloat(getComputedStyle(word).fontSize) * word.getScreenCTM().d || Infinity)),
  outside: all("svg.chart, svg.diagram").flatMap(outside), crowded: all("svg.chart, svg.diagram").flatMap(crowded),
  small: Math.min(...all("#diagram text").map(word => word.getBoundingClientRect().height)),
  page: getComputedStyle(document.body).backgroundColor, ink: getComputedStyle(document.body).color,
}), "*");
</script></body>"""
"""What a reader would notice, told to the page around."""

AROUND = """<!DOCTYPE html><html><head><meta name="color-scheme" content="light dark"></head><body>
<script>onmessage = event => { document.body.dataset.measured = event.data; };</script>
<iframe src="measured.html" width="WIDTH" height="900" style="border: 0"></iframe></body></html>"""
"""A page around, in which the other is as wide as we like: windows are not narrower than 500."""


def opened(file: Path, *flags: str) -> tuple[str, list[str]]:
    """The page after it was opened, and what the browser's console said."""
    assert BROWSER is not None
    profile = file.parent / f"profile-{file.stem}-{len(list(file.parent.iterdir()))}"
    words = [BROWSER, *FLAGS, f"--user-data-dir={profile}", *flags, "--dump-dom", file.as_uri()]
    done = subprocess.run(words, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout, [line for line in done.stderr.splitlines() if "CONSOLE" in line]


def measured(file: Path, width: int = 1200, *flags: str) -> dict[str, Any]:
    """What a reader would notice. The page itself allows no scripts, so a copy does."""
    copy = file.with_name("measured.html")
    text = re.sub(r'<meta http-equiv="Content-Security-Policy"[^>]*>', "", file.read_text(encoding="utf-8"))
    copy.write_text(text.replace("</body>", MEASURE), encoding="utf-8")
    around = file.with_name("around.html")
    around.write_text(AROUND.replace("WIDTH", str(width)), encoding="utf-8")
    found, said = opened(around, "--window-size=1300,1000", *flags)
    assert said == []
    (line,) = re.findall(r'data-measured="([^"]*)"', found)
    return dict(json.loads(unescape(line)))


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("page") / "report.html"
    path.write_text(page(record()), encoding="utf-8")
    return path


def test_the_console_is_silent_and_every_section_is_there(file: Path) -> None:
    found, said = opened(file)
    assert said == []
    assert re.findall(r'<section id="(\w+)"', found) == list(SECTIONS)
    assert file.stat().st_size < 2_000_000


def test_the_console_is_heard(tmp_path: Path) -> None:
    """What the test above relies on: a page that asks for something else is told off."""
    path = tmp_path / "bad.html"
    path.write_text(
        page(record()).replace("</main>", '<img src="https://nowhere.invalid/a.png"></main>'), encoding="utf-8"
    )
    assert opened(path)[1]


@pytest.mark.parametrize("width", [390, 1200])
def test_everything_is_drawn_and_nothing_is_cut_off(file: Path, width: int) -> None:
    found = measured(file, width)
    assert found["width"] == width
    assert found["needed"] <= width
    assert found["sections"] == list(SECTIONS)
    layout = laid_out(Program.parse(FORKED))
    assert found["boxes"] == len(layout.boxes)
    assert found["arrows"] == len(layout.boxes) - 1 + len(layout.loops) + len(layout.forks)
    assert found["charts"] == 9
    assert found["curves"] == 2 + 1 + 2 * 6 + 6 + 6
    assert found["outside"] == []
    assert found["crowded"] == []
    assert min(found["small"], found["letters"]) >= 9  # letters that can be read


def test_the_page_is_dark_for_those_who_like_it_dark(file: Path) -> None:
    def light(colour: str) -> float:
        return sum(map(int, re.findall(r"\d+", colour)[:3])) / 3

    day, night = (measured(file, 1200, f"--blink-settings=preferredColorScheme={number}") for number in (1, 0))
    assert light(day["page"]) > 200 > 100 > light(day["ink"])
    assert light(night["page"]) < 60 < 180 < light(night["ink"])
