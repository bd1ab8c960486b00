"""What a worker of an executor does: batches of runs, by the runner of its machine."""

import threading
import time
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from metasmith.engine.run import Job
from metasmith.engine.runners.contract import Outcome
from metasmith.engine.runners.local import Local
from metasmith.engine.travel import unpacked
from metasmith.problems import Problem
from metasmith.program import Program

KEPT = 256
"""Problems that a worker keeps; of more, those that were not used for the longest time are let go."""


class Errand(NamedTuple):
    """A job on its way to a worker. key: of its problem, which travels by itself."""

    program: Program
    key: str
    evaluations: int
    seed: int
    seconds: float | None
    start: Any


class Done(NamedTuple):
    """What came of a batch, in its order, and the seconds that it took."""

    outcomes: list[Outcome]
    seconds: float


class Missing(NamedTuple):
    """A worker lacks the problems with these keys: the batch is to be sent again with them."""

    keys: list[str]


def do(errands: Sequence[Errand], bodies: Mapping[str, bytes]) -> Done | Missing:
    """Do a batch of runs. bodies: packed problems, by their keys; a worker keeps those that it was sent."""
    problems = {key: _problem(key, bodies.get(key)) for key in {errand.key for errand in errands}}
    if missing := [key for key, problem in problems.items() if problem is None]:
        return Missing(missing)
    jobs = [Job(errand.program, problems[errand.key], *errand[2:]) for errand in errands]  # type: ignore[arg-type]
    begun = time.perf_counter()
    outcomes = _runner().run(jobs)
    return Done(outcomes, time.perf_counter() - begun)


_problems: OrderedDict[str, Problem] = OrderedDict()
_changing = threading.Lock()
_own = threading.local()


def _problem(key: str, body: bytes | None) -> Problem | None:
    with _changing:
        if key in _problems:
            _problems.move_to_end(key)
            return _problems[key]
    if body is None:
        return None
    try:
        problem = unpacked(body)
    except Exception as error:
        raise RuntimeError(
            f"a worker cannot load a problem ({type(error).__name__}: {error}); install there what its function needs"
        ) from error
    with _changing:
        _problems[key] = problem
        while len(_problems) > KEPT:
            _problems.popitem(last=False)
    return problem


def _runner() -> Local:
    """One for each thread that an executor has here, as each does a batch at a time; kept from batch to batch."""
    if not hasattr(_own, "runner"):
        _own.runner = Local(1)
    return _own.runner
