"""The history of a run: every step is noted before the next begins, and can be recalled by another process."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import Any, NamedTuple

from metasmith.designers.contract import Member, Proposal
from metasmith.measuring import Cache, Ledger, Measurement, Request
from metasmith.program import Program
from metasmith.runs.folder import Folder
from metasmith.version import VERSION, commit, digest


class History:
    """The steps of a run, in memory and, if there is one, in its folder."""

    def __init__(self, cache: Cache, folder: Folder | None) -> None:
        self.cache = cache
        self.folder = folder
        self.steps: list[dict[str, Any]] = []
        self.replayed: list[dict[str, Any]] = []
        """Steps logged after the last checkpoint; replayed from the log, not run again."""

    @property
    def batches(self) -> list[dict[str, Any]]:
        """The steps that are batches."""
        return [step for step in self.steps if step["step"] == "batch"]

    @property
    def made(self) -> dict[str, str] | None:
        """The code that made the last step."""
        return next((step["made"] for step in reversed(self.steps) if "made" in step), None)

    def note(self, step: dict[str, Any]) -> None:
        """Write down a step, with what was measured in it, the ledger after it, and by which code if that is new."""
        fresh = self.cache.take()
        number = {program: i for i, program in enumerate(dict.fromkeys(request.program for request, _ in fresh))}
        rows = [(number[request.program], *request[1:], *measurement) for request, measurement in fresh]
        measured = {"names": [str(program) for program in number], "measured": rows}
        ours = {"metasmith": VERSION, "commit": commit(), "digest": digest()}
        made = {} if self.made and self.made["digest"] == ours["digest"] else {"made": ours}
        step = {**step, **made, **measured, "ledger": asdict(self.cache.ledger)}
        self.steps.append(step)
        if self.folder is None:
            return
        if self.replayed:  # done again, instead of the one that is there
            self.replayed.pop(0)
            self.folder.rewind(self.steps + self.replayed)
        else:
            self.folder.append(step)

    def recall(self, steps: list[dict[str, Any]], count: int) -> None:
        """Go on after the first `count` of the steps in the folder; the others are replayed."""
        assert self.folder is not None
        self.steps, self.replayed = steps[:count], steps[count:]
        for step in self.steps:
            self.cache.recall(measurements(step))
        for step in self.replayed:
            self.cache.logged.update(measurements(step))
        if self.steps:
            self.cache.ledger = Ledger(**self.steps[-1]["ledger"])
        self.folder.rewind(steps)


def measurements(step: dict[str, Any]) -> Iterator[tuple[Request, Measurement]]:
    """What was measured in a step."""
    programs = [Program.parse(name) for name in step["names"]]
    for number, case, purpose, repeat, rung, *numbers in step["measured"]:
        yield Request(programs[number], case, purpose, repeat, rung), Measurement(*numbers)


def proposals(batch: dict[str, Any]) -> Iterator[Member]:
    """The programs of a batch, with the scores that they had after it."""
    columns = ("programs", "tokens", "sources", "parents", "first", "scores")
    for program, tokens, source, parent, first, score in zip(*(batch[name] for name in columns), strict=True):
        proposal = Proposal(
            Program.parse(program), tokens and tuple(tokens), source, None if parent is None else Program.parse(parent)
        )
        yield Member(proposal, first, score)


def batch_fields(members: list[Member]) -> dict[str, list[Any]]:
    """The same for a step of the history, a list of each."""
    return {
        "programs": [str(member.proposal.program) for member in members],
        "tokens": [member.proposal.tokens for member in members],
        **origins([member.proposal for member in members]),
        "first": [member.first for member in members],
        "scores": [member.score for member in members],
    }


def origins(proposals: Sequence[Proposal]) -> dict[str, list[Any]]:
    """Who proposed programs, and which ones these vary, for a step of the history."""
    return {
        "sources": [proposal.source for proposal in proposals],
        "parents": [proposal.parent and str(proposal.parent) for proposal in proposals],
    }


class Ancestor(NamedTuple):
    """A program, who proposed it first, and in which batch; None if that was for the final race only."""

    program: str
    source: str
    batch: int | None


def descent(steps: Sequence[dict[str, Any]]) -> list[Ancestor]:
    """The winner of a run, and the programs that it descends from: each varies the next."""
    first: dict[str, tuple[Ancestor, str | None]] = {}
    winner = None
    for step in steps:
        if step["step"] == "inference":
            winner, programs, sources, parents = step["program"], [step["program"]], [step["source"]], [None]
        elif step["step"] == "race":
            programs, sources = [row[0] for row in step["standing"]], step["sources"]
            parents = step.get("parents") or [None] * len(programs)  # races begun by earlier code have none
            winner = programs[0]
        elif step["step"] == "batch":
            programs, sources, parents = step["programs"], step["sources"], step["parents"]
        else:
            continue
        for program, source, parent in zip(programs, sources, parents, strict=True):
            first.setdefault(program, (Ancestor(program, source, step.get("batch")), parent))
    line: list[Ancestor] = []
    while winner in first:
        ancestor, winner = first.pop(winner)  # taken away: nobody is among their own ancestors
        line.append(ancestor)
    return line
