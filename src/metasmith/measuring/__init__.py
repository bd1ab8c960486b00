"""How good programs are.

A program runs on cases: training problems, each with a number of evaluations. `schedule` says which cases are on which
rung, and which are for the final race; `cache` does the runs, none twice; `scores` puts their results on one scale;
`rungs` turns a batch of programs into rewards; `final_race` decides which program is the design; `ledger` counts.
"""

from metasmith.measuring.cache import Cache, Measurement, Request
from metasmith.measuring.final_race import Entry, Race, final_race
from metasmith.measuring.ledger import Ledger
from metasmith.measuring.rungs import BatchResult, Rungs
from metasmith.measuring.schedule import Case, Measuring, Schedule, by_evaluations, by_size, schedule
from metasmith.measuring.scores import Quality, Scores

__all__ = [
    "BatchResult",
    "Cache",
    "Case",
    "Entry",
    "Ledger",
    "Measurement",
    "Measuring",
    "Quality",
    "Race",
    "Request",
    "Rungs",
    "Schedule",
    "Scores",
    "by_evaluations",
    "by_size",
    "final_race",
    "schedule",
]
