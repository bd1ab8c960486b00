"""What solutions are made of, one file per representation.

A representation says its name (components have a kernel of that name), how a solution is laid out in a row of a pool
(`dtype`, `width`), what kernels are told of the variables (`shape`), how rows become vectors and back, and two
kernels: `fresh` makes random solutions, `unpack_row` writes one row as a vector.
"""

from metasmith.representations.bits import Bits
from metasmith.representations.integers import Integers

Variables = Bits | Integers
BY_NAME = {kind.name: kind for kind in (Bits, Integers)}

__all__ = ["BY_NAME", "Bits", "Integers", "Variables"]
