"""Compiled functions that go beyond an array are refused before the first run; those that do not are as they were."""

import importlib
import sys

import numba
import numpy as np
import pytest
from engine_helpers import program, same

import metasmith as ms
from metasmith.engine import EvaluationError, Job, Local, run
from metasmith.engine.evaluators import bounds
from metasmith.engine.isolation import children
from metasmith.landscapes import landscape
from metasmith.problems import Problem
from metasmith.representations import Bits

CLIMB = program("population 4; reset_n(n=1)")
N = 12
SAYS = r"{} at x = \[[01, ]+\] indexes an array out of bounds, which is not noticed at full speed; mend the function$"

FILE = """
import numba
import metasmith as ms


@numba.njit
def neighbours(x):
    total = 0.0
    for i in range(len(x)):
        total += x[i] == x[i + 1]  # of the last there is none
    return total


@numba.njit
def after(x, i):
    return x[i + 1]


@numba.njit
def calls(x):
    return float(after(x, len(x) - 1))


@numba.njit("float64(int64[::1])")
def compiled_at_once(x):
    return float(x[len(x)])


@numba.njit
def calls_what_was_compiled_at_once(x):
    return compiled_at_once(x)


@numba.njit
def writes(x):
    x[len(x)] = x[0]
    return 1.0


@numba.njit
def right(x):
    total = 0.0
    for i in range(len(x) - 1):
        total += x[i] == x[i + 1]
    return total + x[-1]


problem = ms.Problem(neighbours, ms.Bits(12), compiled=True)
violated = ms.Problem(right, ms.Bits(12), compiled=True, violation=neighbours)
"""


@pytest.fixture(scope="module")
def mine(tmp_path_factory):
    """The file as a module of a user's, found where modules are looked for."""
    folder = tmp_path_factory.mktemp("bounds")
    (folder / "mine_of_bounds.py").write_text(FILE)
    sys.path.insert(0, str(folder))
    yield importlib.import_module("mine_of_bounds")
    sys.path.remove(str(folder))


BEYOND = ("neighbours", "calls", "calls_what_was_compiled_at_once", "writes")


@pytest.mark.parametrize("on_error", ["stop", "worst"])
@pytest.mark.parametrize("name", BEYOND)
def test_a_function_that_goes_beyond_an_array_is_refused(name, on_error, mine):
    wrong = Problem(getattr(mine, name), Bits(N), compiled=True, on_error=on_error)
    for _ in range(2):  # the second time it is known
        with pytest.raises(EvaluationError, match=f"^{name}: {SAYS.format('the value')}"):
            ms.solve("ea", wrong, evaluations=50)


def test_only_the_runs_of_that_problem_are_refused(mine):
    right = Problem(mine.right, Bits(N), compiled=True)
    outcomes = Local(2).run([Job(CLIMB, each, 60, seed) for seed, each in enumerate((right, mine.problem, right))])
    assert isinstance(outcomes[1], EvaluationError)
    assert all(same(outcomes[seed], run(Job(CLIMB, right, 60, seed))) for seed in (0, 2))


def test_a_violation_that_goes_beyond_an_array_is_refused(mine):
    with pytest.raises(EvaluationError, match=f"^right: {SAYS.format('the violation')}"):
        ms.solve("ea", mine.violated, evaluations=50)


@pytest.mark.parametrize("name", ["problem", "violated"])
def test_in_this_process_too(name, mine):
    wrong = getattr(mine, name)
    here = Problem(wrong.how.function, Bits(N), compiled=True, isolate=False, on_error="worst",
                   violation=wrong.violation and wrong.violation.function)  # fmt: skip
    with pytest.raises(EvaluationError, match=SAYS.format("the v[a-z]+")):
        ms.solve("ea", here, evaluations=50)


def test_a_landscape_is_refused_as_well(mine):
    with pytest.raises(EvaluationError, match=SAYS.format("the value")):
        landscape(mine.problem)


def test_a_design_is_refused_whatever_fails_elsewhere(mine):
    wrong = Problem(mine.neighbours, Bits(N), compiled=True, on_error="worst")
    with pytest.raises(EvaluationError, match=SAYS.format("the value")):
        ms.design(wrong, evaluations=50, designer="evolution", spend=1000)


@pytest.mark.parametrize("command", ["solve", "design"])
@pytest.mark.parametrize("name", ["problem", "violated"])
def test_the_command_line_says_it_in_one_line(command, name, capsys, monkeypatch, tmp_path):
    from metasmith import cli

    (tmp_path / "mine.py").write_text(FILE)
    monkeypatch.chdir(tmp_path)
    more = ["--spend", "1000", "--designer", "evolution"] if command == "design" else []
    monkeypatch.setattr(sys, "argv", ["metasmith", command, f"mine.py:{name}", "--evaluations", "50", *more])
    with pytest.raises(SystemExit) as ended:
        cli.main()
    assert ended.value.code == 2
    (line,) = [line for line in capsys.readouterr().err.splitlines() if line.startswith("metasmith: ")]
    assert "indexes an array out of bounds" in line


@pytest.mark.parametrize("isolate", [True, False])
def test_a_function_that_is_right_has_the_bits_of_one_that_nobody_checks(isolate, mine, monkeypatch):
    def results():
        fresh = Problem(mine.right, Bits(N), compiled=True, isolate=isolate)
        monkeypatch.setattr(children, "_mistakes", {})
        return Local(2).run([Job(CLIMB, fresh, 300, seed) for seed in range(3)])

    checked = results()
    monkeypatch.setattr(bounds, "can_be_checked", lambda problem: False)
    monkeypatch.setattr(children, "can_be_checked", lambda problem: False)
    assert all(map(same, checked, results()))


def test_it_is_asked_once_for_each_problem(mine, monkeypatch):
    asked = []
    monkeypatch.setattr(children, "solutions", lambda variables: asked.append(variables) or bounds.solutions(variables))
    problems = [Problem(mine.right, Bits(n), compiled=True) for n in (N + 1, N + 2)]
    for _ in range(2):
        Local(2).run([Job(CLIMB, each, 30, seed) for each in problems for seed in range(3)])
    assert sorted(variables.n for variables in asked) == [N + 1, N + 2]


@numba.njit
def raises_in_half(x):
    if x[0]:
        raise IndexError("of its own")
    return float(x.sum())


@numba.njit
def hangs_at_some(x):
    while x[0] and x[1]:
        x[2] = 1
    return float(x.sum())


@pytest.mark.slow
@pytest.mark.parametrize("function", [raises_in_half, hangs_at_some])
def test_what_else_fails_in_the_check_is_for_the_runs(function):
    """They count it as the worst, and give the bits of a plain function that raises there."""

    def plain(x):
        if x[0] and (x[1] or function is raises_in_half):
            raise ValueError
        return float(x.sum())

    limit = {"seconds": 0.2} if function is hangs_at_some else {}
    failing = Problem(function, Bits(N), compiled=True, on_error="worst", name="half", **limit)
    (outcome,) = Local(1).run([Job(CLIMB, failing, 8, 0)])
    assert same(outcome, run(Job(CLIMB, Problem(plain, Bits(N), on_error="worst", name="half"), 8, 0)))


def test_a_function_that_fails_only_in_the_check_ends_no_run():
    start = np.zeros((1, N), np.int64)
    problem = Problem(raises_in_half, Bits(N), compiled=True)
    (outcome,) = Local(1).run([Job(program("population 1; reset_n(n=1)"), problem, 1, 0, start=start)])
    assert outcome.fun == 0


CACHED = """
import numba

@numba.njit(cache=True)
def seldom(x):
    return float(x[len(x)] if x.all() else x.sum())  # none of the random solutions is all ones

@numba.njit(cache=True)
def always(x):
    return float(x[len(x)])
"""


def test_what_users_keep_on_disk_is_neither_taken_nor_replaced_by_what_is_checked(tmp_path, monkeypatch):
    (tmp_path / "kept_on_disk.py").write_text(CACHED)
    monkeypatch.syspath_prepend(tmp_path)
    module = importlib.import_module("kept_on_disk")  # functions of modules that are imported there come by their names
    always, seldom = numba.njit(lambda x: module.always(x)), numba.njit(lambda x: module.seldom(x))
    module.always(np.ones(N, np.int64))  # kept, without checks
    with pytest.raises(EvaluationError, match=SAYS.format("the value")):
        ms.solve("ea", Problem(always, Bits(N), compiled=True), evaluations=50)
    ms.solve("ea", Problem(seldom, Bits(N), compiled=True), evaluations=1)
    module.seldom(np.ones(N, np.int64))  # as it was kept by the run, without checks
    assert module.seldom.stats.cache_hits
