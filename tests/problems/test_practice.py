"""Problems as practitioners bring them: against formulas in plain numpy, brute force, and HiGHS."""

import json
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.optimize import Bounds, LinearConstraint, milp

import metasmith as ms
from metasmith.problems import Problem, catalogue, problem, task
from metasmith.problems.draws import Draws
from metasmith.problems.practice import KINDS, halves
from metasmith.testing import check_problem
from metasmith.words import unpack

GOLDEN = Path(__file__).parents[1] / "golden" / "practice.json"
"""The value and the violation of one solution of each kind. Instances never change: this file only grows."""

Vector = np.ndarray[Any, Any]


def instance(kind: str, n: int, number: int) -> Problem:
    return problem(f"practice:{kind}@{n}#{number}")


def values_of(each: Problem) -> list[int]:
    """How many values each variable has."""
    return list(getattr(each.variables, "arity", [2] * each.dimension))


def some_vectors(each: Problem, count: int = 30) -> Vector:
    """Random vectors; bits with few ones to many, integers from the first few values to all."""
    rng, arity = np.random.default_rng(each.dimension), np.array(values_of(each))
    drawn, shares = rng.random((count, each.dimension)), np.linspace(0, 1, count)[:, None]
    return ((drawn < shares) if each.variables.name == "bits" else np.floor(drawn * shares * arity)).astype(int)


def every_vector(each: Problem) -> Vector:
    return np.array(list(product(*(range(count) for count in values_of(each)))))


def every_value(each: Problem) -> Vector:
    """Of every vector; few at a time, as the plain kernel is done before numba has compiled it."""
    vectors = every_vector(each)
    return np.concatenate([each.values(vectors[first : first + 100]) for first in range(0, len(vectors), 100)])


# Each kind again, from the tables of an instance: the value of x if there were no constraints, and the violation.
# bits: the rows of tables.words, unpacked.


def max_sat(x, numbers, reals, bits):
    clauses = numbers.reshape(-1, 4)
    true = [any(x[literal // 2] == 1 - literal % 2 for literal in clause[:3]) for clause in clauses]
    return sum(clauses[true, 3]), 0


def max_cut(x, numbers, reals, bits):
    return sum(weight for a, b, weight in numbers.reshape(-1, 3) if x[a] + x[b] == 1), 0


def nk_landscape(x, numbers, reals, bits):
    (n, k), rest = numbers[:2], numbers[2:]
    others, contributions = rest[: n * k].reshape(n, k), rest[n * k :].reshape(n, *[2] * (k + 1))
    return sum(contributions[i][(x[i], *x[others[i]])] for i in range(n)), 0


def set_cover(x, numbers, reals, bits):
    return numbers[1:] @ x, numbers[0] - (bits[x == 1].sum(axis=0) > 0).sum()


def knapsack(x, numbers, reals, bits):
    n = numbers[0]
    rows = numbers[1 + n :].reshape(-1, n + 1)
    return numbers[1 : 1 + n] @ x, np.maximum(0, rows[:, 1:] @ x / rows[:, 0] - 1).sum()


def portfolio(x, numbers, reals, bits):
    _, fewest, most, of_a_sector = numbers[:4]
    sector, market, own, alone, paid = numbers[4:].reshape(-1, 5).T
    covariance = np.outer(market, market) + np.outer(own, own) * (sector[:, None] == sector) + np.diag(alone**2)
    count, by_sector = x.sum(), np.bincount(sector, x)
    violation = max(0, fewest - count) + max(0, count - most) + np.maximum(0, by_sector - of_a_sector).sum()
    share = x / max(1, count)
    return share @ covariance @ share - reals[1] * (paid @ share), violation


def feature_selection(x, numbers, reals, bits):
    n, allowed = numbers
    outcome, products, chosen = reals[1 : 1 + n], reals[1 + n :].reshape(n, n), np.flatnonzero(x)
    weights = np.linalg.solve(products[np.ix_(chosen, chosen)], outcome[chosen])
    return 1 - outcome[chosen] @ weights / reals[0], max(0, len(chosen) - allowed)


def traps(x, numbers, reals, bits):
    (n, length), rest = numbers[:2], numbers[2:]
    right, total = (x == bits[0, :n])[rest[:n]], 0
    for trap, block in zip(rest[n:], np.split(right, range(length, n, length)), strict=True):
        total += block.sum() if block.all() or not trap else (~block).sum() - 1
    return total, 0


def sensors(x, numbers, reals, bits):
    places = len(x)
    seen = bits[x == 1, : len(numbers) - places].sum(axis=0)
    return (numbers[places:] / 2) @ np.select([seen > 1, seen == 1], [1.5, 1.0]) - numbers[:places] @ x, 0


def configuration(x, numbers, reals, bits):
    others = numbers[0]
    total = 0
    for i, (start, *facts) in enumerate(numbers[1 : 1 + len(x) * (1 + 2 * others)].reshape(len(x), -1)):
        depends, options = facts[:others], facts[others:]
        total += numbers[start + np.ravel_multi_index((x[i], *x[depends]), (x[i] + 1, *options))]
    return total, 0


def clustering(x, numbers, reals, bits):
    points = numbers[3:].reshape(len(x), numbers[1])
    groups = [points[x == cluster] for cluster in set(x.tolist())]
    return sum(((group - group.mean(axis=0)) ** 2).sum() for group in groups), 0


def colouring(x, numbers, reals, bits):
    pairs = numbers[len(x) :].reshape(-1, 2)
    return numbers[: len(x)] @ x, (x[pairs[:, 0]] == x[pairs[:, 1]]).sum()


def assignment(x, numbers, reals, bits):
    agents, n = numbers[0], len(x)
    times, takes, costs = np.split(numbers[1:], [agents, agents + n * agents])
    used = np.bincount(x, takes.reshape(n, agents)[np.arange(n), x], agents)
    return costs.reshape(n, agents)[np.arange(n), x].sum(), np.maximum(0, used - times).sum()


def scheduling(x, numbers, reals, bits):
    jobs = numbers[1:].reshape(len(x), -1)
    assert (np.diff(jobs[:, 0]) >= 0).all()
    late = 0
    for machine in set(x.tolist()):
        mine = jobs[x == machine]
        late += mine[:, 1] @ np.maximum(0, mine[:, 2 + machine].cumsum() - mine[:, 0])
    return late, 0


def calibration(x, numbers, reals, bits):
    length, height = numbers[:2]
    right, weights, others, coupling = numbers[2:].reshape(-1, 4).T
    off = x - right
    ripples = np.abs(off - length * np.round(off / length))
    return weights @ (2 * off + coupling * off[others]) ** 2 + height * ripples.sum(), 0


def bin_packing(x, numbers, reals, bits):
    filled = np.bincount(x, numbers) / 1000
    return (filled[filled > 0] ** 2).mean(), np.maximum(0, filled - 1).sum()


def facility_location(x, numbers, reals, bits):
    sites = numbers[0]
    capacity, price = numbers[1 : 1 + sites], numbers[1 + sites : 1 + 2 * sites]
    demand, served = np.split(numbers[1 + 2 * sites :].reshape(len(x), -1), [1], axis=1)
    asked = np.bincount(x, demand[:, 0], sites)
    return served[np.arange(len(x)), x].sum() + price[asked > 0].sum(), np.maximum(0, asked - capacity).sum()


ORACLES = {name.replace("_", "-"): function for name, function in globals().items() if name.replace("_", "-") in KINDS}


def test_every_kind_has_an_oracle_but_the_one_that_is_made_of_pbo_kernels():
    assert set(KINDS) - set(ORACLES) == {"w-model"}


@pytest.mark.parametrize("kind", ORACLES)
@pytest.mark.parametrize(("n", "number"), [(8, 1), (33, 2), (130, 3), (130, 4)])
def test_values_and_violations_are_those_of_plain_numpy(kind, n, number):
    each = instance(kind, n, number)
    numbers, reals, words = each.how.tables
    bits = unpack(words, 64 * words.shape[1]) if words.size else words
    vectors = some_vectors(each)
    for x, value, violation in zip(vectors, each.values(vectors), each.violations(vectors), strict=True):
        free, violated = ORACLES[kind](x, numbers, reals, bits)
        assert violation == pytest.approx(violated, rel=1e-9)
        if violated == 0:
            assert value == pytest.approx(free, rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("kind", KINDS)
def test_it_keeps_the_contract(kind):
    check_problem(instance(kind, 70, 3))


@pytest.mark.parametrize("kind", [kind for kind in KINDS if instance(kind, 8, 1).violation is not None])
def test_the_feasible_come_first_then_the_smaller_violation(kind):
    """In the same order as the values and violations of a user's problem."""
    both = 0
    for number in range(1, 9):
        each = instance(kind, 40, number)
        vectors = np.vstack([some_vectors(each, 90), good_vectors(each)])
        worth = each.values(vectors) * (1 if each.maximise else -1)
        violations = each.violations(vectors)
        order = np.argsort(-worth, kind="stable")
        assert (np.diff(np.maximum(0, violations[order])) >= 0).all()
        both += 0 < (violations > 0).sum() < len(vectors)
    assert both > 3


def good_vectors(each: Problem) -> Vector:
    """What a few hundred evaluations of a simple algorithm end with."""
    return np.array([ms.solve("ea", each, evaluations=500, seed=seed).x for seed in range(10)])


@pytest.mark.parametrize("kind", ["traps", "w-model"])
def test_an_optimum_by_construction_is_what_brute_force_reaches(kind):
    for number in range(1, 17):
        each = instance(kind, 8 + number % 3, number)
        assert every_value(each).max() == pytest.approx(each.optimum, rel=1e-12)


def test_the_right_settings_have_no_error_and_full_bins_are_found_by_brute_force():
    for number in range(1, 9):
        each = instance("calibration", 40, number)
        assert each(each.how.tables.numbers[2::4]) == each.optimum == 0
    small = next(
        each for number in range(1, 99) if max(values_of(each := instance("bin-packing", 8, number))) in (3, 4)
    )
    assert small.values(every_vector(small)).max() == small.optimum == 1


def test_brute_force_and_highs_agree_on_knapsacks():
    for number in (1, 2, 3):
        each = instance("knapsack", 12, number)
        numbers, n = each.how.tables.numbers, 12
        rows = numbers[1 + n :].reshape(-1, n + 1)
        solved = highs(-numbers[1 : 1 + n], LinearConstraint(rows[:, 1:], ub=rows[:, 0]))
        assert every_value(each).max() == pytest.approx(-solved.fun)
        assert each(np.rint(solved.x)) == pytest.approx(-solved.fun)


def test_brute_force_and_highs_agree_on_covers():
    for number in (1, 2, 3):
        each = instance("set-cover", 12, number)
        numbers, _, words = each.how.tables
        members = unpack(words, numbers[0])
        solved = highs(numbers[1:], LinearConstraint(members.T, lb=1))
        assert every_value(each).min() == pytest.approx(solved.fun)
        assert each(np.rint(solved.x)) == pytest.approx(solved.fun)


def test_no_cut_is_larger_than_that_of_brute_force_in_plain_numpy():
    each = instance("max-cut", 12, 1)
    weights = np.zeros((12, 12))
    for a, b, weight in each.how.tables.numbers.reshape(-1, 3):
        weights[a, b] = weight
    signs = 2 * every_vector(each) - 1
    by_signs = ((1 - signs[:, :, None] * signs[:, None]) / 2 * weights).sum(axis=(1, 2))  # as in a quadratic program
    assert every_value(each).max() == by_signs.max()


@pytest.mark.parametrize("number", [11, 12, 13, 14, 15])  # with four to eleven agents
def test_highs_finds_assignments_that_keep_all_times(number):
    """And what it calls the cost is what we call it: jobs by agents, a one for who does what."""
    each = instance("assignment", 12, number)
    numbers, n, agents = each.how.tables.numbers, 12, int(each.how.tables.numbers[0])
    times, takes, costs = np.split(numbers[1:], [agents, agents + n * agents])
    once = np.kron(np.eye(n), np.ones(agents))
    by_agent = np.kron(np.ones(n), np.eye(agents)) * takes
    solved = highs(costs, LinearConstraint(once, 1, 1), LinearConstraint(by_agent, ub=times))
    x = solved.x.reshape(n, agents).argmax(axis=1)
    assert each.violations(x[None])[0] == 0
    assert each(x) == pytest.approx(solved.fun)
    assert (each.values(good_vectors(each)) >= solved.fun - 1e-6).all()


def highs(costs: Vector, *constraints: LinearConstraint) -> Any:
    """The cheapest zeros and ones."""
    solved = milp(costs, integrality=np.ones(len(costs)), bounds=Bounds(0, 1), constraints=constraints)
    assert solved.success
    return solved


@pytest.mark.parametrize("kind", KINDS)
def test_instances_never_change(kind):
    assert golden(kind) == json.loads(GOLDEN.read_text())[kind]


def golden(kind: str) -> dict[str, Any]:
    """What one solution is worth on some instances."""
    worth = {}
    for n, number in ((50, 11), (70, 3), (200, 1)):
        each = instance(kind, n, number)
        x = (np.arange(n) * 7 + 3) // 5 % np.array(values_of(each))
        worth[each.name] = [each(x), float(each.violations(x[None])[0])]
    return worth


@pytest.mark.parametrize("kind", KINDS)
def test_instances_differ(kind):
    made = {tuple(table.tobytes() for table in instance(kind, 50, number).how.tables) for number in range(1, 5)}
    assert len(made) == 4


TUNING = {
    "assignment", "clustering", "colouring", "configuration", "max-sat", "nk-landscape", "portfolio", "set-cover",
    "w-model",
}  # fmt: skip


def test_the_halves_are_as_they_were_fixed_and_alike():
    assert set(halves("tuning")) == TUNING
    assert set(halves("reported")) == set(KINDS) - TUNING
    for half in ("tuning", "reported"):
        made = [instance(kind, 50, 1) for kind in halves(half)]
        alike = [(each.variables.name, each.violation is None) for each in made]
        assert {each: alike.count(each) for each in sorted(set(alike))} == {
            ("bits", False): 2,
            ("bits", True): 3,
            ("integers", False): 2,
            ("integers", True): 2,
        }


@pytest.mark.parametrize("kind", KINDS)
def test_tasks_learn_small_and_are_judged_large(kind):
    practice = task(f"practice:{kind}")
    assert max(each.dimension for each in practice.training) < min(each.dimension for each in practice.test)
    assert [practice.training_evaluations(each) for each in practice.training[::3]] == [5_000, 8_000, 12_000]
    assert {practice.training_evaluations(each) for each in practice.test} == {20_000}


def test_names_and_the_catalogue():
    assert instance("set-cover", 50, 2) is problem("Practice:Set-Cover@50#2")
    assert problem("practice:set-cover").name == "practice:set-cover@200#1"
    rows = {row.name: row for row in catalogue() if row.name.startswith("practice:")}
    assert list(rows) == [f"practice:{kind}" for kind in KINDS]
    assert {rows[f"practice:{kind}"].optimum for kind in ("traps", "bin-packing")} == {200, 1}
    for row in rows.values():
        assert row.optimum is None or problem(row.name).optimum == row.optimum
    with pytest.raises(ValueError, match="did you mean 'practice:max-cut'"):
        problem("practice:maxcut")
    with pytest.raises(ValueError, match="practice:traps takes from 8 to 1000 variables, got 5"):
        problem("practice:traps@5")


def test_draws_are_uniform_different_and_the_same_again():
    one, other = Draws("here", 1), Draws("here", 1)
    assert one.uniform(3).tolist() == other.uniform(1, 3)[0].tolist()
    assert np.bincount(one.whole(2, 4, 3000)).tolist()[:2] == [0, 0]
    assert min(np.bincount(other.whole(2, 4, 3000))[2:]) > 900
    drawn = one.different(2000, 3, 4)
    assert all(len(set(row)) == 3 for row in drawn.tolist())
    assert min(np.bincount(drawn @ [16, 4, 1], minlength=64)[np.unique(drawn @ [16, 4, 1])]) > 40  # of 24, 83 each
    assert len(np.unique(drawn @ [16, 4, 1])) == 24
    assert sorted(one.order(50)) == list(range(50))
    edges = one.edges(9, 20)
    assert len({frozenset(edge) for edge in edges.tolist()}) == 20
    assert len(one.edges(4, 99)) == 6


if __name__ == "__main__":  # writes what is new; what is there stays
    kept = json.loads(GOLDEN.read_text()) if GOLDEN.is_file() else {}
    GOLDEN.write_text(json.dumps({kind: kept.get(kind) or golden(kind) for kind in KINDS}, indent=1) + "\n")
