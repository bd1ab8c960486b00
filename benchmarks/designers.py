"""Compare settings of designers on small tasks that no table uses, many designs each, in minutes.

    python benchmarks/designers.py OUT --spend 320 --seeds 4 --only mixture,evolution

The tasks are the kinds of `practice:` that settings may be tuned on, and combinations of the W-model that are no
function of the PBO suite. A variant is a designer with settings; designs of all variants with the same seed have the
same references and first batch. A design is judged by its runs on larger instances; its quality is the share of all
designs for the task, of any variant, that it is better than. OUT keeps a line a design, so that a run that was stopped
goes on; `--spend` is in runs of use.
"""

import argparse
import json
import multiprocessing
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import product
from pathlib import Path
from statistics import fmean
from typing import Any

from scipy.stats import rankdata, wilcoxon

from metasmith.api import find_task
from metasmith.designers import mutation
from metasmith.designers.training import Training
from metasmith.engine import Job
from metasmith.engine.runners import local
from metasmith.measuring import Measuring, Race
from metasmith.problems import Problem, Task
from metasmith.problems.pbo.dummy import every
from metasmith.problems.pbo.function import Function, no_scratch
from metasmith.problems.pbo.leading_ones import leading_ones, leading_ones_epistasis, leading_ones_neutrality
from metasmith.problems.pbo.neutrality import blocks, word_after
from metasmith.problems.pbo.onemax import onemax_epistasis, onemax_neutrality
from metasmith.problems.pbo.ruggedness import alternating, plateaus, reversed_blocks
from metasmith.problems.practice import halves
from metasmith.program import Program
from metasmith.runs.loop import design
from metasmith.runs.spec import specify

COMBINED = {
    "neutral-plateaus": (onemax_neutrality, blocks, word_after, plateaus),
    "neutral-reversed": (onemax_neutrality, blocks, word_after, reversed_blocks),
    "epistatic-plateaus": (onemax_epistasis, every, no_scratch, plateaus),
    "epistatic-alternating": (onemax_epistasis, every, no_scratch, alternating),
    "leading-plateaus": (leading_ones, every, no_scratch, plateaus),
    "leading-neutral-alternating": (leading_ones_neutrality, blocks, word_after, alternating),
    "leading-epistatic-plateaus": (leading_ones_epistasis, every, no_scratch, plateaus),
}
"""Kernel, the bits that it counts, its scratch, and its ruggedness."""

TRAINING, TEST = {50: (1, 51, 52), 80: (1, 53, 54), 120: (1, 55, 56)}, {200: (61, 62)}
EVALUATIONS = 16_000
RUNS = 10
"""Of a design on each test problem."""

FIRST_SEED = 500


@dataclass(frozen=True)
class Variant:
    """A designer with settings.

    others: what it has instead of what is laid out. elite: how many of the best programs are varied.
    """

    designer: str = "mixture"
    others: dict[str, Any] = field(default_factory=dict)
    elite: int = mutation.ELITE


VARIANTS = {
    "mixture": Variant(),
    "evolution": Variant("evolution"),
    "without_network": Variant("without_network"),
    "random": Variant("random"),
    "ppo": Variant("ppo"),
    "pick": Variant("pick"),
    "elite-8": Variant("evolution", elite=8),
    "elite-60": Variant("evolution", elite=60),
    "quarter": Variant("evolution", {"measuring": {"keep": 0.25}}),
    "small-race": Variant("evolution", {"race": 0.5}),
}


@cache
def task_named(name: str) -> Task:
    """A task by its name; those of `practice:` without their largest test problems."""
    if name not in COMBINED:
        whole = find_task(f"practice:{name}")
        return Task(whole.name, whole.training, whole.test[:2], whole.evaluations)
    kernel, counted, scratch, levels = COMBINED[name]
    function = Function(name, name, name, kernel, counted, levels, scratch=scratch)
    training, test = (
        tuple(function.at(n, number) for n, numbers in sizes.items() for number in numbers)
        for sizes in (TRAINING, TEST)
    )
    return Task(name, training, test, EVALUATIONS)


def made(wanted: tuple[str, str, int, int]) -> dict[str, Any]:
    """A design, judged. wanted: the variant, the task, the seed, and what may be spent, in runs of use."""
    name, which, seed, spend = wanted
    variant, task = VARIANTS[name], task_named(which)
    mutation.ELITE = variant.elite
    spec = specify(task, spend=spend * task.evaluations, seed=seed, designer=variant.designer)
    others: dict[str, Any] = {}
    for part, kind in (("training", Training), ("measuring", Measuring)):
        if part in variant.others:
            others[part] = kind(**{**vars(getattr(spec, part)), **variant.others[part]})
    if "race" in variant.others:
        share = variant.others["race"]
        race = vars(spec.race)
        others["race"] = Race(**{**race, "rounds": tuple(max(1, round(share * runs)) for runs in race["rounds"])})
    if others:
        kept = {"training": spec.training, "measuring": spec.measuring, "race": spec.race, **others}
        spec = specify(task, spend=spend * task.evaluations, seed=seed, designer=variant.designer, **kept)
    runner = local.Local(workers=1)
    outcome = design(spec, task, runner=runner)
    values = [reached(outcome.program, problem, task, runner) for problem in task.test]
    return {
        "variant": name, "task": which, "seed": seed, "spend": spend, "program": str(outcome.program), "values": values,
        "score": outcome.score, "source": outcome.record()["descent"][0]["source"],
        "evaluations": outcome.ledger["evaluations"], "batches": len(outcome.history),
        "seconds": outcome.ledger["measuring_seconds"] + outcome.ledger["proposing_seconds"],
    }  # fmt: skip


def reached(program: Program, problem: Problem, task: Task, runner: local.Local) -> float:
    """The mean of the runs of a program, larger is better."""
    jobs = [Job(program, problem, task.training_evaluations(problem), seed) for seed in range(RUNS)]
    values = [outcome.fun for outcome in runner.run(jobs)]
    return fmean(values) * (1 if problem.maximise else -1)


def qualities(rows: Sequence[dict[str, Any]]) -> dict[str, dict[tuple[str, int], float]]:
    """By variant and (task, seed) the share of all designs for the task that a design is better than."""
    by_task = defaultdict(list)
    for row in rows:
        by_task[row["task"]].append(row)
    shares: dict[str, dict[tuple[str, int], float]] = defaultdict(dict)
    for task, some in by_task.items():
        ranks = [rankdata(values) for values in zip(*(row["values"] for row in some), strict=True)]
        for row, *mine in zip(some, *ranks, strict=True):
            shares[row["variant"]][task, row["seed"]] = (fmean(mine) - 0.5) / len(some)
    return shares


def say(rows: Sequence[dict[str, Any]], base: str) -> None:
    shares = qualities(rows)
    for name, mine in sorted(shares.items(), key=lambda each: -fmean(each[1].values())):
        pairs = [mine[key] - shares[base][key] for key in mine if key in shares[base]]
        wins, losses = sum(each > 0 for each in pairs), sum(each < 0 for each in pairs)
        p = wilcoxon(pairs).pvalue if name != base and any(pairs) else 1.0
        seconds = fmean(row["seconds"] for row in rows if row["variant"] == name)
        print(f"{name:20} {fmean(mine.values()):.3f}  {wins}:{losses} of {len(pairs)}, p = {p:.3f}  {seconds:.1f} s")


def main() -> None:
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("out", type=Path)
    asked.add_argument("--spend", type=int, default=320)
    asked.add_argument("--seeds", type=int, default=4)
    asked.add_argument("--only", default=",".join(VARIANTS))
    asked.add_argument("--base", default="mixture")
    asked.add_argument("--cores", type=int, default=2)
    words = asked.parse_args()
    rows = [json.loads(line) for line in words.out.read_text().splitlines()] if words.out.exists() else []
    done = {(row["variant"], row["task"], row["seed"], row["spend"]) for row in rows}
    seeds = range(FIRST_SEED, FIRST_SEED + words.seeds)
    wanted = [
        (name, task, seed, words.spend)
        for seed, task, name in product(seeds, [*COMBINED, *halves("tuning")], words.only.split(","))
    ]
    todo = [each for each in wanted if each not in done]
    with multiprocessing.get_context("spawn").Pool(words.cores) as pool, words.out.open("a") as out:
        for number, row in enumerate(pool.imap_unordered(made, todo), start=1):
            rows.append(row)
            print(json.dumps(row), file=out, flush=True)
            if number % 100 == 0:
                print(f"{number} of {len(todo)}", flush=True)
    say([row for row in rows if (row["variant"], row["task"], row["seed"], row["spend"]) in set(wanted)], words.base)


if __name__ == "__main__":
    main()
