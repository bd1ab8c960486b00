"""How good programs are: runs on the training problems, none twice, on one scale; and races that stop poor programs early."""

from metasmith.reward.final_race import Entry, final_race
from metasmith.reward.ledger import Ledger
from metasmith.reward.measuring import Measured, Measures, Place, Request
from metasmith.reward.racing import FIRST, Measuring, Racing, Standing, ladder
from metasmith.reward.worth import Quality, Worth

__all__ = [
    "FIRST",
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
    "final_race",
    "ladder",
]
