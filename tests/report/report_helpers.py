"""A record as `metasmith.analysis.evidence` makes them, of numbers that are easily told apart; and pictures taken
apart.
"""

from typing import Any
from xml.etree import ElementTree

from metasmith.program import Program, pseudocode

NAMES = ("rls", "ea", "fga", "umda", "ghc")
FORKED = """\
population 10
nich                         fork 3
cross_uniform(p=0.7)         fork 2
reset_n(n=1)
reset_rand(p=1/d)            iterate until 5%
simulated_annealing_select   iterate until local_optimum
reinitialize                 iterate until 1%
tournament
reset_sweep
greedy_select
"""


def case(
    problem: str, design: list[float], others: list[float], *, optimum: float | None = 100.0, **changes: Any
) -> dict[str, Any]:
    """A problem on which the design reached `design`, and each of the others one less than the one before it."""
    values = {"design": design, **{name: [value - i for value in others] for i, name in enumerate(NAMES)}}
    grid = [1, 10, 100, 1000]
    curves = {name: [[value / 8, value / 4, value / 2, value] for value in found] for name, found in values.items()}
    hits = {name: [900 + i for i in range(len(found))] for name, found in values.items()}
    facts = {
        "problem": problem,
        "dimension": 50,
        "evaluations": 1000,
        "direction": "max",
        "optimum": optimum,
        "learned": False,
        "judged": True,
    }
    return {**facts, "values": values, "hits": hits, "curves": curves, "grid": grid, **changes}


def part(snippet: str, loss: tuple[float, ...], mean: float, difference: tuple[float, ...]) -> dict[str, Any]:
    """A part that was removed."""
    known = {"line": 2, "snippet": snippet, "change": "removed", "program": "", "mean": mean}
    names = ("loss", "low", "high", "difference", "difference_low", "difference_high")
    return {**known, **dict(zip(names, (*loss, *difference), strict=True))}


def record(program: str = FORKED, test: list[dict[str, Any]] | None = None, **others: Any) -> dict[str, Any]:
    """All that a page is made of."""
    test = test or [
        case("one", [90.0, 95.0, 100.0], [60.0, 61.0, 62.0]),
        case("two <b>", [80.0, 85.0, 90.0], [50.0, 55.0, 60.0]),
    ]
    further = [
        {
            **each, "values": {**each["values"], "random": [10.0, 10.0, 10.0]},
            "problem": f"{each['problem']} at {size}",
            "dimension": size, "learned": size == 80, "judged": size == 50,
        }
        for each in test
        for size in (50, 80)
    ]  # fmt: skip
    ledger = {
        "runs": 20,
        "evaluations": 20_000,
        "cached": 3,
        "running_seconds": 4.0,
        "measuring_seconds": 3.0,
        "proposing_seconds": 1.0,
    }
    batches = [
        {"step": "batch", "batch": i, "mean": i / 10, "best": i / 5, "entropy": 2 - i / 5, "ledger": ledger}
        for i in (1, 2, 3)
    ]
    evidence = {
        "settings": {"runs": 3, "seed": 7},
        "ranking": list(NAMES),
        "learned": ["one at 80"],
        "judged": ["one", "two <b>"],
        "plans": [
            {"problem": "one", "value": 100.0, "seed": 8, "lines": ["depot 1 serves <nobody>", "depot 2 serves all"]}
        ],
        "test": test,
        "generalisation": further,
        "ablation": [
            part("nich", (0.25, 0.2, 0.3), 70.0, (-20.0, -24.0, -16.0)),
            part("reset_sweep", (-0.0123456, -0.02, 0.01), 91.0, (1.0, -1.0, 2.0)),
        ],
        "loss": "percent of the way from random search to the design",
        "whole": "There is nothing to take away.",
        "spent": {"evaluations": 123_456, "seconds": 5.0},
        "made": {"day": "2026-01-02", "commit": "abc1234", "packages": {"numpy": "2.4.6"}, "machine": "2 cores"},
    }  # fmt: skip
    design = {
        "task": "small", "evaluations": 1000, "seed": 4, "program": program.strip(),
        "pseudocode": pseudocode(Program.parse(program)),
        "score": 0.9, "ledger": ledger, "metasmith": "0.1.0",
        "descent": [
            {"program": program.strip(), "source": "mutant", "batch": 3},
            {"program": "population 2\nreset_n(n=1)", "source": "mutant", "batch": 2},
            {"program": "population 1\nreset_n(n=1)", "source": "library", "batch": 1},
        ],
    }  # fmt: skip
    spec, commands = 'task = "small"\n', ["metasmith design small", "metasmith report runs/small"]
    return {
        "run": "runs/small", "design": design, "spec": spec, "history": batches, "commands": commands,
        "evidence": {**evidence, **others},
    }  # fmt: skip


def parsed(picture: str) -> ElementTree.Element:
    """A picture as XML. Raises ParseError if it is none."""
    return ElementTree.fromstring(picture)


def texts(picture: str) -> list[str]:
    """The words in a picture."""
    return [element.text or "" for element in parsed(picture).iter("{http://www.w3.org/2000/svg}text")]


def of_class(picture: str, name: str) -> list[ElementTree.Element]:
    return [element for element in parsed(picture).iter() if name in element.get("class", "").split()]
