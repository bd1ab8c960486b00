"""Hyperparameters: what values a component takes, and which of them a designer may write."""

import math
import re
from dataclasses import dataclass
from typing import Self

NUMBER = re.compile(r"(?P<number>\d+(\.\d+)?(e-?\d+)?)(?P<unit>%|/d)?")


@dataclass(frozen=True)
class Amount:
    """A value of a hyperparameter: a number (`3`, `0.7`), a share of the variables (`5%`), or a rate per variable
    (`1/d`).
    """

    number: float
    unit: str = ""

    @classmethod
    def parse(cls, text: str) -> Self:
        match = NUMBER.fullmatch(text)
        if match is None or not math.isfinite(float(match["number"])):
            raise ValueError(f"expected a number such as 3, 0.7, 5% or 1/d, got '{text}'")
        return cls(float(match["number"]), match["unit"] or "")

    def __str__(self) -> str:
        whole = self.number == int(self.number)
        return f"{int(self.number) if whole else self.number!r}{self.unit}"

    def at(self, dimension: int) -> float:
        """The number that this amount is on `dimension` variables."""
        match self.unit:
            case "%":
                return float(max(1, round(self.number * dimension / 100)))
            case "/d":
                return min(1.0, self.number / dimension)
            case _:
                return self.number


@dataclass(frozen=True)
class Range:
    """The values a hyperparameter may take, in words and as a rule, and the grid that the `full` space offers."""

    words: str
    whole: bool
    low: float
    high: float
    units: tuple[str, ...]
    grid: tuple[Amount, ...]

    def check(self, amount: Amount) -> None:
        """Raise ValueError, saying what was expected, if `amount` is not in the range."""
        inside = amount.unit in self.units and amount.number > 0
        if amount.unit == "%":
            inside &= amount.number <= 100
        elif amount.unit == "":
            inside &= self.low <= amount.number <= self.high and (not self.whole or amount.number == int(amount.number))
        if not inside:
            raise ValueError(f"expected {self.words}, got '{amount}'")


def _amounts(text: str) -> tuple[Amount, ...]:
    return tuple(Amount.parse(word) for word in text.split())


COUNTS = Range(
    "a whole number of variables such as 1, or a share of them such as 5%",
    whole=True, low=1, high=1e9, units=("", "%"),
    grid=_amounts("1 2 3 1% 5% 10% 20% 30% 45%"),
)  # fmt: skip
SHARES = Range(
    "a probability such as 0.1, or a rate per variable such as 1/d",
    whole=False, low=1e-9, high=1, units=("", "/d"),
    grid=_amounts("0.5/d 1/d 2/d 4/d 0.01 0.05 0.1 0.2 0.3 0.5 0.7 0.9"),
)  # fmt: skip
EXPONENTS = Range(
    "a number above 1 and at most 4 such as 1.5",
    whole=False, low=1.0001, high=4, units=("",),
    grid=_amounts("1.2 1.5 2 3"),
)  # fmt: skip
