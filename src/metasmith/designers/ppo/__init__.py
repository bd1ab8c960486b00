"""The network alone, as in the paper: it writes programs token by token, and learns from their rewards by PPO.

torch is imported in the modules of this folder only, and not before the designer is made.
"""

from typing import TYPE_CHECKING

from metasmith.arrays import Floats
from metasmith.designers.contract import Declaration, Designer
from metasmith.designers.training import Training
from metasmith.space import Space

if TYPE_CHECKING:
    from metasmith.designers.ppo.writer_file import WriterFile


def made(
    space: Space,
    training: Training,
    *,
    seed: int,
    memory: "WriterFile | None" = None,
    factors: Floats | None = None,
) -> Designer:
    """The designer; torch is loaded here."""
    from metasmith.designers.ppo.designer import NetworkDesigner

    return NetworkDesigner(space, training, seed=seed, memory=memory, factors=factors)


DESIGNER = Declaration("ppo", __doc__, made, learns=True)
