"""The experiments as commands: `metasmith reproduce NAME` makes a table or a figure of the paper anew.

Every one keeps its designs, and most their runs, so that a second call goes on where the first stopped. It prints its
tables, saves them in its folder as CSV, LaTeX and JSON, with the pictures, and writes a page if asked to.
"""

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperGroup

from metasmith.screens import going_on_with, progress

if TYPE_CHECKING:
    from metasmith.experiments.scales import Scale
    from metasmith.experiments.sheets import Sheet

AsJson = Annotated[bool, typer.Option("--json", help="Print JSON for machines.")]
Only = Annotated[str, typer.Option(help="Only these functions, such as F2,F18.")]
Write = Annotated[Path | None, typer.Option(help="Also write the page to this file, and the pictures beside it.")]
Out = Annotated[
    Path | None, typer.Option(help="Folder of what is kept, which is not done again. By default one in runs/.")
]
Trials = Annotated[int | None, typer.Option(help="Designs of each kind, with seeds from 0 on; by default the scale's.")]
Log = Annotated[
    Path | None,
    typer.Option("--log-ioh", metavar="DIR", help="Also log the runs in this folder, in IOHprofiler's format."),
]
ScaleName = Annotated[str, typer.Option("--scale", help="How much to spend: small, paper or full.")]


class Experiments(TyperGroup):
    """Commands that are experiments: an unknown one is told what there is."""

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        from metasmith.space.spelling import suggestion

        found = super().get_command(ctx, cmd_name)
        if found is None:
            raise ValueError(f"there is no experiment '{cmd_name}'; {suggestion(cmd_name, self.list_commands(ctx))}")
        return found


app = typer.Typer(cls=Experiments, no_args_is_help=True, help="Make a table or a figure anew.")


def experiment(
    command: str,
    folder: Path,
    steps: tuple[str, int],
    work: "Callable[[Callable[[], None]], Sheet]",
    write: Path | None,
    as_json: bool,
    log: Path | None = None,
    **options: object,
) -> None:
    """Do the work, with a bar; then print, save and write what was found. steps: what the bar counts, and how many.
    options: as typed.
    """
    from metasmith.experiments.pages import Page, make_room, need
    from metasmith.logs import make_log_folder

    need("scipy", "matplotlib")
    if log is not None:
        make_log_folder(log, new=True)
    page = Page(write, f"metasmith reproduce {command}", **options, out=folder)
    make_room(folder / f"{command}.json")
    again = "the same command" if log is None else "the same command with another --log-ioh"
    with going_on_with(again, lambda: True), progress(*steps) as tick:
        sheet = work(tick)
    page.write(sheet, folder)
    print(json.dumps(sheet.record) if as_json else sheet.text)


def scaled(scale: str, trials: int | None) -> "Scale":
    from dataclasses import replace

    from metasmith.experiments.scales import scale_named

    found = scale_named(scale)
    if trials is not None and trials < 1:
        raise ValueError(f"at least 1 design of each kind is needed, got --trials {trials}")
    return found if trials is None else replace(found, trials=trials)


def designs_folder(effort: str) -> Path:
    """Where designs for the PBO functions are: several experiments look at the same."""
    return Path("runs/designs" if effort == "default" else f"runs/designs-{effort}")


@app.command(name="pbo-table")
def pbo_table(
    scale: ScaleName = "paper", trials: Trials = None, only: Only = "", out: Out = None, write: Write = None, log: Log = None,
    as_json: AsJson = False,
) -> None:  # fmt: skip
    """Designs for the 23 PBO functions beside the paper's and nine known algorithms (table I)."""
    from metasmith.experiments import pbo_table
    from metasmith.experiments.references import chosen

    size, functions = scaled(scale, trials), chosen(only)
    folder = out or designs_folder(size.effort)
    experiment(
        "pbo-table", folder, ("designs and algorithms", pbo_table.steps(functions, size)),
        lambda tick: pbo_table.sheet(functions, size, folder, tick, log),
        write, as_json, log, scale=scale, trials=size.trials, only=only,
    )  # fmt: skip


@app.command(name="one-off-curves")
def one_off_curves(
    scale: ScaleName = "paper",
    trials: Trials = None,
    only: Only = "",
    out: Out = None,
    write: Write = None,
    as_json: AsJson = False,
) -> None:
    """How the writer learns, problem by problem (figure 5)."""
    from metasmith.experiments import one_off_curves

    of_designs(
        "one-off-curves",
        one_off_curves.sheet,
        scale,
        trials,
        only or ",".join(one_off_curves.SHOWN),
        out,
        write,
        as_json,
    )


@app.command(name="algorithms")
def algorithms(
    scale: ScaleName = "paper",
    trials: Trials = None,
    only: Only = "",
    out: Out = None,
    write: Write = None,
    as_json: AsJson = False,
) -> None:
    """The designed algorithms as pseudocode (as the paper prints some of its own)."""
    from metasmith.experiments import printed

    of_designs("algorithms", printed.sheet, scale, trials, only, out, write, as_json)


@app.command(name="diversity")
def diversity(
    scale: ScaleName = "paper",
    trials: Trials = None,
    only: Only = "",
    out: Out = None,
    write: Write = None,
    as_json: AsJson = False,
) -> None:
    """How different the designed algorithms are, and which known algorithm each is nearest to."""
    from metasmith.experiments import diversity

    of_designs("diversity", diversity.sheet, scale, trials, only, out, write, as_json)


def of_designs(
    command: str, sheet: "Callable[[Sequence[str], Scale, Path, Callable[[], None]], Sheet]", scale: str, trials: int | None, only: str,
    out: Path | None, write: Path | None, as_json: bool,
) -> None:  # fmt: skip
    """What designs for the PBO functions show, without any run of them."""
    from metasmith.experiments.references import chosen

    size, functions = scaled(scale, trials), chosen(only)
    folder = out or designs_folder(size.effort)
    experiment(
        command, folder, ("designs", len(functions) * size.trials), lambda tick: sheet(functions, size, folder, tick),
        write, as_json, scale=scale, trials=size.trials, only=only,
    )  # fmt: skip


@app.command(name="designs")
def designs(
    trials: Annotated[int, typer.Option(help="Designs of each kind, with seeds from 0 on.")] = 3,
    only: Only = "",
    effort: Annotated[str, typer.Option(help="Of each design: quick, default or thorough.")] = "default",
    out: Out = None,
    write: Write = None,
    log: Log = None,
    as_json: AsJson = False,
) -> None:
    """Learning beside random search, and what a design costs: several designs for every PBO function, timed one after
    the other.
    """
    from metasmith.experiments import designs
    from metasmith.experiments.references import chosen

    folder = out or designs_folder(effort)
    todo = designs.rivals(chosen(only), trials, folder, effort)
    experiment(
        "designs", folder, ("designs", len(todo)), lambda tick: designs.sheet(list(designs.designs(todo, tick, log))),
        write, as_json, log, trials=trials, only=only, effort=effort,
    )  # fmt: skip


@app.command(name="identification")
def identification(
    samples: Annotated[int, typer.Option(help="Of each function in each dimension.")] = 10,
    only: Only = "",
    out: Out = None,
    write: Write = None,
    as_json: AsJson = False,
) -> None:
    """Whether the landscape factors tell the PBO functions apart."""
    from metasmith.experiments import identification
    from metasmith.experiments.references import chosen

    functions, first = chosen(only), identification.FRESH
    experiment(
        "identification", out or Path("runs/identification"), ("landscapes", len(functions) * len(identification.DIMENSIONS) * samples),
        lambda tick: identification.sheet(identification.identify(functions, seeds=range(first, first + samples), tick=tick)),
        write, as_json, samples=samples, only=only,
    )  # fmt: skip


@app.command(name="continual-1")
def continual_1(
    scale: ScaleName = "paper",
    trials: Trials = None,
    out: Out = None,
    write: Write = None,
    log: Log = None,
    as_json: AsJson = False,
) -> None:
    """One writer learns F1 to F7: what it forgets and gains, with and without elastic weight consolidation (figure 6)."""
    from metasmith.experiments.continual_page import sheet

    series("continual-1", "continual-1", sheet, scale, trials, out, write, log, as_json)


@app.command(name="continual-2")
def continual_2(
    scale: ScaleName = "paper",
    trials: Trials = None,
    out: Out = None,
    write: Write = None,
    log: Log = None,
    as_json: AsJson = False,
) -> None:
    """One writer learns F1, F2, F11, F18, F19, F22, F23: what it forgets and gains (figure 6)."""
    from metasmith.experiments.continual_page import sheet

    series("continual-2", "continual-2", sheet, scale, trials, out, write, log, as_json)


@app.command(name="transfer-curves")
def transfer_curves(
    scale: ScaleName = "paper",
    trials: Trials = None,
    out: Out = None,
    write: Write = None,
    log: Log = None,
    as_json: AsJson = False,
) -> None:
    """What earlier tasks are worth to later ones: training curves of continual-2, whose folder it shares (figure 7)."""
    from metasmith.experiments.continual_page import transfer_sheet

    series(
        "transfer-curves",
        "continual-2",
        lambda found, name: transfer_sheet(found),
        scale,
        trials,
        out,
        write,
        log,
        as_json,
    )


def series(
    command: str, name: str, sheet: "Callable[[Any, str], Sheet]", scale: str, trials: int | None, out: Path | None, write: Path | None,
    log: Path | None, as_json: bool,
) -> None:  # fmt: skip
    from metasmith.experiments import continual

    size, folder = scaled(scale, trials), out or Path(f"runs/{name}-{scale}")
    todo = continual.wanted(continual.SERIES[name], size, folder)
    experiment(
        command, folder, ("tasks", sum(len(each.functions) for each in todo)),
        lambda tick: sheet(continual.found(name, size, continual.learned(todo, tick), log), name),
        write, as_json, log, scale=scale, trials=size.trials,
    )  # fmt: skip


@app.command(name="unseen")
def unseen(
    scale: ScaleName = "paper", out: Out = None, write: Write = None, log: Log = None, as_json: AsJson = False
) -> None:
    """What a writer designs at once for problems of a family it has never seen."""
    from metasmith.experiments import unseen

    size, folder = scaled(scale, None), out or Path(f"runs/unseen-{scale}")
    experiment(
        "unseen", folder, ("families", len(unseen.CASES)), lambda tick: unseen.sheet(list(unseen.unseen(size, folder, tick, log))),
        write, as_json, log, scale=scale,
    )  # fmt: skip


@app.command(name="beamforming")
def beamforming(
    scale: ScaleName = "full",
    trials: Trials = None,
    out: Out = None,
    write: Write = None,
    log: Log = None,
    as_json: AsJson = False,
) -> None:
    """Designs for beamforming beside every baseline (table II)."""
    application("beamforming", scale, trials, out, write, log, as_json)


@app.command(name="restoration")
def restoration(
    scale: ScaleName = "full",
    trials: Trials = None,
    out: Out = None,
    write: Write = None,
    log: Log = None,
    as_json: AsJson = False,
) -> None:
    """Designs for power restoration beside every baseline and the proved optimum (table III)."""
    from metasmith.experiments.pages import need

    need("highspy")
    application("restoration", scale, trials, out, write, log, as_json)


def application(
    name: str, scale: str, trials: int | None, out: Path | None, write: Path | None, log: Path | None, as_json: bool
) -> None:
    from metasmith.experiments import applications

    size = scaled(scale, trials)
    folder = out or Path(f"runs/{name}" if size.effort == "default" else f"runs/{name}-{size.effort}")
    experiment(
        name, folder, ("designs and algorithms", applications.steps(name, size)),
        lambda tick: applications.sheet(applications.compare(name, size, folder, tick, log)),
        write, as_json, log, scale=scale, trials=size.trials,
    )  # fmt: skip
