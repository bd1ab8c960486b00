"""The command line: one short function per command. Rooms are imported when a command needs them, so that help is instant."""

import json
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table

if TYPE_CHECKING:
    from metasmith.engine import Runs

app = typer.Typer(
    help="Designs optimisation algorithms, and runs them.", add_completion=False, no_args_is_help=True, pretty_exceptions_enable=False
)
out = Console()
err = Console(stderr=True)

UsageError: Any = typer.BadParameter.__bases__[0]  # some versions of typer bring their own click, so it has no fixed name

AsJson = Annotated[bool, typer.Option("--json", help="Print JSON for machines.")]


def main() -> None:
    """Run a command. A user's mistake is one line and exit code 2, never a traceback."""
    try:
        code = app(standalone_mode=False) or 0
        if code == 130:
            raise KeyboardInterrupt
        sys.exit(code)
    except UsageError as error:
        if not error.format_message():
            sys.exit(0)  # no command: the help was shown
        command = error.ctx.command_path if error.ctx else "metasmith"
        complain(f"{error.format_message().rstrip('.?')}; see '{command} --help'")
    except (KeyboardInterrupt, typer.Abort):
        complain("interrupted", 130)
    except BrokenPipeError:
        sys.stderr.close()  # whoever read our output has gone; nobody is left to tell
        sys.exit(1)
    except MemoryError as error:
        complain(f"not enough memory; try a smaller population: {error}")
    except (ValueError, RuntimeError) as error:
        complain(str(error))


def complain(message: str, code: int = 2) -> None:
    print(f"metasmith: {message}", file=sys.stderr)
    sys.exit(code)


@app.callback(invoke_without_command=True)
def options(version: Annotated[bool, typer.Option("--version", help="Print the version and exit.")] = False) -> None:
    if version:
        from metasmith import __version__

        print(f"metasmith {__version__}")
        raise typer.Exit


@app.command()
def problems(as_json: AsJson = False) -> None:
    """List the built-in problems."""
    from metasmith.problems import catalogue

    rows = [{"name": entry.name, "title": entry.title, "meaning": entry.meaning, "optimum": entry.optimum} for entry in catalogue()]
    show(rows, as_json, "Write pbo:F18@100#7 for dimension 100, instance 7; the default is 625 and 1.")


@app.command()
def components(as_json: AsJson = False) -> None:
    """List the components that programs are made of."""
    from metasmith.components import COMPONENTS, Role

    rows = [
        {
            "name": f"{component.name}({', '.join(component.settings)})" if component.settings else component.name,
            "role": str(role),
            "meaning": component.meaning,
        }
        for role in Role
        for component in COMPONENTS.values()
        if component.role is role
    ]
    show(rows, as_json)


@app.command()
def algorithms(name: Annotated[str | None, typer.Argument(help="Show this one.")] = None, as_json: AsJson = False) -> None:
    """List the known algorithms, or show one as text and as pseudocode."""
    from metasmith.program import named, names, pseudocode

    if name is None:
        show([{"name": known, "title": title} for known, title in names().items()], as_json)
    elif as_json:
        print(json.dumps({"name": name, "program": str(named(name)), "pseudocode": pseudocode(named(name))}))
    else:
        print(f"{named(name)}\n\n{pseudocode(named(name))}")


@app.command()
def solve(
    problem: Annotated[str, typer.Argument(help="A problem's name, such as pbo:F2 or pbo:F2@100#7, or FILE.py:NAME for your own.")],
    algorithm: Annotated[str, typer.Option("--with", help="A known algorithm, a file, or the text of a program.")] = "ea",
    evaluations: Annotated[int, typer.Option(help="Evaluations of each run.")] = 50_000,
    runs: Annotated[int, typer.Option(help="How many runs, with seeds from --seed on.")] = 1,
    seed: Annotated[int, typer.Option(help="Seed of the first run.")] = 0,
    population: Annotated[int | None, typer.Option(help="Another population size than the algorithm's own.")] = None,
    seconds: Annotated[float | None, typer.Option(help="Stop each run after so many seconds.")] = None,
    workers: Annotated[int | None, typer.Option(help="Threads; by default as many as there are cores.")] = None,
    as_json: AsJson = False,
) -> None:
    """Run an algorithm on a problem."""
    from metasmith.api import solve_all

    with progress("runs", runs) as tick:
        found = solve_all(
            algorithm, problem, evaluations=evaluations, seeds=range(seed, seed + runs), population=population, seconds=seconds,
            workers=workers, on_done=lambda number, outcome: tick(),
        )  # fmt: skip
    if as_json:
        print(json.dumps(found.record()))
    elif found.results:
        print_runs(found)
    if found.errors:
        complain(f"{len(found.errors)} of {runs} runs failed; the first: {next(iter(found.errors.values()))}")


def print_runs(outcome: "Runs") -> None:
    problem = outcome.problem
    table = Table(box=None, pad_edge=False)
    for column in ("seed", "best", "found at evaluation", "of", *(["violation"] if problem.violation else [])):
        table.add_column(column, justify="right")
    for seed, result in outcome.results.items():
        violation = [f"{result.violation:.10g}"] if problem.violation else []
        table.add_row(str(seed), f"{result.fun:.10g}", f"{result.hit:,}", f"{result.nfev:,}", *violation)
    print(f"{outcome.algorithm} on {problem.name}: {problem.variables}, {problem.direction}imise")
    out.print(table)
    for message in sorted({result.message for result in outcome.results.values() if not result.success}):
        print(message)
    known = "" if problem.optimum is None else f"   optimum {problem.optimum:.10g}"
    print(f"mean {outcome.mean:.10g}   standard deviation {outcome.std:.4g}{known}")


@app.command()
def bench(
    cold: Annotated[bool, typer.Option(help="Also measure a first start, which compiles everything anew.")] = True,
    write: Annotated[Path | None, typer.Option(help="Write the figures to this page too.")] = None,
    as_json: AsJson = False,
) -> None:
    """Measure the engine's speed beside raw ioh evaluation, in the same run."""
    from metasmith.experiments.pages import make_room, save
    from metasmith.experiments.speed import measures, page

    if write is not None:
        make_room(write)
    found = []
    for measure in measures(cold):
        found.append(measure)
        if not as_json:
            mark, bound = "ok  " if measure.met else "MISS", f"({measure.bound} {measure.wanted:g})"
            print(f"{mark} {measure.what:30} {measure.value:8.2f} {measure.unit:6} {bound:16} {measure.detail}", flush=True)
    if as_json:
        fields = ("what", "value", "unit", "wanted", "met", "detail")
        print(json.dumps([{field: getattr(measure, field) for field in fields} for measure in found]))
    if write is not None:
        save(write, page(found, f"metasmith bench --write {write}"))


@app.command()
def references(
    runs: Annotated[int, typer.Option(help="How many runs, with seeds from 0 on.")] = 30,
    only: Annotated[str, typer.Option(help="Only these functions, such as F2,F18.")] = "",
    write: Annotated[Path | None, typer.Option(help="Also write the page to this file.")] = None,
    as_json: AsJson = False,
) -> None:
    """Compare the known algorithms with published numbers on the PBO functions."""
    from time import perf_counter

    from metasmith.experiments.pages import make_room, save
    from metasmith.experiments.references import ALGORITHMS, chosen, page, report, rows

    if write is not None:
        make_room(write)
    functions, begun = chosen(only), perf_counter()
    with progress("algorithms on functions", len(functions) * len(ALGORITHMS)) as tick:
        found = list(rows(functions, runs, on_done=tick))
    print(json.dumps([row.record() for row in found]) if as_json else report(found))
    if write is not None:
        asked = f"metasmith references --runs {runs}{f' --only {only}' if only else ''} --write {write.as_posix()}"
        save(write, page(found, asked, perf_counter() - begun))


@contextmanager
def progress(what: str, total: int) -> Iterator[Callable[[], None]]:
    """A bar with the time left, on a terminal and for more than one; yields what to call after each."""
    columns = (TextColumn(what), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=err, transient=True, disable=total < 2 or not err.is_terminal) as bar:
        task = bar.add_task(what, total=total)
        yield lambda: bar.advance(task)


def show(rows: list[dict[str, Any]], as_json: bool, note: str = "") -> None:
    """Rows as JSON or as a table."""
    if as_json:
        print(json.dumps(rows))
        return
    table = Table(box=None, pad_edge=False)
    for field in rows[0]:
        table.add_column(field, overflow="fold", no_wrap=field == "name")
    for row in rows:
        table.add_row(*("" if value is None else f"{value:g}" if isinstance(value, float) else str(value) for value in row.values()))
    out.print(table, highlight=False)
    if note:
        out.print(note, highlight=False)
