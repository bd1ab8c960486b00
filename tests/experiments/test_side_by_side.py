"""Work in several processes: a killed one is replaced, and none is left when the one that asked is gone."""

import json
import multiprocessing
import os
import random
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from metasmith.experiments.shared.side_by_side import ATTEMPTS, side_by_side, ticking

POSIX = pytest.mark.skipif(os.name == "nt", reason="Windows has no SIGKILL")
LIMIT = 120.0  # seconds; whatever takes longer hangs

# A script of somebody who asks for work. Each of its processes leaves a note with its number as soon as it begins.
# Items take the given seconds; one called "last" takes until there is a note that it is enough.
ASKS = """
import os, sys, time
from pathlib import Path
from metasmith.experiments.shared import side_by_side

folder, seconds, *items = sys.argv[1:]
if __name__ == "__mp_main__":
    Path(folder, str(os.getpid())).touch()

def work(item):
    Path(folder, f"at work on {item}").touch()
    time.sleep(float(seconds))
    while item == "last" and not Path(folder, "enough").is_file():
        time.sleep(0.01)
    return item * 2

if __name__ == "__main__":
    side_by_side.ATTEMPTS = 1000
    print(side_by_side.side_by_side(work, items, lambda: None))
"""


# The command line, with such notes.
COMMAND = """
import os
from pathlib import Path

if __name__ == "__mp_main__":
    Path(os.environ["NOTES"], str(os.getpid())).touch()
if __name__ == "__main__":
    from metasmith.cli import main
    main()
"""


@pytest.fixture
def notes(tmp_path):
    """The folder for the notes of the processes."""
    folder = tmp_path / "notes"
    folder.mkdir()
    return folder


@pytest.fixture
def asks(tmp_path, notes):
    """Starts the script, given the seconds that an item takes and the items."""
    (tmp_path / "asks.py").write_text(ASKS)
    started: list[subprocess.Popen[str]] = []

    def start(seconds: float, *items: str) -> subprocess.Popen[str]:
        command = [sys.executable, str(tmp_path / "asks.py"), str(notes), str(seconds), *items]
        started.append(subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True))
        return started[-1]

    yield start
    for each in started:
        each.kill()
        each.communicate()


def test_results_are_in_the_order_of_the_items():
    assert side_by_side(abs, [-3, 2, -1], lambda: None) == [3, 2, 1]


def test_no_items_have_no_results():
    calls: list[None] = []
    assert side_by_side(abs, [], lambda: calls.append(None)) == []
    assert calls


def test_what_one_raises_ends_all():
    started = time.monotonic()
    with pytest.raises(ValueError, match="invalid literal") as raised:
        side_by_side(number_after_a_while, [*["one"] * 2, *["600"] * 10], lambda: None)
    assert time.monotonic() - started < LIMIT
    assert "in number_after_a_while" in "".join(raised.value.__notes__)  # where in the work it was raised
    assert not multiprocessing.active_children()


def number_after_a_while(text: str) -> float:
    time.sleep(number := float(int(text)))
    return number


class OddError(Exception):
    """Cannot be read again by pickle, which calls it with one argument."""

    def __init__(self, one: int, other: int) -> None:
        super().__init__(f"{one} and {other}")


def raise_odd(item: int) -> None:
    raise OddError(item, item + 1)


def unreadable(item: int) -> object:
    return threading.Lock()


def test_an_error_that_cannot_be_pickled_comes_in_words():
    with pytest.raises(RuntimeError, match=r"^OddError: 1 and 2$"):
        side_by_side(raise_odd, [1], lambda: None)


def test_a_result_that_cannot_be_pickled_is_an_error():
    with pytest.raises(TypeError, match="cannot pickle"):
        side_by_side(unreadable, [1], lambda: None)


@pytest.mark.slow
def test_somebody_who_waits_is_told_every_second_and_at_the_end():
    calls: list[float] = []
    side_by_side(time.sleep, [1.5], lambda: calls.append(time.monotonic()))
    assert len(calls) >= 3  # at the beginning, between, and at the end
    assert calls[-1] - calls[0] >= 1.5  # the last one is after the work


def test_what_has_been_done_is_ticked_once():
    done: list[None] = []
    ticks: list[None] = []
    look = ticking(lambda: len(done), lambda: ticks.append(None))
    for more in (0, 2, 0, 3):
        done += [None] * more
        look()
        assert len(ticks) == len(done)


def test_an_error_of_somebody_who_waits_ends_all():
    with pytest.raises(ZeroDivisionError):
        side_by_side(time.sleep, [600], lambda: 1 / 0)
    assert not multiprocessing.active_children()


def end_then_return(item: tuple[int, str, int, Path]) -> int:
    """The work of an item: its number, the moment at which its process ends, how many do, and a folder for notes."""
    number, moment, times, folder = item
    attempt = sum(each.name.startswith(f"{number} ") for each in folder.iterdir())
    (folder / f"{number} {attempt}").touch()
    if attempt < times:
        if moment == "after the answer":
            threading.Timer(0.05, end).start()  # between two items, or in the next one
            return number
        time.sleep(0.1 if moment == "in the middle" else 0)
        end()
    time.sleep(0.1)
    return number


def end() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


@POSIX
@pytest.mark.slow
@pytest.mark.parametrize("moment", ["at once", "in the middle", "after the answer"])
def test_the_item_of_a_killed_process_is_done_by_another(tmp_path, moment):
    items = [(number, moment, ATTEMPTS - 1 if number % 2 else 0, tmp_path) for number in range(6)]
    assert side_by_side(end_then_return, items, lambda: None) == list(range(6))


@POSIX
def test_an_item_that_ends_its_process_every_time_is_an_error(tmp_path):
    items = [(number, "at once", 1000 * (number == 1), tmp_path) for number in range(4)]
    with pytest.raises(
        RuntimeError, match=r"\(1, 'at once', 1000, .*ended 3 times without a result, .* exit code -9"
    ) as raised:
        side_by_side(end_then_return, items, lambda: None)
    assert "\n" not in str(raised.value)
    assert sum(each.name.startswith("1 ") for each in tmp_path.iterdir()) == ATTEMPTS


def test_an_exit_is_a_death_too():
    with pytest.raises(RuntimeError, match=r"process of 7 ended 3 times without a result, .* exit code 7"):
        side_by_side(sys.exit, [7], lambda: None)


@pytest.mark.slow
@POSIX
def test_twenty_kills_at_random_moments_cost_no_result(asks, notes):
    items = [*(f"item-{number}" for number in range(14)), "last", "last"]
    process = asks(0.2, *items)
    moments = random.Random()
    for _ in range(20):
        time.sleep(moments.uniform(0, 0.2))
        worker = moments.choice(soon(lambda: [each for each in processes(notes) if alive(each)]))
        os.kill(worker, signal.SIGKILL)
        soon(lambda worker=worker: not alive(worker))
    (notes / "enough").touch()
    said, complaints = process.communicate(timeout=LIMIT)
    assert said == f"{[item * 2 for item in items]}\n"
    assert complaints == ""
    assert len(processes(notes)) >= 20  # each killed one was another


@POSIX
def test_ctrl_c_ends_all(asks, notes):
    process = asks(600, "one", "other")
    soon(lambda: (notes / "at work on one").is_file() and (notes / "at work on other").is_file())
    process.send_signal(signal.SIGINT)
    _, complaints = process.communicate(timeout=LIMIT)
    assert complaints.endswith("KeyboardInterrupt\n")
    assert len(processes(notes)) == min(2, os.cpu_count() or 1)
    assert soon(lambda: not any(map(alive, processes(notes))))


@POSIX
@pytest.mark.slow
@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGKILL])
def test_a_process_ends_with_the_one_that_asked(asks, notes, how):
    process = asks(600, "one")
    soon(lambda: (notes / "at work on one").is_file())
    (worker,) = processes(notes)
    assert alive(worker)
    process.send_signal(how)
    process.communicate(timeout=LIMIT)
    assert soon(lambda: not alive(worker))


@POSIX
@pytest.mark.slow
def test_reproduce_ends_with_the_same_runs_if_its_processes_are_killed(tmp_path, notes):
    (tmp_path / "command.py").write_text(COMMAND)

    def reproduce(out: Path) -> subprocess.Popen[str]:
        words = [*["reproduce", "pbo-table", "--scale", "small", "--trials", "2", "--only", "F1"], "--out", str(out)]
        command = [sys.executable, str(tmp_path / "command.py"), *words, "--write", f"{out}.md"]
        environment = {**os.environ, "NOTES": str(notes)}
        return subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def runs(out: Path) -> list[dict[str, Any]]:
        lines = (out / "pbo-table.jsonl").read_text().splitlines()
        return [{**json.loads(line), "seconds": None} for line in lines]

    with reproduce(tmp_path / "killed") as process:
        for epochs in (2, 6):  # each design loses its process twice at most
            soon(lambda epochs=epochs: most_lines(tmp_path / "killed") > epochs)
            for worker in filter(alive, processes(notes)):
                os.kill(worker, signal.SIGKILL)
        _, complaints = process.communicate(timeout=LIMIT)
    assert process.returncode == 0, complaints
    assert len(processes(notes)) > min(2, os.cpu_count() or 1)  # some had to be replaced
    with reproduce(tmp_path / "left alone") as process:
        process.communicate(timeout=LIMIT)
    assert runs(tmp_path / "killed") == runs(tmp_path / "left alone")


def most_lines(out: Path) -> int:
    """How many steps the history of the furthest design has."""
    return max((len(file.read_text().splitlines()) for file in out.glob("*/history.jsonl")), default=0)


def processes(notes: Path) -> list[int]:
    """The numbers of all processes that have begun so far."""
    return [int(each.name) for each in notes.iterdir() if each.name.isdigit()]


def soon(ask, seconds: float = LIMIT):
    """The answer, as soon as there is one that is not empty."""
    until = time.monotonic() + seconds
    while not (answer := ask()):
        assert time.monotonic() < until, "waited for too long"
        time.sleep(0.02)
    return answer


def alive(process: int) -> bool:
    """Whether a process is there and has not ended; one that nobody has waited for still has a number."""
    try:
        os.kill(process, 0)
        status = Path(f"/proc/{process}/stat")
        return not status.is_file() or status.read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except (ProcessLookupError, FileNotFoundError):
        return False
