"""Analyses as tables and lines of text, for the terminal and for pages."""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from metasmith.analysis.ablate import Ablation
from metasmith.analysis.compare import Row
from metasmith.analysis.diversity import Diversity, Near, Spread
from metasmith.arrays import Floats
from metasmith.report.numbers import decimals
from metasmith.report.tables import Table


def comparison_table(rows: Sequence[Row]) -> Table:
    """A row for each algorithm, a column for each test problem: mean and standard deviation."""
    return Table(
        ["algorithm", *rows[0].values], [[row.algorithm, *map(mean_and_deviation, row.values.values())] for row in rows]
    )


def mean_and_deviation(values: Floats) -> str:
    """Mean and standard deviation; and how many runs have nothing feasible, if any."""
    feasible = values[~np.isnan(values)]
    failed = f", {len(values) - len(feasible)} infeasible" if len(feasible) < len(values) else ""
    if not len(feasible):
        return f"infeasible in all {len(values)} runs"
    mean, deviation = feasible.mean(), feasible.std(ddof=1) if len(feasible) > 1 else 0.0
    if abs(mean) < 1:  # as in beamforming, where two decimals are the same for all
        return f"{mean:.4g} ± {deviation:.2g}{failed}"
    return f"{decimals(mean)} ± {decimals(deviation)}{failed}"


def ablation_table(ablation: Ablation) -> Table:
    """A part a row, the most important first."""
    head = ["line", "snippet", "change", "loss (95 % interval)", "mean", "difference (95 % interval)"]
    rows = [
        [
            str(part.line), part.snippet, part.change,
            f"{100 * part.loss:.3g}% ({100 * part.low:.3g} to {100 * part.high:.3g})", f"{part.mean:.6g}",
            f"{_three(part.difference)} ({_three(part.difference_low)} to {_three(part.difference_high)})",
        ]
        for part in ablation.parts
    ]  # fmt: skip
    return Table(head, rows)


def _three(value: float) -> str:
    """Three digits that count, or all before the point: values may be thousands, or thousandths."""
    return decimals(value) if abs(value) >= 100 else f"{value:.3g}"


def diversity_table(diversity: Diversity) -> Table:
    """A design a row."""
    head = ["design", "task", "nearest known", "in effect", "nearest design"]
    rows = [
        [Path(row.design).name, row.task, _near(row.nearest_known), _near(row.in_effect), _near(row.other)]
        for row in diversity.rows
    ]
    return Table(head, rows)


def diversity_lines(diversity: Diversity) -> list[str]:
    """What the rows amount to."""
    near = Counter(row.in_effect.name for row in diversity.rows)
    exact = sum(row.in_effect.distance == 0 for row in diversity.rows)
    return [
        f"{len(diversity.rows)} designs are {diversity.as_read.different} programs, "
        f"{diversity.in_effect.different} in effect; {exact} designs are known algorithms in effect",
        f"nearest in effect: {', '.join(f'{name} {count}' for name, count in near.most_common())}",
        f"mean distance as they read: {_means(diversity.as_read)}; between random programs {diversity.random:.2f}",
        f"mean distance in effect: {_means(diversity.in_effect)}",
        f"used by: {', '.join(f'{name} {share:.0%}' for name, share in diversity.components.items())}",
    ]


def _near(near: Near | None) -> str:
    return "" if near is None else f"{Path(near.name).name} at {near.distance:.2f}"


def _means(spread: Spread) -> str:
    pairs = {
        "same task": spread.same_task,
        "different tasks": spread.other_tasks,
        "to the nearest known": spread.nearest_known,
    }
    return ", ".join(f"{name} {mean:.2f}" for name, mean in pairs.items() if mean is not None)
