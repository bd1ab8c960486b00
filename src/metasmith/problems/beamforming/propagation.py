"""Channels drawn at random, by a number: a station and a surface in fixed places, users somewhere around a third."""

import numpy as np

from metasmith.arrays import Floats
from metasmith.chance import STEP, mixed, seeded
from metasmith.problems.beamforming.channels import BITS, POWER, Channels, Complex
from metasmith.words import U

ANTENNAS = 4
USERS = 4
SURFACE = 100.0 + 0.0j
"""In metres from the station, as a point of the complex plane."""
CENTRE = 100.0 + 30.0j
RADIUS = 10.0
"""Users are within so many metres of the centre."""
NOISE = -170 + 10 * np.log10(180_000)
"""In dBm, over a band of 180 kHz."""
RICIAN = 10.0
"""Power of the line of sight, over that of what is scattered."""


def channels(elements: int, number: int) -> Channels:
    """Channels `number` of a surface of so many elements: equal numbers, equal channels."""
    chance = Draws("beamforming", elements, number)
    places = CENTRE + RADIUS * chance.uniform(USERS) * np.exp(2j * np.pi * chance.uniform(USERS))
    reflected = line_of_sight(np.abs(SURFACE)) + line_of_sight(np.abs(places - SURFACE))
    to_surface, to_station = chance.uniform(2)
    station_surface = np.outer(steering(to_surface, elements), steering(to_station, ANTENNAS).conj())
    surface_users = np.array([steering(angle, elements).conj() for angle in chance.uniform(USERS)])
    return Channels(
        station_surface=scattered(station_surface, chance),
        direct=amplitude(32.6 + 36.7 * np.log10(np.abs(places)))[:, None] * chance.gaussian(USERS, ANTENNAS),
        surface_users=amplitude(reflected)[:, None]
        * scattered(surface_users, chance),  # they carry the losses of both hops
        bits=BITS,
        power=POWER,
        weights=np.ones(USERS),
    )


def line_of_sight(distance: Floats) -> Floats:
    """What is lost on the way, in dB."""
    return 20 + 20 * np.log10(distance)


def amplitude(loss: Floats) -> Floats:
    """Of a signal that has lost so many dB, in units of the noise."""
    return np.sqrt(10 ** ((-NOISE - loss) / 10))


def steering(angle: float, count: int) -> Complex:
    """What an array of antennas in line, half a wavelength apart, sees of a wave from that angle: (count,)."""
    return np.exp(1j * np.pi * np.sin(angle) * np.arange(count))


def scattered(sight: Complex, chance: "Draws") -> Complex:
    """A line of sight, and what comes from everywhere else."""
    return np.sqrt(RICIAN / (RICIAN + 1)) * sight + np.sqrt(1 / (RICIAN + 1)) * chance.gaussian(*sight.shape)


class Draws:
    """Random arrays from our own generator, so that instances stay what they are whatever the version of numpy."""

    def __init__(self, *parts: object) -> None:
        self.state = seeded(*parts)

    def uniform(self, count: int) -> Floats:
        """Numbers in [0, 1)."""
        states = self.state + STEP * np.arange(1, count + 1, dtype=np.uint64)
        self.state = states[-1:]
        return (mixed(states) >> U(11)) * (1.0 / 9007199254740992.0)

    def gaussian(self, rows: int, columns: int) -> Complex:
        """Complex numbers of unit variance, the same in all directions: (rows, columns)."""
        size, angle = self.uniform(rows * columns), self.uniform(rows * columns)
        return (np.sqrt(-np.log1p(-size)) * np.exp(2j * np.pi * angle)).reshape(rows, columns)
