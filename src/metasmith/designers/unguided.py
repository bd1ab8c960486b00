"""The guided designer without its network: of the same candidates any are proposed.

It is there to be compared with: whatever the guided designer is better by, the network is worth.
"""

from functools import partial

from metasmith.designers.contract import Declaration
from metasmith.designers.guided.designer import GuidedDesigner

DESIGNER = Declaration("unguided", __doc__, partial(GuidedDesigner, network=None))
