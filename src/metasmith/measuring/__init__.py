"""How good programs are: runs on the training problems, none twice, on one scale; races stop poor programs early."""

from metasmith.measuring.cache import Cache, Measurement, Request
from metasmith.measuring.final_race import Entry, Race, final_race
from metasmith.measuring.ledger import Ledger
from metasmith.measuring.rungs import FIRST, BatchResult, Rungs
from metasmith.measuring.schedule import Case, Measuring, Schedule, by_evaluations, by_size, schedule
from metasmith.measuring.scores import Quality, Scores

__all__ = [
    "FIRST",
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
