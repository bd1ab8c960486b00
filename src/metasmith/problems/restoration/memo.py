"""A cache of power flows in the scratch of a run: the violations of a stage, by the choices that it depends on.

The cranking stage does not depend on loads, and the stage of critical loads on no other loads. A small change of a
solution therefore leaves one or two stages as they were, and converged populations repeat themselves. What is cached
has the same bits as what would be computed.
"""

import numpy as np
from numba.extending import register_jitable

from metasmith.arrays import Floats, Indices, Words
from metasmith.problems.restoration.layout import (
    CHOSEN,
    CRITICAL,
    KEPT,
    KEY,
    KEY_WORDS,
    OF_STAGE,
    ROW,
    SLOTS,
    STARTED,
    STARTERS,
    VIOLATED_BY,
)
from metasmith.problems.restoration.system import LOADS
from metasmith.words import ONE, ZERO, U

IN_USE = ONE << U(63)
"""A bit that is set in the first word of every key, so that an empty slot, all zeros, equals none."""

LOADS_A_WORD = 64 // STARTED
"""Loads whose choices fit into one word of a key."""


@register_jitable
def recalled(stage: int, numbers: Indices, work: Words, reals: Floats) -> bool:
    """Whether the stage is in the cache; if so, its violations are copied to OF_STAGE. If not, call `keep` later."""
    find_key(stage, numbers, work)
    row = slot(stage, work)
    for word in range(KEY_WORDS):
        if work[row + word] != work[KEY + word]:
            return False
    for kind in range(VIOLATED_BY):
        reals[OF_STAGE + VIOLATED_BY * stage + kind] = reals[row + KEY_WORDS + kind]
    return True


@register_jitable
def keep(stage: int, work: Words, reals: Floats) -> None:
    """Put the violations in OF_STAGE into the cache under the key of the last `recalled`, in place of older ones."""
    row = slot(stage, work)
    for word in range(KEY_WORDS):
        work[row + word] = work[KEY + word]
    for kind in range(VIOLATED_BY):
        reals[row + KEY_WORDS + kind] = reals[OF_STAGE + VIOLATED_BY * stage + kind]


@register_jitable
def find_key(stage: int, numbers: Indices, work: Words) -> None:
    """Write the key of a stage to KEY: the choices of who cranks, and of who feeds the loads of the stage."""
    work[KEY] = IN_USE
    for a in range(STARTED):
        work[KEY] |= work[CHOSEN + a] << U(STARTERS * a)
    for word in range(1, KEY_WORDS):
        work[KEY + word] = ZERO
    if stage > 0:
        for b in range(LOADS):
            if stage == 2 or numbers[CRITICAL + b]:
                work[KEY + 1 + b // LOADS_A_WORD] |= work[CHOSEN + STARTED + b] << U(STARTED * (b % LOADS_A_WORD))


@register_jitable
def slot(stage: int, work: Words) -> int:
    """The offset of the only row, among those of its stage, that may hold the key in KEY."""
    mixed = ZERO
    for word in range(KEY_WORDS):
        mixed ^= work[KEY + word]
        mixed ^= mixed << U(13)
        mixed ^= mixed >> U(7)
        mixed ^= mixed << U(17)
    return int(KEPT + ROW * (SLOTS * stage + np.int64(mixed & U(SLOTS - 1))))
