"""Mutants of the best programs, chosen among many by a network that was taught on other tasks.

Of every batch a few are good programs again; the others are those of many mutants, and of some random programs, that
the network expects most of, after what the archive says. It is shipped with the package: see `metasmith reproduce
teach`.
"""

from typing import TYPE_CHECKING

from metasmith.designers.contract import Declaration, Designer
from metasmith.designers.training import Training
from metasmith.space import Space

if TYPE_CHECKING:
    from metasmith.designers.guided.network import Network


def made(space: Space, training: Training, *, seed: int) -> Designer:
    """The designer with the network that is shipped; both are loaded here."""
    from metasmith.designers.guided.designer import GuidedDesigner

    return GuidedDesigner(space, training, seed=seed, network=shipped())


def shipped() -> "Network":
    """The network that comes with the package."""
    from metasmith.designers.guided.network import SHIPPED, read

    return read(SHIPPED)


DESIGNER = Declaration("guided", __doc__, made)
