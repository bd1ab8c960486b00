"""Random channels, determined by a number: station and surface have fixed positions, users random ones near a point."""

import numpy as np

from metasmith.arrays import Floats
from metasmith.problems.beamforming.channels import BITS, POWER, Channels, Complex
from metasmith.problems.draws import Draws

ANTENNAS = 4
USERS = 4
SURFACE = 100.0 + 0.0j
"""Position of the surface in metres from the station, as a point of the complex plane."""

CENTRE = 100.0 + 30.0j
RADIUS = 10.0
"""The disc in which the users are, in metres from the station."""

NOISE = -170 + 10 * np.log10(180_000)
"""Noise power in dBm, over a band of 180 kHz."""

RICIAN = 10.0
"""Rician factor: the power of the line of sight over that of the scattered signal."""


def channels(elements: int, number: int) -> Channels:
    """The random channels `number` of a surface: equal numbers of elements and equal `number` give equal channels."""
    draws = Draws("beamforming", elements, number)
    users = CENTRE + RADIUS * draws.uniform(USERS) * np.exp(2j * np.pi * draws.uniform(USERS))
    reflected = line_of_sight(np.abs(SURFACE)) + line_of_sight(np.abs(users - SURFACE))
    to_surface, to_station = draws.uniform(2)
    station_surface = np.outer(steering(to_surface, elements), steering(to_station, ANTENNAS).conj())
    surface_users = np.array([steering(angle, elements).conj() for angle in draws.uniform(USERS)])
    return Channels(
        station_surface=scattered(station_surface, draws),
        direct=amplitude(32.6 + 36.7 * np.log10(np.abs(users)))[:, None] * gaussian(draws, USERS, ANTENNAS),
        surface_users=amplitude(reflected)[:, None] * scattered(surface_users, draws),  # with the losses of both hops
        bits=BITS,
        power=POWER,
        weights=np.ones(USERS),
    )


def line_of_sight(distance: Floats) -> Floats:
    """The path loss over a distance in line of sight, in dB."""
    return 20 + 20 * np.log10(distance)


def amplitude(loss: Floats) -> Floats:
    """The amplitude, in units of the noise, of a signal with a path loss of so many dB."""
    return np.sqrt(10 ** ((-NOISE - loss) / 10))


def steering(angle: float, count: int) -> Complex:
    """The steering vector of a line of antennas, half a wavelength apart, for a wave from that angle: (count,)."""
    return np.exp(1j * np.pi * np.sin(angle) * np.arange(count))


def scattered(sight: Complex, draws: Draws) -> Complex:
    """A Rician channel: the line of sight plus a random scattered signal."""
    return np.sqrt(RICIAN / (RICIAN + 1)) * sight + np.sqrt(1 / (RICIAN + 1)) * gaussian(draws, *sight.shape)


def gaussian(draws: Draws, rows: int, columns: int) -> Complex:
    """Circularly symmetric complex Gaussian numbers of unit variance: (rows, columns)."""
    size, angle = draws.uniform(rows * columns), draws.uniform(rows * columns)
    return (np.sqrt(-np.log1p(-size)) * np.exp(2j * np.pi * angle)).reshape(rows, columns)
