"""The paper's genetic algorithm as the paper has it, with the crossover probability and the number of bits that irace
finds for each PBO function.

What was found for a function is a file, so that a second call goes on where the first stopped. Table I shows what is in
`shared/data/ga_by_irace.json`, which is the JSON file that this command saves.
"""

import json
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from metasmith.api import find_task
from metasmith.engine import EvaluationError, Job, Local, Outcome
from metasmith.experiments.shared.contract import ONLY, Experiment, Option
from metasmith.experiments.shared.published import FUNCTIONS, titled
from metasmith.experiments.shared.side_by_side import side_by_side, ticking
from metasmith.files import replace
from metasmith.measuring.cache import TRAINING
from metasmith.problems import Problem, Task
from metasmith.program import Program, one_line
from metasmith.report.made import spent
from metasmith.report.sheet import Sheet
from metasmith.report.tables import Table
from metasmith.version import commit

if TYPE_CHECKING:
    from metasmith.designers.shared.talking import Configuration, Run

NAME = "ga-by-irace"
RUNS = 2000
"""Of irace for each function. All 23 functions together took four minutes on two cores that had other work too."""

PARAMETERS = (
    'crossover "" r (0.001, 1)',
    'mutation "" c (share, bits)',
    'share "" r,log (0.001, 0.5) | mutation == "share"',
    'bits "" r,log (0.5, 50) | mutation == "bits"',
)
"""The number of bits that mutation flips on average is a share of them, as the paper gives it, or the same number
whatever the dimension.
"""


class Wanted(NamedTuple):
    """A function to configure the genetic algorithm for, and the file for what is found."""

    function: str
    runs: int
    file: Path


@dataclass(frozen=True)
class Found:
    """What irace found. runs: that it took. seconds: of one core. commit: of the sources that it was done with."""

    function: str
    program: str
    runs: int
    seconds: float
    commit: str


def sheet(functions: Sequence[str], runs: int, out: Path, on_done: Callable[[], None]) -> Sheet:
    """Ask irace for what is not there yet, for as many functions at a time as there are cores, and show all."""
    from metasmith.designers.irace.racing import installed

    version = installed()
    out.mkdir(parents=True, exist_ok=True)
    wanted = [Wanted(function, runs, out.absolute() / f"{function}-{runs}.json") for function in functions]
    side_by_side(find, wanted, ticking(lambda: sum(each.file.exists() for each in wanted), on_done))
    found = [Found(**json.loads(each.file.read_text(encoding="utf-8"))) for each in wanted]
    text = f"""\
irace {version} ran each candidate on the training problems of its function (d = 100, 225 and 400, as many evaluations
per variable as in table I), {runs:,} runs for each function at most; what it ended with is shown. Crossover exchanges
each position with probability p. Mutation flips each bit with probability p: a number, or as in 2/d so many bits on
average, whatever the dimension. The rest is as in the known algorithm `ga`, which has the probabilities that the paper
prints for F13 on all functions."""
    rows = [[titled(each.function), one_line(each.program), str(each.runs)] for each in found]
    only = "" if set(functions) == set(FUNCTIONS) else f" --only {','.join(functions)}"
    record = {
        "command": f"metasmith reproduce {NAME} --runs {runs}{only}",
        "irace": version,
        "found": {each.function: asdict(each) for each in found},
    }
    cost = spent({"irace": sum(each.seconds for each in found)}, runs=(each.commit for each in found))
    return Sheet(
        NAME,
        "The genetic algorithm, configured by irace",
        [text, Table(["function", "found", "runs"], rows)],
        record,
        cost,
    )


def find(wanted: Wanted) -> None:
    """Have irace configure the genetic algorithm for a function, unless that was done before."""
    from metasmith.designers.irace.racing import irace

    if wanted.file.exists():
        return
    begun, count = time.perf_counter(), 0
    task, runner = find_task(f"pbo:{wanted.function}"), Local(1)
    problems = in_turns(task)

    def costs(runs: "Sequence[Run]") -> list[float]:
        nonlocal count
        count += len(runs)
        return [cost(outcome) for outcome in runner.run([job(run, problems[run.instance], task) for run in runs])]

    elites = irace(PARAMETERS, instances=len(problems), runs=wanted.runs, seed=0, answer=costs)
    found = Found(wanted.function, str(program(elites[0])), count, time.perf_counter() - begun, commit())
    replace(wanted.file, json.dumps(asdict(found)).encode())


def in_turns(task: Task) -> list[Problem]:
    """The training problems, one of each size again and again."""
    sizes: dict[int, list[Problem]] = {}
    for problem in task.training:
        sizes.setdefault(problem.dimension, []).append(problem)
    return [problem for turn in zip(*sizes.values(), strict=True) for problem in turn]


def job(run: "Run", problem: Problem, task: Task) -> Job:
    return Job(program(run.configuration), problem, task.training_evaluations(problem), TRAINING | run.seed)


def cost(outcome: Outcome) -> float:
    """What irace makes small."""
    if isinstance(outcome, EvaluationError):
        raise outcome
    return -outcome.fun  # all functions are maximised


def program(configuration: "Configuration") -> Program:
    """The genetic algorithm with the settings of a configuration."""
    share = configuration["share"] if configuration["mutation"] == "share" else f"{configuration['bits']}/d"
    lines = ("population 50", f"cross_uniform(p={configuration['crossover']})", f"reset_rand(p={share})")
    return Program.parse("\n".join([*lines, "pairwise_select"]))


EXPERIMENT = Experiment(
    name=NAME,
    help="The paper's genetic algorithm, configured by irace for each of the 23 PBO functions.",
    order=15,
    options=(ONLY, Option("runs", int, RUNS, "Runs that irace may do for each function.")),
    folder=lambda request: Path(f"runs/{NAME}"),
    steps=lambda request: ("functions", len(request.functions)),
    sheet=lambda request, tick: sheet(request.functions, request.options["runs"], request.folder, tick),
)
