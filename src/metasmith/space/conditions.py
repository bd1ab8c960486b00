"""Conditions: when a loop ends (paper III-A)."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Self

from metasmith.components.settings import Amount


class Event(StrEnum):
    """What a loop can wait for instead of a share of the evaluations."""

    STAGNATION = "stagnation"  # the best has not improved for a while
    LOCAL_OPTIMUM = "local_optimum"  # no improvement in as many evaluations as a solution has neighbours


@dataclass(frozen=True)
class Condition:
    """When a loop ends: after a share of the run's evaluations, counted since the loop was entered, or at an event."""

    share: Amount | None = None
    event: Event | None = None

    def __post_init__(self) -> None:
        if (self.share is None) == (self.event is None):
            raise ValueError("a condition is a share of the evaluations or an event, one of the two")
        if self.share is not None and not (self.share.unit == "%" and 0 < self.share.number <= 100):
            raise ValueError(f"expected a share of the evaluations, above 0% and at most 100%, got '{self.share}'")

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read `5%`, `stagnation` or `local_optimum`."""
        if text in list(Event):
            return cls(event=Event(text))
        try:
            share = Amount.parse(text)
        except ValueError:
            raise ValueError(
                f"expected a share of the evaluations such as 5%, or {' or '.join(Event)}, got '{text}'"
            ) from None
        return cls(share=share)

    def __str__(self) -> str:
        return str(self.share or self.event)
