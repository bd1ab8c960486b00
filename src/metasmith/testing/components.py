"""What every component must keep to, on every representation that it works on, at awkward sizes."""

import numpy as np

from metasmith.components import COMPONENTS, Role
from metasmith.components.roles import NOTHING, SUCCEEDED, TRIED
from metasmith.engine import Job, Result, run
from metasmith.engine.evaluators import EvaluationError
from metasmith.export import exported
from metasmith.problems import Problem
from metasmith.program import Program
from metasmith.representations import KINDS, Kind, Variables
from metasmith.testing.bench import Array, Bench, bench, settings_of, twin
from metasmith.testing.exported import loaded, optimized

DIMENSIONS = (1, 7, 64, 65, 100)
SIZES = (1, 2, 3, 50)


def check_component(name: str) -> None:
    """Raise AssertionError if the component called `name` breaks the contract of its role."""
    component = COMPONENTS[name]
    kinds = [kind for kind in KINDS.values() if component.kernel(kind.name)]
    assert kinds, f"{name} has no kernel for any representation there is"
    for kind in kinds:
        for dimension in DIMENSIONS:
            variables = kind.sized(dimension)
            {Role.CHOOSE: check_choosing, Role.SEARCH: check_searching, Role.SELECT: check_selecting}[component.role](
                name, variables
            )
            check_alone(name, variables)
            check_plain_equals_compiled(name, variables)
            check_runs(name, variables)
        check_export(name, kind)


def check_choosing(name: str, variables: Variables) -> None:
    """A chooser writes slots of the population, and nothing else."""
    for size in SIZES:
        here = bench(variables, size)
        for _ in range(3):
            before = twin(here)
            here.parents[:] = -1
            here.choose(name)
            assert_rest_untouched(here, before, "parents")
            assert np.isin(here.parents, here.population).all(), f"{name} chooses a slot outside the population"


def check_searching(name: str, variables: Variables) -> None:
    """A search component changes the rows in hand to other solutions, and nothing else."""
    for size in SIZES:
        here = bench(variables, size)
        for settings in settings_of(name, variables.n):
            here.memory[:] = 0.0  # each setting is a snippet of its own
            for count in {1, (size + 1) // 2, size}:
                moving = here.guarded(here.children[:count])
                before = twin(here)
                here.search(name, settings, moving)
                assert_rest_untouched(here, before, "pool")
                others = np.setdiff1d(np.arange(2 * size), moving)
                np.testing.assert_array_equal(here.pool[others], before.pool[others], err_msg=f"{name}: other rows")
                np.testing.assert_array_equal(moving, here.children[:count], err_msg=f"{name}: slots in hand")
                assert_solutions(here, moving)
                assert here.memory[TRIED] == here.memory[SUCCEEDED] == 0.0, f"{name} writes to the engine's part"


def check_selecting(name: str, variables: Variables) -> None:
    """A selector keeps slots of population and children, and writes nothing else."""
    for size in SIZES:
        here = bench(variables, size)
        for progress in (0.01, 0.5, 1.0):
            here.progress = progress
            here.kept[:] = -1
            before = twin(here)
            here.select(name)
            assert_rest_untouched(here, before, "kept")
            both = np.concatenate([here.population, here.children])
            assert np.isin(here.kept, both).all(), f"{name} keeps a slot that is neither parent nor child"


def check_alone(name: str, variables: Variables) -> None:
    """What it says that it comes to with a single solution, it does: nothing, or the same as another component."""
    component = COMPONENTS[name]
    if not component.alone:
        return
    for seed in range(10):
        here = bench(variables, 1, seed=seed)
        if component.role is Role.SEARCH:
            assert component.alone == NOTHING, f"{name}: a search component alone does NOTHING, or says nothing of it"
            for settings in settings_of(name, variables.n):
                before = twin(here)
                here.search(name, settings)
                for part in ("pool", "rng"):
                    one, other = (getattr(each, part) for each in (here, before))
                    rows = slice(2) if part == "pool" else slice(None)
                    np.testing.assert_array_equal(one[rows], other[rows], err_msg=f"{name} alone: {part}")
        else:
            kept = [twin(here).select(each).tolist() for each in (name, component.alone)]
            assert kept[0] == kept[1], f"{name} keeps something else than {component.alone} of a single solution"


def check_plain_equals_compiled(name: str, variables: Variables) -> None:
    """Plain Python and machine code do the same and draw the same numbers."""
    role = COMPONENTS[name].role
    grid = settings_of(name, variables.n)
    for size in (1, 2, 3, 50 if variables.n == 65 else 8):
        for settings in {min(grid), grid[len(grid) // 2], max(grid)}:
            plain = bench(variables, size, seed=1)
            fast = twin(plain)
            for turn in range(2):
                for here, how in ((plain, "plain"), (fast, "compiled")):
                    if role is Role.SEARCH:
                        here.room_for(name)
                        here.memory[TRIED], here.memory[SUCCEEDED] = 10.0, 10.0 * turn
                        here.search(name, settings, how=how)
                    elif role is Role.CHOOSE:
                        here.choose(name, how=how)
                    else:
                        here.select(name, how=how)
                for part in ("pool", "parents", "kept", "memory", "rng"):
                    one, other = getattr(plain, part), getattr(fast, part)
                    np.testing.assert_array_equal(one, other, err_msg=f"{name}: {part}, plain and compiled")


def check_runs(name: str, variables: Variables) -> None:
    """In a program it spends the evaluations exactly, and what it returns is a solution with its value."""
    problem = Problem(objective, variables)
    for size in SIZES:
        result = result_of(Job(program_with(name, variables, size), problem, 130, seed=size))
        variables.check(result.x)
        assert result.nfev == 130, f"{name} spends {result.nfev} of 130 evaluations"
        assert result.fun == problem(result.x), f"{name}: the value is not that of the solution"
        assert result.fun >= result.history.values[0], f"{name}: the result is worse than the first solution"


def check_export(name: str, kind: Kind) -> None:
    """An exported file with it finds what the engine finds."""
    variables = kind.sized(11)
    program = program_with(name, variables, 6)
    ours = result_of(Job(program, Problem(objective, variables), 200, seed=3))
    theirs = optimized(loaded(exported(program, kind)), objective, variables, evaluations=200, seed=3)
    same = theirs.x.tolist() == ours.x.tolist() and theirs.fun == ours.fun and theirs.nfev == ours.nfev
    assert same, f"{name}: exported for {kind.name} it finds something else"


def objective(x: Array) -> float:
    """Some function of any numbers, with hills in it."""
    weights = np.arange(len(x)) * 7 % 11 - 3
    return float((weights * x).sum() + 5 * (x[1:] != x[:-1]).sum())


def program_with(name: str, variables: Variables, population: int) -> Program:
    """A program that uses a component, beside a search component that works on the variables."""
    component = COMPONENTS[name]
    others = (each for each in COMPONENTS.values() if each.role is Role.SEARCH and each.kernel(variables.name))
    usual = written(next(each.name for each in others if each.name != "reinitialize"))
    line = {Role.CHOOSE: f"{name}; {usual}", Role.SEARCH: written(name), Role.SELECT: f"{usual}; {name}"}[
        component.role
    ]
    return Program.parse(f"population {population}; {line}")


def written(name: str) -> str:
    """A component with its hyperparameters, each the second of its grid, where there is one."""
    grids = {setting: allowed.grid for setting, allowed in COMPONENTS[name].settings.items()}
    settings = [f"{setting}={grid[min(1, len(grid) - 1)]}" for setting, grid in grids.items()]
    return f"{name}({', '.join(settings)})" if settings else name


def result_of(job: Job) -> Result:
    """The result of a job whose problem never fails."""
    try:
        return run(job)
    except EvaluationError as error:
        raise AssertionError(f"a solution cannot be evaluated: {error}") from error


def assert_solutions(here: Bench, slots: Array) -> None:
    """Every row is a solution, and its padding is zero."""
    rows = here.pool[slots]
    np.testing.assert_array_equal(here.variables.to_rows(here.variables.to_vectors(rows)), rows)
    for vector in here.variables.to_vectors(rows):
        here.variables.check(vector)


def assert_rest_untouched(now: Bench, then: Bench, *written: str) -> None:
    """Nothing changed but what may be written."""
    assert now.guarded.untouched(), "a kernel writes beyond its arrays"
    for name in {"pool", "fitness", "population", "children", "parents", "parent_of", "kept"} - set(written):
        np.testing.assert_array_equal(getattr(now, name), getattr(then, name), err_msg=name)
