"""Modules of other packages are exported as people write them, or one line says what cannot be."""

import importlib
import sys
from textwrap import dedent

import pytest
from export_helpers import rugged

import metasmith as ms
from metasmith.components import COMPONENTS
from metasmith.engine import compile as engine
from metasmith.export import exported, source
from metasmith.representations import KINDS
from metasmith.testing.exported import loaded, optimized

CACHES = (source.source, source.kernel_of, source._classes_of_kernels, engine.usable, engine._so_far)

HELPERS = '''
"""Helpers that others import."""

from numba import njit

STEP: int = 1


@njit
def one(value, many):
    """The next value, after the last the first."""
    return (value + STEP) % many


def plain_two(value, many):
    return one(one(value, many), many)


two = njit(cache=False)(plain_two)
'''

COMPONENT = '''
"""A component written as people write Python."""

from __future__ import annotations

import math, sys
import os.path
from math import floor as down
from typing import TYPE_CHECKING

import numba
import numba as nb
from numba import njit as fast

from metasmith.chance import below as under
from metasmith.components.roles import TRIED as ASKED, search
from metasmith.components.settings import SHARES
from .helpers import one, two as twice

if TYPE_CHECKING:
    from metasmith.arrays import Floats, Indices, State, Values as Rows

MASK: int = 1
"""Told below it."""


@numba.njit
def below(number: int) -> int:
    return number & MASK


@nb.njit(cache=False)
def sized(share: float) -> int:
    return 1 + down(math.sqrt(share) * 2)


@fast
def example(memory: Floats) -> int:
    return int(memory[ASKED] > 1)


@search(p=SHARES)
class turned:
    """Some digits become the next."""

    def digits(pool: Rows, moving: Indices, shape: Indices, settings: Floats, others, memory: Floats, rng: State):
        for i in moving:
            for _ in range(sized(settings[0])):
                j = under(len(shape), rng)
                if below(j) + example(memory) > 0:
                    pool[i, j] = one(pool[i, j], shape[j])
                else:
                    pool[i, j] = twice(pool[i, j], shape[j])
'''

REPRESENTATION = '''
"""Digits, with members of its own."""

import typing
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numba.extending import register_jitable as kernel

from metasmith.chance import another, below as drawn
from metasmith.representations import contract
from metasmith.representations.contract import Entry, padded as filled


@kernel
def fresh_digits(pool, moving, shape, rng):
    for i in moving:
        for j in range(len(shape)):
            pool[i, j] = drawn(shape[j], rng)


@kernel
def step_digits(row, shape, rng):
    j = drawn(len(shape), rng)
    row[j] = another(row[j], shape[j], rng)


@kernel
def unpack_digits(row, vector):
    for j in range(len(vector)):
        vector[j] = row[j]


@kernel
def apart(one, other):
    count = 0
    for j in range(len(one)):
        count += one[j] != other[j]
    return count


@dataclass(frozen=True)
class Digits:
    """`n` digits."""

    n: int
    name: ClassVar[str] = "digits"
    cell = np.int32
    vector: typing.ClassVar[type] = np.int64
    references: ClassVar[tuple[str, str]] = ("random", "ea")
    entry: ClassVar[Entry] = Entry("n: int", "Digits(n)", "the digits x with the best function(x).", "9", "x[0]", "it")
    _LOWEST = 2
    _BASE: ClassVar[int] = _LOWEST * 5
    fresh = staticmethod(fresh_digits)
    unpack_row = staticmethod(unpack_digits)
    step = staticmethod(step_digits)
    distance = staticmethod(apart)

    @classmethod
    def sized(cls, n):
        return cls(n)

    @classmethod
    def _most(cls):
        return cls._BASE

    @property
    def _bounds(self):
        return self._full(self._most())

    def _full(self, number):
        return np.full(self.n, number, np.int64)

    def _unused(self):
        return contract

    @property
    def cells(self):
        return self.n

    @property
    def width(self):
        return filled(self.cells, self.cell)

    @property
    def shape(self):
        return self._bounds

    @property
    def neighbours(self):
        return self.n

    @property
    def farthest(self):
        return self.n

    def to_rows(self, vectors):
        rows = np.zeros((len(vectors), self.width), np.int32)
        rows[:, : self.n] = vectors
        return rows

    def to_vectors(self, rows):
        return rows[:, : self.n].astype(np.int64)

    def check(self, vector):
        return None
'''

UNCOPIABLE = {
    ("from . import helpers", "helpers.one(1, 2)"): "'helpers' of module 'odd'",
    ("from . import helpers as h", "h.one(1, 2)"): "'helpers' of module 'odd'",
    ("import metasmith.chance as c", "c.below(2, rng)"): "'c' of module 'odd.turned'",
    ("import metasmith.chance", "metasmith.chance.below(2, rng)"): "'metasmith' of module 'odd.turned'",
    ("if len(__name__) > 3:\n    SIZE = 4", "SIZE"): "'SIZE' of module 'odd.turned'",
    ("SIZE = 4\nif len(__name__) > 3:\n    SIZE = 5", "SIZE"): "'SIZE' of module 'odd.turned'",
    ("SIZE = 4\nSIZE += 1", "SIZE"): "'SIZE' of module 'odd.turned'",
    ("from .helpers import *", "one(1, 2)"): "'one' of module 'odd.turned'",
    ("def late():\n    from .helpers import one\n    return one(1, 2)", "late()"): "'late' of module 'odd.turned'",
}
PLAIN = """
from metasmith.components.roles import search
{before}

@search()
class turned:
    \"\"\"Nothing of the kind.\"\"\"

    def bits(pool, moving, shape, settings, others, memory, rng):
        pool[moving[0], 0] = {used}
"""


@pytest.fixture
def package(tmp_path, monkeypatch):
    """Writes the package `odd`, whose component and representation are then known."""

    def write(component: str, representation: str = "", helpers: str = HELPERS) -> None:
        folder = tmp_path / "odd"
        folder.mkdir()
        for name, text in {"__init__": "", "helpers": helpers, "turned": component, "digits": representation}.items():
            (folder / f"{name}.py").write_text(dedent(text).lstrip(), encoding="utf-8")
        COMPONENTS["turned"] = importlib.import_module("odd.turned").turned
        if representation:
            KINDS["digits"] = importlib.import_module("odd.digits").Digits

    def forget() -> None:
        for cached in CACHES:
            cached.cache_clear()

    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(source, "copied_packages", lambda: frozenset({"metasmith", "odd"}))
    forget()
    yield write
    COMPONENTS.pop("turned", None)
    KINDS.pop("digits", None)
    for module in [name for name in sys.modules if name.partition(".")[0] == "odd"]:
        del sys.modules[module]
    forget()


@pytest.mark.parametrize("numba", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_python_as_people_write_it(package, numba):
    package(COMPONENT, REPRESENTATION)
    program = ms.Program.parse("population 4\ntournament\nturned(p=0.5)\npairwise_select iterate until local_optimum")
    variables = KINDS["digits"](9)
    text = exported(program, KINDS["digits"])
    assert "odd" not in {line.split()[1].partition(".")[0] for line in text.splitlines() if line.startswith("from ")}
    for present in ("\nunder = below\n", "from math import floor as down\n", "def _full(", "_LOWEST = 2", "MASK: int"):
        assert present in text
    for absent in ("metasmith.", "njit\n", "_unused", "def check", "import sys", "import os"):
        assert absent not in text.partition("from __future__")[2]
    module = loaded(text, numba=numba)
    for seed in range(3):
        ours = ms.solve(program, ms.Problem(rugged, variables, isolate=False), evaluations=400, seed=seed)
        theirs = optimized(module, rugged, module.Digits(9), evaluations=400, seed=seed)
        assert (theirs.x.tolist(), theirs.fun, theirs.nfev) == (ours.x.tolist(), ours.fun, ours.nfev)


@pytest.mark.parametrize(("forms", "what"), UNCOPIABLE.items(), ids=[before for before, _ in UNCOPIABLE])
def test_what_cannot_be_copied_is_one_line(package, forms, what):
    before, used = forms
    package(PLAIN.format(before=before, used=used))
    with pytest.raises(ValueError, match=f"^export cannot copy {what}: write it as .*$") as error:
        exported(ms.Program.parse("population 2; turned"), ms.Bits)
    assert "\n" not in str(error.value)


def test_a_representation_with_bases_of_its_own_cannot_be_copied(package):
    derived = REPRESENTATION.replace("@dataclass", "class Base:\n    pass\n\n\n@dataclass")
    package(COMPONENT, derived.replace("class Digits:", "class Digits(Base):"))
    with pytest.raises(ValueError, match=r"^export cannot copy 'Digits' of module 'odd\.digits': write it as a class "):
        exported(ms.Program.parse("population 2; turned(p=0.5)"), KINDS["digits"])


def test_one_name_for_two_things_from_elsewhere(package):
    """Copied into one file, the second import would take the place of the first."""
    other = "from numpy import sqrt\n\n\ndef root(x):\n    return sqrt(x)\n"
    package(
        PLAIN.format(before="from math import sqrt\nfrom .helpers import root", used="int(sqrt(4) + root(4))"),
        helpers=other,
    )
    with pytest.raises(ValueError, match=r"^export cannot copy 'sqrt' of module 'numpy': write it as another name"):
        exported(ms.Program.parse("population 2; turned"), ms.Bits)
