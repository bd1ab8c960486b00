"""The experiments as commands: `metasmith reproduce NAME` makes a table or a figure anew.

Every one keeps its designs, and most their runs, so that a second call goes on where the first stopped. It prints its
tables, saves them in its folder as CSV, LaTeX and JSON, with the pictures, and writes a page if asked to. The commands
are built from what the files in `experiments/` declare, once somebody asks for one.
"""

import inspect
from contextlib import ExitStack
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from shlex import quote
from time import perf_counter
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperGroup

from metasmith.screens import going_on_with, progress, reserved_for_json, say

if TYPE_CHECKING:
    from metasmith.experiments.shared.contract import Experiment, Option, Request


def _reserve(context: typer.Context, as_json: bool) -> bool:
    """From here on, before any of the user's code is loaded, nothing but JSON is printed."""
    if as_json:
        context.with_resource(reserved_for_json())
    return as_json


AsJson = Annotated[bool, typer.Option("--json", help="Print JSON for machines.", callback=_reserve, is_eager=True)]


class Experiments(TyperGroup):
    """A command for each experiment; an unknown one is told what there is."""

    @property
    def commands(self) -> Any:
        return _commands()

    @commands.setter
    def commands(self, commands: Any) -> None:
        """Typer has none to give."""

    def list_commands(self, ctx: Any) -> list[str]:
        return list(self.commands)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        from metasmith.space.spelling import suggestion

        if cmd_name not in self.commands:
            raise ValueError(f"there is no experiment '{cmd_name}'; {suggestion(cmd_name, self.commands)}")
        return self.commands[cmd_name]


app = typer.Typer(cls=Experiments, no_args_is_help=True, help="Make a table or a figure anew.")


@cache
def _commands() -> dict[str, Any]:
    from metasmith.experiments import experiments

    return {name: _command(experiment) for name, experiment in experiments().items()}


def _command(experiment: "Experiment") -> Any:
    """The command that an experiment declares."""
    from metasmith.experiments.shared.contract import LOG, ON, OUT, WRITE

    shown = [each for each in experiment.options if each is not LOG]
    shown += [OUT, WRITE, *([ON] if experiment.spreads else [])]  # what all have, before the logs
    shown += [each for each in experiment.options if each is LOG]

    def run(**values: Any) -> None:
        as_json = values.pop("as_json")
        reproduce(experiment, {option.name: values[_python(option)] for option in shown}, as_json)

    parameters = [_parameter(_python(option), _annotated(option), option.default) for option in shown]
    signature = inspect.Signature([*parameters, _parameter("as_json", AsJson, False)])
    run.__signature__ = signature  # type: ignore[attr-defined]
    run.__doc__ = experiment.help
    alone = typer.Typer(add_completion=False, pretty_exceptions_enable=False)
    alone.command(name=experiment.name)(run)
    return typer.main.get_command(alone)


def _python(option: "Option") -> str:
    return option.name.replace("-", "_")


def _annotated(option: "Option") -> Any:
    return Annotated[option.type, typer.Option(f"--{option.name}", help=option.help, metavar=option.metavar)]


def _parameter(name: str, annotation: Any, default: Any) -> inspect.Parameter:
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation)


def reproduce(experiment: "Experiment", options: dict[str, Any], as_json: bool) -> None:
    """Do an experiment, with a bar; then print, save and write what came out. options: by name, as typed."""
    from metasmith.engine import executor_at
    from metasmith.experiments.shared.contract import Request
    from metasmith.experiments.shared.side_by_side import done_on
    from metasmith.files import make_room, save
    from metasmith.logs import make_log_folder
    from metasmith.report.made import MARK, made_by, took

    _need(experiment)
    request = Request(options, experiment.folder)
    steps, page = experiment.steps(request), options["write"]
    if request.log is not None:
        make_log_folder(request.log, new=True)
    make_room(request.folder / f"{experiment.name}.json")
    if page is not None:
        make_room(page, MARK)
    begun = perf_counter()
    again = "the same command" if request.log is None else "the same command with another --log-ioh"
    with ExitStack() as stack:
        executor = None if options.get("on") is None else stack.enter_context(executor_at(options["on"]))
        stack.enter_context(done_on(executor))
        stack.enter_context(going_on_with(again, lambda: True))
        sheet = experiment.sheet(request, stack.enter_context(progress(*steps)))
    head = f"{made_by(typed(experiment, request))}\n{took(perf_counter() - begun)}"
    sheet.save(request.folder, head)
    if page is not None:
        save(page, sheet.page(head))
        sheet.draw(page.parent)
    say(sheet.record, sheet.text, as_json)


def typed(experiment: "Experiment", request: "Request") -> str:
    """The command that makes the same again; options without a value are left out."""
    options = {**request.typed(), "write": request.options["write"]}
    words = {name: value.as_posix() if isinstance(value, Path) else str(value or "") for name, value in options.items()}
    typed_options = [f"--{name} {quote(word)}" for name, word in words.items() if word]
    return " ".join(["metasmith reproduce", experiment.name, *typed_options])


def _need(experiment: "Experiment") -> None:
    """Say at once, before long work, what is not installed."""
    for package, extra in experiment.needs.items():
        if find_spec(package) is None:
            raise ValueError(f"{package} must be installed for this: pip install 'metasmith[{extra}]'")
