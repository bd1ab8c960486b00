"""How good programs are: runs on the training problems, none twice, on one scale; and races that stop poor programs early."""

from metasmith.reward.course import Course, by_evaluations, by_size
from metasmith.reward.final_race import Entry, final_race
from metasmith.reward.ledger import Ledger
from metasmith.reward.measuring import Measured, Measures, Place, Request
from metasmith.reward.racing import FIRST, Measuring, Racing, Standing
from metasmith.reward.worth import Quality, Worth

__all__ = [
    "FIRST",
    "Course",
    "Entry",
    "Ledger",
    "Measured",
    "Measures",
    "Measuring",
    "Place",
    "Quality",
    "Racing",
    "Request",
    "Standing",
    "Worth",
    "by_evaluations",
    "by_size",
    "final_race",
]
