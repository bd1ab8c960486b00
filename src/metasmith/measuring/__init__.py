"""How good programs are: runs on the training problems, none twice, on one scale; and races that stop poor programs
early.
"""

from metasmith.measuring.cache import Cache, Measurement, Place, Request
from metasmith.measuring.final_race import Entry, final_race
from metasmith.measuring.ledger import Ledger
from metasmith.measuring.rungs import FIRST, Measuring, Rungs, Standing
from metasmith.measuring.schedule import Schedule, by_evaluations, by_size
from metasmith.measuring.scores import Quality, Scores

__all__ = [
    "FIRST",
    "Cache",
    "Entry",
    "Ledger",
    "Measurement",
    "Measuring",
    "Place",
    "Quality",
    "Request",
    "Rungs",
    "Schedule",
    "Scores",
    "Standing",
    "by_evaluations",
    "by_size",
    "final_race",
]
