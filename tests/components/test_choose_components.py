"""Which solutions each choose component takes, and how often."""

import numpy as np
import pytest
from component_helpers import ALPHA, REPRESENTATIONS, variables_of
from scipy import stats

from metasmith.representations import Bits
from metasmith.testing.bench import Bench, bench

on_both = pytest.mark.parametrize("representation", REPRESENTATIONS)


def with_fitness(fitness: list[float], representation: str = "bits", seed: int = 0) -> Bench:
    """A population whose i-th solution has the i-th fitness; rows outside it are better, and must not be seen."""
    given = bench(variables_of(representation, 20, 4), len(fitness), seed)
    given.fitness[:] = 1e6
    given.fitness[given.population] = fitness
    return given


def places(given: Bench, name: str, calls: int = 1) -> np.ndarray:
    """Which solutions are chosen, by their place in the population: (calls, N)."""
    place = np.full(2 * len(given.population), -1)
    place[given.population] = np.arange(len(given.population))
    return np.array([place[given.choose(name)] for _ in range(calls)])


def assert_shares(chosen: np.ndarray, wanted: np.ndarray) -> None:
    """Place i is chosen in the share wanted[i] of all choices."""
    counts = np.bincount(chosen.ravel(), minlength=len(wanted))
    possible = wanted > 0
    assert counts[~possible].sum() == 0
    if possible.sum() > 1:
        assert stats.chisquare(counts[possible], wanted[possible] / wanted.sum() * chosen.size).pvalue > ALPHA


@pytest.mark.parametrize("size", [1, 2, 3, 50])
def test_traverse_takes_everybody_in_order(size):
    assert places(with_fitness([0.0] * size), "traverse", 2).tolist() == [list(range(size))] * 2


@pytest.mark.parametrize("fitness", [[1, 2, 3, 5, 9], [-4, -1, -3], [7, 7, 8], [-1e9, 0, 1e9], [5], [0, 1]])
def test_roulette_is_proportional_to_the_distance_from_the_worst(fitness):
    chosen = places(with_fitness(fitness), "roulette_wheel", 3000)
    above = np.array(fitness, float) - min(fitness)
    assert_shares(chosen, above if above.any() else np.ones(len(fitness)))


def test_roulette_of_many():
    fitness = np.random.default_rng(1).exponential(size=200)
    chosen = places(with_fitness(list(fitness)), "roulette_wheel", 500)
    assert_shares(chosen, fitness - fitness.min())


def test_roulette_does_not_care_where_zero_is():
    chosen = [
        places(with_fitness([shift + value for value in (1, 2, 4, 8)]), "roulette_wheel", 50)
        for shift in (0, -1000, 4096)
    ]
    np.testing.assert_array_equal(chosen[0], chosen[1])
    np.testing.assert_array_equal(chosen[0], chosen[2])


@pytest.mark.parametrize("value", [0.0, -3.5, 1e12])
def test_roulette_is_uniform_when_all_are_equal(value):
    assert_shares(places(with_fitness([value] * 7), "roulette_wheel", 2000), np.ones(7))


@pytest.mark.parametrize("size", [2, 3, 8, 50])
def test_tournament_takes_the_better_of_two(size):
    order = np.random.default_rng(size).permutation(size)  # the rank of each place, 0 for the best
    chosen = places(with_fitness(list(-order.astype(float))), "tournament", 1000)
    assert_shares(chosen, (2 * (size - order) - 1) / size**2)


def test_tournament_is_uniform_when_all_are_equal():
    assert_shares(places(with_fitness([2.0] * 8), "tournament", 1000), np.ones(8))


@pytest.mark.parametrize("name", ["roulette_wheel", "tournament"])
def test_draws_are_independent(name):
    chosen = places(with_fitness([0.0, 1.0, 3.0]), name, 4000)
    table = np.zeros((3, 3))
    np.add.at(table, (chosen[:, 0], chosen[:, 1]), 1)
    seen = table.sum(axis=1) > 0
    assert stats.chi2_contingency(table[seen][:, seen]).pvalue > ALPHA


def test_best_takes_the_best_every_time():
    assert (places(with_fitness([3, 9, 1, 9, 2]), "best") == 1).all()
    assert (places(with_fitness([-3, -9, -1]), "best") == 2).all()


def test_best_half_takes_each_of_the_better_half_twice():
    assert places(with_fitness([3, 9, 1, 7, 2, 8]), "best_half").tolist() == [[1, 3, 5, 1, 3, 5]]
    assert places(with_fitness([3, 9]), "best_half").tolist() == [[1, 1]]
    assert places(with_fitness([4]), "best_half").tolist() == [[0]]


@pytest.mark.parametrize("size", [2, 3, 7, 50, 51])
def test_best_half_of_any_size(size):
    given = with_fitness(list(np.random.default_rng(size).integers(0, 9, size).astype(float)))
    fitness = given.fitness[given.population]
    chosen = places(given, "best_half")[0]
    half = (size + 1) // 2
    assert sorted(fitness[chosen[:half]]) == sorted(fitness)[size - half :]
    assert len(set(chosen[:half])) == half
    np.testing.assert_array_equal(chosen[half:], chosen[: size - half])


def clusters(representation: str, size: int, d: int = 100, seed: int = 0) -> Bench:
    """A population around two solutions that have nothing in common: even places around the one, odd places around the
    other.
    """
    random = np.random.default_rng(seed)
    given = bench(variables_of(representation, d, 4), size, seed)
    solutions = np.zeros((size, d), int)
    solutions[1::2] = 1
    for row in solutions:
        row[random.permutation(d)[:3]] ^= 1
    given.put(given.population, solutions)
    given.fitness[given.population] = random.permutation(size)
    return given


@on_both
@pytest.mark.parametrize("size", [20, 21, 50])
def test_niching_mates_within_a_cluster(representation, size):
    chosen = places(clusters(representation, size), "nich", 200)
    half = size // 2
    first, second = chosen[:, :half], chosen[:, half : 2 * half]
    assert (first % 2 == second % 2).all()
    assert (first != second).all()
    assert_shares(first, np.ones(size))  # whoever begins is drawn from all
    assert set(second.ravel()) == set(range(size))
    if size % 2:
        assert_shares(chosen[:, -1], np.ones(size))


@on_both
def test_niching_draws_the_mate_from_the_whole_niche(representation):
    chosen = places(clusters(representation, 12), "nich", 2000)
    first, second = chosen[:, :6].ravel(), chosen[:, 6:].ravel()
    for place in range(12):
        mates = (np.arange(12) % 2 == place % 2) & (np.arange(12) != place)
        assert_shares(second[first == place], mates.astype(float))


@on_both
def test_one_cloud_is_one_niche(representation):
    given = bench(variables_of(representation, 200, 4), 10, seed=5)
    given.fitness[given.population] = np.arange(10)
    chosen = places(given, "nich", 3000)
    first, second = chosen[:, :5].ravel(), chosen[:, 5:].ravel()
    assert (first != second).all()
    assert (
        stats.chisquare(np.bincount(10 * first + second, minlength=100)[~np.eye(10, dtype=bool).ravel()]).pvalue > ALPHA
    )


@on_both
def test_niching_where_all_are_the_same_solution(representation):
    given = bench(variables_of(representation, 30, 4), 6)
    given.pool[given.population] = given.pool[given.population[0]]
    given.fitness[given.population] = 1.0
    chosen = places(given, "nich", 500)
    assert (chosen[:, :3] != chosen[:, 3:]).all()
    assert_shares(chosen, np.ones(6))


def test_niching_of_very_few():
    assert places(bench(Bits(9), 1), "nich").tolist() == [[0]]
    two = places(bench(Bits(9), 2), "nich", 50)
    assert {tuple(pair) for pair in two} == {(0, 1), (1, 0)}
