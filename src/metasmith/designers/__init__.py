"""Those who propose programs: one file or folder per designer, with a `DESIGNER`; the contract is in `contract.py`.

A file dropped in this folder is found, and so are the entry points of the group `metasmith.designers`. torch is
imported in `ppo` only, and not before its designer is made.
"""

from functools import lru_cache

from metasmith.designers.contract import Declaration
from metasmith.discovery import by_name, discovered
from metasmith.space.spelling import suggestion


@lru_cache
def designers() -> dict[str, Declaration]:
    """Every designer there is, by name."""
    members = discovered(__name__, "DESIGNER", "metasmith.designers")
    return dict(sorted(by_name(members, lambda member: member.name).items()))


def find_designer(name: str) -> Declaration:
    """The designer of that name. Raises ValueError if there is none."""
    if name not in designers():
        raise ValueError(f"there is no designer '{name}'; {suggestion(name, designers())}")
    return designers()[name]
