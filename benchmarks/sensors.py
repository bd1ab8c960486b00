"""Set a design of `examples/sensors.py` beside the library on regions that it has not seen: the table of the guide.

    python benchmarks/sensors.py runs/sensors

The example is a slow simulation. This has a compiled twin of it, with the same values, which is checked first.
"""

import sys
from pathlib import Path
from statistics import fmean
from typing import Any

import numba
import numpy as np
from scipy.stats import mannwhitneyu

import metasmith as ms
from metasmith.loading import load_file
from metasmith.program import named, names, works_on

EXAMPLE = Path(__file__).parent.parent / "examples" / "sensors.py"
RUNS = 30


def twin(slow: ms.Problem) -> ms.Problem:
    """The compiled twin of a region."""
    cells = dict(zip(slow.violation.function.__code__.co_freevars, slow.violation.function.__closure__, strict=True))
    inside: dict[str, Any] = {name: cell.cell_contents for name, cell in cells.items()}
    prices = slow.how.function.__closure__[0].cell_contents
    places, storms = len(inside["places"]), len(inside["stands"])
    # of every place: which sites reach it, as a list
    sites = [np.flatnonzero(inside["reach"][:, place]) for place in range(places)]
    starts = np.concatenate([[0], np.cumsum([len(some) for some in sites])])
    flat, stands = np.concatenate(sites), np.ascontiguousarray(inside["stands"].T)
    words = np.zeros((stands.shape[0], -(-storms // 64)), np.uint64)  # of every site: the storms that it survives
    for storm in range(storms):
        words[:, storm // 64] |= stands[:, storm].astype(np.uint64) << np.uint64(storm % 64)
    wanted = 0.97 * inside["reachable"] * places

    @numba.njit
    def price(x):
        return float((prices * x).sum())

    @numba.njit
    def gaps(x):
        seen = 0
        for place in range(places):
            for word in range(words.shape[1]):
                covered = np.uint64(0)
                for k in range(starts[place], starts[place + 1]):
                    if x[flat[k]]:
                        covered |= words[flat[k], word]
                while covered:
                    covered &= covered - np.uint64(1)
                    seen += 1
        return max(0.0, wanted - seen / storms)

    fast = ms.Problem(price, ms.Bits(len(prices)), direction="min", violation=gaps, name=slow.name, isolate=False)
    rng = np.random.default_rng(0)
    for density in (0.3, 0.6, 0.9):
        x = (rng.random(len(prices)) < density).astype(np.int64)
        assert fast.values(x[None])[0] == slow.values(x[None])[0]
        assert np.isclose(fast.violations(x[None])[0], slow.violations(x[None])[0], rtol=0, atol=1e-9)
    return fast


def main() -> None:
    task = load_file(EXAMPLE).task
    library = [name for name in names() if name != "random" and works_on(named(name), "bits")]
    twins, values = {slow: twin(slow) for slow in task.test}, dict[str, list[list[float]]]()
    for name in [sys.argv[1], *library]:
        values[name] = []
        for slow in task.test:
            runs = ms.solve_all(name, twins[slow], evaluations=task.evaluations, seeds=range(RUNS))
            results = runs.results.values()
            infeasible = sum(result.violation > 0 for result in results)
            values[name].append([float(result.fun) for result in results])
            if infeasible:
                print(f"{name}: {infeasible} of {RUNS} infeasible on {slow.name}")
        print(name, *(f"{fmean(some):,.0f}" for some in values[name]), flush=True)
    ours = values.pop(sys.argv[1])
    for number, slow in enumerate(task.test):
        best = min(values, key=lambda name: fmean(values[name][number]))
        gain = 1 - fmean(ours[number]) / fmean(values[best][number])
        p = mannwhitneyu(ours[number], values[best][number]).pvalue
        print(f"{slow.name}: {gain:.1%} below {best}, the best of the library there; rank-sum test {p:.2g}")


if __name__ == "__main__":
    main()
