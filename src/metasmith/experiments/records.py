"""Results of runs, kept as they come: a line of JSON for all runs of an algorithm on a problem. What is there is not run again."""

import csv
import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from io import StringIO
from pathlib import Path

from metasmith.api import algorithm, solve_all
from metasmith.problems import Problem


@dataclass(frozen=True)
class Record:
    """The runs of an algorithm on a problem, with the seeds 0, 1, 2, ...

    algorithm: its name in the table; trial: which of several designs it is, 0 if there is only one. values: on the original scale.
    hits: the evaluations that found them.
    """

    algorithm: str
    trial: int
    problem: str
    program: str
    evaluations: int
    values: list[float]
    hits: list[int]


class Records:
    """A file of records. log: a folder for the logs of all runs; what is known is then done again, for the logs say more."""

    def __init__(self, file: Path, log: Path | None = None) -> None:
        self.file = file
        self.log = log
        self.known: dict[tuple[str, str, int, int], Record] = {}
        whole = list(_whole(file))
        for record in whole:
            self.known[record.program, record.problem, record.evaluations, len(record.values)] = record
        if file.is_file():
            file.write_text("".join(map(_line, whole)), encoding="utf-8")  # without a line that is not whole

    def of(self, name: str, given: str, problem: Problem, evaluations: int, runs: int, *, trial: int = 0) -> Record:
        """The runs of a program, called `name` in the table: known, or done now and written down."""
        program = str(algorithm(given))
        known = self.known.get((program, problem.name, evaluations, runs))
        if known is None or self.log is not None:
            found = solve_all(given, problem, evaluations=evaluations, seeds=range(runs), log=self.log)
            if found.errors:
                raise next(iter(found.errors.values()))
            results = found.results.values()
            values, hits = [problem.original(result.fun) for result in results], [result.hit for result in results]
            new, known = known is None, Record(name, trial, problem.name, program, evaluations, values, hits)
            self.known[program, problem.name, evaluations, runs] = known
            if new:
                with self.file.open("a", encoding="utf-8") as file:
                    file.write(_line(known))
        return Record(name, trial, *list(vars(known).values())[2:])


def _whole(file: Path) -> Iterator[Record]:
    """The records of a file, up to the first line that is not whole: whoever wrote it was killed."""
    if not file.is_file():
        return
    for text in file.read_text(encoding="utf-8").split("\n")[:-1]:
        try:
            yield Record(**json.loads(text))
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
        for seed, (value, hit) in enumerate(zip(each.values, each.hits, strict=True)):
            out.writerow([each.algorithm, each.trial, each.problem, each.evaluations, seed, value, hit])
    return text.getvalue()
