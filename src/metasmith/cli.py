"""The command line: one short function per command.

Rooms are imported when a command needs them, so that help is instant.
"""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from metasmith import reproduce, screens
from metasmith.reproduce import AsJson
from metasmith.screens import (
    complain,
    going_on_with,
    page_of,
    print_design,
    print_memory,
    progress,
    say_json,
    show,
    watched,
)

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
Watch = Annotated[bool, typer.Option("--watch", help="Also show how it goes as a page in a browser; says where.")]
Spend = Annotated[
    int | None,
    typer.Option(
        help="All evaluations of a design together; its parts are laid out for that. Twenty runs' worth or more."
    ),
]
Minutes = Annotated[
    float | None, typer.Option(help="About how long a design may take; with --spend, whichever is less.")
]
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
    screens.tell_of_crashes()
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
        screens.interrupted()
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
    defaults = "the default is 625 and 1, of beamforming 120 and 1, of practice 200 and 1"
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
        say_json({"name": name, "program": str(named(name)), "pseudocode": pseudocode(named(name))})
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
    from metasmith.api import algorithm as find_algorithm
    from metasmith.api import find_problem, solve_all
    from metasmith.figures import check_drawable, drawing
    from metasmith.files import overwrite

    # all paths first: the user's code may change folder
    program, home = find_algorithm(algorithm, population), Path.cwd()
    chosen, drawn = find_problem(problem), picture
    log, picture = log and home / log, picture and home / picture
    if picture is not None:
        check_drawable(chosen, picture)
    with progress("runs", runs) as tick:
        outcome = solve_all(
            program, chosen, evaluations=evaluations, seeds=range(seed, seed + runs), seconds=seconds,
            workers=workers, on=on, on_done=lambda number, result: tick(), log=log, name=algorithm,
        )  # fmt: skip
    if as_json:
        say_json(outcome.record())
    elif outcome.results:
        screens.print_runs(outcome)
    if picture is not None and outcome.results:
        overwrite(picture, drawing(chosen, outcome.winner.x, picture.suffix.lower()))
        if not as_json:
            print(f"wrote {drawn}")
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
        say_json({**landscape.record(), "nearest": [near._asdict() for near in nearest(landscape)]})
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
    spend: Spend = None,
    minutes: Minutes = None,
    writer: Annotated[Path | None, typer.Option(help="A file that 'learn' made, to begin from.")] = None,
    preset: Annotated[str, typer.Option(help="default, or paper for the numbers of the paper.")] = "default",
    space: Annotated[
        str | None, typer.Option(help="What may be written: full or paper; by default the preset's.")
    ] = None,
    designer: Annotated[
        str | None,
        typer.Option(
            help="mixture, guided, ppo, evolution, local_search, random, pick, irace, smac; by default the preset's."
        ),
    ] = None,
    quality: Annotated[
        str, typer.Option(help="What counts: the final value, or the anytime mean over the run.")
    ] = "final",
    workers: Workers = None,
    on: On = None,
    seed: Annotated[int, typer.Option(help="The same seed, the same design.")] = 0,
    out: Annotated[Path | None, typer.Option(help="Folder of the run; by default a new one in runs/.")] = None,
    watch: Watch = False,
    as_json: AsJson = False,
) -> None:
    """Design an algorithm for a task."""
    from metasmith.api import design as designed
    from metasmith.runs.folder import Folder, free_folder

    folder = free_folder(task, seed) if out is None else out
    begun = Folder(folder)
    going_on = going_on_with(f"'metasmith resume {folder}'", lambda: begun.exists)
    with going_on, page_of(folder, watch), watched(as_json) as tell:
        made = designed(
            task, evaluations=evaluations, effort=effort, preset=preset, spend=spend, minutes=minutes, space=space,
            designer=designer, quality=cast("Quality", quality), seed=seed, workers=workers, on=on, out=folder,
            writer=writer, tell=tell,
        )  # fmt: skip
    screens.print_designed(made, folder, as_json)


@app.command()
def learn(
    tasks: Annotated[list[str], typer.Argument(help="What to learn, in this order: tasks as for 'design'.")],
    writer: Annotated[
        Path, typer.Option(help="The file of the writer; made if it is not there, gone on with if it is.")
    ],
    effort: Annotated[str, typer.Option(help="How much to spend on each: quick, default or thorough.")] = "default",
    spend: Spend = None,
    minutes: Minutes = None,
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
            tasks, writer, effort=effort, spend=spend, minutes=minutes, seed=seed, workers=workers, on=on, tell=tell,
            on_task=said, warn=screens.warn,
        )  # fmt: skip
    print_memory(memory, writer, as_json)


@app.command()
def resume(run: Run, workers: Workers = None, on: On = None, watch: Watch = False, as_json: AsJson = False) -> None:
    """Go on with a run that was stopped or killed; it ends as if it had not been."""
    from metasmith.api import resume as resumed
    from metasmith.runs.folder import Folder

    begun = Folder(run)
    going_on = going_on_with(f"'metasmith resume {run}'", lambda: begun.exists)
    with going_on, page_of(run, watch), watched(as_json) as tell:
        made = resumed(run, workers=workers, on=on, tell=tell, warn=screens.warn)
    screens.print_designed(made, run, as_json)


@app.command()
def finish(run: Run, workers: Workers = None, on: On = None, as_json: AsJson = False) -> None:
    """End a run that was stopped: no more batches, a final race of the best so far, and its winner is the design."""
    from metasmith.api import finish as finished
    from metasmith.runs.folder import Folder

    begun = Folder(run)
    with going_on_with(f"'metasmith finish {run}'", lambda: begun.exists), watched(as_json) as tell:
        made = finished(run, workers=workers, on=on, tell=tell, warn=screens.warn)
    screens.print_designed(made, run, as_json)


@app.command(name="show")
def show_run(
    run: Annotated[Path, typer.Argument(help="The folder of a run, or the file of a writer.")], as_json: AsJson = False
) -> None:
    """Show a run: the algorithm, or the best so far, its score, how it was learned, what it cost. Or a writer."""
    from metasmith.runs.folder import Folder

    if run.is_file():
        from metasmith.designers.ppo.writer_file import WriterFile

        print_memory(WriterFile.load(run), run, as_json)
        return
    folder = Folder(run)
    spec, history, record = folder.spec(), folder.history(), folder.design()
    if folder.damaged:
        raise ValueError(folder.no_design())
    if as_json:
        say_json(screens.run_record(spec, history, record))
    elif record is not None:
        print_design(record, history)
    else:
        screens.print_unfinished(run, spec, history)


@app.command()
def watch(
    run: Run,
    port: Annotated[int, typer.Option(help="Port of the page; 0 for any that is free.")] = 0,
    open_page: Annotated[bool, typer.Option("--open", help="Also open the page in a browser.")] = False,
    as_json: AsJson = False,
) -> None:
    """Show a run as a page in a browser, under way or finished; for this machine only, until Ctrl-C.

    With --json: print where it stands, once.
    """
    from metasmith.runs.folder import Folder
    from metasmith.watching.state import state_of

    state = state_of(Folder(run))
    if as_json:
        say_json(state)
    else:
        screens.show_page(run, port, open_page)


@app.command()
def export(
    run: Run, file: Annotated[Path, typer.Argument(help="The Python file to write.")], as_json: AsJson = False
) -> None:
    """Write a design as a stand-alone Python file that needs numpy only."""
    from metasmith.api import export as exported

    exported(run, file)
    said = f"wrote {file}: import it and call optimize; its first lines say how"
    screens.say({"run": str(run), "file": str(file)}, said, as_json)


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
        say_json([row.record() for row in rows])
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
    from metasmith.report.design_page import MARK, headline_of, page
    from metasmith.report.experiment_page import experiment_page, pages_in

    shown, mark = (run / "report.html", b"") if out is None else (out, MARK)
    file = shown.absolute()  # the user's code may change folder
    if not (run / "design.toml").is_file() and (pages := pages_in(run)):
        make_room(file, mark)
        save(file, experiment_page(pages))
        names = [each.name for each in pages]
        told = f"wrote {shown} from {', '.join(names)}: open it in a browser"
        screens.say({"file": str(shown), "pages": names}, told, as_json)
        return
    if not (run / "design.toml").is_file() and any(run.glob("*/design.toml")):
        advice = "'metasmith reproduce' goes on, or report on one of the runs"
        raise ValueError(f"'{run}' holds runs, but no experiment that has ended; {advice}")
    record = records(run, runs=runs, seed=seed, workers=workers, watch=progress, ready=lambda: make_room(file, mark))
    save(file, page(record))
    said = headline_of(record)
    told = f"{said}.\nwrote {shown}: open it in a browser; {run / FILE} has the numbers"
    fields = {"run": str(run), "file": str(shown), "said": said, "evidence": str(run / FILE)}
    screens.say(fields, told, as_json)


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
    from metasmith.runs.folder import Folder

    designs, left_out = designs_in(runs)
    for run in left_out:
        screens.warn(f"left out '{run}', which is {'damaged' if Folder(run).damaged else 'not finished'}")
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
    from metasmith.report.made import MARK

    if write is not None:
        make_room(write, MARK)
    figures = []
    for measure in measures(cold):
        figures.append(measure)
        if not as_json:
            mark, bound = "ok  " if measure.met else "MISS", f"({measure.bound} {measure.wanted:g})"
            line = f"{mark} {measure.what:30} {measure.value:8.2f} {measure.unit:6} {bound:16} {measure.detail}"
            print(line, flush=True)
    if as_json:
        fields = ("what", "value", "unit", "wanted", "met", "detail")
        say_json([{field: getattr(measure, field) for field in fields} for measure in figures])
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
    from metasmith.report.made import MARK

    if write is not None:
        make_room(write, MARK)
    functions, begun = chosen(only), perf_counter()
    with progress("algorithms on functions", len(functions) * len(ALGORITHMS)) as tick:
        compared = list(rows(functions, runs, on_done=tick, log=log))
    screens.say([row.record() for row in compared], report(compared), as_json)
    if write is not None:
        typed = f"metasmith references --runs {runs}{f' --only {only}' if only else ''} --write {write.as_posix()}"
        save(write, page(compared, typed, perf_counter() - begun))
