"""Pointers: where the flow goes after a component (paper III-A)."""

from enum import StrEnum

from metasmith.components import Role


class Pointer(StrEnum):
    """Where the flow may go after a component."""

    FORWARD = "forward"  # to the next component
    ITERATE = "iterate"  # again, until a condition is met
    FORK = "fork"  # each solution to the next component or to a later one, by a fair coin


POINTERS: dict[Role, tuple[Pointer, ...]] = {
    Role.CHOOSE: (Pointer.FORWARD, Pointer.FORK),
    Role.SEARCH: (Pointer.FORWARD, Pointer.ITERATE, Pointer.FORK),
    Role.SELECT: (Pointer.FORWARD, Pointer.ITERATE),
}
"""The pointers that a component of each role may have."""
