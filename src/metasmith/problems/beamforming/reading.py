"""Read a user's own channels from numpy's `.npz` or MATLAB's `.mat`; arrays have their names in the literature.

G: (elements, antennas), station to surface. Hd: (users, antennas), station to users. Hr: (users, elements), surface to
users. All are complex, in units in which the noise power is 1. Optional are b, the bits of a phase (default 2), P_T,
the power (default 10**0.2, an SNR of 2 dB), and omega, the users' weights (default 1 each).
"""

import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import numpy as np

from metasmith.problems.beamforming.channels import BITS, POWER, Channels, Complex

SHAPES = {"G": "elements x antennas", "Hd": "users x antennas", "Hr": "users x elements"}
"""The arrays that must be in a file, and what their rows and columns are."""

WHOLE = [f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)]
SIZED = {"double", "single", "logical", "char", *WHOLE}
"""MATLAB's arrays whose sizes a file says; an entry takes 16 bytes at most."""

MOST_BITS = 8
"""Largest number of bits of a phase."""

LEAST = 1e-150
"""Smallest size of a channel, and one over the largest: squares of such numbers are neither 0 nor infinite."""

MOST_BYTES = 2**28
"""Largest size of what is in a file, once it is unpacked: a channel of 4,096 elements to 4,096 antennas."""

STRONGEST = 1e12
"""Largest power of the station over that of the noise, and one over the smallest."""


def read(path: Path) -> Channels:
    """The channels in a file. Raises ValueError, with one line, if the file or an array is missing or does not fit."""
    if not path.is_file():
        raise ValueError(f"there is no file '{path}'; beamforming: is followed by a file of channels, .npz or .mat")
    try:
        return checked(_arrays(path))
    except ValueError as error:
        raise ValueError(f"channels of '{path}': {error}") from error


def checked(arrays: Mapping[str, Any]) -> Channels:
    """Channels from arrays by name. Raises ValueError if they do not fit together."""
    missing = " and no ".join(name for name in SHAPES if name not in arrays)
    if missing:
        needed = ", ".join(f"{name} ({shape})" for name, shape in SHAPES.items())
        raise ValueError(f"there is no {missing} in it; needed are {needed}")
    station_surface, direct, surface_users = (_matrix(name, arrays[name]) for name in SHAPES)
    (elements, antennas), users = station_surface.shape, len(direct)
    for name, matrix, shape in (("Hd", direct, (users, antennas)), ("Hr", surface_users, (users, elements))):
        if matrix.shape != shape:
            expected, got = (f"{rows} x {columns}" for rows, columns in (shape, matrix.shape))
            because = f"G is {elements} x {antennas} ({SHAPES['G']}) and Hd has {users} rows, the users"
            raise ValueError(f"{name} must be {expected} ({SHAPES[name]}), because {because}; it is {got}")
    if users > antennas:
        raise ValueError(
            f"{antennas} antennas cannot serve {users} users without interference; "
            f"leave out {users - antennas} of the users"
        )
    bits, power = (_number(name, arrays.get(name, otherwise)) for name, otherwise in (("b", BITS), ("P_T", POWER)))
    if bits not in range(1, MOST_BITS + 1):
        raise ValueError(f"b, the bits of a phase, must be a whole number from 1 to {MOST_BITS}; it is {bits:g}")
    if not 1 / STRONGEST <= power <= STRONGEST:
        raise ValueError(
            "P_T, the power of the station over that of the noise, "
            f"must be from {1 / STRONGEST:g} to {STRONGEST:g}; it is {power:g}"
        )
    weights = _real("omega", arrays.get("omega", np.ones(users))).ravel()
    if weights.shape != (users,) or (weights < 0).any() or not LEAST < weights.max() < 1 / LEAST:
        raise ValueError(
            f"omega must be {users} weights of users, none below 0, not all 0 and none above {1 / LEAST:g}; "
            f"it is {weights.tolist()}"
        )
    channels = Channels(station_surface, direct, surface_users, int(bits), power, weights)
    with np.errstate(over="ignore", invalid="ignore"):
        reach = channels.reach()
    for user in np.flatnonzero(~((reach > LEAST) & (reach < 1 / LEAST))):
        raise ValueError(
            f"user {user + 1}'s rows of Hd and Hr are too large, too small or all zero; "
            "give them in units in which the noise power is 1"
        )
    if not station_surface.any():
        raise ValueError("G is all zero, so nothing reaches the surface and no phase matters")
    if _rank(np.hstack([direct, surface_users])) < users:
        raise ValueError(
            "a user's rows of Hd and Hr are a linear combination of the others', so no phases can tell them apart; "
            "is one there twice?"
        )
    if (ways := _rank(np.vstack([direct, station_surface]))) < users:
        raise ValueError(f"Hd and G together have rank {ways}: too few ways to send for {users} users")
    return channels


def _rank(matrix: Complex) -> int:
    """The rank of a matrix whose rows may differ in size by many orders of magnitude."""
    rows = matrix[np.abs(matrix).max(axis=1) > 0]
    return int(np.linalg.matrix_rank(rows / np.abs(rows).max(axis=1, keepdims=True)))


def _arrays(path: Path) -> Mapping[str, Any]:
    match path.suffix.lower():
        case ".npz":
            return _npz(path)
        case ".mat":
            return _mat(path)
        case other:
            raise ValueError(f"a file of channels ends in .npz or .mat, not in '{other}'")


def _npz(path: Path) -> Mapping[str, Any]:
    try:
        with ZipFile(path) as file:
            size = sum(member.file_size for member in file.infolist())
        if size <= MOST_BYTES:
            with np.load(path, allow_pickle=False) as arrays:
                return {name: arrays[name] for name in arrays.files}
    except Exception as error:  # of the zip, of what it is compressed with, or of numpy
        raise ValueError("it cannot be read as .npz; write it with numpy.savez(file, G=..., Hd=..., Hr=...)") from error
    raise _too_large(size)


def _too_large(size: int) -> ValueError:
    return ValueError(
        f"what is in it would take {size / 2**20:,.0f} MB, and {MOST_BYTES >> 20} MB is the most; "
        "write a file with only the arrays that are needed"
    )


def _mat(path: Path) -> Mapping[str, Any]:
    from scipy.io import loadmat, whosmat

    try:
        # cells and the like do not say how large they are, and are not needed
        sizes = {name: 16 * math.prod(shape) for name, shape, kind in whosmat(path) if kind in SIZED}
        if sum(sizes.values()) <= MOST_BYTES:
            return dict(loadmat(path, variable_names=list(sizes)))
    except NotImplementedError as error:
        raise ValueError(
            "it is a .mat of version 7.3; write it in MATLAB with save(file, 'G', 'Hd', 'Hr', '-v7')"
        ) from error
    except Exception as error:
        raise ValueError(
            "it cannot be read as .mat; write it in MATLAB with save(file, 'G', 'Hd', 'Hr', '-v7')"
        ) from error
    raise _too_large(sum(sizes.values()))


def _matrix(name: str, value: Any) -> Complex:
    matrix = np.asarray(value)
    if matrix.dtype.kind not in "biufc" or matrix.ndim != 2 or not matrix.size:
        raise ValueError(
            f"{name} must be a matrix of complex numbers; it is of shape {matrix.shape} and type {matrix.dtype}"
        )
    if not np.isfinite(matrix).all():
        row, column = np.argwhere(~np.isfinite(matrix))[0]
        raise ValueError(
            f"{name} has {matrix[row, column]} in row {row + 1}, column {column + 1}; "
            "every channel must be a finite number"
        )
    return matrix.astype(np.complex128)


def _real(name: str, value: Any) -> Any:
    array = np.asarray(value)
    if array.dtype.kind not in "biuf" or not np.isfinite(array).all():
        raise ValueError(f"{name} must be real and finite; it is {array.tolist()}")
    return array.astype(np.float64)


def _number(name: str, value: Any) -> float:
    array = _real(name, value)
    if array.size != 1:
        raise ValueError(f"{name} must be one number; it is of shape {array.shape}")
    return float(array.ravel()[0])
