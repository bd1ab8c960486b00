"""The default without its network: of the same candidates any are proposed, not those that a network expects most of.

It is there to be compared with: whatever the default is better by, the network is worth.
"""

from functools import partial

from metasmith.designers.contract import Declaration
from metasmith.designers.guided.designer import GuidedDesigner

DESIGNER = Declaration("without_network", __doc__, partial(GuidedDesigner, network=None))
