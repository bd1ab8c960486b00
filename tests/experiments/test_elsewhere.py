"""Long work on the workers of an executor: in processes of their own, done again where one is lost."""

import json
import os
import signal
import sys
import threading
from concurrent.futures import BrokenExecutor, Executor, Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from metasmith.engine.runners import calls
from metasmith.engine.runners.calls import WorkerWarning
from metasmith.engine.runners.fingerprint import fingerprint
from metasmith.experiments.shared.making import made_all, wanted
from metasmith.experiments.shared.side_by_side import ATTEMPTS, done_on, side_by_side

POSIX = pytest.mark.skipif(os.name == "nt", reason="Windows has no SIGKILL")


class Losing(ThreadPoolExecutor):
    """Two threads that lose every other call: one before its work, the next after it."""

    def __init__(self) -> None:
        super().__init__(2)
        self.lost = 0
        self.number = 0
        self.lock = threading.Lock()

    def submit(self, function, /, *arguments, **named):
        def fate() -> Any:
            with self.lock:
                self.number += 1
                number = self.number
            if number % 4 == 1:
                self.lost += 1
                raise BrokenExecutor("before")
            answer = function(*arguments, **named)
            if number % 4 == 3:
                self.lost += 1
                raise BrokenExecutor("after")
            return answer

        return super().submit(fate)


def on(executor: Executor, work, items, on_wait=lambda: None):
    with executor, done_on(executor):
        return side_by_side(work, items, on_wait)


def test_results_are_in_the_order_of_the_items():
    calls: list[None] = []
    assert on(ThreadPoolExecutor(2), abs, [-3, 2, -1], lambda: calls.append(None)) == [3, 2, 1]
    assert calls


def test_no_items_have_no_results():
    assert on(ThreadPoolExecutor(1), abs, []) == []


def test_each_item_has_a_process_of_its_own_and_may_print():
    def process(item):
        print("noise")
        return os.getpid(), sys.stdin.buffer.closed

    numbers = [number for number, _ in on(ThreadPoolExecutor(2), process, [1, 2, 3])]
    assert len({*numbers, os.getpid()}) == 4


def test_what_one_raises_is_raised_with_where_it_was():
    with pytest.raises(ValueError, match="invalid literal") as raised:
        on(ThreadPoolExecutor(2), int, ["1", "one"])
    assert "in serve" in "".join(raised.value.__notes__)


def test_an_error_that_cannot_be_pickled_comes_in_words():
    def fails(item):
        class OddError(Exception):
            def __init__(self, one, other):
                super().__init__(f"{one} and {other}")

        raise OddError(1, 2)

    with pytest.raises(RuntimeError, match=r"^OddError: 1 and 2$"):
        on(ThreadPoolExecutor(1), fails, [1])


def test_lost_items_are_done_again(monkeypatch):
    monkeypatch.setattr("metasmith.experiments.shared.side_by_side.ATTEMPTS", 20)
    losing = Losing()
    assert on(losing, abs, [-1, -2, -3, -4]) == [1, 2, 3, 4]
    assert losing.lost > 1


@POSIX
def test_an_item_that_ends_its_process_every_time_is_an_error(tmp_path):
    def ends(item):
        (tmp_path / f"{len(list(tmp_path.iterdir()))}").touch()
        os.kill(os.getpid(), signal.SIGKILL)

    with pytest.raises(
        RuntimeError,
        match=r"^the worker of 7 ended 3 times without a result \(its process ended with exit code -9\); is",
    ):
        on(ThreadPoolExecutor(1), ends, [7])
    assert len(list(tmp_path.iterdir())) == ATTEMPTS


def test_unlike_workers_are_not_used(monkeypatch):
    other = {**fingerprint(), "numba": "0"}
    monkeypatch.setattr(calls, "NAP", 0.0)
    monkeypatch.setattr(
        calls, "fingerprint", lambda: other if threading.current_thread() is not main else fingerprint()
    )
    main = threading.current_thread()
    with pytest.warns(WorkerWarning, match="numba"), pytest.raises(RuntimeError, match="no worker is like this"):
        on(ThreadPoolExecutor(2), lambda item: Path("never").touch(), [1, 2])
    assert not Path("never").exists()


def test_other_work_is_done_here_again():
    class Counting(ThreadPoolExecutor):
        submitted = 0

        def submit(self, *arguments: Any, **named: Any) -> Future[Any]:
            Counting.submitted += 1
            return super().submit(*arguments, **named)

    assert on(Counting(1), abs, [-1]) == [1]
    before = Counting.submitted
    assert before
    assert side_by_side(abs, [-2], lambda: None) == [2]
    assert Counting.submitted == before


@pytest.mark.slow
def test_designs_are_the_same_bits_elsewhere(tmp_path, monkeypatch):
    """Made in relative folders, by workers that are lost now and then."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("metasmith.experiments.shared.side_by_side.ATTEMPTS", 20)
    programs = {}
    for out in ("elsewhere", "here"):
        todo, ticks = wanted(["F1"], 2, Path(out), "quick"), []
        with Losing() as losing, done_on(losing if out == "elsewhere" else None):
            records = made_all(todo, lambda ticks=ticks: ticks.append(None))
        assert len(ticks) == 2
        programs[out] = [json.dumps([record["program"], record["score"]]) for record in records]
        assert bool(losing.lost) == (out == "elsewhere")
    assert programs["elsewhere"] == programs["here"]
