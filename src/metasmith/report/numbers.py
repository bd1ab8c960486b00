"""Numbers as people read them."""


def number(value: float) -> str:
    """Four digits that count, or all before the point; a comma between thousands, no trailing zeros."""
    if abs(value) >= 1000:
        return f"{value:,.0f}".replace("-", "−")
    return f"{value:.4g}".replace("-", "−")


def short(value: float) -> str:
    """For the ticks of an axis: 10k, 2M."""
    for size, letter in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if abs(value) >= size:
            return f"{value / size:g}{letter}".replace("-", "−")
    return f"{value:g}".replace("-", "−")


def lasting(seconds: float) -> str:
    """A time."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"


def plural(count: int, what: str) -> str:
    """3 runs, 1 run."""
    return f"{count:,} {what}{'' if count == 1 else 's'}"
