"""The W-model (Weise and Wu 2018) with random parameters: OneMax or LeadingOnes with dummy variables, neutrality or
epistasis, and ruggedness, all at once. The kernels are those of the PBO suite.
"""

from collections.abc import Callable

from metasmith.arrays import Floats, Words
from metasmith.problems.draws import Draws
from metasmith.problems.pbo.dummy import every
from metasmith.problems.pbo.function import Function, no_scratch
from metasmith.problems.pbo.leading_ones import leading_ones, leading_ones_epistasis, leading_ones_neutrality
from metasmith.problems.pbo.neutrality import blocks, word_after
from metasmith.problems.pbo.onemax import onemax, onemax_epistasis, onemax_neutrality
from metasmith.problems.pbo.ruggedness import alternating, plateaus, reversed_blocks, smooth
from metasmith.problems.practice.kind import Kind
from metasmith.problems.problem import Kernel, Native, Problem
from metasmith.representations import Bits
from metasmith.words import pack

LAYERS: tuple[tuple[Kernel, Callable[[int], Words], Callable[[int], int]], ...] = (
    (onemax, every, no_scratch),
    (onemax_neutrality, blocks, word_after),
    (onemax_epistasis, every, no_scratch),
    (leading_ones, every, no_scratch),
    (leading_ones_neutrality, blocks, word_after),
    (leading_ones_epistasis, every, no_scratch),
)
"""Kernels, the bits that they count, and their scratch."""

LEVELS: tuple[Callable[[int], Floats], ...] = (smooth, plateaus, alternating, reversed_blocks)

PERMUTED = (51, 100)
"""The instances of the PBO suite that permute the bits."""


def make(n: int, draws: Draws, name: str) -> Problem:
    """Any of six kernels and four kinds of ruggedness, with up to 40 % of the bits as dummies."""
    kernel, counted, scratch = LAYERS[draws.one(0, len(LAYERS) - 1)]
    levels = LEVELS[draws.one(0, len(LEVELS) - 1)]
    kept = draws.uniform(1, n) >= draws.between(0, 0.4)
    kept[0, 0] = True  # no mask is empty
    mask = counted(n) & pack(kept)
    function = Function(name, KIND.title, KIND.meaning, kernel, lambda n: mask, levels, scratch=scratch)
    seen = function.at(n, draws.one(*PERMUTED))
    assert isinstance(seen.how, Native)
    return Problem.native(
        kernel,
        Bits(n),
        name=name,
        tables=seen.how.tables,
        work=seen.how.work,
        optimum=seen.optimum,
        scale=seen.scale,
    )


KIND = Kind(
    "w-model",
    "W-model",
    "OneMax or LeadingOnes under dummies, neutrality or epistasis, and ruggedness",
    "all layers",
    "tuning",
    make,
)
