"""The objective of beamforming: one over the sum of the users' rates, with the best use of the station's power.

The channel between users and antennas is a sum over the elements. It is kept in whole numbers, in units so small that
nothing is lost. Their sums are exact, so a change of few elements can be added to the channel of the previous solution,
and the value has the same bits as if it were computed from scratch.
"""

import math

import numpy as np
from numba.extending import register_jitable

from metasmith.arrays import Floats, Indices, Tables, Values, Words, tables
from metasmith.problems.beamforming.channels import Channels, Complex
from metasmith.problems.problem import Problem
from metasmith.representations import Integers

USERS, ANTENNAS, PHASES, DIRECT = 0, 1, 2, 3
"""Positions in `tables.numbers`.

From DIRECT on come the direct channel, and then what each element adds to it at each of its phases. A channel is its
real parts, user by user, then the imaginary ones. `tables.reals` holds the power, then a weight and then a unit for
each user.
"""

LARGEST = 2.0**61
"""Upper bound of all parts of a channel, in units."""

SINGULAR = 1e-24
"""Share of its power below which what is left of a user's channel, without the span of the others', counts as zero."""


def beamforming(channels: Channels, name: str) -> Problem:
    """The problem of finding the best phases for `channels`."""
    unit = 2.0 ** np.ceil(np.log2(channels.reach() / LARGEST))
    direct, reflected = (_in_units(part, unit) for part in (channels.direct, channels.by_phase()))
    users, antennas = channels.users, channels.antennas
    weighted = "sum rate" if (channels.weights == 1).all() else "weighted sum rate"
    problem = Problem.native(
        inverse_rate,
        Integers(2**channels.bits, channels.elements),
        name=name,
        tables=tables(
            numbers=np.concatenate([[users, antennas, 2**channels.bits], direct.ravel(), reflected.ravel()]),
            reals=np.concatenate([[channels.power], channels.weights, unit]),
        ),
        work=channels.elements + direct.size + 2 * users * (antennas + users) + users,
        direction="min",
        explain=lambda x: [f"{weighted} {1 / (problem(x) * math.log(2)):.4f} bit/s/Hz"],
    )
    return problem


def _in_units(channels: Complex, unit: Floats) -> Indices:
    """Channels, (..., users, antennas), in whole numbers, real and imaginary parts apart: (..., 2, users, antennas)."""
    return np.rint(np.stack([channels.real, channels.imag], axis=-3) / unit[:, None]).astype(np.int64)


def inverse_rate(x: Values, tables: Tables, work: Words) -> float:
    """One over the weighted sum of the users' rates, in nats; infinity if their channels are linearly dependent."""
    users, antennas = tables.numbers[USERS], tables.numbers[ANTENNAS]
    numbers, reals, beyond = work.view(np.int64), work.view(np.float64), len(x) + 2 * users * antennas
    seen, channel, rows, costs = (
        numbers[: len(x)],
        numbers[len(x) : beyond],
        reals[beyond : len(work) - users],
        reals[len(work) - users :],
    )
    follow(x, tables, seen, channel)
    if not force_zero(channel, tables, rows, costs):
        return np.inf
    level = fill(costs, tables.reals[0])
    total = 0.0
    for k in range(users):
        if costs[k] < level:
            total += tables.reals[1 + k] * math.log(level / costs[k])
    return 1.0 / total if total > 0.0 else np.inf


@register_jitable
def follow(x: Values, tables: Tables, seen: Indices, channel: Indices) -> None:
    """Update `channel` from that of the previous solution to that of `x`.

    seen: the phases of the previous solution, plus one; zeros before the first: (elements,).
    """
    phases, size = tables.numbers[PHASES], len(channel)
    added = tables.numbers[DIRECT + size :]
    changed = 0
    for n in range(len(x)):
        changed += seen[n] != x[n] + 1
    anew = 2 * changed > len(x)
    if anew:
        for j in range(size):
            channel[j] = tables.numbers[DIRECT + j]
    for n in range(len(x)):
        before, seen[n] = seen[n], x[n] + 1
        if anew:
            add(channel, added[size * (phases * n + x[n]) :])
        elif before != x[n] + 1:
            add(channel, added[size * (phases * n + x[n]) :])
            take(channel, added[size * (phases * n + before - 1) :])


@register_jitable
def add(channel: Indices, other: Indices) -> None:
    for j in range(len(channel)):
        channel[j] += other[j]


@register_jitable
def take(channel: Indices, other: Indices) -> None:
    for j in range(len(channel)):
        channel[j] -= other[j]


@register_jitable
def force_zero(channel: Indices, tables: Tables, rows: Floats, costs: Floats) -> bool:
    """Write the costs of zero-forcing, sent power per received power of each user; False if it is impossible.

    With F the channel, the costs are the diagonal of (F F^H)^-1. Gram-Schmidt makes the rows of F orthonormal, one user
    after another. `rows` holds them and, beside each, its row of the matrix T for which T F is orthonormal; hence
    (F F^H)^-1 = T^H T.
    """
    users, antennas = tables.numbers[USERS], tables.numbers[ANTENNAS]
    width = antennas + users
    for k in range(users):
        real, imaginary = rows[2 * k * width : (2 * k + 1) * width], rows[(2 * k + 1) * width : (2 * k + 2) * width]
        unit = tables.reals[1 + users + k]
        power = 0.0
        for m in range(antennas):
            real[m] = unit * channel[k * antennas + m]
            imaginary[m] = unit * channel[(users + k) * antennas + m]
            power += real[m] * real[m] + imaginary[m] * imaginary[m]
        for j in range(users):
            real[antennas + j] = 1.0 if j == k else 0.0
            imaginary[antennas + j] = 0.0
        least = SINGULAR * power
        for i in range(k):
            power = take_away(rows[2 * i * width : (2 * i + 2) * width], real, imaginary, antennas)
        if power <= least:
            return False
        costs[k] = 0.0
        scale = 1.0 / math.sqrt(power)
        for j in range(width):
            real[j] *= scale
            imaginary[j] *= scale
        for j in range(k + 1):
            costs[j] += real[antennas + j] * real[antennas + j] + imaginary[antennas + j] * imaginary[antennas + j]
    return True


@register_jitable
def take_away(row: Floats, real: Floats, imaginary: Floats, antennas: int) -> float:
    """Subtract from a channel its projection on `row`, a unit vector with real parts first; return the power left."""
    width = len(real)
    a = b = 0.0
    for m in range(antennas):
        a += real[m] * row[m] + imaginary[m] * row[width + m]
        b += imaginary[m] * row[m] - real[m] * row[width + m]
    for j in range(width):
        real[j] -= a * row[j] - b * row[width + j]
        imaginary[j] -= a * row[width + j] + b * row[j]
    power = 0.0
    for m in range(antennas):
        power += real[m] * real[m] + imaginary[m] * imaginary[m]
    return power


@register_jitable
def fill(costs: Floats, power: float) -> float:
    """The level of water-filling: `power` is spent on the users whose costs are below it, filling each up to it."""
    level = np.inf
    under = len(costs) + 1
    while True:
        count = 0
        volume = power
        for k in range(len(costs)):
            if costs[k] < level:
                count += 1
                volume += costs[k]
        if count == under or count == 0:
            return level
        under = count
        level = volume / count
