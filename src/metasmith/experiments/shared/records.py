"""Results of runs, kept as they come: a line of JSON for all runs of an algorithm on a problem. What is there is not
run again.
"""

import csv
import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from io import StringIO
from pathlib import Path

from metasmith import files
from metasmith.api import algorithm, solve_all
from metasmith.problems import Problem
from metasmith.version import commit


@dataclass(frozen=True)
class Record:
    """The runs of an algorithm on a problem.

    algorithm: its name in the table; trial: which of several designs it is, 0 if there is only one. values: on the
    original scale, by seed. hits: the evaluations that reached them. seconds: of all runs, added up. commit: of the
    sources that they were done with.
    """

    algorithm: str
    trial: int
    problem: str
    program: str
    evaluations: int
    seeds: list[int]
    values: list[float]
    hits: list[int]
    seconds: float
    commit: str

    @property
    def key(self) -> tuple[str, str, int, tuple[int, ...]]:
        """What the values depend on."""
        return self.program, self.problem, self.evaluations, tuple(self.seeds)


class Records:
    """A file of records. log: a folder for the logs of all runs; what is in the file is then done again, for the logs
    say more.
    """

    def __init__(self, file: Path, log: Path | None = None) -> None:
        self.file = file
        self.log = log
        text = file.read_text(encoding="utf-8") if file.is_file() else ""
        whole = list(_whole(text))
        self.cache = {record.key: record for record in whole}
        if text != (kept := "".join(map(_line, whole))):
            files.replace(file, kept.encode())

    def of(self, name: str, program: str, problem: Problem, evaluations: int, runs: int, *, trial: int = 0) -> Record:
        """The runs of a program, called `name` in the table: from the file, or done now and written down.

        Every trial has seeds of its own: designs that are the same program would else reach the same, and count as so
        many runs more.
        """
        text, seeds = str(algorithm(program)), range(trial * runs, (trial + 1) * runs)
        kept = self.cache.get((text, problem.name, evaluations, tuple(seeds)))
        if kept is None or self.log is not None:
            outcome = solve_all(program, problem, evaluations=evaluations, seeds=seeds, log=self.log)
            if outcome.errors:
                raise next(iter(outcome.errors.values()))
            results = outcome.results.values()
            new, kept = kept is None, Record(
                name, trial, problem.name, text, evaluations, list(outcome.results),
                [problem.original(each.fun) for each in results], [each.hit for each in results],
                sum(each.seconds for each in results), commit(),
            )  # fmt: skip
            self.cache[kept.key] = kept
            if new:
                with self.file.open("a", encoding="utf-8") as file:
                    file.write(_line(kept))
        return replace(kept, algorithm=name, trial=trial)


def _whole(text: str) -> Iterator[Record]:
    """The records of a file, up to the first line that is not whole: whoever wrote it was killed."""
    for line in text.split("\n")[:-1]:
        try:
            yield Record(**json.loads(line))
        except (ValueError, TypeError):
            return


def _line(record: Record) -> str:
    return json.dumps(asdict(record)) + "\n"


def tidy(records: list[Record]) -> str:
    """A line a run, as CSV."""
    text = StringIO()
    out = csv.writer(text, lineterminator="\n")
    out.writerow(["algorithm", "trial", "problem", "evaluations", "seed", "value", "hit"])
    for each in records:
        for run in zip(each.seeds, each.values, each.hits, strict=True):
            out.writerow([each.algorithm, each.trial, each.problem, each.evaluations, *run])
    return text.getvalue()
