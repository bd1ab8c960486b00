"""Restoration reproduces the golden evaluations and its proved optima, in both encodings, and explains its plans."""

import json
from pathlib import Path

import numpy as np
import pytest
from restoration_helpers import INSTANCES, OPTIMAL

import metasmith as ms
from metasmith.problems import Native, catalogue, problem, task
from metasmith.problems.compiled import evaluate_all
from metasmith.problems.restoration import restoration
from metasmith.problems.restoration.instance import Instance
from metasmith.problems.restoration.layout import NAMES, NUMBERS, REALS, SLOTS, STARTED, STARTERS
from metasmith.problems.restoration.plan import plan

GOLDEN = json.loads((Path(__file__).parents[1] / "golden" / "restoration" / "evaluations.json").read_text())
PROBLEMS = tuple(
    f"restoration:{case}{encoding}" for case in ("train", "train-heavy", "test") for encoding in ("", "-binary")
)


def as_bits(x: list[int]) -> np.ndarray:
    """An integer vector in the binary encoding."""
    return np.concatenate(
        [np.arange(STARTERS if i < STARTED else STARTED) == value for i, value in enumerate(x)]
    ).astype(int)


def vectors(name: str, count: int) -> np.ndarray:
    """Random vectors, and good ones with a few variables changed."""
    network, draw = problem(name), np.random.default_rng(1)
    values = np.array([2] * network.dimension if name.endswith("binary") else network.variables.arity)
    good = OPTIMAL["train" if "train" in name else "test"]
    drawn = [draw.integers(0, values) for _ in range(count // 2)]
    for changes in range(count - len(drawn)):
        near = as_bits(good) if name.endswith("binary") else np.array(good)
        where = draw.integers(0, len(near), changes)
        near[where] = draw.integers(0, values[where])
        drawn.append(near)
    return np.array(drawn)


@pytest.mark.parametrize("scenario", ["train", "test"])
def test_reproduces_the_golden_evaluations(scenario):
    assert tuple(GOLDEN["violations"]) == NAMES
    for row in GOLDEN[scenario]:
        judged = plan(INSTANCES[scenario], row["x"])
        assert judged.minutes == row["f"]
        assert judged.fitness == pytest.approx(row["F"], abs=1e-5)
        np.testing.assert_allclose(list(judged.violations.values()), row["g"], atol=1e-8)
        assert judged.feasible == (not any(row["g"]))
        assert sum(judged.stages) == pytest.approx(sum(row["g"][4:]), abs=1e-7)


@pytest.mark.slow
@pytest.mark.parametrize("scenario", ["train", "test"])
def test_compiled_and_binary_reproduce_them_too(scenario):
    rows = [row["x"] for row in GOLDEN[scenario]]
    wanted, violated = [row["F"] for row in GOLDEN[scenario]], [sum(row["g"]) for row in GOLDEN[scenario]]
    for name, solutions in (
        (f"restoration:{scenario}", np.array(rows)),
        (f"restoration:{scenario}-binary", np.array([as_bits(x) for x in rows])),
    ):
        network, often = problem(name), np.concatenate([solutions] * 3)  # many are compiled
        np.testing.assert_allclose(network.values(often), wanted * 3, atol=1e-5)
        np.testing.assert_allclose(network.violations(often), violated * 3, atol=1e-7)


@pytest.mark.parametrize("scenario", ["train", "test"])
def test_the_proved_optima(scenario):
    network = problem(f"restoration:{scenario}")
    assert network(OPTIMAL[scenario]) == network.optimum == {"train": 841.4, "test": 879.4}[scenario]
    assert network.violations([OPTIMAL[scenario]]) == [0.0]
    assert problem(f"restoration:{scenario}-binary")(as_bits(OPTIMAL[scenario])) == network.optimum


@pytest.mark.slow
@pytest.mark.parametrize("name", PROBLEMS)
def test_plain_kernel_equals_compiled_kernel(name):
    network = problem(name)
    for how in (network.how, network.violation):
        assert isinstance(how, Native)
        assert (len(how.tables.numbers), len(how.tables.reals)) == (NUMBERS, REALS)
        rows = network.variables.to_rows(vectors(name, 30))
        work = np.zeros(how.work, np.uint64)
        compiled = evaluate_all(how.kernel, rows, how.tables, np.zeros(how.work, np.uint64))
        np.testing.assert_array_equal([how.kernel(row, how.tables, work) for row in rows], compiled)
        assert np.isfinite(compiled).all()


@pytest.mark.parametrize("name", PROBLEMS)
def test_a_value_does_not_depend_on_what_was_evaluated_before(name):
    solutions = vectors(name, 20)
    np.testing.assert_array_equal(problem(name).values(solutions)[::-1], [problem(name)(x) for x in solutions[::-1]])


@pytest.mark.slow
@pytest.mark.parametrize("name", PROBLEMS)
def test_what_is_kept_of_earlier_solutions_changes_no_value(name):
    network, draw = problem(name), np.random.default_rng(2)
    values = np.array([2] * network.dimension if name.endswith("binary") else network.variables.arity)
    walk = [vectors(name, 2)[1]]
    while len(walk) < 3 * SLOTS // 2:  # more than are kept; some steps go back to a solution that the walk has left
        back = draw.random() < 0.1
        step = walk[draw.integers(len(walk))].copy() if back else walk[-1].copy()
        where = draw.integers(network.dimension, size=draw.integers(3))
        step[where] = draw.integers(values[where])
        walk.append(step)
    rows = network.variables.to_rows(np.array(walk))
    for how in (network.how, network.violation):
        assert isinstance(how, Native)
        together = evaluate_all(how.kernel, rows, how.tables, np.zeros(how.work, np.uint64))
        alone = [evaluate_all(how.kernel, row[None], how.tables, np.zeros(how.work, np.uint64))[0] for row in rows]
        np.testing.assert_array_equal(together, alone)


def test_a_binary_vector_may_choose_none_or_several():
    none = plan(INSTANCES["test"], np.zeros(184, int))
    assert (none.minutes, none.fitness) == (0.0, 200 + 200 * 29)
    assert none.violations == dict.fromkeys(NAMES, 0.0) | {"one_hot": 29.0}
    every = plan(INSTANCES["test"], np.ones(184, int))
    assert every.minutes == pytest.approx(
        sum(r.tenths for rows in (*INSTANCES["test"].crank_routes, *INSTANCES["test"].serve_routes) for r in rows) / 10
    )
    assert every.violations["one_hot"] == 8 * 1 + 21 * 7
    lone = np.zeros(184, int)
    lone[16 + 8 * 2 + 1] = 1  # the second load, from a unit that nobody cranks: its network is joined to no starter
    judged = plan(INSTANCES["test"], lone)
    assert (judged.violations["no_ac_solution"], judged.violations["deadline"]) == (2.0, 2.0)
    assert judged.on[1] == 1e6


def test_shared_power_is_shared_equally():
    x = as_bits(OPTIMAL["test"])
    x[:2] = 1  # both starters crank unit 31
    judged = plan(INSTANCES["test"], x)
    assert judged.crankers[0] == (0, 1)
    assert judged.on[0] == 15 + 78.8 + 30  # the later path
    assert judged.minutes == pytest.approx(879.4 + 52.7)
    assert judged.violations["bs_cranking"] == pytest.approx((3 + 5 + 6 + 15 - 27) / 27)


def test_names_and_the_task():
    assert problem("restoration") is problem("Restoration:TEST")
    assert (problem("restoration:test").dimension, problem("restoration:test-binary").dimension) == (29, 184)
    split = task("restoration")
    assert split.name == "restoration"
    assert [each.name for each in (*split.training, *split.test)] == [
        "restoration:train-heavy",
        "restoration:train",
        "restoration:test",
    ]
    assert split.evaluations == split.training_evaluations(split.training[0]) == 50_000
    assert [each.name for each in task("restoration:test-binary").training] == [
        "restoration:train-heavy-binary",
        "restoration:train-binary",
    ]
    with pytest.raises(ValueError, match="restoration:train is a training problem; the task is 'restoration', or"):
        task("restoration:train")
    rows = [row for row in catalogue() if row.name.startswith("restoration")]
    assert {row.name for row in rows} == {"restoration", *PROBLEMS}
    assert all(problem(row.name).optimum == row.optimum for row in rows)


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("restoration:99", "there is no problem 'restoration:99'"),
        ("restoration:tset", "there is no problem 'restoration:tset'; did you mean 'restoration:test'"),
        ("restoration:test@39", "restoration takes no @dimension and no #instance; write one of restoration, "),
        ("restoration#2", "restoration takes no @dimension"),
    ],
)
def test_wrong_names_are_one_line(name, says):
    with pytest.raises(ValueError, match=says):
        problem(name)


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (((30, 12),), "there is no unit at bus 12; units are at 30, 31, 32, 33, 34, 35, 36, 37, 38, 39"),
        ((("30", "35"),), "there is no unit at bus '30'; units are at 30, 31"),
        ((30, 35), r"two buses and a share of the loads, as in Instance.of\(\(30, 35\), 0.75\); got 30, 35"),
        (((30, 35), "0.75"), "got \\(30, 35\\), '0.75'"),
        (((30, 30),), r"two different black-start units, got \[30, 30\]"),
        (((30,),), r"two different black-start units, got \[30\]"),
        (((30, 35), 1.5), "the load level is a share above 0, 1 at most, got 1.5"),
    ],
)
def test_wrong_instances_are_one_line(arguments, says):
    with pytest.raises(ValueError, match=says):
        Instance.of(*arguments)


def test_other_black_start_units_make_another_problem():
    network = restoration(Instance.of((37, 32)), name="mine")
    assert network.optimum is None
    x = np.array(OPTIMAL["test"])
    assert network(x) not in (problem("restoration:test")(x), problem("restoration:train")(x))
    starters = [line.split(" starts")[0] for line in network.explain(x) if "starts by itself" in line]
    assert set(starters) == {"unit 32", "unit 37"}


@pytest.mark.slow
def test_a_run_tells_value_and_violation_apart():
    short = ms.solve("rls", "restoration:test", evaluations=30)
    assert short.violation == pytest.approx(problem("restoration:test").violations([short.x])[0], rel=1e-12)
    assert short.violation > 0
    assert short.fun == problem("restoration:test")(short.x)
    assert ms.solve("aldes-restoration", "restoration:train", evaluations=20_000, seed=1).violation == 0.0


def test_explain_says_the_plan():
    lines = problem("restoration:test").explain(np.array(OPTIMAL["test"]))
    assert lines[0] == "plan: 879.4 minutes of paths; every limit is kept"
    assert (
        lines[1] == "unit 30 starts by itself and cranks 34 (70.0 min), 37 (23.8 min), 39 (39.2 min): 26.0 of 27.0 MW"
    )
    assert any(line.startswith("unit 31, on after 123.8 min, feeds ") for line in lines)
    assert len(lines) == 1 + 10 + 1
    broken = problem("restoration:test-binary").explain(np.zeros(184, int))
    assert broken[0] == "plan: 0.0 minutes of paths; limits not kept: one_hot 29"
    assert "never on" in broken[3]
    assert broken[-2].startswith("nobody feeds 1, 3, 4*, ")
