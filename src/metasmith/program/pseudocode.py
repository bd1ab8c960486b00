"""Pseudocode of a program, in the style of the paper's algorithms."""

from collections.abc import Iterable

from metasmith.components import COMPONENTS
from metasmith.program.program import Program
from metasmith.program.stages import Block, Stage, Step, blocks
from metasmith.space.conditions import Condition

INDENT = "    "


def pseudocode(program: Program) -> str:
    """The pseudocode of `program`, in which S is the population and S_new the solutions made from it."""
    start = f"Input: initial solutions S (population {program.population})"
    body = [line for block in blocks(program) for line in _block(block)]
    return "\n".join([start, *_while("not terminated", body), "Output: best solution found"])


def _block(block: Block) -> list[str]:
    body = [line for stage in block.stages for line in _stage(stage, block.selector)]
    return _until(block.until, body)


def _stage(stage: Stage, selector: str) -> list[str]:
    if stage.restarts:
        return _until(stage.until, ["S = reinitialize(S)"])
    lines = [f"S = {stage.chooser}(S)"]
    source = "S"
    if stage.entry is not None:
        lines += ["S_new = S", _fork(stage.chain[: stage.entry])]
        source = "S_new"
    for i, step in enumerate(stage.chain):
        lines.append(f"S_new = {_call(step, source)}")
        source = "S_new"
        if step.target is not None:
            lines.append(_fork(stage.chain[i + 1 : step.target]))
    lines.append(f"S = {selector}(S, S_new)")
    return _until(stage.until, lines)


def _call(step: Step, source: str) -> str:
    """A search component as a call: `reset_n(S, n=1)`."""
    names = COMPONENTS[step.component].settings
    amounts = [f"{name}={amount}" for name, amount in zip(names, step.amounts, strict=True)]
    return f"{step.component}({', '.join([source, *amounts])})"


def _fork(skipped: Iterable[Step]) -> str:
    return f"with probability 1/2, each solution of S_new skips {', '.join(step.component for step in skipped)}"


def _until(condition: Condition | None, body: list[str]) -> list[str]:
    if condition is None:
        return body
    goal = f"count_{condition.share}*evaluations" if condition.share else condition.event
    return _while(f"{goal} not met", body)


def _while(test: str, body: Iterable[str]) -> list[str]:
    return [f"while {test}", *(INDENT + line for line in body)]


def one_line(text: str) -> str:
    """The text of a program on one line, which reads back as the same program."""
    return "; ".join(" ".join(line.split()) for line in text.splitlines())
