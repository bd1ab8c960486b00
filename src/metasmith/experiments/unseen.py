"""A problem that was never seen: what does a writer design for it at once, after learning others?

A writer learns the problems of continual task 2 without those of one family, then designs with the effort `none` for
one of that family. Beside it: a design by the same race among programs drawn at random, programs drawn at random
without any race, and random search.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean, median
from time import perf_counter
from typing import Any

from metasmith.api import design, learn
from metasmith.experiments.continual import SERIES, values
from metasmith.experiments.pages import markdown, number, seeds
from metasmith.experiments.scales import Scale
from metasmith.experiments.sheets import Sheet
from metasmith.program import one_line, random_program
from metasmith.space import Space

CASES: Mapping[str, tuple[tuple[str, ...], str]] = {
    "LeadingOnes": (("F2", "F11"), "F2"),
    "Ising": (("F19",), "F20"),
    "graphs and queens": (("F22", "F23"), "F22"),
}
"""By family: its functions in continual task 2, which are left out, and the one to design for."""

DRAWN = 51
SECONDS = 10
"""What a design at once may take."""


@dataclass(frozen=True)
class Unseen:
    """One family left out.

    Means on the test problem: of the writer's design, of the drawn programs (each), and so on.
    """

    family: str
    learned: tuple[str, ...]
    function: str
    program: str
    seconds: float
    design: float
    raced: float
    drawn: list[float]
    search: float

    @property
    def good(self) -> bool:
        return self.design > max(median(self.drawn), self.raced, self.search) and self.seconds < SECONDS

    def record(self) -> dict[str, Any]:
        return {**vars(self), "good": self.good}


def unseen(scale: Scale, out: Path, on_done: Callable[[], None], log: Path | None = None) -> Iterator[Unseen]:
    """Every case. on_done: called after each. log: a folder for the logs of all runs on test problems."""
    for family, (left_out, function) in CASES.items():
        learned = tuple(each for each in SERIES["continual-2"] if each not in left_out)
        writer = out / f"{scale.effort}-without-{'-'.join(left_out)}.safetensors"
        writer.parent.mkdir(parents=True, exist_ok=True)
        learn([f"pbo:{each}" for each in learned], writer, effort=scale.effort)
        begun = perf_counter()
        made = design(f"pbo:{function}", writer=writer, effort="none")
        seconds = perf_counter() - begun
        rival = design(f"pbo:{function}", designer="random", effort="none")
        drawn = [str(random_program(Space.named("full").on("bits"), seed)) for seed in range(DRAWN)]
        means = [
            fmean(values(program, function, scale.runs, None, log))
            for program in (str(made.program), str(rival.program), *drawn)
        ]
        search = fmean(values("random", function, scale.runs, None, log))
        yield Unseen(family, learned, function, str(made.program), seconds, means[0], means[1], means[2:], search)
        on_done()


def report(found: list[Unseen]) -> str:
    lines = [
        [each.family, each.function, number(each.design), number(each.raced), number(median(each.drawn)), number(max(each.drawn)),
         number(each.search), f"{each.seconds:.1f}", "yes" if each.good else "**no**"]
        for each in found
    ]  # fmt: skip
    head = [
        "left out",
        "design for",
        "writer",
        "race of drawn",
        "median drawn",
        "best drawn",
        "random search",
        "seconds",
        "better",
    ]
    programs = "\n".join(f"- {each.function}: `{one_line(each.program)}`" for each in found)
    return f"""\
Means on the test problem (d = 625, instance 1, 50,000 evaluations). Writer: what it designs at once, with its seconds. Race of drawn: the
winner of the same race among as many programs drawn at random, with the same evaluations but those for looking at the landscape. Median
and best of {DRAWN} programs drawn at random, without a race. Better: than the race, the median and random search, in less than {SECONDS} s.
All with the seed 0, the drawn programs with {seeds(DRAWN)}, and every algorithm's runs from seed 0 on.

{markdown(head, lines)}

What was designed:

{programs}
"""


def sheet(found: list[Unseen]) -> Sheet:
    return Sheet("unseen", "Problems never seen", report(found), [each.record() for each in found])
