"""What commands show on a terminal: tables, bars with the time left, and a run at a glance."""

import codecs
import faulthandler
import json
import os
import re
import signal
import sys
import threading
import warnings
import webbrowser
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table

from metasmith.analysis.history import descended, leader, learning, spent
from metasmith.report.numbers import MINUS, lasting, plural
from metasmith.report.tables import Table as Values

if TYPE_CHECKING:
    from metasmith.analysis.ablate import Ablation
    from metasmith.analysis.diversity import Diversity
    from metasmith.designers.ppo.writer_file import WriterFile
    from metasmith.engine import Runs
    from metasmith.landscapes import Landscape, Neighbour
    from metasmith.runs.design import Design
    from metasmith.runs.forecast import Plan
    from metasmith.runs.forecast import Progress as Going
    from metasmith.runs.spec import Spec

out = Console(markup=False, emoji=False)  # names of users' problems are shown as they are: x[/b], [red]x, :smile:
err = Console(stderr=True, markup=False, emoji=False)

COLOUR = re.compile(r"\x1b\[[\d;]*m")
"""What switches a terminal to another colour, in messages of others."""

for_json: TextIO | None = None
"""Standard output, once it is for JSON only."""

BLOCKS = "▁▂▃▄▅▆▇█"
WIDTH = 60
"""Of a curve, in characters."""

SPELLED = {**dict(zip(BLOCKS, "_.-~=+*#", strict=True)), "±": "+-", MINUS: "-", "…": "...", "½": "1/2"}
"""What stands for our signs on a stream that has no letters but its own."""


def spell_out_what_streams_lack() -> None:
    """Print what the encoding of a stream lacks in letters that it has, instead of ending in an error."""

    def spelled(error: UnicodeError) -> tuple[str, int]:
        assert isinstance(error, UnicodeEncodeError)
        lacking = error.object[error.start : error.end]
        return "".join(SPELLED.get(sign, "?") for sign in lacking), error.end

    codecs.register_error("spelled", spelled)
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="spelled")


def tell_of_crashes() -> None:
    """Have a crash in machine code, such as a user's, say where it happened."""
    if sys.stderr is not None and not faulthandler.is_enabled():
        with suppress(OSError, ValueError):  # a stream without a file
            faulthandler.enable()


@contextmanager
def reserved_for_json() -> Iterator[None]:
    """Keep standard output for `say_json`: what users' files and functions print goes to standard error.

    Where standard output is a file, that goes for compiled code and other processes too, and up to the end of this one,
    because they may have something to say when they end.
    """
    global for_json
    stdout, on_file = sys.stdout, False
    if stdout is None:  # it is closed
        yield
        return
    with suppress(OSError, ValueError, AttributeError):
        on_file = stdout.fileno() == 1 and sys.stderr.fileno() == 2
    if not on_file:
        for_json, sys.stdout = stdout, sys.stderr
        try:
            yield
        finally:
            for_json, sys.stdout = None, stdout
        return
    if for_json is None:
        stdout.flush()
        for_json = os.fdopen(os.dup(1), "w", encoding=stdout.encoding, errors=stdout.errors)
        os.dup2(2, 1)
    yield


def say_json(value: Any) -> None:
    """Print a value for machines: the one way that JSON is printed."""
    print(json.dumps(value), file=for_json or sys.stdout, flush=True)


def say(value: Any, words: str, as_json: bool) -> None:
    """Print a value for machines, or what it says in words."""
    if as_json:
        say_json(value)
    else:
        print(words)


def show_warnings_in_a_line() -> None:
    """Show our own warnings of workers as the one line that they are, without the place in our code."""
    others = warnings.showwarning

    def shown(message: Warning | str, category: type[Warning], *place: Any, **named: Any) -> None:
        if category.__name__ == "WorkerWarning":  # by name: commands that have no workers import no engine
            warn(str(message))
        else:
            others(message, category, *place, **named)

    warnings.showwarning = shown


def complain(message: str, code: int = 2) -> None:
    """Say what is wrong, and end."""
    warn(message)
    sys.exit(code)


def interrupted(message: str = "interrupted") -> None:
    """Say that somebody interrupted, and end; whoever interrupts again ends it at once, without a traceback."""
    with suppress(ValueError):  # only the main thread may listen to signals
        signal.signal(signal.SIGINT, lambda *_: os._exit(130))
    complain(message, 130)


def warn(message: str) -> None:
    """Say something in one line, whatever is in the names in it."""
    shown = "".join(sign if sign.isprintable() else " " for sign in COLOUR.sub("", message))
    print(f"metasmith: {shown.strip()}", file=sys.stderr)


@contextmanager
def going_on_with(command: str, begun: Callable[[], bool]) -> Iterator[None]:
    """Tell whoever is interrupted, or has a problem that fails, how to go on. begun: whether there is anything to go on
    with.
    """
    try:
        yield
    except KeyboardInterrupt:
        interrupted(f"interrupted; {command} goes on" if begun() else "interrupted")
    except RuntimeError as error:
        complain(f"{error}; mend it, and {command} goes on" if begun() else str(error))
    except BrokenPipeError:
        raise  # nobody reads what we say
    except OSError as error:
        said = f"{error.strerror or error}{f': {error.filename}' if error.filename else ''}"
        complain(f"{said}; mend it, and {command} goes on" if begun() else said)


@contextmanager
def progress(what: str, total: int) -> Iterator[Callable[[], None]]:
    """A bar with the time left, on a terminal and for more than one; yields what to call after each."""
    words = TextColumn("{task.description}", markup=False)
    columns = (words, BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=err, transient=True, disable=total < 2 or not err.is_terminal) as bar:
        task = bar.add_task(what, total=total)
        yield lambda: bar.advance(task)


def show(rows: list[dict[str, Any]], as_json: bool, note: str = "") -> None:
    """Rows as JSON or as a table."""
    if as_json:
        say_json(rows)
        return
    print_table(Values(list(rows[0]), [[_cell(value) for value in row.values()] for row in rows]))
    if note:
        out.print(note, highlight=False)


def _cell(value: Any) -> str:
    return "" if value is None else f"{value:g}" if isinstance(value, float) else str(value)


def print_table(values: Values) -> None:
    """A table in columns; long cells are folded, names are not."""
    table = Table(box=None, pad_edge=False)
    for name in values.head:
        table.add_column(name, overflow="fold", no_wrap=name == "name")
    for row in values.rows:
        table.add_row(*row)
    out.print(table, highlight=False)


def print_runs(outcome: "Runs") -> None:
    from metasmith.engine.run import SPENT

    problem = outcome.problem
    table = Table(box=None, pad_edge=False)
    for column in ("seed", "best", "found at evaluation", "of", *(["violation"] if problem.violation else [])):
        table.add_column(column, justify="right")
    for seed, result in outcome.results.items():
        violation = [f"{result.violation:.10g}"] if problem.violation else []
        table.add_row(str(seed), f"{result.fun:.10g}", f"{result.hit:,}", f"{result.nfev:,}", *violation)
    print(f"{outcome.algorithm} on {problem.name}: {problem.variables}, {problem.direction}imise")
    out.print(table)
    for message in sorted({result.message for result in outcome.results.values()} - {SPENT}):
        print(message)
    optimum = "" if problem.optimum is None else f"   optimum {problem.optimum:.10g}"
    print(f"mean {outcome.mean:.10g}   standard deviation {outcome.std:.4g}{optimum}")
    if problem.explain is not None:
        from metasmith.figures import explanation

        print("\n".join(explanation(problem, outcome.winner.x)))


def print_landscape(landscape: "Landscape", near: "Sequence[Neighbour]") -> None:
    """The factors, as they are and as a network sees them, and the nearest known problems."""
    problem = landscape.problem
    spent = f"{landscape.evaluations:,} evaluations, seed {landscape.seed}"
    print(f"{problem.name}: {problem.variables}, {problem.direction}imise; {spent}")
    table = Table(box=None, pad_edge=False)
    table.add_column("factor", no_wrap=True)
    table.add_column("value", justify="right")
    table.add_column("as the network sees it", justify="right")
    for factor in landscape.record()["factors"]:
        table.add_row(factor["name"], f"{factor['value']:.6g}", f"{factor['scaled']:.3f}")
    out.print(table, highlight=False)
    print(f"nearest: {', '.join(f'{each.problem} at {each.distance:.2f}' for each in near)}")


@contextmanager
def watched(quiet: bool) -> "Iterator[Callable[[Plan | Going], None]]":
    """Says what a design will spend, then shows how it goes, on a terminal. Yields what to tell."""
    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(bar_width=20),
        MofNCompleteColumn(),
        TextColumn("{task.fields[said]}", markup=False),
    )
    with Progress(*columns, console=err, transient=True, disable=quiet or not err.is_terminal) as bar:
        row = bar.add_task("", total=1, said="")

        def tell(event: "Plan | Going") -> None:
            from metasmith.runs.forecast import Plan

            if isinstance(event, Plan):
                if not quiet:
                    about = f"; about {lasting(event.seconds)} to go" if event.seconds is not None else ""
                    err.print(f"spending up to {event.evaluations:,} evaluations{about}", highlight=False)
                return
            entropy = f"entropy {event.entropy:.2f}  " if event.entropy is not None else ""
            speed = f"{event.rate:,.0f} evaluations/s  {lasting(event.left)} left"
            said = f"best {event.best:.4f}  mean {event.mean:.4f}  {entropy}{speed}"
            bar.update(row, description=event.what, completed=event.step, total=event.steps, said=said)

        yield tell


@contextmanager
def page_of(run: Path, wanted: bool) -> Iterator[None]:
    """Serves the page of a design for as long as it is under way, if that is wanted, and says where."""
    if not wanted:
        yield
        return
    from metasmith.watching.server import served

    with served(run) as address:
        print(f"watch it at {address}", file=sys.stderr, flush=True)
        yield


def show_page(run: Path, port: int, open_it: bool) -> None:
    """Serve the page of a run until Ctrl-C."""
    from metasmith.watching.server import served

    with served(run, port) as address:
        print(f"{run} is shown at {address} until Ctrl-C", flush=True)
        if open_it:
            webbrowser.open(address)
        with suppress(KeyboardInterrupt):
            threading.Event().wait()
    print("no longer shown; the run itself is as it was")


def print_design(record: dict[str, Any], history: Sequence[dict[str, Any]]) -> None:
    """A design: the algorithm twice, how good it is, how it was learned, what it cost."""
    ledger = record["ledger"]
    print(record["pseudocode"])
    print()
    print(record["program"])
    print()
    print(f"for {record['task']} with {record['evaluations']:,} evaluations, seed {record['seed']}")
    print(
        f"score {record['score']:.4f}   (0: random search; 1: the optimum, or a simple reference where none is known)"
    )
    if line := record.get("descent"):
        print(f"proposed by: {descended(line)}")
    if record.get("finished_early"):
        print("finished early, by 'metasmith finish'")
    print_curves(history)
    seconds = ledger["measuring_seconds"] + ledger["proposing_seconds"]
    share = ledger["proposing_seconds"] / seconds if seconds else 0.0
    runs = f"{ledger['runs']:,} runs ({ledger['cached']:,} more were in the cache)"
    print(f"cost {ledger['evaluations']:,} evaluations in {runs}, {lasting(seconds)}, of which the network {share:.0%}")


def run_record(spec: "Spec", history: Sequence[dict[str, Any]], design: dict[str, Any] | None) -> dict[str, Any]:
    """What `show` says of a run as JSON. design: what its `design.json` says, if it is finished."""
    best = leader(history)
    return {
        "task": spec.task,
        "finished": design is not None,
        "design": design,
        "batches": len(learning(history)),
        "best": best and best.record(),
        "spent": spent(history),
        "spend": spec.spend,
    }


def print_unfinished(run: Path, spec: "Spec", history: Sequence[dict[str, Any]]) -> None:
    """A run that is under way or was stopped: the best so far, and how to go on or to end."""
    from metasmith.runs.busy import is_busy
    from metasmith.runs.folder import Folder

    best = leader(history)
    if best is not None:
        raced = f"mean of {plural(best.runs, 'run')} in the final race" if best.runs else "mean over all rungs"
        print(f"{best.record()['pseudocode']}\n\n{best.program}\n")
        print(f"the best so far: score {best.score:.4f} ({raced}), proposed by: {best.source}")
        print_curves(history)
    batches = plural(len(learning(history)), "batch")
    print(f"spent {spent(history):,} of {spec.spend:,} evaluations")
    if is_busy(Folder(run)):
        print(f"a design for {spec.task}, under way, with {batches} so far; 'metasmith watch {run}' shows how it goes")
        return
    ends = f", 'metasmith finish {run}' ends it with the best so far" if best is not None else ""
    print(f"a design for {spec.task}, stopped after {batches}; 'metasmith resume {run}' goes on{ends}")


def print_designed(design: "Design", run: Path, as_json: bool) -> None:
    """A design that was made just now, and what can be done with it."""
    if as_json:
        say_json({"run": str(run), **design.record()})
        return
    print_design(design.record(), design.history)
    words = (f"compare {run}", f"report {run}", f"export {run} FILE.py", f"solve PROBLEM --with {run}")
    print(f"kept in {run}; see also: {', '.join(f'metasmith {each}' for each in words)}")


def print_memory(memory: "WriterFile", file: Path, as_json: bool) -> None:
    """A writer: what it has learned."""
    if as_json:
        learned = [task._asdict() for task in memory.learned]
        say_json({"writer": str(file), "space": memory.space, "learned": learned})
        return
    from metasmith.program import one_line

    size = f"{memory.parameters:,} parameters and {len(memory.tokens)} tokens"
    print(f"a writer of {size}; space {memory.space}; tasks learned: {len(memory.learned)}")
    for number, task in enumerate(memory.learned, start=1):
        print(f"{number:3}  {task.task}   score {task.score:.4f}, {task.evaluations:,} evaluations, seed {task.seed}")
        print(f"     {one_line(task.program)}")
    print(f"design at once: metasmith design TASK --writer {file} --effort none")


def print_ablation(ablation: "Ablation", problems: Sequence[str], as_json: bool) -> None:
    """A program, what is lost without each of its lines, and which of them could not be left out."""
    if as_json:
        say_json({"problems": list(problems), **ablation.record()})
        return
    from metasmith.report.analyses import ablation_table

    means = f"mean {ablation.mean:.6g}, random search {ablation.random:.6g}"
    print(f"{ablation.program}\n\non {', '.join(problems)}: {means}")
    print("loss: share of the way from random search to the program\n")
    if ablation.parts:
        print_table(ablation_table(ablation))
    for line in ablation.left_out:
        print(f"left out: {line}")


def print_diversity(diversity: "Diversity", as_json: bool) -> None:
    """Designs beside the known algorithms and beside each other, then all of them in a few lines."""
    if as_json:
        say_json(diversity.record())
        return
    from metasmith.report.analyses import diversity_lines, diversity_table

    print_table(diversity_table(diversity))
    print()
    for line in diversity_lines(diversity):
        print(line)


def print_curves(history: Sequence[dict[str, Any]]) -> None:
    """The training, a step a sign: the mean of a batch, the best so far, and how undecided the writer was."""
    steps = learning(history)
    for name in ("mean", "best", "entropy"):
        values = [line[name] for line in steps if name in line]
        if values:
            how_many = plural(len(values), "batch")
            print(f"{name:8}{curve(values)}  {values[0]:.3f} to {values[-1]:.3f} in {how_many}")


def curve(values: Sequence[float]) -> str:
    """Numbers as a row of blocks, at most WIDTH of them."""
    per = max(1, -(-len(values) // WIDTH))
    points = [sum(values[i : i + per]) / len(values[i : i + per]) for i in range(0, len(values), per)]
    low, high = min(points), max(points)
    return "".join(
        BLOCKS[int((point - low) / (high - low) * (len(BLOCKS) - 1) + 0.5) if high > low else 0] for point in points
    )
