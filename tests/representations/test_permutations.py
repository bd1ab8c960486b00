"""Permutations in every use of a kind of variables: solve, design, landscape, compare, report, export, resume."""

import json
import os
import subprocess
import sys
from collections import Counter

import numpy as np
import pytest
from scipy import stats

import metasmith as ms
from metasmith.components import COMPONENTS
from metasmith.testing.bench import bench

ALPHA = 1e-4
DRAWS = 24_000
TOUR = """
import numpy as np
import metasmith as ms

points = np.random.default_rng(7).random((15, 2))
away = np.sqrt(((points[:, None] - points) ** 2).sum(axis=2))

def length(x):
    return float(away[x, np.roll(x, -1)].sum())

tour = ms.Problem(length, ms.Permutation(15), direction="min")
"""


def test_a_random_order_is_uniform():
    variables = ms.Permutation(4)
    rows = np.zeros((DRAWS, variables.width), variables.cell)
    with np.errstate(over="ignore"):
        variables.fresh(rows, np.arange(DRAWS), 4, np.array([3], np.uint64))
    orders = Counter(map(tuple, variables.to_vectors(rows).tolist()))
    assert len(orders) == 24
    assert stats.chisquare(list(orders.values())).pvalue > ALPHA


def moved(name: str, x: list[int], j: int, k: int) -> list[int]:
    """What a component does to x with the positions j and k, written as lists."""
    x = list(x)
    match name:
        case "swap":
            x[j], x[k] = x[k], x[j]
        case "insert":
            x.insert(k, x.pop(j))
        case "reverse":
            first, last = min(j, k), max(j, k)
            x[first : last + 1] = x[first : last + 1][::-1]
    return x


@pytest.mark.parametrize("name", ["swap", "insert", "reverse"])
@pytest.mark.parametrize("n", [2, 3, 5])
def test_a_move_takes_every_pair_of_positions_alike(name, n):
    start = list(range(n))
    wanted = Counter(tuple(moved(name, start, j, k)) for j in range(n) for k in range(n) if j != k)
    here = bench(ms.Permutation(n), 4000)
    here.put(here.children, np.tile(start, (4000, 1)))
    counts = Counter(map(tuple, here.search(name).tolist()))
    assert set(counts) == set(wanted)
    shares = np.array([wanted[order] for order in wanted]) / sum(wanted.values())
    observed = [counts[order] for order in wanted]
    assert len(wanted) == 1 or stats.chisquare(observed, 4000 * shares).pvalue > ALPHA


def test_one_element_does_no_harm():
    result = ms.solve("rls-swap", ms.Problem(lambda x: 1.0, ms.Permutation(1)), evaluations=20)
    assert (result.x.tolist(), result.nfev) == ([0], 20)


@pytest.mark.parametrize("wrong", [[1, 2, 3], [0, 0, 1], [0, 1], [0, 1, 2.5], [[0, 1, 2]]])
def test_what_is_no_order_of_the_elements(wrong):
    with pytest.raises(ValueError, match="expected"):
        ms.Problem(lambda x: 0.0, ms.Permutation(3))(wrong)


@pytest.mark.parametrize("n", [0, -1, 2**25])
def test_numbers_of_elements_out_of_bounds(n):
    with pytest.raises(ValueError, match="from 1 to"):
        ms.Permutation(n)


def test_a_function_that_sorts_what_it_is_given_does_no_harm():
    def sorting(x):
        value = float(x[0])
        x.sort()
        return value

    result = ms.solve("rls-insert", ms.Problem(sorting, ms.Permutation(6)), evaluations=100)
    assert (result.fun, result.x[0]) == (5.0, 5)


def test_every_way_to_evaluate_gives_the_same():
    import numba

    def ascents(x):
        return float((x[1:] > x[:-1]).sum())

    plain = ms.Problem(ascents, ms.Permutation(9), name="f")
    batch = ms.Problem(lambda xs: np.array([ascents(x) for x in xs]), ms.Permutation(9), name="f", batch=True)
    compiled = ms.Problem(
        numba.njit(lambda x: float((x[1:] > x[:-1]).sum())), ms.Permutation(9), name="f", compiled=True
    )
    results = [ms.solve("rls-insert", problem, evaluations=200, seed=2) for problem in (plain, batch, compiled)]
    assert len({(tuple(result.x), result.fun, tuple(result.history.evaluations)) for result in results}) == 1


def test_components_of_other_variables_are_refused():
    with pytest.raises(ValueError, match="reset_n does not work on permutations"):
        ms.solve("rls", ms.Problem(lambda x: 0.0, ms.Permutation(5)), evaluations=10)
    assert {name for name, each in COMPONENTS.items() if "permutations" in each.kernels} == {
        "swap",
        "insert",
        "reverse",
    }


def run(*words: str, folder) -> str:
    environment = {**os.environ, "PYTHONHASHSEED": "0"}
    command = [sys.executable, "-m", "metasmith", *words]
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.slow
def test_all_commands(tmp_path):
    (tmp_path / "mine.py").write_text(TOUR)
    solved = json.loads(
        run("solve", "mine.py:tour", "--with", "rls-reverse", "--evaluations", "3000", "--json", folder=tmp_path)
    )
    design = json.loads(
        run(
            "design",
            "mine.py:tour",
            "--effort",
            "quick",
            "--evaluations",
            "1500",
            "--out",
            "run",
            "--json",
            folder=tmp_path,
        )
    )
    assert design["representation"] == "permutations"
    assert json.loads(run("resume", "run", "--json", folder=tmp_path))["program"] == design["program"]
    assert "nearest" in run("landscape", "mine.py:tour", folder=tmp_path)
    compared = json.loads(run("compare", "run", "--runs", "3", "--json", folder=tmp_path))
    assert {"design", "rls-swap", "rls-insert", "rls-reverse"} <= {row["algorithm"] for row in compared}
    best = np.mean(next(iter(compared[0]["values"].values())))
    assert best < 1.5 * solved["mean"]
    run("report", "run", "--runs", "2", folder=tmp_path)
    assert "rls-reverse" in (tmp_path / "run" / "report.html").read_text(encoding="utf-8")
    run("export", "run", "alone.py", folder=tmp_path)
    alone = subprocess.run([sys.executable, "alone.py"], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert "nfev = 5000" in alone.stdout
