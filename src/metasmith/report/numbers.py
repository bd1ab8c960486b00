"""Numbers as people read them."""

MINUS = "\N{MINUS SIGN}"


def number(value: float) -> str:
    """Four digits that count, or all before the point; a comma between thousands, no trailing zeros."""
    if abs(value) >= 1000:
        return f"{value:,.0f}".replace("-", MINUS)
    return f"{value:.4g}".replace("-", MINUS)


def three(value: float) -> str:
    """Three digits that count, or all before the point."""
    return number(value if abs(value) >= 1000 else float(f"{value:.3g}"))


def short(value: float) -> str:
    """For the ticks of an axis: 10k, 2M."""
    for size, letter in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if abs(value) >= size:
            return f"{value / size:g}{letter}".replace("-", MINUS)
    return f"{value:g}".replace("-", MINUS)


def hundredths(value: float) -> str:
    """With two decimals."""
    return f"{value:.2f}".replace("-", MINUS)


def decimals(value: float) -> str:
    """For tables of results: two decimals below ten, one above, no trailing zeros, no commas."""
    text = f"{value:.{2 if abs(value) < 10 else 1}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def lasting(seconds: float) -> str:
    """A time as people say it."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"


def plural(count: int, what: str) -> str:
    """3 runs, 1 run, 2 batches."""
    ending = "es" if what.endswith("tch") else "s"
    return f"{count:,} {what}{'' if count == 1 else ending}"


def seeds(count: int) -> str:
    """So many seeds, from 0 on, in words."""
    return f"the seeds 0 to {count - 1}" if count > 1 else "the seed 0"
