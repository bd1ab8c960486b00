"""The channels between a base station, a reflecting surface and the users: the data of an instance of beamforming."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from metasmith.arrays import Floats

Complex = NDArray[np.complex128]

BITS = 2
"""Bits of a phase in the paper."""

POWER = 10**0.2
"""The station's power in the paper: an SNR of 2 dB, as the noise power is 1."""


@dataclass(frozen=True, eq=False)
class Channels:
    """The data of an instance, in units in which the noise power is 1; in the literature G, Hd, Hr, b, P_T and omega.

    station_surface: (elements, antennas). direct: (users, antennas). surface_users: (users, elements).
    bits: of a phase; an element has 2**bits phases. power: of the station. weights: of the users' rates, (users,).
    """

    station_surface: Complex
    direct: Complex
    surface_users: Complex
    bits: int
    power: float
    weights: Floats

    @property
    def elements(self) -> int:
        return len(self.station_surface)

    @property
    def antennas(self) -> int:
        return self.station_surface.shape[1]

    @property
    def users(self) -> int:
        return len(self.direct)

    def by_phase(self) -> Complex:
        """What each element adds to the channel at each of its phases: (elements, phases, users, antennas)."""
        phases = np.exp(-2j * np.pi * np.arange(2**self.bits) / 2**self.bits)
        paths = self.surface_users.T[:, :, None] * self.station_surface[:, None, :]
        return np.asarray(phases[None, :, None, None] * paths[:, None], np.complex128)

    def reach(self) -> Floats:
        """An upper bound on the absolute value of any part of a user's channel: (users,)."""
        reflected = np.abs(self.surface_users) @ np.abs(self.station_surface)
        return np.asarray((np.abs(self.direct) + reflected).max(axis=1))
