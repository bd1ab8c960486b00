"""An archive of programs that scored what one wishes, and designers taught with a toy reward."""

from collections.abc import Callable, Sequence
from typing import Any

import pytest

from metasmith.designers import find_designer
from metasmith.designers.contract import Archive, Designer, Member, Proposal, Standing
from metasmith.designers.reading import Reader
from metasmith.program import Program, tokens_of
from metasmith.space import Space

FULL = Space.named("full").on("bits")


def if_installed(name: str) -> Any:
    """A designer as the parameter of a test, which is skipped where the designer cannot work."""
    try:
        find_designer(name).check()
    except ValueError as error:
        return pytest.param(name, marks=pytest.mark.skip(reason=str(error)))
    return name


Reward = Callable[[Program], float]


def short(program: Program) -> float:
    """A reward for short programs."""
    return -float(len(program.snippets))


def archive_of(proposals: Sequence[Proposal], reward: Reward = short, progress: float = 0.0) -> Archive:
    """An archive of programs, all of which reached the last rung."""
    members = {each.program: Member(each, reward(each.program), reward(each.program)) for each in proposals}
    best = sorted(members.values(), key=lambda member: reward(member.proposal.program), reverse=True)
    return Archive(members, best, progress)


def written(text: str, space: Space = FULL) -> Proposal:
    """A program of a text, as somebody else wrote it."""
    return Reader(space).proposal([space.number[token] for token in tokens_of(Program.parse(text), space)], "other")


def taught(designer: Designer, batches: int, count: int, reward: Reward = short) -> list[list[Proposal]]:
    """What a designer proposes when it is rewarded so, a list a batch."""
    proposals: list[list[Proposal]] = []
    for batch in range(batches):
        seen = [proposal for before in proposals for proposal in before]
        now = designer.propose(archive_of(seen, reward, batch / batches), count)
        rewards = [reward(proposal.program) for proposal in now]
        designer.tell(Standing(now, rewards, rewards, list(dict.fromkeys(proposal.program for proposal in now))))
        proposals.append(now)
    return proposals
