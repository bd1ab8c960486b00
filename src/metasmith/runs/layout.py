"""The layout of a design: how an effort's rungs, batches and races become smaller for what may be spent."""

from collections.abc import Iterator
from dataclasses import replace

from metasmith.measuring import Measuring, schedule
from metasmith.measuring.final_race import shrunk
from metasmith.measuring.schedule import LEAST
from metasmith.problems import Task
from metasmith.runs.costs import Costs
from metasmith.runs.efforts import Settings

FEWEST_RUNS = 20
"""No design is made for less than so many runs of use."""

START_SHARE, RACE_SHARE = 1 / 5, 1 / 3
"""What the references and the final race may take at most; what is left is for batches."""

KNOWN_SHARE = 1 / 2
"""What the known algorithms may take at most: where that is not enough for all of them, there is no batch of them."""

BATCHES = 20
"""Before there are fewer batches than this, there are fewer training problems, runs of a program, and programs."""

SHORTEST_SHARE = 1 / 5
"""Of whole runs: where these are short, the shortened ones have this share, so that more programs can be tried."""

FEWEST_PROGRAMS = 4
"""Those of the smallest batch: two of them go on."""


def laid_out(settings: Settings, task: Task, spend: int, *, looks: bool = False, known: int = 0) -> Settings:
    """The settings for a design of `task` that may spend so many evaluations, all of which it will.

    What is enough for the settings leaves them as they are. Otherwise there are first fewer training problems, so that
    the references take a fifth at most and small batches can be many, then a smaller final race, which takes a third at
    most, then fewer runs of each program, then smaller batches. looks: whether a writer with a memory looks at the
    problems first. known: how many known algorithms it begins with, if it can pay for them.
    """
    if known:
        chosen = _laid_out(settings, task, spend, looks, known)
        costs = Costs.of(task, chosen.measuring, chosen.race, looks=looks, known=known)
        fits = costs.least(chosen.batches, chosen.training.batch) <= spend
        if fits and costs.known <= KNOWN_SHARE * spend:
            return chosen
        settings = replace(settings, training=replace(settings.training, known=False))
    return _laid_out(settings, task, spend, looks, 0)


def _laid_out(settings: Settings, task: Task, spend: int, looks: bool, known: int) -> Settings:
    race, training = replace(settings.race, rest=bool(settings.race.rounds)), settings.training
    costs = Costs.of(task, settings.measuring, race, looks=looks, known=known)
    if spend >= costs.total(settings.batches, training.batch):
        return replace(settings, race=race)
    fewest = min(FEWEST_PROGRAMS, training.batch)
    for measuring in fewer_problems(task, settings.measuring):
        smallest = shrunk(race, schedule(task, measuring), 0) if race.rounds else race
        costs = Costs.of(task, replace(measuring, runs=1), smallest, looks=looks, known=known)
        enough = costs.total(min(BATCHES, settings.batches), fewest) - costs.final
        shares = costs.references <= START_SHARE * spend and enough <= (1 - RACE_SHARE) * spend
        if shares and enough + costs.final <= spend:
            break
    if race.rounds:
        spare = spend - costs.least(settings.batches, fewest) + costs.final
        race = shrunk(race, costs.schedule, min(spare, int(RACE_SHARE * spend)) if settings.batches else spare)
    sizes = [(runs, training.batch) for runs in range(measuring.runs, 0, -1)]
    sizes += [(1, batch) for batch in range(training.batch - 1, fewest - 1, -1)]
    for runs, batch in sizes:
        measuring = replace(measuring, runs=runs)
        costs = Costs.of(task, measuring, race, looks=looks, known=known)
        if costs.total(min(BATCHES, settings.batches), batch) <= spend:
            break
    return replace(settings, training=replace(training, batch=batch), measuring=measuring, race=race)


def fewer_problems(task: Task, measuring: Measuring) -> Iterator[Measuring]:
    """The measuring with runs on the rungs that are no longer than they must be, and fewer and fewer training problems.

    First fewer of each size, then fewer sizes.
    """
    shortened = replace(measuring, shortest=max(1, min(LEAST, int(SHORTEST_SHARE * task.evaluations))))
    yield shortened
    sizes = [problem.dimension for problem in task.training]
    most = max(map(sizes.count, sizes))
    for instances in range(min(most, measuring.instances or most) - 1, 0, -1):
        yield replace(shortened, instances=instances)
    for count in range(len(set(sizes)) - 1, 0, -1):
        yield replace(shortened, instances=1, sizes=count)
