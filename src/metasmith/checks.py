"""Checks of what users give, before it is believed."""

import operator
from typing import SupportsIndex, cast


def whole_number(what: str, value: object, least: int | None = None) -> int:
    """`value` as an int. Raises ValueError, in one line, for what is no whole number, or below `least`.

    True and False are none, though Python counts with them: a seed of True would give other random numbers than 1.
    """
    try:
        number = operator.index(cast(SupportsIndex, value))
    except TypeError:
        number = None
    if number is None or isinstance(value, bool):
        raise ValueError(f"{what} must be a whole number, got {value!r}")
    if least is not None and number < least:
        raise ValueError(f"{what} must be at least {least}, got {number}")
    return number
