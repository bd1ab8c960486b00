"""AC power flow: Newton's method in polar coordinates, from a flat start, on the energised network.

The matrix is sparse, of blocks of 2 x 2, eliminated in the fixed order of `elimination`. Restored networks are almost
trees, so most of its blocks are zero in a stage; `find_live` marks the others, and only those are computed. Nothing is
allocated: all numbers live in the scratch, at the offsets of `layout`.
"""

from math import cos, factorial, sin

import numpy as np
from numba.extending import register_jitable

from metasmith.arrays import Floats, Indices, Tables, Words
from metasmith.problems.restoration.elimination import PAIRS
from metasmith.problems.restoration.layout import (
    ADMITTANCE,
    ANGLE,
    BACK,
    BLOCK,
    CONSUMES,
    CROSS,
    DEAD,
    END,
    FIRST,
    FLOW,
    IMAGINARY,
    KIND,
    LATER,
    LIVE,
    MAGNITUDE,
    NET_P,
    NET_Q,
    OWN_P,
    OWN_Q,
    REAL,
    REGULATES,
    SLACK,
    START,
    STEP,
    TARGET,
    TARGET_FIRST,
    THERE,
    P,
    Q,
)  # fmt: skip
from metasmith.problems.restoration.system import BUSES
from metasmith.words import ONE, ZERO, lowest

TOLERANCE = 1e-5
"""Mismatch of power at a bus below which the flow counts as solved."""

ITERATIONS = 10
"""Newton steps after which the flow counts as without a solution."""

BEYOND = 1e6
"""Mismatch of power from which Newton's method does not return."""

C2, C3, C4, C5, C6, C7, C8, C9, C10, C11, C12, C13, C14, C15, C16 = (
    (-1) ** (n // 2) / factorial(n) for n in range(2, 17)
)
"""Coefficients of the power series of cosine (even) and sine (odd)."""

SMALL = 0.8
"""Largest angle at which these series are right in every digit but the last."""


@register_jitable
def solved(branches: np.uint64, tables: Tables, work: Words) -> bool:
    """Solve for the voltages; P, Q and FLOW are then those of the solution. False if there is none.

    branches: those energised, as bits. The caller sets KIND, NET_P, NET_Q and MAGNITUDE; angles start at zero.
    """
    ints, reals = work.view(np.int64), work.view(np.float64)
    find_live(branches, tables.numbers, ints)
    for bus in range(BUSES):
        reals[ANGLE + bus] = 0.0
    for iteration in range(ITERATIONS + 1):
        find_flows(branches, tables, reals)
        missing = find_missing(ints, reals)
        if missing < TOLERANCE:
            return True
        if not missing < BEYOND or iteration == ITERATIONS:
            return False
        fill_blocks(branches, tables.numbers, ints, reals)
        if not eliminated(tables.numbers, ints, reals):
            return False
        take_step(tables.numbers, ints, reals)
    return False


@register_jitable
def find_live(branches: np.uint64, numbers: Indices, ints: Indices) -> None:
    """Mark the pairs whose blocks are not zero in this network: joined by a branch, or by fill-in."""
    for pair in range(PAIRS):
        ints[LIVE + pair] = 0
    left = branches
    while left != ZERO:
        k = lowest(left)
        left &= left - ONE
        ints[LIVE + min(numbers[THERE + k], numbers[BACK + k]) - BUSES] = 1
    for bus in range(BUSES):
        first, beyond = numbers[FIRST + bus], numbers[FIRST + bus + 1]
        for i in range(first, beyond):
            if ints[LIVE + i]:
                for j in range(i + 1, beyond):
                    if ints[LIVE + j]:
                        target = numbers[
                            TARGET + numbers[TARGET_FIRST + bus] + (i - first) * (beyond - first) + j - first
                        ]
                        ints[LIVE + target - BUSES] = 1


@register_jitable
def find_flows(branches: np.uint64, tables: Tables, reals: Floats) -> None:
    """Compute the power into every branch at both ends, and its sum at every bus."""
    for bus in range(BUSES):
        reals[P + bus] = reals[Q + bus] = reals[OWN_P + bus] = reals[OWN_Q + bus] = 0.0
    find_voltages(reals)
    left = branches
    while left != ZERO:
        k = lowest(left)
        left &= left - ONE
        start, end = tables.numbers[START + k], tables.numbers[END + k]
        y = ADMITTANCE + 6 * k
        e, f, g, h = reals[REAL + start], reals[IMAGINARY + start], reals[REAL + end], reals[IMAGINARY + end]
        along, across = e * g + f * h, f * g - e * h  # the voltage at start, relative to the angle at end
        conductance, susceptance = tables.reals[y + 4], tables.reals[y + 5]
        cross_p, cross_q = along * conductance + across * susceptance, across * conductance - along * susceptance
        back_p, back_q = along * conductance - across * susceptance, -across * conductance - along * susceptance
        square, end_square = e * e + f * f, g * g + h * h
        own_p, own_q = square * tables.reals[y], -square * tables.reals[y + 1]
        end_p, end_q = end_square * tables.reals[y + 2], -end_square * tables.reals[y + 3]
        c = CROSS + 4 * k
        reals[c], reals[c + 1], reals[c + 2], reals[c + 3] = cross_p, cross_q, back_p, back_q
        c = FLOW + 4 * k
        reals[c], reals[c + 1], reals[c + 2], reals[c + 3] = (
            own_p + cross_p,
            own_q + cross_q,
            end_p + back_p,
            end_q + back_q,
        )
        reals[P + start] += own_p + cross_p
        reals[Q + start] += own_q + cross_q
        reals[P + end] += end_p + back_p
        reals[Q + end] += end_q + back_q
        reals[OWN_P + start] += own_p
        reals[OWN_Q + start] += own_q
        reals[OWN_P + end] += end_p
        reals[OWN_Q + end] += end_q


@register_jitable
def find_voltages(reals: Floats) -> None:
    """Compute complex voltages from angles and magnitudes.

    Angles are small in all but hopeless networks; power series are then faster, as several buses are done at a time.
    """
    most = 0.0
    for bus in range(BUSES):
        most = max(most, abs(reals[ANGLE + bus]))
    if most <= SMALL:
        for bus in range(BUSES):
            angle = reals[ANGLE + bus]
            x = angle * angle
            cosine = 1 + x * (C2 + x * (C4 + x * (C6 + x * (C8 + x * (C10 + x * (C12 + x * (C14 + x * C16)))))))
            sine = angle * (1 + x * (C3 + x * (C5 + x * (C7 + x * (C9 + x * (C11 + x * (C13 + x * C15)))))))
            reals[REAL + bus] = reals[MAGNITUDE + bus] * cosine
            reals[IMAGINARY + bus] = reals[MAGNITUDE + bus] * sine
    else:
        for bus in range(BUSES):
            reals[REAL + bus] = reals[MAGNITUDE + bus] * cos(reals[ANGLE + bus])
            reals[IMAGINARY + bus] = reals[MAGNITUDE + bus] * sin(reals[ANGLE + bus])


@register_jitable
def find_missing(ints: Indices, reals: Floats) -> float:
    """Write the right-hand side, the mismatch of power at every bus; return the largest, NaN if there is one."""
    most = 0.0
    for bus in range(BUSES):
        kind = ints[KIND + bus]
        p = reals[NET_P + bus] - reals[P + bus] if kind in (CONSUMES, REGULATES) else 0.0
        q = reals[NET_Q + bus] - reals[Q + bus] if kind == CONSUMES else 0.0
        reals[STEP + 2 * bus], reals[STEP + 2 * bus + 1] = p, q
        if not abs(p) <= most:
            most = abs(p)
        if not abs(q) <= most:
            most = abs(q)
    return most


@register_jitable
def fill_blocks(branches: np.uint64, numbers: Indices, ints: Indices, reals: Floats) -> None:
    """Write the derivatives of P and Q by angle and by relative magnitude.

    Rows of quantities that are fixed are zero but for a one on the diagonal.
    """
    for bus in range(BUSES):
        kind, at = ints[KIND + bus], BLOCK + 4 * bus
        if kind != DEAD:
            p, q, own_p, own_q = reals[P + bus], reals[Q + bus], reals[OWN_P + bus], reals[OWN_Q + bus]
            reals[at], reals[at + 1] = (1.0, 0.0) if kind == SLACK else (own_q - q, p + own_p)
            reals[at + 2], reals[at + 3] = (p - own_p, q + own_q) if kind == CONSUMES else (0.0, 1.0)
    for pair in range(PAIRS):
        if ints[LIVE + pair]:
            for at in (BLOCK + 4 * (BUSES + pair), BLOCK + 4 * (BUSES + PAIRS + pair)):
                reals[at] = reals[at + 1] = reals[at + 2] = reals[at + 3] = 0.0
    left = branches
    while left != ZERO:
        k = lowest(left)
        left &= left - ONE
        cross = CROSS + 4 * k
        fill_block(
            ints[KIND + numbers[START + k]], BLOCK + 4 * numbers[THERE + k], reals[cross], reals[cross + 1], reals
        )
        fill_block(
            ints[KIND + numbers[END + k]], BLOCK + 4 * numbers[BACK + k], reals[cross + 2], reals[cross + 3], reals
        )


@register_jitable
def fill_block(kind: int, at: int, p: float, q: float, reals: Floats) -> None:
    if kind != SLACK:
        reals[at], reals[at + 1] = q, p
    if kind == CONSUMES:
        reals[at + 2], reals[at + 3] = -p, q


@register_jitable
def eliminated(numbers: Indices, ints: Indices, reals: Floats) -> bool:
    """Eliminate bus after bus, leaving the blocks of the diagonal inverted; False if one has no inverse."""
    for bus in range(BUSES):
        if ints[KIND + bus] == DEAD:
            continue
        at = BLOCK + 4 * bus
        a, b, c, d = reals[at], reals[at + 1], reals[at + 2], reals[at + 3]
        determinant = a * d - b * c
        if determinant == 0.0:
            return False
        scale = 1.0 / determinant
        a, b, c, d = d * scale, -b * scale, -c * scale, a * scale
        reals[at], reals[at + 1], reals[at + 2], reals[at + 3] = a, b, c, d
        p, q = reals[STEP + 2 * bus], reals[STEP + 2 * bus + 1]
        first, beyond = numbers[FIRST + bus], numbers[FIRST + bus + 1]
        target = TARGET + numbers[TARGET_FIRST + bus]
        for i in range(first, beyond):
            if ints[LIVE + i]:
                at = BLOCK + 4 * (BUSES + PAIRS + i)
                e, f, g, h = reals[at], reals[at + 1], reals[at + 2], reals[at + 3]
                e, f, g, h = e * a + f * c, e * b + f * d, g * a + h * c, g * b + h * d
                step = STEP + 2 * numbers[LATER + i]
                reals[step] -= e * p + f * q
                reals[step + 1] -= g * p + h * q
                for j in range(first, beyond):
                    if ints[LIVE + j]:
                        at = BLOCK + 4 * (BUSES + j)
                        k, m, n, o = reals[at], reals[at + 1], reals[at + 2], reals[at + 3]
                        at = BLOCK + 4 * numbers[target + j - first]
                        reals[at] -= e * k + f * n
                        reals[at + 1] -= e * m + f * o
                        reals[at + 2] -= g * k + h * n
                        reals[at + 3] -= g * m + h * o
            target += beyond - first
    return True


@register_jitable
def take_step(numbers: Indices, ints: Indices, reals: Floats) -> None:
    """Substitute backwards, and add the step to angles and magnitudes."""
    for bus in range(BUSES - 1, -1, -1):
        if ints[KIND + bus] == DEAD:
            continue
        p, q = reals[STEP + 2 * bus], reals[STEP + 2 * bus + 1]
        for i in range(numbers[FIRST + bus], numbers[FIRST + bus + 1]):
            if ints[LIVE + i]:
                at, step = BLOCK + 4 * (BUSES + i), STEP + 2 * numbers[LATER + i]
                p -= reals[at] * reals[step] + reals[at + 1] * reals[step + 1]
                q -= reals[at + 2] * reals[step] + reals[at + 3] * reals[step + 1]
        at = BLOCK + 4 * bus
        angle, share = reals[at] * p + reals[at + 1] * q, reals[at + 2] * p + reals[at + 3] * q
        reals[STEP + 2 * bus], reals[STEP + 2 * bus + 1] = angle, share
        reals[ANGLE + bus] += angle
        reals[MAGNITUDE + bus] *= 1.0 + share
