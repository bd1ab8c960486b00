"""It is the guided designer, but for what is chosen among the candidates."""

from designer_helpers import FULL, archive_of

from metasmith.designers import find_designer
from metasmith.designers.contract import Archive
from metasmith.designers.random import RandomDesigner
from metasmith.designers.training import Training


def test_both_differ_in_what_is_chosen_only():
    archive = archive_of(RandomDesigner(FULL, Training(), seed=0).propose(Archive(), 30))
    guided, unguided = (
        find_designer(name).make(FULL, Training(), seed=0) for name in ("guided", "unguided")
    )  # fmt: skip
    assert guided.network is not None
    assert unguided.network is None
    chosen, any_of_them = guided.propose(archive, 24), unguided.propose(archive, 24)
    assert [each.program for each in chosen] != [each.program for each in any_of_them]
