"""What power flows violated before, kept in the scratch of a run: a stage depends on some of the choices only, and runs
come back to them.

While units are cranked no load matters, and at the critical loads no other. A small change of a solution so leaves a
stage or two as they were, and populations that agree ask for the same solutions again. What is kept has the same bits
as what would be found.
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
"""In the first word of a key, which otherwise says who cranks: what was never kept is zero."""

LOADS_A_WORD = 64 // STARTED


@register_jitable
def recalled(stage: int, numbers: Indices, work: Words, reals: Floats) -> bool:
    """Whether the stage is known; then OF_STAGE says what it violates. If not, `keep` it when it is."""
    find_key(stage, numbers, work)
    row = place(stage, work)
    for word in range(KEY_WORDS):
        if work[row + word] != work[KEY + word]:
            return False
    for kind in range(VIOLATED_BY):
        reals[OF_STAGE + VIOLATED_BY * stage + kind] = reals[row + KEY_WORDS + kind]
    return True


@register_jitable
def keep(stage: int, work: Words, reals: Floats) -> None:
    """Keep what the stage, which was not recalled, turned out to violate, instead of what has been in its place."""
    row = place(stage, work)
    for word in range(KEY_WORDS):
        work[row + word] = work[KEY + word]
    for kind in range(VIOLATED_BY):
        reals[row + KEY_WORDS + kind] = reals[OF_STAGE + VIOLATED_BY * stage + kind]


@register_jitable
def find_key(stage: int, numbers: Indices, work: Words) -> None:
    """The choices that a stage depends on: those of who cranks, and of who feeds its loads."""
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
def place(stage: int, work: Words) -> int:
    """Where the key's row is, among those of its stage."""
    mixed = ZERO
    for word in range(KEY_WORDS):
        mixed ^= work[KEY + word]
        mixed ^= mixed << U(13)
        mixed ^= mixed >> U(7)
        mixed ^= mixed << U(17)
    return int(KEPT + ROW * (SLOTS * stage + np.int64(mixed & U(SLOTS - 1))))
