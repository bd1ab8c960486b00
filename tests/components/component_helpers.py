"""What the tests of components share."""

from metasmith.representations import Bits, Integers, Variables

REPRESENTATIONS = ("bits", "integers")
ALPHA = 1e-4
"""A statistical test fails below this probability. Seeds are fixed: a right kernel passes, a wrong one is far below."""


def variables_of(representation: str, dimension: int, arity: int | None = None) -> Variables:
    """Bits, or integers of so many values each; if nothing is said of those, of different ones."""
    if representation == "bits":
        return Bits(dimension)
    return Integers.sized(dimension) if arity is None else Integers(arity, dimension)
