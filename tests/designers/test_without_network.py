"""The default without its network is the same designer, but for what is chosen among its candidates."""

from designer_helpers import FULL, archive_of

from metasmith.designers import find_designer
from metasmith.designers.contract import Archive
from metasmith.designers.random import RandomDesigner
from metasmith.designers.training import Training


def test_its_batch_is_among_the_candidates_of_the_default():
    archive = archive_of(RandomDesigner(FULL, Training(), seed=0).propose(Archive(), 30))
    default, without = (
        find_designer(name).make(FULL, Training(), seed=0) for name in ("guided", "without_network")
    )  # fmt: skip
    assert default.network is not None
    assert without.network is None
    chosen, any_of_them = default.propose(archive, 24), without.propose(archive, 24)
    assert [each.program for each in chosen] != [each.program for each in any_of_them]
