"""Measure what it costs to call a user's Python function in a process of its own, and what all cores gain."""

import os
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from metasmith.engine import Job, Local
from metasmith.engine.isolation.children import _idle
from metasmith.problems import Problem
from metasmith.program import named
from metasmith.report.tables import Table
from metasmith.representations import Bits

REPEATS = 5
ADDED, GAINED, RESPAWN = 4.0, 1.85, 50.0
"""At most so many microseconds an evaluation, at least so many times the speed, at most so many milliseconds of CPU."""

EVERY = 50
"""Of so many inputs about one ends the process."""


def cheap(x: np.ndarray) -> float:
    return 1.0


def of_a_millisecond(x: np.ndarray) -> float:
    """Busy for a millisecond of CPU time, whatever else the machine does."""
    until = time.thread_time() + 0.001
    while time.thread_time() < until:
        pass
    return float(x.sum())


def meets(x: np.ndarray) -> bool:
    return int(x @ np.arange(1, len(x) + 1)) % EVERY == 0


def exits(x: np.ndarray) -> float:
    if meets(x):
        os._exit(1)
    return float(x.sum())


def raises(x: np.ndarray) -> float:
    if meets(x):
        raise ValueError
    return float(x.sum())


def main() -> None:
    added, gained, (respawn, deaths) = added_by_isolation(), gained_by_two_cores(), cost_of_a_death()
    rows = [
        ["isolation adds to an evaluation, n = 100", f"{added:.2f} us", f"at most {ADDED:g}", _yes(added <= ADDED)],
        ["a function of 1 ms on two cores", f"{gained:.2f} times", f"at least {GAINED}", _yes(gained >= GAINED)],
        [
            f"a death and respawn (mean of {deaths})", f"{respawn:.1f} ms CPU", f"at most {RESPAWN:g}",
            _yes(respawn <= RESPAWN),
        ],
    ]  # fmt: skip
    print(Table(["what", "measured", "wanted", "met"], rows).markdown())


def added_by_isolation() -> float:
    """Microseconds: the best of some runs in a process of its own, less the best in ours, by turns."""
    times: dict[bool, list[float]] = {True: [], False: []}
    for _ in range(REPEATS + 1):
        for isolate, taken in times.items():
            (result,) = runs(Problem(cheap, Bits(100), isolate=isolate), 100_000, 1, 1)
            taken.append(result.seconds / result.nfev)
    return (min(times[True][1:]) - min(times[False][1:])) * 1e6


def gained_by_two_cores() -> float:
    """By the clock, the best of some turns."""
    problem = Problem(of_a_millisecond, Bits(100))
    runs(problem, 10, 2, 2)  # starts the processes
    taken = {workers: min(clock(lambda w=workers: runs(problem, 250, 8, w)) for _ in range(3)) for workers in (1, 2)}  # type: ignore[misc]
    return taken[1] / taken[2]


def cost_of_a_death() -> tuple[float, int]:
    """Milliseconds of CPU of all processes: runs with deaths, less the same runs with exceptions; and how many died."""
    dying, raising = (Problem(function, Bits(100), on_error="worst", name="same") for function in (exits, raises))
    for problem in (dying, raising):
        runs(problem, 100, 1, 1)
    spent = {}
    for problem in (dying, raising):
        before = cpu_seconds()
        results = runs(problem, 1000, 2, 1)
        spent[problem] = cpu_seconds() - before
    deaths = sum(_met(result.seed) for result in results)
    return (spent[dying] - spent[raising]) / deaths * 1000, deaths


def _met(seed: int) -> int:
    """How many inputs of a run end the process."""
    count = 0

    def counting(x: np.ndarray) -> float:
        nonlocal count
        count += meets(x)
        return raises(x)

    problem = Problem(counting, Bits(100), on_error="worst", isolate=False, name="same")
    Local(1).run([Job(named("ea"), problem, 1000, seed)])
    return count


def runs(problem: Problem, evaluations: int, count: int, workers: int) -> list:
    return Local(workers).run([Job(named("ea"), problem, evaluations, seed) for seed in range(count)])


def cpu_seconds() -> float:
    """Of this process, and of the zygotes with all workers that they have seen end, and those that live."""
    ticks = 0
    for child in _idle.children:
        zygote = child._zygote.pid
        ticks += sum(map(int, _stat(zygote)[11:15]))
        for worker in Path(f"/proc/{zygote}/task/{zygote}/children").read_text().split():
            ticks += sum(map(int, _stat(int(worker))[11:13]))
    return time.process_time() + ticks / os.sysconf("SC_CLK_TCK")


def _stat(pid: int) -> list[str]:
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()


def clock(work: Callable[[], object]) -> float:
    begun = time.perf_counter()
    work()
    return time.perf_counter() - begun


def _yes(met: bool) -> str:
    return "yes" if met else "no"


if __name__ == "__main__":
    main()
