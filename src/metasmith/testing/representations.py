"""What every representation must keep to."""

from itertools import pairwise
from typing import Any

import numpy as np

from metasmith.chance import seeded
from metasmith.engine import Job, run
from metasmith.engine.search import Search
from metasmith.export import exported
from metasmith.landscapes import landscape
from metasmith.problems import Problem
from metasmith.program import named
from metasmith.representations import Kind, Variables
from metasmith.representations.contract import WORD
from metasmith.testing.bench import Array, quiet
from metasmith.testing.components import objective
from metasmith.testing.exported import loaded

DIMENSIONS = (2, 7, 64, 65, 100)
MANY = 50


def check_representation(kind: Kind) -> None:
    """Raise AssertionError if a kind of variables breaks the contract."""
    for dimension in DIMENSIONS:
        variables = kind.sized(dimension)
        rows = random_rows(variables)
        check_layout(variables, rows)
        check_vectors(variables, rows)
        check_steps(variables, rows)
        check_distances(variables, rows)
    check_in_use(kind)


def check_layout(variables: Variables, rows: Array) -> None:
    """Rows fill whole words, and sizes are told as they are."""
    assert variables.n >= 1
    assert variables.cells <= variables.width
    assert rows.dtype == np.dtype(variables.cell)
    assert rows.shape[1] * rows.itemsize % WORD == 0, f"a row of {variables} does not fill whole words"
    assert variables.neighbours >= 1
    assert variables == type(variables).sized(variables.n), "equal variables must compare equal"
    assert hash(variables) == hash(type(variables).sized(variables.n))
    assert str(variables.n) in str(variables)


def check_vectors(variables: Variables, rows: Array) -> None:
    """Rows and vectors say the same, both ways, whoever unpacks them; wrong vectors are refused."""
    vectors = variables.to_vectors(rows)
    assert vectors.shape == (len(rows), variables.n)
    assert vectors.dtype == np.dtype(variables.vector)
    np.testing.assert_array_equal(variables.to_rows(vectors), rows, err_msg="rows to vectors and back")
    for row, vector in zip(rows, vectors, strict=True):
        variables.check(vector)
        unpacked = np.zeros(variables.n, variables.vector)
        quiet(variables.unpack_row)(row[: variables.cells], unpacked)
        np.testing.assert_array_equal(unpacked, vector, err_msg="unpack_row")
    for wrong in (
        vectors[0][:-1],
        np.append(vectors[0], vectors[0][:1]),
        np.full(variables.n, np.nan),
        vectors[0] + 0.5,
    ):
        try:
            variables.check(np.asarray(wrong))
        except ValueError:
            continue
        assert np.array_equal(wrong, vectors[0] + 0.5), f"{variables} takes {wrong!r} for a vector"


def check_steps(variables: Variables, rows: Array) -> None:
    """A step goes to another solution, and stays within the row."""
    rng = seeded("steps", variables.n)
    for row in rows:
        before = row.copy()
        quiet(variables.step)(row, variables.shape, rng)
        variables.check(variables.to_vectors(row[None])[0])
        assert not np.array_equal(row, before), f"a step of {variables} stays where it is"
        assert quiet(variables.distance)(row, before) > 0


def check_distances(variables: Variables, rows: Array) -> None:
    """A distance is zero for equal rows only, the same both ways, and at most `farthest`."""
    distance = quiet(variables.distance)
    for one, other in pairwise(rows):
        assert distance(one, one) == 0
        assert distance(one, other) == distance(other, one)
        assert 0 <= distance(one, other) <= variables.farthest
        assert (distance(one, other) == 0) == np.array_equal(one, other)


def check_in_use(kind: Kind) -> None:
    """The references run on it, plain functions and batches agree, ask and tell too, and its exported file works."""
    variables = kind.sized(9)
    results = []
    for name in kind.references:
        program = named(name)
        plain = run(Job(program, Problem(objective, variables, name="same"), 300, seed=1))
        batch = run(Job(program, Problem(of_many, variables, batch=True, name="same"), 300, seed=1))
        search = Search(program, variables, evaluations=300, seed=1, name="same")
        while not search.done:
            search.tell([objective(x) for x in search.ask()])
        for other in (batch, search.result()):
            assert (plain.x.tolist(), plain.fun, plain.nfev) == (other.x.tolist(), other.fun, other.nfev)
        results.append(plain)
        file = loaded(exported(program, kind))
        file.example()
        theirs = file.Run(Problem(objective, variables, name="same"), variables, 300, 1, "max").result()
        assert (theirs.x.tolist(), theirs.fun) == (plain.x.tolist(), plain.fun), f"exported, {name} finds another"
    look = landscape(Problem(objective, variables))
    assert all(np.isfinite(list(look.factors.values())))


def random_rows(variables: Variables, count: int = MANY) -> Array:
    """Random solutions, as plain Python makes them; no two draws of a kernel may depend on anything but the seed."""
    rows: Any = np.zeros((count, variables.width), variables.cell)
    again = rows.copy()
    for each in (rows, again):
        quiet(variables.fresh)(each, np.arange(count), variables.shape, seeded("rows", variables.n))
    np.testing.assert_array_equal(rows, again)
    assert len(np.unique(rows, axis=0)) > 1 or variables.n < 2, f"random solutions of {variables} are all the same"
    return rows


def of_many(vectors: Array) -> Array:
    """The objective of many vectors at once."""
    return np.array([objective(x) for x in vectors])
