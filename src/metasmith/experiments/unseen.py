"""A problem that was never seen: what does a writer design for it at once, after learning others?

A writer learns the problems of continual task 2 without those of one family, then designs with the effort `none` for
one of that family. Beside it: a design by the same race among random programs, random programs without any race, and
random search.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean, median
from time import perf_counter
from typing import Any

from metasmith.api import design, learn
from metasmith.experiments.shared.continual import SERIES, values
from metasmith.experiments.shared.contract import LOG, SCALE, Experiment, by_scale
from metasmith.experiments.shared.scales import Scale
from metasmith.program import one_line, random_program
from metasmith.report.numbers import decimals, seeds
from metasmith.report.sheet import Part, Sheet
from metasmith.report.tables import Table, yes_or_no
from metasmith.space import Space

NAME = "unseen"
FAMILIES: Mapping[str, tuple[tuple[str, ...], str]] = {
    "LeadingOnes": (("F2", "F11"), "F2"),
    "Ising": (("F19",), "F20"),
    "graphs and queens": (("F22", "F23"), "F22"),
}
"""By family: its functions in continual task 2, which are left out, and the one to design for."""

RANDOM = 51
"""Random programs beside the design."""

SECONDS = 10
"""What a design at once may take."""


@dataclass(frozen=True)
class Unseen:
    """One family left out, and the means on the test problem: of the writer's design, of the winner of a race among
    random programs, of each of some random programs, and of random search.
    """

    family: str
    learned: tuple[str, ...]
    function: str
    program: str
    seconds: float
    design: float
    raced: float
    random: list[float]
    search: float

    @property
    def good(self) -> bool:
        return self.design > max(median(self.random), self.raced, self.search) and self.seconds < SECONDS

    def record(self) -> dict[str, Any]:
        """For machines."""
        return {**vars(self), "good": self.good}


def unseen(scale: Scale, out: Path, on_done: Callable[[], None], log: Path | None = None) -> Iterator[Unseen]:
    """Every family. on_done: called after each. log: a folder for the logs of all runs on test problems."""
    for family, (left_out, function) in FAMILIES.items():
        learned = tuple(each for each in SERIES["continual-2"] if each not in left_out)
        writer = out / f"{scale.effort}-without-{'-'.join(left_out)}.safetensors"
        writer.parent.mkdir(parents=True, exist_ok=True)
        learn([f"pbo:{each}" for each in learned], writer, effort=scale.effort)
        begun = perf_counter()
        made = design(f"pbo:{function}", writer=writer, effort="none")
        seconds = perf_counter() - begun
        rival = design(f"pbo:{function}", designer="random", effort="none")
        programs = [str(random_program(Space.named("full").on("bits"), seed)) for seed in range(RANDOM)]
        means = [
            fmean(values(program, function, scale.runs, None, log))
            for program in (str(made.program), str(rival.program), *programs)
        ]
        search = fmean(values("random", function, scale.runs, None, log))
        yield Unseen(family, learned, function, str(made.program), seconds, means[0], means[1], means[2:], search)
        on_done()


def sheet(families: list[Unseen]) -> Sheet:
    """The table, and what was designed."""
    rows = [
        [
            each.family, each.function, decimals(each.design), decimals(each.raced), decimals(median(each.random)),
            decimals(max(each.random)), decimals(each.search), f"{each.seconds:.1f}", yes_or_no(each.good),
        ]
        for each in families
    ]  # fmt: skip
    head = [
        "left out", "design for", "writer", "race of random", "median random", "best random", "random search",
        "seconds", "better",
    ]  # fmt: skip
    programs = "\n".join(f"- {each.function}: `{one_line(each.program)}`" for each in families)
    text = f"""\
Means on the test problem (d = 625, instance 1, 50,000 evaluations). Writer: what it designs at once, with its seconds.
Race of random: the winner of the same race among as many random programs, with the same evaluations but those for
looking at the landscape. Median and best of {RANDOM} random programs, without a race. Better: than the race, the median
and random search, in less than {SECONDS} s. All with the seed 0, the random programs with {seeds(RANDOM)}, and every
algorithm's runs from seed 0 on."""
    parts: list[Part] = [text, Table(head, rows), "What was designed:", programs]
    return Sheet(NAME, "Problems never seen", parts, [each.record() for each in families])


EXPERIMENT = Experiment(
    name=NAME,
    help="What a writer designs at once for problems of a family it has never seen.",
    order=10,
    options=(SCALE, LOG),
    folder=by_scale(NAME),
    steps=lambda request: ("families", len(FAMILIES)),
    sheet=lambda request, tick: sheet(list(unseen(request.scale, request.folder, tick, request.log))),
    spreads=False,
)
