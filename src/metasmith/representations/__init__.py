"""What solutions are made of, one file per kind of variables. `contract.py` says what each must answer.

A file dropped in this folder is found by its `REPRESENTATION`; nothing else needs to change.
"""

from metasmith.discovery import Members, by_name, discovered
from metasmith.representations.bits import Bits
from metasmith.representations.contract import Kind, Representation, Variables
from metasmith.representations.integers import Integers

GROUP = "metasmith.representations"
KINDS: Members[Kind] = Members(lambda: by_name(discovered(__name__, "REPRESENTATION", GROUP), lambda kind: kind.name))
"""Every kind of variables by name."""

__all__ = ["KINDS", "Bits", "Integers", "Kind", "Representation", "Variables"]
