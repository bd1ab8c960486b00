"""What goes to standard output and to standard error, whatever users' files and functions print."""

import json
import re
import subprocess
import sys
from io import StringIO
from pathlib import Path
from types import SimpleNamespace

import pytest
from cli_helpers import metasmith, typed, written
from rich.console import Console

from metasmith import cli, reproduce, screens

LOUD = """
import atexit, os, subprocess, sys
import numba

def said_by_all(words):
    print(words, "by print")
    sys.__stdout__.write(words + " by the stream\\n")
    os.write(1, (words + " by the system\\n").encode())
    subprocess.run([sys.executable, "-c", f"print({words!r}, 'by a process')"])

said_by_all("file")
atexit.register(lambda: said_by_all("exit"))

def loud(x):
    said_by_all("function")
    return x.sum(axis=-1)

@numba.njit
def loud_compiled(x):
    print("compiled")
    return x.sum()

def explained(x):
    print("explained")
    return ["because"]

plain = ms.Problem(loud, ms.Bits(6), explain=explained)
batch = ms.Problem(loud, ms.Bits(6), batch=True)
compiled = ms.Problem(loud_compiled, ms.Bits(6), compiled=True)
"""


@pytest.mark.parametrize("name", ["plain", "batch", "compiled"])
def test_json_is_alone_on_standard_output(name: str, tmp_path: Path) -> None:
    file = written(tmp_path, LOUD)
    done = typed("solve", f"{file}:{name}", "--evaluations", "3", "--json")
    assert done.returncode == 0
    assert done.stdout.count("\n") == 1
    assert json.loads(done.stdout)["evaluations"] == 3
    function = "compiled" if name == "compiled" else "function by a process"
    for words in ("file by the system", "file by a process", "exit by print", function):
        assert words in done.stderr


def test_without_json_standard_output_is_everybodys(tmp_path: Path) -> None:
    done = typed("solve", f"{written(tmp_path, LOUD)}:plain", "--evaluations", "3")
    assert "file by print" in done.stdout
    assert "function by the system" in done.stderr  # it is called in another process, which prints no results
    assert "function" not in done.stdout


@pytest.mark.parametrize("command", ["landscape", "solve"])
def test_json_is_alone_within_a_process_too(command: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = written(tmp_path, "print('loud')\nmine = ms.Problem(lambda x: x.sum(), ms.Bits(5))\n")
    stdout = sys.stdout
    code, out, err = metasmith(capsys, command, f"{file}:mine", "--json")
    assert (code, err) == (0, "loud\n")
    assert json.loads(out)["problem"] == "<lambda>"
    assert sys.stdout is stdout
    assert metasmith(capsys, command, f"{file}:mine")[1].startswith("loud\n")


def test_a_mistake_with_json_leaves_standard_output_empty(tmp_path: Path) -> None:
    done = typed("solve", f"{written(tmp_path, LOUD)}:nothing", "--json")
    assert (done.returncode, done.stdout) == (2, "")
    assert "has no metasmith.Problem or Task called 'nothing'" in done.stderr


def test_json_goes_to_whoever_reads_it_and_no_further() -> None:
    command = f"{sys.executable} -m metasmith problems --json | true; exit ${{PIPESTATUS[0]}}"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False)
    assert done.stderr == ""


@pytest.mark.parametrize("module", [cli, reproduce, screens])
def test_all_json_is_printed_in_one_place(module: object) -> None:
    text = Path(str(module.__file__)).read_text(encoding="utf-8")  # type: ignore[attr-defined]
    assert len(re.findall(r"json\.dumps", text)) == (module is screens)


@pytest.mark.parametrize("encoding", ["latin-1", "ascii", "utf-8"])
def test_json_is_the_same_in_every_encoding(encoding: str) -> None:
    done = typed("algorithms", "--json", PYTHONIOENCODING=encoding, PYTHONUTF8="0")
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout)


def test_a_crash_says_where(tmp_path: Path) -> None:
    file = written(tmp_path, "import ctypes\nctypes.string_at(0)\n")
    done = typed("solve", f"{file}:mine")
    assert done.returncode < 0
    assert "Fatal Python error: Segmentation fault" in done.stderr
    assert f'File "{file}", line 3' in done.stderr


AGAIN = """
import atexit, os, signal
atexit.register(os.kill, os.getpid(), signal.SIGINT)
os.kill(os.getpid(), signal.SIGINT)
"""


@pytest.mark.parametrize("command", ["solve", "design"])
def test_an_interruption_on_the_way_out_is_no_traceback(command: str, tmp_path: Path) -> None:
    file = written(tmp_path, AGAIN)
    words = ["--out", str(tmp_path / "run")] if command == "design" else []
    done = typed(command, f"{file}:mine", *words)
    assert (done.returncode, done.stdout) == (130, "")
    assert done.stderr.strip() == "metasmith: interrupted"


@pytest.mark.parametrize("name", ["a\nb", "a\x1b[31mb", "a\rb", "a\u2028b", "a\tb"])
def test_a_message_is_one_line_whatever_is_in_a_name(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    code, _, err = metasmith(capsys, "solve", name)
    assert code == 2
    assert err.startswith("metasmith: 'a")
    assert err.endswith("\n")
    assert err[:-1].isprintable()


MARKED = ("x[/b]", "[red]x", "[link=http://x]y", ":smile:", "{task}", "x[bold", "\\\\[x]")


@pytest.mark.parametrize("name", MARKED)
def test_names_are_shown_as_they_are(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = written(tmp_path, f"mine = ms.Problem(lambda x: x.sum(), ms.Bits(9), name={name!r})\n")
    code, out, _ = metasmith(capsys, "solve", f"{file}:mine", "--evaluations", "9")
    assert (code, out.partition(":  ")[0].partition(" bits")[0]) == (0, f"ea on {name}: 9")
    screens.show([{"name": name, "title": name}], as_json=False, note=name)
    assert capsys.readouterr().out.split() == ["name", "title", name, name, name]


@pytest.mark.parametrize("name", MARKED)
def test_bars_show_words_as_they_are(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    shown = StringIO()
    terminal = Console(file=shown, force_terminal=True, width=200, markup=False, emoji=False)
    monkeypatch.setattr(screens, "err", terminal)
    with screens.progress(name, 3) as tick:
        tick()
    assert name in shown.getvalue()
    shown.truncate(0)
    with screens.watched(quiet=False) as tell:
        going = {"step": 1, "steps": 2, "best": 0.5, "mean": 0.5, "entropy": None, "rate": 1e6, "left": 3.0}
        tell(SimpleNamespace(what=name, **going))
    assert name in shown.getvalue()


def test_errors_of_numba_have_no_colours(tmp_path: Path) -> None:
    file = written(
        tmp_path,
        "import numba\n@numba.njit\ndef f(x):\n    return x.nothing\nmine = ms.Problem(f, ms.Bits(9), compiled=True)\n",
    )
    done = typed("solve", f"{file}:mine")
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert "returns a number; Unknown attribute 'nothing'" in done.stderr


@pytest.mark.parametrize("value", ["1e250 * (1 + x.sum())", "-1e305 * (1 + x.sum())"])
@pytest.mark.parametrize("direction", ["max", "min"])
def test_values_that_cannot_be_told_apart_are_said(value: str, direction: str, tmp_path: Path) -> None:
    text = f"mine = ms.Problem(lambda x: {value}, ms.Bits(5), direction={direction!r}, name='huge')\n"
    done = typed("solve", f"{written(tmp_path, text)}:mine", "--evaluations", "30")
    held = value.startswith("1e250") and direction == "max"  # the one way in which they are
    assert done.returncode == 0
    assert ("values of this size are not told apart; scale them to less than 1e200" in done.stdout) != held
    assert "inf" not in done.stdout.split("\n")[2]


@pytest.mark.parametrize(("closing", "printed"), [(">&-", False), ("2>&-", True), (">&- 2>&-", False)])
def test_streams_that_are_closed_end_nothing(closing: str, printed: bool) -> None:
    command = f"{sys.executable} -m metasmith components --json {closing}"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert bool(done.stdout) == printed
