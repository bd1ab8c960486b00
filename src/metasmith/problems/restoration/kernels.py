"""The objective of restoration: the minutes of all paths, and a penalty for every violated limit.

`CHOSEN` says for each unit, as bits, which starters crank it, and for each load which units feed it: exactly one in a
feasible solution. Integers always name one; bits may name none, or several that share the power.
"""

from math import sqrt

import numpy as np
from numba.extending import register_jitable

from metasmith.arrays import Floats, Indices, Tables, Values, Words
from metasmith.problems.restoration.layout import (
    BRANCH,
    CHOSEN,
    CONSUMES,
    CRANK,
    CRANK_TENTHS,
    CRANKED,
    CRANKING,
    CRITICAL,
    DEAD,
    DEADLINE,
    DEMAND_P,
    DEMAND_Q,
    EARLY,
    END,
    FLOW,
    GENERATED,
    JOINED,
    KIND,
    LOAD_AT,
    LOAD_P,
    LOAD_Q,
    MAGNITUDE,
    MAX_P,
    MAX_Q,
    MIN_Q,
    MINUTES,
    NAMES,
    NET_P,
    NET_Q,
    NETWORK,
    NO_SOLUTION,
    OF_STAGE,
    ON,
    ONE_HOT,
    OUTPUT,
    POWER,
    RAMP,
    RATING,
    REGULATES,
    SERVE_TENTHS,
    SLACK,
    SLACK_P,
    STAGES,
    START,
    STARTED,
    STARTERS,
    TOTAL,
    UNIT_AT,
    UNIT_Q,
    VIOLATED_BY,
    VIOLATION,
    VOLTAGE,
    P,
    Q,
)  # fmt: skip
from metasmith.problems.restoration.memo import keep, recalled
from metasmith.problems.restoration.power_flow import solved
from metasmith.problems.restoration.system import BUSES, LOADS, UNITS
from metasmith.words import ONE, ZERO, U, has, lowest, popcount

START_MINUTES, CRANK_MINUTES = 15.0, 30.0
"""Minutes until a starter gives power, and from cranking until a unit is on."""

CRITICAL_MINUTES, ALL_MINUTES = 240.0, 360.0
"""Deadlines for the critical loads and for all loads."""

RESERVE_MINUTES = 10.0
"""Minutes of ramping up that give a starter's cranking power."""

CRANK_Q = 0.5
"""Reactive power of a unit that is cranked, as a share of its active power."""

NEVER = 1e6
"""The minute at which a unit counts as on if nobody starts it."""

LOWEST, HIGHEST, VOLTAGE_UNIT = 0.94, 1.06, 0.06
"""Limits of the voltage of a bus, and the excess that counts as a violation of 1."""

FIRST_VOLTAGE, VOLTAGE_SET = 0.98, 1.0
"""Voltage that units hold while cranking, and afterwards. It is lower at first, as lines without load raise it."""

SLACKNESS = 1e-6
"""Tolerance of every limit."""

FLAT, PER_CHOICE, PER_VIOLATION = 200.0, 200.0, 1000.0
"""Penalty: for any violation, for each choice of more or less than one, and per unit of the other violations."""

FITNESS, VIOLATED = 0, 1
"""Values of OUTPUT, which say what a kernel returns: minutes plus penalty, or the sum of the violations."""


def restoration_integers(x: Values, tables: Tables, work: Words) -> float:
    """The objective over integers: each names who cranks a unit, or who feeds a load."""
    chosen = work.view(np.int64)
    for i in range(STARTED + LOADS):
        chosen[CHOSEN + i] = np.int64(1) << np.int64(x[i])
    return evaluate(tables, work)


def restoration_bits(x: Words, tables: Tables, work: Words) -> float:
    """The objective over bits: each says whether one starter cranks a unit, or one unit feeds a load."""
    chosen = work.view(np.int64)
    bit = 0
    for i in range(STARTED + LOADS):
        mask = np.int64(0)
        for option in range(STARTERS if i < STARTED else STARTED):
            mask |= np.int64(has(x, bit)) << np.int64(option)
            bit += 1
        chosen[CHOSEN + i] = mask
    return evaluate(tables, work)


@register_jitable
def evaluate(tables: Tables, work: Words) -> float:
    """The value of the solution in CHOSEN; its minutes and its violations, by kind and stage, stay in the scratch."""
    ints, reals = work.view(np.int64), work.view(np.float64)
    for i in range(len(NAMES)):
        reals[VIOLATION + i] = 0.0
    reals[MINUTES] = (crank_units(tables, work, ints, reals) + serve_loads(tables, work, ints, reals)) / 10.0
    for stage in range(STAGES):
        if not recalled(stage, tables.numbers, work, reals):
            flow(stage, tables, work, ints, reals)
            keep(stage, work, reals)
        for kind in range(VIOLATED_BY):
            reals[VIOLATION + UNIT_Q + kind] += reals[OF_STAGE + VIOLATED_BY * stage + kind]
    violated = 0.0
    for kind in range(CRANKING, len(NAMES)):
        violated += reals[VIOLATION + kind]
    if tables.numbers[OUTPUT] == VIOLATED:
        return reals[VIOLATION + ONE_HOT] + violated
    penalty = PER_CHOICE * reals[VIOLATION + ONE_HOT] + PER_VIOLATION * violated
    return reals[MINUTES] + (FLAT + penalty if penalty > 0.0 else 0.0)


@register_jitable
def flow(stage: int, tables: Tables, work: Words, ints: Indices, reals: Floats) -> None:
    """Solve the power flow of a stage, and write its violations to OF_STAGE."""
    violations = OF_STAGE + VIOLATED_BY * stage - UNIT_Q
    for kind in range(UNIT_Q, len(NAMES)):
        reals[violations + kind] = 0.0
    if energised(stage, tables, work, ints, reals) and solved(work[NETWORK + stage], tables, work):
        judge(work[NETWORK + stage], violations, tables, ints, reals)
    else:
        reals[violations + NO_SOLUTION] = 1.0


@register_jitable
def crank_units(tables: Tables, work: Words, ints: Indices, reals: Floats) -> int:
    """Add up cranking power, and write when each unit is on. Returns the tenths of minutes of the paths."""
    tenths = 0
    work[NETWORK] = ZERO
    for c in range(STARTERS):
        reals[CRANKED + c] = 0.0
    for a in range(STARTED):
        count = popcount(work[CHOSEN + a])
        reals[VIOLATION + ONE_HOT] += abs(count - 1)
        latest = 0
        for c in range(STARTERS):
            if (ints[CHOSEN + a] >> c) & 1:
                path = tables.numbers[CRANK_TENTHS + STARTERS * a + c]
                tenths += path
                latest = max(latest, path)
                reals[CRANKED + c] += tables.reals[CRANK + STARTERS + a] / count
                work[NETWORK] |= tables.words[a, c]
        reals[ON + a] = START_MINUTES + latest / 10.0 + CRANK_MINUTES if count else NEVER
    for c in range(STARTERS):
        most = RESERVE_MINUTES * tables.reals[RAMP + c]
        reals[VIOLATION + CRANKING] += excess(reals[CRANKED + c], 0.0, most) / most
    return tenths


@register_jitable
def serve_loads(tables: Tables, work: Words, ints: Indices, reals: Floats) -> int:
    """Add up the power that units feed, and the violations of deadlines. Returns the tenths of minutes of the paths."""
    tenths = 0
    work[NETWORK + 1] = work[NETWORK + 2] = work[NETWORK]
    for a in range(STARTED):
        reals[EARLY + a] = reals[TOTAL + a] = 0.0
    for b in range(LOADS):
        critical = tables.numbers[CRITICAL + b]
        count = popcount(work[CHOSEN + STARTED + b])
        reals[VIOLATION + ONE_HOT] += abs(count - 1)
        latest = 0.0
        for a in range(STARTED):
            if (ints[CHOSEN + STARTED + b] >> a) & 1:
                path = tables.numbers[SERVE_TENTHS + STARTED * b + a]
                tenths += path
                latest = max(latest, reals[ON + a] + path / 10.0)
                share = tables.reals[LOAD_P + b] / count
                reals[TOTAL + a] += share
                work[NETWORK + 2] |= tables.words[STARTED + b, a]
                if critical:
                    reals[EARLY + a] += share
                    work[NETWORK + 1] |= tables.words[STARTED + b, a]
        if critical:
            reals[VIOLATION + DEADLINE] += min(1.0, excess(latest, 0.0, CRITICAL_MINUTES) / CRITICAL_MINUTES)
        reals[VIOLATION + DEADLINE] += min(1.0, excess(latest, 0.0, ALL_MINUTES) / ALL_MINUTES)
    for a in range(STARTED):
        most, ramp = tables.reals[MAX_P + STARTERS + a], tables.reals[RAMP + STARTERS + a]
        early = min(most, ramp * max(0.0, CRITICAL_MINUTES - reals[ON + a]))
        late = min(most, ramp * max(0.0, ALL_MINUTES - reals[ON + a]))
        reals[VIOLATION + POWER] += (excess(reals[EARLY + a], 0.0, early) + excess(reals[TOTAL + a], 0.0, late)) / most
    return tenths


@register_jitable
def energised(stage: int, tables: Tables, work: Words, ints: Indices, reals: Floats) -> bool:
    """Set up the network of a stage; False if part of it is not connected to a starter."""
    numbers, network = tables.numbers, work[NETWORK + stage]
    for bus in range(BUSES):
        ints[KIND + bus] = DEAD
        reals[DEMAND_P + bus] = reals[DEMAND_Q + bus] = 0.0
        reals[MAGNITUDE + bus] = FIRST_VOLTAGE if stage == 0 else VOLTAGE_SET
        work[JOINED + bus] = ZERO
    alive, left = ZERO, network
    while left != ZERO:
        k = lowest(left)
        left &= left - ONE
        start, end = numbers[START + k], numbers[END + k]
        ints[KIND + start] = ints[KIND + end] = CONSUMES
        work[JOINED + start] |= ONE << U(end)
        work[JOINED + end] |= ONE << U(start)
        alive |= (ONE << U(start)) | (ONE << U(end))
    for unit in range(UNITS):
        bus = numbers[UNIT_AT + unit]
        if ints[KIND + bus] == CONSUMES:
            ints[KIND + bus] = REGULATES
        if unit < STARTERS:
            reals[GENERATED + unit] = reals[CRANKED + unit] if stage == 0 else 0.0
        else:
            reals[GENERATED + unit] = (
                0.0 if stage == 0 else reals[EARLY + unit - STARTERS] if stage == 1 else reals[TOTAL + unit - STARTERS]
            )
            if stage == 0 and ints[CHOSEN + unit - STARTERS]:
                reals[DEMAND_P + bus] += tables.reals[CRANK + unit]
                reals[DEMAND_Q + bus] += CRANK_Q * tables.reals[CRANK + unit]
    if stage > 0:
        for b in range(LOADS):
            if ints[CHOSEN + STARTED + b] and (stage == 2 or numbers[CRITICAL + b]):
                reals[DEMAND_P + numbers[LOAD_AT + b]] += tables.reals[LOAD_P + b]
                reals[DEMAND_Q + numbers[LOAD_AT + b]] += tables.reals[LOAD_Q + b]
    for bus in range(BUSES):
        reals[NET_P + bus] = -reals[DEMAND_P + bus]
        reals[NET_Q + bus] = -reals[DEMAND_Q + bus]
    for unit in range(UNITS):
        reals[NET_P + numbers[UNIT_AT + unit]] += reals[GENERATED + unit]
    reached = ZERO
    for c in range(STARTERS):
        bus = numbers[UNIT_AT + c]
        if ints[KIND + bus] != DEAD and not (reached >> U(bus)) & ONE:
            ints[KIND + bus] = SLACK
            reached |= island(bus, work)
    return bool(alive & ~reached == ZERO)


@register_jitable
def island(bus: int, work: Words) -> np.uint64:
    """All buses connected to `bus`, as bits."""
    reached = waiting = ONE << U(bus)
    while waiting != ZERO:
        joined = work[JOINED + lowest(waiting)]
        waiting &= waiting - ONE
        waiting |= joined & ~reached
        reached |= joined
    return reached


@register_jitable
def judge(network: np.uint64, violations: int, tables: Tables, ints: Indices, reals: Floats) -> None:
    """Add the violations of a solved power flow to those at the offset `violations`, by kind."""
    for unit in range(UNITS):
        bus = tables.numbers[UNIT_AT + unit]
        if ints[KIND + bus] != DEAD:
            most = tables.reals[MAX_Q + unit]
            reals[violations + UNIT_Q] += (
                excess(reals[Q + bus] + reals[DEMAND_Q + bus], tables.reals[MIN_Q + unit], most) / most
            )
            if ints[KIND + bus] == SLACK:
                most = tables.reals[MAX_P + unit]
                reals[violations + SLACK_P] += excess(reals[P + bus] + reals[DEMAND_P + bus], 0.0, most) / most
    left = network
    while left != ZERO:
        k = lowest(left)
        left &= left - ONE
        at = FLOW + 4 * k
        there = reals[at] * reals[at] + reals[at + 1] * reals[at + 1]
        back = reals[at + 2] * reals[at + 2] + reals[at + 3] * reals[at + 3]
        reals[violations + BRANCH] += excess(sqrt(max(there, back)) / tables.reals[RATING + k], 0.0, 1.0)
    for bus in range(BUSES):
        if ints[KIND + bus] != DEAD:
            reals[violations + VOLTAGE] += excess(reals[MAGNITUDE + bus], LOWEST, HIGHEST) / VOLTAGE_UNIT


@register_jitable
def excess(value: float, low: float, high: float) -> float:
    """How far a value is outside its limits; 0 within the tolerance."""
    beyond = max(low - value, value - high)
    return beyond if beyond > SLACKNESS else 0.0
