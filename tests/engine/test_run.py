"""A run spends exactly its evaluations, returns the best it saw, and is the same every time and on every path."""

import numba
import numpy as np
import pytest
from engine_helpers import Recorder, program, programs, rugged, same, seeds, variables
from hypothesis import given, settings
from hypothesis import strategies as st

from metasmith.engine import Job, Search, run
from metasmith.engine.run import HISTORY, prepare
from metasmith.problems import Problem, problem
from metasmith.program import Program, canonical
from metasmith.representations import Bits, Integers

PBO = ["pbo:F1@20#3", "pbo:F2@17#1", "pbo:F7@64#7", "pbo:F10@65#60", "pbo:F18@30#1", "pbo:F19@16#51", "pbo:F23@25#4"]
BUILT_IN = [*PBO, "beamforming@12#3"]


@settings(max_examples=120)
@given(programs, variables, st.sampled_from([1, 2, 3, 49, 50, 51, 130, 400]), seeds, st.sampled_from(["max", "min"]))
def test_it_spends_exactly_its_evaluations_and_returns_the_best(written, over, evaluations, seed, direction):
    recorder = Recorder()
    result = run(Job(written, Problem(recorder, over, direction=direction), evaluations, seed))
    better = max if direction == "max" else min
    assert result.nfev == len(recorder.values) == evaluations
    assert result.success
    assert result.message == "all evaluations spent"
    assert result.fun == better(recorder.values)
    over.check(result.x)
    assert rugged(result.x) == result.fun
    best_so_far = [better(recorder.values[: i + 1]) for i in range(evaluations)]
    improvements = [1 + i for i in range(evaluations) if i == 0 or best_so_far[i] != best_so_far[i - 1]]
    assert result.history.evaluations.tolist() == improvements
    assert result.history.values.tolist() == [recorder.values[when - 1] for when in improvements]
    assert result.hit == improvements[-1]
    np.testing.assert_array_equal(result.x, recorder.xs[result.hit - 1])
    assert result.violation == 0.0
    assert result.seed == seed


@pytest.mark.slow
@settings(max_examples=40)
@given(programs, st.sampled_from(BUILT_IN), st.sampled_from([1, 7, 60, 250]), seeds)
def test_built_in_plain_and_batch_problems_give_the_same_bits(written, name, evaluations, seed):
    native = problem(name)
    plain = Problem(lambda x: native(x), native.variables, direction=native.direction, name=native.name)
    batch = Problem(
        lambda xs: native.values(xs), native.variables, batch=True, direction=native.direction, name=native.name
    )
    results = [run(Job(written, one, evaluations, seed)) for one in (native, plain, batch)]
    assert same(results[0], results[1])
    assert same(results[0], results[2])
    assert native(results[0].x) == results[0].fun
    assert results[0].nfev == evaluations


@numba.njit
def ones(x):
    return x.sum()


@numba.njit
def leading_ones(x):
    count = 0
    while count < len(x) and x[count] == 1:
        count += 1
    return float(count)


@numba.njit
def weighted(x):
    total = 0
    for i in range(len(x)):
        total += (i * 7 % 11 - 3) * x[i]
    return total


@settings(max_examples=40)
@given(programs, st.sampled_from([1, 60, 700]), seeds)
def test_a_users_compiled_function_gives_the_same_bits_as_the_built_in_problem(written, evaluations, seed):
    for name, function in (("pbo:F1@65#1", ones), ("pbo:F2@65#1", leading_ones)):
        compiled = Problem(function, Bits(65), compiled=True, name=name)
        assert same(run(Job(written, compiled, evaluations, seed)), run(Job(written, problem(name), evaluations, seed)))


@settings(max_examples=40)
@given(programs, variables, st.sampled_from([1, 60, 300]), seeds, st.sampled_from(["max", "min"]))
def test_compiled_plain_and_batch_functions_give_the_same_bits(written, over, evaluations, seed, direction):
    weights = np.arange(over.n) * 7 % 11 - 3
    ways = [
        Problem(weighted, over, compiled=True, direction=direction, name="one"),
        Problem(lambda x: int(weights @ x), over, direction=direction, name="one"),
        Problem(lambda xs: xs @ weights, over, batch=True, direction=direction, name="one"),
    ]
    results = [run(Job(written, way, evaluations, seed)) for way in ways]
    assert same(results[0], results[1])
    assert same(results[0], results[2])


@settings(max_examples=60)
@given(programs, variables, seeds)
def test_the_canonical_form_runs_the_same(written, over, seed):
    results = [run(Job(form, Problem(rugged, over), 150, seed)) for form in (written, canonical(written))]
    assert same(*results)


@settings(max_examples=30)
@given(programs, seeds)
def test_again_is_the_same_whatever_ran_before(written, seed):
    job = Job(written, problem("pbo:F18@30#1"), 500, seed)
    first = run(job)
    run(Job(program("population 7; tournament; cross_n(n=2); tabu"), problem("pbo:F18@30#1"), 500, seed + 1))
    prepare.cache_clear()
    assert same(first, run(job))


def test_program_problem_evaluations_and_seed_decide_the_random_numbers():
    base = {"population": 5, "dimension": 64, "evaluations": 100, "seed": 1, "name": "mine"}
    firsts = set()
    for change in [{}, {"population": 6}, {"dimension": 65}, {"evaluations": 101}, {"seed": 2}, {"name": "other"}]:
        asked = base | change
        recorder = Recorder()
        job = Job(
            program(f"population {asked['population']}; reset_n(n=1)"),
            Problem(recorder, Bits(asked["dimension"]), name=asked["name"]),
            asked["evaluations"],
            asked["seed"],
        )
        run(job)
        firsts.add(tuple(recorder.xs[0][:60]))
    assert len(firsts) == 6


@pytest.mark.parametrize(
    "text",
    [
        "population 1; cross_uniform(p=0.5)",
        "population 1; cross_n(n=1); reset_n(n=1) iterate until 50%; tabu",
        "population 2; best; cross_n(n=1)",
        "population 50; best; cross_uniform(p=0.5) iterate until stagnation; always_select",
        "population 3; best; cross_n(n=1) iterate until 100%; greedy_select iterate until local_optimum",
        "population 1; best fork 2; cross_n(n=3)",
        "population 1; sample_marginals; cross_n(n=2) iterate until 5%",
    ],
)
@pytest.mark.parametrize("evaluations", [1, 2, 60, 500])
def test_programs_that_change_little_or_nothing_end_too(text, evaluations):
    recorder = Recorder()
    result = run(Job(program(text), Problem(recorder, Bits(30)), evaluations, seed=1))
    assert result.nfev == len(recorder.values) == evaluations
    assert run(Job(program(text), problem("pbo:F1@30"), evaluations, seed=1)).nfev == evaluations


def test_history_makes_room_as_it_grows():
    counter = iter(range(10**6))
    rising = run(Job(program("population 3; reset_n(n=1)"), Problem(lambda x: next(counter), Bits(8)), 5000, 1))
    assert rising.history.evaluations.tolist() == list(range(1, 5001))
    assert rising.history.values.tolist() == list(range(5000))


@pytest.mark.parametrize("population", [1, 20])
def test_history_makes_room_in_compiled_runs(population):
    climb = program(f"population {population}; best; reset_n(n=1); greedy_select")
    native = run(Job(climb, problem("pbo:F1@4000"), 100_000, 1))
    evaluations, values = native.history
    assert len(values) > HISTORY
    assert (np.diff(values) > 0).all()
    assert (np.diff(evaluations) > 0).all()
    assert evaluations[-1] == native.hit
    assert values[-1] == native.fun == problem("pbo:F1@4000")(native.x)


def test_better_means_smaller_when_minimising():
    result = run(
        Job(
            program("population 5; reset_n(n=1)"), Problem(lambda x: x.sum(), Integers(9, 10), direction="min"), 2000, 1
        )
    )
    assert result.fun == 0.0
    assert result.x.tolist() == [0] * 10
    assert (np.diff(result.history.values) < 0).all()


def test_values_of_any_size():
    """Infinite values and values near the largest double compare as they should, and come back as they are."""
    for sign, direction in ((1, "max"), (-1, "min")):
        for best in (np.inf, 1e250, 5e-324):
            found = run(
                Job(
                    program("population 2; reset_n(n=1)"),
                    Problem(Valued(sign * best, -sign * np.inf), Bits(6), direction=direction),
                    500,
                    1,
                )
            )
            assert found.fun == sign * best
            assert found.x.all()
            assert found.history.values[-1] == sign * best


class Valued:
    """One value where all bits are one, another elsewhere but growing with the ones."""

    def __init__(self, top, low):
        self.top, self.low = top, low

    def __call__(self, x):
        return (
            self.top
            if x.all()
            else self.low
            if x.sum() < 3
            else 0.0 * x.sum() - (6 - x.sum()) * np.sign(self.top) * 1e-323 * 2
        )


@pytest.mark.parametrize(
    ("value", "direction", "told_apart"),
    [
        (1e250, "max", True), (1e250, "min", False), (-1e250, "max", False), (-1e250, "min", True),
        (1e305, "max", False), (-1e305, "min", False), (np.inf, "max", True), (np.inf, "min", True), (3.0, "min", True),
    ],
)  # fmt: skip
@pytest.mark.parametrize("batch", [False, True])
def test_values_that_cannot_be_told_apart_are_said_and_come_back_as_they_are(value, direction, told_apart, batch):
    def function(x):
        return np.full(len(x), value) if batch else value

    written, name = program("population 2; reset_n(n=1)"), "huge"
    job = Job(written, Problem(function, Bits(6), direction=direction, batch=batch, name=name), 20, 1)
    search = Search(written, Bits(6), evaluations=20, seed=1, direction=direction, name=name)
    while not search.done:
        search.tell([value for _ in search.ask()])
    for result in (run(job), search.result()):
        assert result.fun == value
        assert (result.message == "all evaluations spent") == told_apart
        assert ("values of this size are not told apart" in result.message) != told_apart


@pytest.mark.parametrize("evaluations", [0, -5, 1e3, 2**63])
def test_a_run_needs_an_evaluation(evaluations):
    with pytest.raises(ValueError, match="at least 1 evaluation, a whole number, got "):
        run(Job(program("population 1; reset_n(n=1)"), problem("pbo:F1@9"), evaluations, 1))


def test_results_say_what_they_are():
    result = run(Job(program("population 1; reset_n(n=1)"), problem("pbo:F1@9"), 200, 3))
    assert repr(result).startswith("Result(fun=9, nfev=200, hit=")
    assert result.seconds > 0
    assert result.x.dtype == np.int64


def test_functions_may_return_any_number():
    for value in (True, 3, np.int8(3), np.float32(2.5), np.array(4.0)):
        assert run(
            Job(program("population 2; reset_n(n=1)"), Problem(lambda x, value=value: value, Bits(4)), 9, 1)
        ).fun == float(value)


def test_programs_are_the_same_however_they_are_laid_out():
    texts = ["population 4; best; traverse; reset_n(n=1)", "population 4\nreset_n(n=1)\npairwise_select\n"]
    assert same(*(run(Job(Program.parse(text), problem("pbo:F2@20"), 300, 1)) for text in texts))
