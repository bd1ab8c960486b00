"""Who survives each select component."""

import math

import numpy as np
import pytest
from component_helpers import ALPHA, REPRESENTATIONS, variables_of
from scipy import stats

from metasmith.chance import below, seeded
from metasmith.components.cool_annealing_select import ENOUGH, FIRST, LAST
from metasmith.components.roles import OWN
from metasmith.components.round_robin_select import MEETINGS
from metasmith.components.simulated_annealing_select import END, PASS
from metasmith.representations import Bits
from metasmith.testing.bench import Bench, bench, quiet

SIZES = [1, 2, 3, 4, 50]
PAIRWISE = ["pairwise_select", "simulated_annealing_select", "cool_annealing_select", "tabu"]
seeds = pytest.mark.parametrize("seed", range(5))
sizes = pytest.mark.parametrize("size", SIZES)


def family(parents: list[float], children: list[float], seed: int = 0) -> Bench:
    """As many parents as children, with their fitness: child i comes from the i-th of the population."""
    given = bench(Bits(65), len(parents), seed)
    given.parents[:] = given.population
    given.fitness[given.population] = parents
    given.fitness[given.children] = children
    return given


def survivors(given: Bench, name: str) -> list[bool]:
    """For each pair whether the child survived."""
    kept = given.select(name)
    children = kept == given.children
    assert (children | (kept == given.parents)).all()
    return list(children)


def later_best(given: Bench) -> list[int]:
    """The best N of population and children in their order, of equals the later ones."""
    both = np.concatenate([given.population, given.children])
    ranks = sorted(range(len(both)), key=lambda i: (given.fitness[both[i]], i))[len(given.population) :]
    return [int(both[i]) for i in sorted(ranks)]


@seeds
@sizes
def test_greedy_keeps_the_best_and_children_before_their_equals(size, seed):
    given = bench(Bits(65), size, seed)
    assert given.select("greedy_select").tolist() == later_best(given)


def test_greedy_among_equals_keeps_the_children():
    given = family([1.0] * 4, [1.0] * 4)
    assert given.select("greedy_select").tolist() == given.children.tolist()
    assert family([1.0], [1.0]).select("greedy_select") == family([1.0], [1.0]).children


@pytest.mark.parametrize("name", ["greedy_select", "round_robin_select"])
@seeds
@sizes
def test_set_selectors_are_elitist_and_take_nobody_twice(name, size, seed):
    given = bench(Bits(65), size, seed)
    kept = given.select(name)
    both = np.concatenate([given.population, given.children])
    assert given.fitness[kept].max() == given.fitness[both].max()
    assert len(set(kept.tolist())) == size


@pytest.mark.parametrize("name", PAIRWISE)
@seeds
@sizes
def test_pair_selectors_keep_a_child_or_its_own_parent(name, size, seed):
    given = bench(Bits(65), size, seed)
    assert len(survivors(given, name)) == size


def test_pairwise_keeps_the_better_and_the_child_of_equals():
    assert survivors(family([1, 5, 2, -3], [2, 4, 2, -3.5]), "pairwise_select") == [True, False, True, False]


def test_always_keeps_the_children():
    given = bench(Bits(65), 50)
    assert given.select("always_select").tolist() == given.children.tolist()


@seeds
@sizes
def test_round_robin_keeps_those_with_most_wins_then_best_fitness(size, seed):
    given = bench(Bits(65), size, seed)
    both = np.concatenate([given.population, given.children])
    fitness, rng = given.fitness[both], given.rng.copy()
    kept = given.select("round_robin_select")
    wins = []
    for i in range(2 * size):
        others = np.delete(fitness, i)
        wins.append(sum(fitness[i] >= others[quiet(below)(2 * size - 1, rng)] for _ in range(MEETINGS)))
    merit = {int(slot): (wins[i], fitness[i]) for i, slot in enumerate(both)}
    assert sorted(merit[slot] for slot in kept.tolist()) == sorted(merit.values())[size:]
    assert rng[0] == given.rng[0]


def test_round_robin_meets_ten_others_and_gives_the_weak_a_chance():
    assert MEETINGS == 10
    fitness = np.arange(100.0)
    survived = np.zeros(100)
    for seed in range(300):
        given = family(list(fitness[::2]), list(fitness[1::2]), seed)
        survived[given.fitness[given.select("round_robin_select")].astype(int)] += 1
    share = survived.reshape(10, 10).mean(axis=1) / 300
    assert (np.diff(share) > -0.01).all()  # the better, the likelier
    assert share[0] == 0.0
    assert share[-1] > 0.99
    assert 0.05 < share[3] < 0.4 < 0.6 < share[6] < 0.95


def test_annealing_takes_what_is_not_worse_at_any_temperature():
    for progress in (0.0, 0.5, 1.0):
        given = family([1, 5, 2, 0], [1, 6, 2.5, 1e9])
        given.progress = progress
        assert survivors(given, "simulated_annealing_select") == [True] * 4


def test_annealing_lets_four_of_five_first_worsenings_pass():
    n = 5000
    passed = survivors(family([1.0] * n, [0.0] * n), "simulated_annealing_select")
    assert stats.binomtest(sum(passed), n, 0.8).pvalue > ALPHA
    assert PASS == 0.8


def test_annealing_takes_its_temperature_from_the_mean_worsening():
    n = 5000
    worse = np.random.default_rng(2).exponential(7.0, n)
    given = family([0.0] * n, list(-worse))
    given.fitness[given.children[::2]] = 3.0  # improvements do not count
    passed = np.array(survivors(given, "simulated_annealing_select"))
    temperature = -worse[1::2].mean() / math.log(0.8)
    expected = np.exp(-worse[1::2] / temperature)
    assert passed[::2].all()
    assert abs(passed[1::2].sum() - expected.sum()) < 4 * np.sqrt((expected * (1 - expected)).sum())


@pytest.mark.parametrize("progress", [0.1, 0.25, 0.5, 0.75, 1.0])
def test_annealing_cools_geometrically_over_the_run(progress):
    n = 5000
    given = family([1.0] * n, [0.0] * n)
    given.select("simulated_annealing_select")  # the first worsenings set the temperature, for good
    given.progress = progress
    expected = math.exp(math.log(PASS) / END**progress)
    given.fitness[given.children] = 0.5
    passed = survivors(given, "simulated_annealing_select")
    assert stats.binomtest(sum(passed), n, expected**0.5).pvalue > ALPHA
    if progress == 1.0:
        assert sum(passed) < n / 1000


def test_cool_annealing_takes_what_is_not_worse_at_any_temperature():
    for progress in (0.0, 0.5, 1.0):
        given = family([1, 5, 2, 0], [1, 6, 2.5, 1e9])
        given.progress = progress
        assert survivors(given, "cool_annealing_select") == [True] * 4


@pytest.mark.parametrize("progress", [0.0, 0.25, 0.5, 1.0])
def test_cool_annealing_falls_from_its_first_to_its_last_share_of_a_worsening(progress):
    n = 5000
    given = family([1.0] * n, [0.0] * n)
    given.progress = progress
    temperature = 2.0 * FIRST * (LAST / FIRST) ** progress
    given.fitness[given.children[:ENOUGH]] = -1.0  # the first worsenings are of 2, the others of 1 and a half
    given.fitness[given.children[ENOUGH:]] = -0.5
    passed = survivors(given, "cool_annealing_select")[ENOUGH:]
    assert stats.binomtest(sum(passed), n - ENOUGH, math.exp(-1.5 / temperature)).pvalue > ALPHA


def test_cool_annealing_measures_worsenings_alone():
    """Neither improvements nor violations of constraints are what it goes by."""
    given = family([1.0] * 4, [5.0, -1e200, 0.0, 1.0])
    given.select("cool_annealing_select")
    assert given.memory[OWN : OWN + 2].tolist() == [1.0, 1.0]


def test_annealing_waits_for_a_first_worsening():
    n = 5000
    given = family([1.0] * n, [2.0] * n)
    assert all(survivors(given, "simulated_annealing_select"))
    given.fitness[given.children] = -9.0
    assert stats.binomtest(sum(survivors(given, "simulated_annealing_select")), n, 0.8).pvalue > ALPHA


def test_annealing_takes_no_temperature_from_failures_and_violated_constraints():
    given = family([1.0, -1e200, 2.0, 1.0], [-1e300, -1.5e200, 1.0, -2e200])
    kept = survivors(given, "simulated_annealing_select")
    assert kept[:2] + kept[3:] == [False] * 3
    n = 5000
    given = family([1.0] * n, [0.0] * n)
    given.fitness[given.children[::2]] = -1e200
    passed = survivors(given, "simulated_annealing_select")
    assert not any(passed[::2])
    assert stats.binomtest(sum(passed[1::2]), n // 2, 0.8).pvalue > ALPHA


@pytest.mark.parametrize("representation", REPRESENTATIONS)
@pytest.mark.parametrize(("dimension", "longest"), [(5, 1), (19, 1), (20, 2), (50, 5), (109, 10)])
def test_tabu_refuses_the_last_tenth_of_d_accepted_solutions(representation, dimension, longest):
    given = bench(variables_of(representation, dimension, 4), 1)
    given.parents[:] = given.population
    given.fitness[given.population], given.fitness[given.children] = (
        9.0,
        1.0,
    )  # accepted for being new, not for being good
    random = np.random.default_rng(0)
    accepted: list[tuple[int, ...]] = []
    for _ in range(300):
        if accepted and random.random() < 0.6:
            child = accepted[-random.integers(1, min(len(accepted), 2 * longest) + 1)]
        else:
            child = tuple(random.integers(0, 2, dimension))
        given.put(given.children, [child])
        (passes,) = survivors(given, "tabu")
        assert passes == (child not in accepted[-longest:])
        if passes:
            accepted.append(child)


def test_a_new_best_overrules_the_tabu_list():
    given = family([5.0], [4.0])
    assert survivors(given, "tabu") == [True]
    assert survivors(given, "tabu") == [False]
    given.fitness[given.children] = 5.0
    assert survivors(given, "tabu") == [False]  # as good as the best is not better
    given.fitness[given.children] = 5.5
    assert survivors(given, "tabu") == [True]
    given.fitness[given.population] = 0.0
    assert survivors(given, "tabu") == [False]  # the best ever, not that of the population


def test_tabu_on_fitness_below_zero():
    given = family([-5.0], [-6.0])
    assert survivors(given, "tabu") == [True]
    given.fitness[given.children] = -4.0
    assert survivors(given, "tabu") == [True]
    given.fitness[given.children] = -4.5
    assert survivors(given, "tabu") == [False]


def test_tabu_lists_the_children_of_one_generation_too():
    given = family([5.0] * 3, [1.0] * 3)
    given.pool[given.children] = given.pool[given.children[0]]
    assert survivors(given, "tabu") == [True, False, False]


def test_selection_depends_on_nothing_but_its_state():
    for name in ("round_robin_select", "simulated_annealing_select"):
        given = [bench(Bits(65), 50, 4) for _ in range(3)]
        given[2].rng[:] = seeded("another")
        kept = [one.select(name).tolist() for one in given]
        assert kept[0] == kept[1] != kept[2]
