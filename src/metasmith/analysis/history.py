"""The history of a run: which of its steps were learning, and what was best so far."""

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

from metasmith.program import Program, pseudocode


class Leader(NamedTuple):
    """The best program of a run so far.

    score: over all rungs, or, once there is a final race, in that. source: who proposed it first. runs: those that the
    score is the mean of, where it is that of the race.
    """

    program: str
    score: float
    source: str
    runs: int | None = None

    def record(self) -> dict[str, Any]:
        """All of it as JSON has it, with the program as pseudocode too."""
        return {**self._asdict(), "pseudocode": pseudocode(Program.parse(self.program))}


def learning(history: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """The steps in which a designer proposed programs and learned from their scores."""
    return [line for line in history if line["step"] == "batch"]


def leader(history: Sequence[dict[str, Any]]) -> Leader | None:
    """The best program so far; None before the first batch. One that was designed at once, without a race, has no score
    in its history.
    """
    for line in reversed(history):
        if line["step"] == "race":
            program, score, runs = line["standing"][0]
            return Leader(program, score, line["sources"][0], runs)
        if line["step"] == "inference":
            return Leader(line["program"], math.nan, line["source"])
        if line["step"] == "batch":
            program = line["leader"]
            sources = (dict(zip(each["programs"], each["sources"], strict=True)) for each in learning(history))
            proposed_by = next((source[program] for source in sources if program in source), "unknown")
            return Leader(program, line["best"], proposed_by)
    return None


def spent(history: Sequence[dict[str, Any]]) -> int:
    """The evaluations so far."""
    return int(history[-1]["ledger"]["evaluations"]) if history else 0


def descended(line: Sequence[dict[str, Any]]) -> str:
    """Who proposed a design, and where its line of descent begins, in words. line: as `design.json` has it."""
    generations = "1 generation" if len(line) == 2 else f"{len(line) - 1} generations"
    return f", {generations} after ".join(map(proposed_by, (*line[:1], *line[1:][-1:])))


def proposed_by(ancestor: dict[str, Any]) -> str:
    """Who proposed a program of that line first, and when."""
    batch = ancestor["batch"]
    return f"{ancestor['source']} ({'for the final race' if batch is None else f'batch {batch}'})"
