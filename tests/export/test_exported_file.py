"""An exported file: readable, on its own, and clear about what it is asked wrongly."""

import ast
import os
import subprocess
import sys
import warnings
from importlib.util import find_spec

import numpy as np
import pytest
from export_helpers import BITS, INTEGERS, everything, rugged

import metasmith as ms
from metasmith.engine.loop import INFEASIBLE, WORST
from metasmith.export import exported
from metasmith.export.parts import compiled_words
from metasmith.export.parts.run import HIGHEST, LOWEST
from metasmith.program import canonical, named, pseudocode
from metasmith.testing.exported import loaded
from metasmith.version import VERSION
from metasmith.words import lowest, popcount

LOCAL_SEARCH = ms.Program.parse(
    "population 1\nreset_n(n=5%)   iterate until local_optimum\npairwise_select\nreinitialize"
)
ALONE = """
import sys
from importlib.abc import MetaPathFinder

class OnlyNumpy(MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in ("numba", "llvmlite", "metasmith", "scipy", "torch"):
            raise ImportError(name)

sys.meta_path.insert(0, OnlyNumpy())
import exported_file

def onemax(x):
    return int(x.sum())

x, fun, nfev = exported_file.optimize(onemax, 40, evaluations=300, seed=7, direction="min")
print(x.tolist(), fun, nfev, exported_file.numba)
"""


@pytest.mark.parametrize("variables", [BITS, INTEGERS], ids=str)
def test_it_begins_with_what_it_is(variables):
    program = everything(variables)
    said = ast.get_docstring(ast.parse(exported(program, type(variables))))
    for part in (
        pseudocode(canonical(program)),
        str(canonical(program)),
        VERSION,
        variables.name,
        "optimize(function, dimension,",
    ):
        assert part in said


def test_the_algorithm_is_spelled_out():
    text = exported(LOCAL_SEARCH, ms.Bits)
    function = next(
        node for node in ast.parse(text).body if isinstance(node, ast.FunctionDef) and node.name == "algorithm"
    )
    assert ast.unparse(function).splitlines()[2:] == [
        "    pool, fitness, rng = (run.pool, run.fitness, run.rng)",
        "    population, parents, children, kept = (run.population, run.parents, run.children, run.kept)",
        "    shape = run.shape",
        "    reset_n_settings = np.array([float(max(1, round(5.0 * run.dimension / 100)))])",
        "    fresh_bits(pool, children, shape, rng)",
        "    run.evaluate_all()",
        "    run.replace_population(children)",
        "    while True:",
        "        for _ in until_local_optimum(run):",
        "            parents[0] = population[0]",
        "            run.copy_parents()",
        "            reset_n(pool, children, shape, reset_n_settings, rng)",
        "            if run.evaluate_changed():",
        "                pairwise_select(children, parents, fitness, kept)",
        "                run.replace_population(kept)",
        "        fresh_bits(pool, children, shape, rng)",
        "        run.evaluate_all()",
        "        run.replace_population(children)",
    ]


def test_it_holds_only_what_the_program_needs():
    text = exported(LOCAL_SEARCH, ms.Bits)
    for present in ("def until_local_optimum", "def subset", "def bernoulli_word"):  # dense sets are made of coins
        assert present in text
    for absent in (
        "import metasmith",
        "from metasmith",
        "tournament",
        "until_spent",
        "until_stagnation",
        "def leave",
        "arity",
        "def tell",
    ):
        assert absent not in text


def test_a_name_that_two_modules_use_stays_two():
    program = ms.Program.parse("population 4\nreset_rand(p=0.5)\nsample_marginals")
    text = exported(program, ms.Bits)
    assert "\nUNCHECKED = 8" in text
    assert "\nSAMPLE_MARGINALS_UNCHECKED = 8" in text or "\nCHANCE_UNCHECKED = 8" in text


@pytest.mark.parametrize("variables", [BITS, INTEGERS], ids=str)
@pytest.mark.skipif(not find_spec("ruff"), reason="ruff comes with the extra 'lint'")
def test_it_is_tidy(variables, tmp_path):
    for number, program in enumerate((everything(variables), LOCAL_SEARCH, named("random"))):
        (tmp_path / f"exported_{number}.py").write_text(exported(program, type(variables)), encoding="utf-8")
    command = [
        sys.executable,
        "-m",
        "ruff",
        "check",
        "--isolated",
        "--select",
        "E,F,W",
        "--ignore",
        "E501",
        "--no-cache",
        str(tmp_path),
    ]
    found = subprocess.run(command, capture_output=True, text=True, check=False)
    assert found.returncode == 0, found.stdout


def test_it_needs_numpy_alone(tmp_path):
    (tmp_path / "exported_file.py").write_text(exported(LOCAL_SEARCH, ms.Bits), encoding="utf-8")
    found = subprocess.run(
        [sys.executable, "-W", "error", "-c", ALONE], cwd=tmp_path, capture_output=True, text=True, check=True
    )

    def onemax(x):
        return int(x.sum())

    ours = ms.solve(LOCAL_SEARCH, ms.Problem(onemax, ms.Bits(40), direction="min"), evaluations=300, seed=7)
    assert found.stdout == f"{ours.x.tolist()} {ours.fun} {ours.nfev} None\n"
    assert found.stderr == ""


@pytest.mark.slow
@pytest.mark.parametrize("representation", [ms.Bits, ms.Integers])
def test_it_runs_as_a_script_and_keeps_what_it_compiled(representation, tmp_path):
    file = tmp_path / "alone.py"
    file.write_text(exported(named("random"), representation), encoding="utf-8")
    environment = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "NUMBA_CACHE_DIR")}
    command = [sys.executable, "-W", "error", str(file)]
    found = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    assert "fun = " in found.stdout
    assert "nfev = 5000" in found.stdout
    assert found.stderr == ""
    assert list(tmp_path.glob("__pycache__/*.nbi"))


@pytest.mark.parametrize(
    ("wrong", "what"),
    [
        ({"direction": "up"}, "direction must be 'max' or 'min', got 'up'"),
        ({"evaluations": 0}, "evaluations must be a whole number of at least 1, got 0"),
        ({"evaluations": 1.5}, "evaluations must be a whole number of at least 1, got 1.5"),
        ({"dimension": 0}, "needs at least one variable"),
    ],
)
@pytest.mark.parametrize("variables", [BITS, INTEGERS], ids=str)
def test_wrong_arguments(variables, wrong, what):
    values = {} if variables is BITS else {"values": 3}
    optimize = loaded(exported(LOCAL_SEARCH, type(variables))).optimize
    with pytest.raises(ValueError, match=what):
        optimize(rugged, **{"dimension": 5, "evaluations": 10, "seed": 0, **values, **wrong})


@pytest.mark.parametrize(
    ("values", "what"),
    [([2, 3], "2 counts of values for 5"), (1, "two values"), ([0, 2, 2, 2, 2], "two values"), (2**25, "takes up to")],
)
def test_wrong_numbers_of_values(values, what):
    with pytest.raises(ValueError, match=what):
        loaded(exported(LOCAL_SEARCH, ms.Integers)).optimize(rugged, 5, values=values, evaluations=10, seed=0)


def test_numbers_of_values_may_be_one_for_all_or_an_array():
    optimize = loaded(exported(LOCAL_SEARCH, ms.Integers)).optimize
    found = [optimize(rugged, 4, values=values, evaluations=50, seed=0) for values in (3, [3, 3, 3, 3], np.full(4, 3))]
    assert len({(tuple(result.x), result.fun) for result in found}) == 1


def test_values_that_are_no_numbers():
    optimize = loaded(exported(LOCAL_SEARCH, ms.Bits)).optimize
    with pytest.raises(ValueError, match=r"value at x = \[.*\] is not a number"):
        optimize(lambda x: float("nan"), 5, evaluations=10, seed=0)
    with pytest.raises(TypeError, match="must return one number, got None"):
        optimize(lambda x: None, 5, evaluations=10, seed=0)


def test_the_function_is_called_as_the_caller_would_call_it():
    given = []

    def overflowing(x):
        given.append(x)
        return np.float64(1e308) * np.float64(10.0 * x[0])

    optimize = loaded(exported(LOCAL_SEARCH, ms.Bits)).optimize
    with pytest.warns(RuntimeWarning, match="overflow"):
        optimize(overflowing, 5, evaluations=20, seed=0)
    assert all(x.dtype == np.int64 and x.shape == (5,) for x in given)
    with warnings.catch_warnings(), np.errstate(over="ignore"):
        warnings.simplefilter("error")
        optimize(overflowing, 5, evaluations=20, seed=0)


def test_a_component_that_does_not_work_on_the_variables():
    with pytest.raises(ValueError, match="swap does not work on bits"):
        exported(ms.Program.parse("population 2; reset_n(n=1); swap"), ms.Bits)


def test_bounds_of_fitness_are_those_of_the_engine():
    assert (LOWEST, HIGHEST) == (INFEASIBLE, -WORST)


def test_words_are_counted_alike_with_and_without_numba():
    generator = np.random.default_rng(1)
    words = [
        *(np.uint64(1) << np.arange(64, dtype=np.uint64)),
        *generator.integers(1, 2**64, 500, dtype=np.uint64),
        np.uint64(2**64 - 1),
    ]
    with np.errstate(over="ignore"):
        for word in words:
            assert compiled_words.popcount(word) == popcount(word)
            assert compiled_words.lowest(word) == lowest(word)
        assert compiled_words.popcount(np.uint64(0)) == 0
