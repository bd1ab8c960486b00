"""How many parts of designs are idle before and after the winner of the final race is simplified, and what that costs.

    python benchmarks/simplification.py OUT --spend 320 --seeds 2

On the small tasks of `designers.py`, which no table uses. Every part of the winner and of the design is left out in
turn, with runs that the design has not seen: on the problems of its final race, and on larger test problems. A part is
idle if the paired differences do not show that the program is worse without it, at 5 %, each part for itself. OUT keeps
a line a design, so that a run that was stopped goes on; `--spend` is in runs of use.
"""

import argparse
import json
from collections.abc import Sequence
from itertools import product
from pathlib import Path
from statistics import fmean
from typing import Any

import numpy as np
from scipy.stats import ttest_rel, wilcoxon

from designers import COMBINED, FIRST_SEED, task_named
from metasmith.arrays import Floats
from metasmith.engine import Job
from metasmith.engine.runners import local
from metasmith.measuring.simplification import FAR, variants
from metasmith.problems import Problem, Task
from metasmith.problems.practice import halves
from metasmith.program import Program, canonical
from metasmith.runs.design import Design
from metasmith.runs.loop import design
from metasmith.runs.spec import specify

RUNS = 100
"""Of each program, over all problems."""

SIGNIFICANCE = 0.05


def made(name: str, seed: int, spend: int, designer: str) -> dict[str, Any]:
    """A design, its winner, and what each of their parts is worth."""
    task, runner = task_named(name), local.Local(workers=1)
    spec = specify(task, spend=spend * task.evaluations, seed=FIRST_SEED + seed, designer=designer)
    outcome = design(spec, task, runner=runner)
    record = outcome.record()["simplified"]
    after = canonical(outcome.program)
    before = canonical(Program.parse(record["winner"])) if record else after
    looks = [step for step in outcome.history if step["step"] == "simplify"]
    places = {"training": raced(outcome, task), "test": task.test}
    return {
        "task": name, "seed": seed, "spend": spend, "designer": designer, "before": str(before), "after": str(after),
        "runs": spec.simplification.runs, "looks": len(looks), "evaluations": outcome.ledger["evaluations"],
        **{where: judged(before, after, problems, task, runner) for where, problems in places.items()},
    }  # fmt: skip


def raced(outcome: Design, task: Task) -> Sequence[Problem]:
    """The problems of the final race."""
    plan = outcome.spec.costs(task).schedule
    return [plan.cases[number].problem for number in plan.race]


def judged(before: Program, after: Program, problems: Sequence[Problem], task: Task, runner: local.Local) -> Any:
    """The parts of the winner and of the design: how much better each program is without, in spreads, and the p-value;
    and how much better the design is than the winner.
    """
    values: dict[Program, Floats] = {}

    def of(program: Program) -> Floats:
        if program not in values:
            values[program] = reached(program, problems, task, runner)
        return values[program]

    def apart(one: Program, other: Program) -> tuple[float, float]:
        difference, spread = of(one) - of(other), spread_of(of(other))
        if not difference.any():
            return 0.0, 1.0
        scaled = np.clip(difference / np.maximum(spread, 1e-12)[:, None], -FAR, FAR)
        return float(scaled.mean()), float(ttest_rel(of(one).ravel(), of(other).ravel()).pvalue)

    parts = {
        when: [apart(variant, program) for variant in variants(program)]
        for when, program in (("before", before), ("after", after))
    }
    return {**parts, "change": apart(after, before) if after != before else (0.0, 1.0)}


def reached(program: Program, problems: Sequence[Problem], task: Task, runner: local.Local) -> Floats:
    """What runs reach, larger is better, and of equals the earlier by a little: (problems, runs)."""
    each = max(2, RUNS // len(problems))
    found = []
    for problem in problems:
        budget = task.training_evaluations(problem)
        outcomes = runner.run([Job(program, problem, budget, seed) for seed in range(each)])
        sign = 1.0 if problem.maximise else -1.0
        found.append([sign * outcome.fun - 1e-6 * outcome.hit / budget for outcome in outcomes])
    return np.array(found)


def spread_of(values: Floats) -> Floats:
    return values.std(axis=1, ddof=1)


def idle(parts: Sequence[Sequence[float]]) -> int:
    """How many parts are not shown to matter."""
    return sum(not (difference < 0 and p < SIGNIFICANCE) for difference, p in parts)


def say(rows: Sequence[dict[str, Any]]) -> None:
    for where in ("training", "test"):
        for when in ("before", "after"):
            count, of = (sum(measure(row[where][when]) for row in rows) for measure in (idle, len))
            weak = sum(difference > -0.2 for row in rows for difference, _ in row[where][when])
            print(f"{where}, {when}: {count} of {of} parts idle ({count / max(1, of):.0%}), {weak} lose less than 0.2")
        changes = [row[where]["change"][0] for row in rows]
        p = wilcoxon(changes).pvalue if any(changes) else 1.0
        worse = sum(row[where]["change"][0] < 0 and row[where]["change"][1] < SIGNIFICANCE for row in rows)
        better = sum(row[where]["change"][0] > 0 and row[where]["change"][1] < SIGNIFICANCE for row in rows)
        said = f"mean {fmean(changes):+.3f} spreads, median {np.median(changes):+.3f}, p = {p:.3f}"
        print(f"{where}: the design against the winner {said}; worse {worse}, better {better} of {len(rows)} at 5 %")


def main() -> None:
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("out", type=Path)
    asked.add_argument("--spend", type=int, default=320)
    asked.add_argument("--seeds", type=int, default=2)
    asked.add_argument("--designer", default="evolution")
    words = asked.parse_args()
    rows = [json.loads(line) for line in words.out.read_text().splitlines()] if words.out.exists() else []
    done = {(row["task"], row["seed"], row["spend"], row["designer"]) for row in rows}
    for seed, task in product(range(words.seeds), [*COMBINED, *halves("tuning")]):
        wanted = (task, seed, words.spend, words.designer)
        if wanted not in done:
            rows.append(made(*wanted))
            with words.out.open("a") as out:
                print(json.dumps(rows[-1]), file=out, flush=True)
    say([row for row in rows if (row["spend"], row["designer"]) == (words.spend, words.designer)])


if __name__ == "__main__":
    main()
