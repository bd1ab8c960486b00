"""A kind of variables with real cells, as another package may bring it: nothing takes them for whole numbers."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numba
import numpy as np
import pytest
from numba.extending import register_jitable

import metasmith as ms
from metasmith.arrays import Floats, Indices, State
from metasmith.chance import below, uniform
from metasmith.components import COMPONENTS
from metasmith.components.roles import Others, search
from metasmith.components.settings import SHARES
from metasmith.representations import KINDS
from metasmith.representations.contract import Entry
from metasmith.testing.bench import forget


@register_jitable
def fresh_toys(pool: Floats, moving: Indices, length: int, rng: State) -> None:
    for i in moving:
        for j in range(length):
            pool[i, j] = uniform(rng)


@register_jitable
def copy_toys(row: Floats, vector: Floats) -> None:
    for j in range(len(vector)):
        vector[j] = row[j]


@register_jitable
def step_toys(row: Floats, length: int, rng: State) -> None:
    row[below(length, rng)] = uniform(rng)


@register_jitable
def euclidean(one: Floats, other: Floats) -> float:
    total = 0.0
    for j in range(len(one)):
        total += (one[j] - other[j]) ** 2
    return math.sqrt(total)


@dataclass(frozen=True)
class Toys:
    """`n` numbers from 0 to 1."""

    n: int
    name: ClassVar[str] = "toys"
    cell: ClassVar[type] = np.float64
    vector: ClassVar[type] = np.float64
    references: ClassVar[tuple[str, str]] = ("random", "random")
    entry: ClassVar[Entry] = Entry("n: int", "Toys(n)", "x", "5", "x.sum()", "a sum")
    fresh = staticmethod(fresh_toys)
    unpack_row = staticmethod(copy_toys)
    step = staticmethod(step_toys)
    distance = staticmethod(euclidean)

    @classmethod
    def sized(cls, n: int) -> Self:
        return cls(n)

    @property
    def cells(self) -> int:
        return self.n

    @property
    def width(self) -> int:
        return self.n

    @property
    def shape(self) -> int:
        return self.n

    @property
    def neighbours(self) -> int:
        return self.n

    @property
    def farthest(self) -> float:
        return math.sqrt(self.n)

    def to_rows(self, vectors: np.ndarray[Any, Any]) -> Floats:
        return np.ascontiguousarray(vectors, np.float64)

    def to_vectors(self, rows: Floats) -> Floats:
        return rows.copy()

    def check(self, vector: np.ndarray[Any, Any]) -> None:
        if vector.shape != (self.n,) or not ((vector >= 0) & (vector <= 1)).all():
            raise ValueError(f"expected {self.n} numbers from 0 to 1")


@search(p=SHARES, s=SHARES)
class nudge:
    """Each position moves with probability p, by at most s."""

    def toys(
        pool: Floats, moving: Indices, length: int, settings: Floats, others: Others, memory: Floats, rng: State
    ) -> None:
        for i in moving:
            for j in range(length):
                if uniform(rng) < settings[0]:
                    pool[i, j] = min(1.0, max(0.0, pool[i, j] + settings[1] * (2.0 * uniform(rng) - 1.0)))


@pytest.fixture(autouse=True)
def toys() -> Iterator[None]:
    KINDS["toys"], COMPONENTS["nudge"] = Toys, nudge
    forget()
    yield
    del KINDS["toys"], COMPONENTS["nudge"]
    forget()


def peak(x: np.ndarray) -> float:
    assert x.dtype == np.float64
    return -float(((x - 0.3141) ** 2).sum())


PROGRAM = "population 4; nudge(p=0.5, s=0.05); pairwise_select"


@pytest.mark.parametrize("kind", ["plain", "batch", "compiled"])
def test_reals_stay_real_in_every_way_to_evaluate(kind):
    functions = {
        "plain": peak,
        "batch": lambda xs: np.array([peak(x) for x in xs]),
        "compiled": numba.njit(lambda x: -((x - 0.3141) ** 2).sum()),
    }
    options = {} if kind == "plain" else {kind: True}
    problem = ms.Problem(functions[kind], Toys(7), name="peak", isolate=False, **options)
    result = ms.solve(PROGRAM, problem, evaluations=4000, seed=1)
    assert result.x.dtype == np.float64
    assert result.fun == pytest.approx(0.0, abs=1e-2)
    assert np.unique(result.x % 1).size > 1
    again = ms.solve(PROGRAM, problem, evaluations=50, seed=1, start=[result.x])
    assert again.history.values[0] == pytest.approx(result.fun)


def test_one_compiled_function_may_be_of_reals_and_of_bits():
    """It is compiled for each: one that expects whole numbers would take the bits of reals for such."""
    function = numba.njit(lambda x: 1.0 * x.sum())
    for variables in (ms.Bits(7), Toys(7), ms.Bits(7)):
        problem = ms.Problem(function, variables, compiled=True, isolate=False)
        result = ms.solve("random", problem, evaluations=50)
        assert result.fun == pytest.approx(float(result.x.sum()))


def test_an_unchanged_child_is_told_by_its_bits():
    """As whole numbers nearly all children would look like their parents, and cost nothing."""
    seen = []

    def recorded(x):
        seen.append(x)
        return peak(x)

    ms.solve("population 1; nudge(p=1/d, s=0.01)", ms.Problem(recorded, Toys(5), isolate=False), evaluations=300)
    assert len({x.tobytes() for x in seen}) > 250
    assert len(seen) == 300


def test_landscapes_use_distances_as_they_are():
    near, far = (
        ms.landscape(ms.Problem(f, Toys(6), name="f", isolate=False)).factors
        for f in (peak, lambda x: float(x[0] * 0 + x.sum() * 50 % 1))
    )
    assert abs(near["disp.ratio_mean_02"] - 1) > 0.05
    assert 0 < near["nbc.nn_nb.sd_ratio"] < 1
    assert near["disp.ratio_mean_02"] < far["disp.ratio_mean_02"]


def test_several_hyperparameters_are_designed_with(tmp_path):
    from metasmith.designers.training import Training
    from metasmith.measuring import Race

    design = ms.design(
        ms.Problem(peak, Toys(5), name="peak", isolate=False), evaluations=300, effort="quick", out=tmp_path / "run",
        training=Training(batch=8, mutants=2, immigrants=2, known=False),
        race=Race(finalists=3, samples=1, rounds=(1, 1)),
    )  # fmt: skip
    assert design.score > 0.5
    assert "p=" in ms.pseudocode(design.program) or "random" in str(design.program)
    assert ms.Program.parse(str(design.program)) == design.program


def test_the_network_has_room_for_the_longest_program():
    from metasmith.designers.ppo.writer import Writer
    from metasmith.designers.training import Training
    from metasmith.program import tokens_of
    from metasmith.space import Space

    space = Space.named("full").on("toys")
    longest = ms.Program.parse(
        "population 5; " + "; ".join(["nudge(p=0.5, s=0.05) fork 2"] * 7 + ["nudge(p=0.5, s=0.05)"])
    )
    row = np.array([[space.number[token] for token in tokens_of(longest, space)]])
    assert row.shape[1] <= space.most_tokens
    lesson = Writer(space, Training(), seed=0).learn(row, [True], [1.0], 0.0)
    assert np.isfinite(lesson.loss)
