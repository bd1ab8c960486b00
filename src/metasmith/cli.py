"""The command line: one short function per command.

Rooms are imported when a command needs them, so that help is instant.
"""

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from metasmith import reproduce, screens
from metasmith.report.numbers import plural
from metasmith.reproduce import AsJson
from metasmith.screens import complain, going_on_with, print_design, print_memory, progress, show, watched

if TYPE_CHECKING:
    from metasmith.designers.ppo.writer_file import Learned
    from metasmith.measuring import Quality

app = typer.Typer(
    help="Designs optimisation algorithms, and runs them.",
    add_completion=False,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
)
UsageError: Any = typer.BadParameter.__bases__[0]
"""Some versions of typer bring their own click, so that it has no fixed name."""

app.add_typer(reproduce.app, name="reproduce")
ProblemName = Annotated[
    str, typer.Argument(help="A problem's name, such as pbo:F2 or pbo:F2@100#7, or FILE.py:NAME for your own.")
]
Run = Annotated[Path, typer.Argument(help="The folder of a run.")]
Workers = Annotated[int | None, typer.Option(help="Runs at a time; by default as many as there are cores.")]
On = Annotated[
    str | None,
    typer.Option(
        metavar="ADDRESS",
        help="Do the runs on a Dask cluster, dask://HOST:8786 or dask:SCHEDULER_FILE; --workers are then the batches "
        "of runs under way at most.",
    ),
]
FirstSeed = Annotated[int, typer.Option(help="Seed of the first run.")]
Log = Annotated[
    Path | None,
    typer.Option("--log-ioh", metavar="DIR", help="Also log the runs in this folder, in IOHprofiler's format."),
]


def main() -> None:
    """Run a command. A user's mistake is one line and exit code 2, never a traceback."""
    screens.spell_out_what_streams_lack()
    screens.show_warnings_in_a_line()
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
    except OSError as error:
        complain(f"{error.strerror or error}{f': {error.filename}' if error.filename else ''}")


@app.callback(invoke_without_command=True)
def options(version: Annotated[bool, typer.Option("--version", help="Print the version and exit.")] = False) -> None:
    if version:
        from metasmith.version import VERSION

        print(f"metasmith {VERSION}")
        raise typer.Exit


@app.command()
def problems(as_json: AsJson = False) -> None:
    """List the built-in problems."""
    from metasmith.problems import catalogue

    fields = ("name", "title", "meaning", "optimum")
    rows = [{field: getattr(entry, field) for field in fields} for entry in catalogue()]
    defaults = "the default is 625 and 1, of beamforming 120 and 1"
    own = "Write beamforming:FILE for channels of your own, .npz or .mat."
    show(rows, as_json, f"Write pbo:F18@100#7 for dimension 100, instance 7; {defaults}.\n{own}")


@app.command()
def components(as_json: AsJson = False) -> None:
    """List the components that programs are made of."""
    from metasmith.components import COMPONENTS, Role

    rows = []
    for component in sorted(COMPONENTS.values(), key=lambda component: list(Role).index(component.role)):
        settings = f"({', '.join(component.settings)})" if component.settings else ""
        role = str(component.role)
        rows.append({"name": f"{component.name}{settings}", "role": role, "meaning": component.meaning})
    show(rows, as_json)


@app.command()
def algorithms(
    name: Annotated[str | None, typer.Argument(help="Show this one.")] = None, as_json: AsJson = False
) -> None:
    """List the known algorithms, or show one as text and as pseudocode."""
    from metasmith.program import named, names, pseudocode

    if name is None:
        show([{"name": each, "title": title} for each, title in names().items()], as_json)
    elif as_json:
        print(json.dumps({"name": name, "program": str(named(name)), "pseudocode": pseudocode(named(name))}))
    else:
        print(f"{named(name)}\n\n{pseudocode(named(name))}")


@app.command()
def solve(
    problem: ProblemName,
    algorithm: Annotated[
        str, typer.Option("--with", help="A known algorithm, the folder of a run, a file, or the text of a program.")
    ] = "ea",
    evaluations: Annotated[int, typer.Option(help="Evaluations of each run.")] = 50_000,
    runs: Annotated[int, typer.Option(help="How many runs, with seeds from --seed on.")] = 1,
    seed: FirstSeed = 0,
    population: Annotated[int | None, typer.Option(help="Another population size than the algorithm's own.")] = None,
    seconds: Annotated[float | None, typer.Option(help="Stop each run after so many seconds.")] = None,
    workers: Workers = None,
    on: On = None,
    log: Log = None,
    picture: Annotated[
        Path | None, typer.Option(help="Also draw the best solution, where the problem has a picture, to this file.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Run an algorithm on a problem."""
    from metasmith.api import find_problem, solve_all
    from metasmith.figures import check_drawable, save_figure, solution_figure

    chosen = find_problem(problem)
    if picture is not None:
        check_drawable(chosen, picture)
    with progress("runs", runs) as tick:
        outcome = solve_all(
            algorithm, chosen, evaluations=evaluations, seeds=range(seed, seed + runs), population=population,
            seconds=seconds, workers=workers, on=on, on_done=lambda number, result: tick(), log=log,
        )  # fmt: skip
    if as_json:
        print(json.dumps(outcome.record()))
    elif outcome.results:
        screens.print_runs(outcome)
    if picture is not None and outcome.results:
        save_figure(solution_figure(chosen, outcome.winner.x), picture)
        if not as_json:
            print(f"wrote {picture}")
    if outcome.errors:
        complain(f"{len(outcome.errors)} of {runs} runs failed; the first: {next(iter(outcome.errors.values()))}")


@app.command()
def landscape(
    problem: ProblemName,
    seed: Annotated[int, typer.Option(help="The same seed, the same sample.")] = 0,
    as_json: AsJson = False,
) -> None:
    """Show what a problem looks like: its 32 landscape factors, and the known problems nearest to it."""
    from metasmith.api import landscape as looked_at
    from metasmith.landscapes import nearest

    landscape = looked_at(problem, seed=seed)
    if as_json:
        print(json.dumps({**landscape.record(), "nearest": [near._asdict() for near in nearest(landscape)]}))
    else:
        screens.print_landscape(landscape, nearest(landscape))


@app.command()
def design(
    task: Annotated[
        str,
        typer.Argument(help="What for: a task's name, such as pbo:F2, or FILE.py:NAME for your own problem or task."),
    ],
    evaluations: Annotated[
        int | None, typer.Option(help="Evaluations that the algorithm will have in use; the task's own, or 10000.")
    ] = None,
    effort: Annotated[
        str, typer.Option(help="How much to spend: quick, default or thorough; none with a writer.")
    ] = "default",
    budget: Annotated[
        int | None, typer.Option(help="All evaluations of the design together, instead of what the effort takes.")
    ] = None,
    writer: Annotated[Path | None, typer.Option(help="A file that 'learn' made, to begin from.")] = None,
    preset: Annotated[str, typer.Option(help="default, or paper for the numbers of the paper.")] = "default",
    space: Annotated[
        str | None, typer.Option(help="What may be written: full or paper; by default the preset's.")
    ] = None,
    designer: Annotated[
        str | None, typer.Option(help="mixture, ppo, evolution or random; by default the preset's.")
    ] = None,
    quality: Annotated[
        str, typer.Option(help="What counts: the final value, or the anytime mean over the run.")
    ] = "final",
    workers: Workers = None,
    on: On = None,
    seed: Annotated[int, typer.Option(help="The same seed, the same design.")] = 0,
    out: Annotated[Path | None, typer.Option(help="Folder of the run; by default a new one in runs/.")] = None,
    as_json: AsJson = False,
) -> None:
    """Design an algorithm for a task."""
    from metasmith.api import design as designed
    from metasmith.runs.folder import free_folder

    folder = free_folder(task, seed) if out is None else out
    with going_on_with(f"'metasmith resume {folder}'", (folder / "design.toml").is_file), watched(as_json) as tell:
        made = designed(
            task, evaluations=evaluations, effort=effort, preset=preset, budget=budget, space=space, designer=designer,
            quality=cast("Quality", quality), seed=seed, workers=workers, on=on, out=folder, writer=writer, tell=tell,
        )  # fmt: skip
    screens.print_designed(made, folder, as_json)


@app.command()
def learn(
    tasks: Annotated[list[str], typer.Argument(help="What to learn, in this order: tasks as for 'design'.")],
    writer: Annotated[
        Path, typer.Option(help="The file of the writer; made if it is not there, gone on with if it is.")
    ],
    effort: Annotated[str, typer.Option(help="How much to spend on each: quick, default or thorough.")] = "default",
    workers: Workers = None,
    on: On = None,
    seed: Annotated[int, typer.Option(help="The same seed and tasks, the same writer.")] = 0,
    as_json: AsJson = False,
) -> None:
    """Teach a writer one task after the other.

    It keeps what it knew, and can then design for others with 'design --writer'.
    """
    from metasmith.api import learn as learned

    def said(task: "Learned") -> None:
        if not as_json:
            print(f"learned {task.task}: score {task.score:.4f}", flush=True)

    with going_on_with("the same command", lambda: True), watched(as_json) as tell:
        memory = learned(
            tasks, writer, effort=effort, seed=seed, workers=workers, on=on, tell=tell, on_task=said,
            warn=screens.warn,
        )  # fmt: skip
    print_memory(memory, writer, as_json)


@app.command()
def resume(run: Run, workers: Workers = None, on: On = None, as_json: AsJson = False) -> None:
    """Go on with a run that was stopped or killed; it ends as if it had not been."""
    from metasmith.api import resume as resumed

    with going_on_with(f"'metasmith resume {run}'", (run / "design.toml").is_file), watched(as_json) as tell:
        made = resumed(run, workers=workers, on=on, tell=tell, warn=screens.warn)
    screens.print_designed(made, run, as_json)


@app.command(name="show")
def show_run(
    run: Annotated[Path, typer.Argument(help="The folder of a run, or the file of a writer.")], as_json: AsJson = False
) -> None:
    """Show a run: the algorithm, its score, how it was learned, what it cost. Or a writer: what it has learned."""
    from metasmith.analysis.history import learning
    from metasmith.runs.folder import Folder

    if run.is_file():
        from metasmith.designers.ppo.writer_file import WriterFile

        print_memory(WriterFile.load(run), run, as_json)
        return
    folder = Folder(run)
    spec, history, record = folder.spec(), folder.history(), folder.design()
    batches = len(learning(history))
    if as_json:
        print(json.dumps({"task": spec.task, "finished": record is not None, "design": record, "batches": batches}))
    elif record is not None:
        print_design(record, history)
    else:
        so_far = f"stopped after {plural(batches, 'batch')}"
        print(f"a design for {spec.task}, {so_far}; 'metasmith resume {run}' goes on")
        screens.print_curves(history)


@app.command()
def export(
    run: Run, file: Annotated[Path, typer.Argument(help="The Python file to write.")], as_json: AsJson = False
) -> None:
    """Write a design as a stand-alone Python file that needs numpy only."""
    from metasmith.api import export as exported

    exported(run, file)
    said = f"wrote {file}: import it and call optimize; its first lines say how"
    print(json.dumps({"run": str(run), "file": str(file)}) if as_json else said)


@app.command()
def compare(
    run: Run,
    runs: Annotated[int, typer.Option(help="Runs of each algorithm on each test problem.")] = 10,
    seed: FirstSeed = 0,
    workers: Workers = None,
    log: Log = None,
    as_json: AsJson = False,
) -> None:
    """Run a design beside the known algorithms, on the test problems of its task."""
    from metasmith.analysis.compare import beside
    from metasmith.report.analyses import comparison_table

    rows = beside(run, runs=runs, seed=seed, workers=workers, watch=progress, log=log)
    if as_json:
        print(json.dumps([row.record() for row in rows]))
    else:
        screens.print_table(comparison_table(rows))


@app.command()
def report(
    run: Annotated[
        Path, typer.Argument(help="The folder of a run, or of an experiment: what 'reproduce' has for --out.")
    ],
    runs: Annotated[int, typer.Option(help="Runs of each algorithm on each problem.")] = 10,
    out: Annotated[Path | None, typer.Option(help="The file to write; by default report.html in that folder.")] = None,
    seed: FirstSeed = 0,
    workers: Workers = None,
    as_json: AsJson = False,
) -> None:
    """Write what is known of a design as one HTML page, beside known algorithms; or an experiment's pages as one."""
    from metasmith.analysis.evidence import FILE, records
    from metasmith.files import make_room, save
    from metasmith.report.design_page import headline_of, page
    from metasmith.report.experiment_page import experiment_page, pages_in

    file = out or run / "report.html"
    if not (run / "design.toml").is_file() and (pages := pages_in(run)):
        save(file, experiment_page(pages))
        names = [each.name for each in pages]
        told = f"wrote {file} from {', '.join(names)}: open it in a browser"
        print(json.dumps({"file": str(file), "pages": names}) if as_json else told)
        return
    if not (run / "design.toml").is_file() and any(run.glob("*/design.toml")):
        advice = "'metasmith reproduce' goes on, or report on one of the runs"
        raise ValueError(f"'{run}' holds runs, but no experiment that has ended; {advice}")
    record = records(run, runs=runs, seed=seed, workers=workers, watch=progress, ready=lambda: make_room(file))
    save(file, page(record))
    said = headline_of(record)
    told = f"{said}.\nwrote {file}: open it in a browser; {run / FILE} has the numbers"
    fields = {"run": str(run), "file": str(file), "said": said, "evidence": str(run / FILE)}
    print(json.dumps(fields) if as_json else told)


@app.command()
def ablate(
    algorithm: Annotated[
        str, typer.Argument(help="The folder of a run, a known algorithm, a file, or the text of a program.")
    ],
    problem: Annotated[
        str | None, typer.Option(help="On this problem; by default on the test problems of the run's task.")
    ] = None,
    evaluations: Annotated[
        int | None,
        typer.Option(help="Evaluations of each run; by default as in the run's task, or 50000 if it is no run."),
    ] = None,
    runs: Annotated[int, typer.Option(help="Runs of each program on each problem.")] = 10,
    seed: FirstSeed = 0,
    workers: Workers = None,
    as_json: AsJson = False,
) -> None:
    """Show which lines of an algorithm matter: what is lost without each."""
    from metasmith.analysis.ablate import ablated, meant, wanted

    program, problems, spent = meant(algorithm, problem, evaluations)
    with progress("programs", len(wanted(program))) as tick:
        ablation = ablated(program, problems, evaluations=spent, runs=runs, seed=seed, workers=workers, on_done=tick)
    screens.print_ablation(ablation, [each.name for each in problems], as_json)


@app.command()
def diversity(
    runs: Annotated[list[Path], typer.Argument(help="Folders of runs, or folders with such folders in them.")],
    as_json: AsJson = False,
) -> None:
    """Show how different designs are: from the known algorithms, and from each other."""
    from metasmith.analysis.diversity import compared, designs_in

    designs, left_out = designs_in(runs)
    for run in left_out:
        screens.warn(f"left out '{run}', which is not finished")
    screens.print_diversity(compared(designs), as_json)


@app.command()
def bench(
    cold: Annotated[bool, typer.Option(help="Also measure a first start, which compiles everything anew.")] = True,
    write: Annotated[Path | None, typer.Option(help="Write the figures to this page too.")] = None,
    as_json: AsJson = False,
) -> None:
    """Measure the engine's speed beside raw ioh evaluation, in the same run."""
    from metasmith.experiments.speed import measures, page
    from metasmith.files import make_room, save

    if write is not None:
        make_room(write)
    figures = []
    for measure in measures(cold):
        figures.append(measure)
        if not as_json:
            mark, bound = "ok  " if measure.met else "MISS", f"({measure.bound} {measure.wanted:g})"
            line = f"{mark} {measure.what:30} {measure.value:8.2f} {measure.unit:6} {bound:16} {measure.detail}"
            print(line, flush=True)
    if as_json:
        fields = ("what", "value", "unit", "wanted", "met", "detail")
        print(json.dumps([{field: getattr(measure, field) for field in fields} for measure in figures]))
    if write is not None:
        save(write, page(figures, f"metasmith bench --write {write}"))


@app.command()
def references(
    runs: Annotated[int, typer.Option(help="How many runs, with seeds from 0 on.")] = 30,
    only: Annotated[str, typer.Option(help="Only these functions, such as F2,F18.")] = "",
    write: Annotated[Path | None, typer.Option(help="Also write the page to this file.")] = None,
    log: Log = None,
    as_json: AsJson = False,
) -> None:
    """Compare the known algorithms with published numbers on the PBO functions."""
    from time import perf_counter

    from metasmith.experiments.references import ALGORITHMS, page, report, rows
    from metasmith.experiments.shared.published import chosen
    from metasmith.files import make_room, save

    if write is not None:
        make_room(write)
    functions, begun = chosen(only), perf_counter()
    with progress("algorithms on functions", len(functions) * len(ALGORITHMS)) as tick:
        compared = list(rows(functions, runs, on_done=tick, log=log))
    print(json.dumps([row.record() for row in compared]) if as_json else report(compared))
    if write is not None:
        typed = f"metasmith references --runs {runs}{f' --only {only}' if only else ''} --write {write.as_posix()}"
        save(write, page(compared, typed, perf_counter() - begun))
