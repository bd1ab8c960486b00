"""Experiments as commands: built from what they declare."""

import sys
from pathlib import Path
from pkgutil import iter_modules
from typing import Any

import pytest
import typer
from typer.testing import CliRunner

from metasmith import experiments, reproduce
from metasmith.cli import app
from metasmith.experiments.shared.contract import LOG, ONLY, SCALE, Experiment, Option, Request
from metasmith.report.sheet import Sheet

NAMES = [
    "pbo-table", "one-off-curves", "algorithms", "diversity", "designs", "identification", "continual-1", "continual-2",
    "transfer-curves", "unseen", "beamforming", "restoration", "designers", "users", "ga-by-irace", "teach",
]  # fmt: skip


def toy(sheet: Any = None, **changes: Any) -> Experiment:
    """An experiment that does nothing."""
    fields: dict[str, Any] = {
        "name": "toy",
        "help": "Nothing.",
        "order": 99,
        "options": (SCALE, ONLY, Option("trials", int, 2, "How many."), LOG),
        "folder": lambda request: Path("runs/toy"),
        "steps": lambda request: ("steps", 1),
        "sheet": sheet or (lambda request, tick: Sheet("toy", "Title", ["Text."], [request.options["trials"]])),
    }
    return Experiment(**{**fields, **changes})


def test_every_file_of_the_folder_is_an_experiment_but_for_two_commands_and_a_pool():
    files = {module.name for module in iter_modules(experiments.__path__) if not module.ispkg}
    declared = {name.replace("-", "_") for name in experiments.experiments()}
    assert files == declared | {"references", "speed"}
    assert list(experiments.experiments()) == NAMES


@pytest.mark.parametrize("name", NAMES)
def test_a_command_takes_what_is_declared(name):
    command: Any = typer.main.get_command(app)
    experiment, made = experiments.experiments()[name], command.commands["reproduce"].commands[name]
    options = {option.opts[0]: option for option in made.params}
    of_all = {"--out", "--write", "--json", *(["--on"] if experiment.spreads else [])}
    assert {f"--{each.name}" for each in experiment.options} | of_all == set(options)
    for each in experiment.options:
        assert options[f"--{each.name}"].default == each.default
        assert options[f"--{each.name}"].help == each.help
    assert made.help == experiment.help


ANOTHER = """
from pathlib import Path
from metasmith.experiments.shared.contract import Experiment, Option
from metasmith.report.sheet import Sheet

EXPERIMENT = Experiment(
    "another", "One more.", 99, (Option("depth", int, 4, "How deep."),), lambda request: Path("runs"),
    lambda request: ("steps", 1), lambda request, tick: Sheet("another", "Title", [], request.options["depth"]),
)
"""


@pytest.fixture
def another(tmp_path, monkeypatch):
    """One more file in the folder of experiments."""
    (tmp_path / "another.py").write_text(ANOTHER)
    monkeypatch.setattr(experiments, "__path__", [*experiments.__path__, str(tmp_path)])
    for cached in (experiments.experiments, reproduce._commands):
        cached.cache_clear()
    yield
    sys.modules.pop("metasmith.experiments.another", None)
    for cached in (experiments.experiments, reproduce._commands):
        cached.cache_clear()


@pytest.mark.usefixtures("another")
def test_a_file_more_is_a_command_more(tmp_path):
    for words, depth in (([], "4"), (["--depth", "7"], "7")):
        told = CliRunner().invoke(app, ["reproduce", "another", "--json", "--out", str(tmp_path / "out"), *words])
        assert (told.exit_code, told.stdout) == (0, f"{depth}\n")


def done(experiment: Experiment, **options: Any) -> None:
    """Do an experiment as its command does, with defaults for what is not said."""
    defaults = {each.name: each.default for each in experiment.options}
    reproduce.reproduce(experiment, {**defaults, "out": None, "write": None, **options}, as_json=False)


def test_a_page_says_what_was_typed_and_is_written_only_if_asked_for(tmp_path, capsys):
    file = tmp_path / "new" / "page.md"
    done(toy(), out=tmp_path / "runs", write=file)
    head, made, took, text = (line for line in file.read_text().splitlines() if line)
    assert (head, text) == ("# Title", "Text.")
    typed = (
        f"metasmith reproduce toy --scale paper --trials 2 --out {tmp_path.as_posix()}/runs --write {file.as_posix()}"
    )
    assert made.startswith(f"Made by `{typed}` on 20")
    assert took.startswith("This call took 0 minutes")
    assert (tmp_path / "runs" / "toy.md").read_text() == file.read_text()
    done(toy(), out=tmp_path / "my runs", only="F1,F2")
    assert list(file.parent.iterdir()) == [file]
    typed = f"--scale paper --only F1,F2 --trials 2 --out '{tmp_path.as_posix()}/my runs'"
    assert f"Made by `metasmith reproduce toy {typed}` on 20" in (tmp_path / "my runs" / "toy.md").read_text()
    assert capsys.readouterr().out == "Text.\n\n" * 2


def test_what_cannot_be_written_is_said_before_the_work(tmp_path):
    (tmp_path / "file").touch()
    busy = toy(lambda request, tick: pytest.fail("worked"))
    for options in ({"write": tmp_path / "file" / "page.md"}, {"out": tmp_path / "file" / "runs"}):
        with pytest.raises(ValueError, match="cannot write"):
            done(busy, **{"out": tmp_path, **options})
    with pytest.raises(ValueError, match="cannot write logs to"):
        done(busy, out=tmp_path, **{"log-ioh": tmp_path / "file"})
    with pytest.raises(ValueError, match=r"nowhere must be installed for this: pip install 'metasmith\[some\]'"):
        done(toy(needs={"nowhere": "some"}), out=tmp_path)


def test_a_request_reads_its_options():
    request = Request({"scale": "small", "trials": 3, "only": "f2", "out": None}, lambda request: Path("there"))
    assert (request.scale.effort, request.scale.trials, request.scale.runs) == ("quick", 3, 5)
    assert (request.functions, request.folder, request.log) == (("F2",), Path("there"), None)
    with pytest.raises(ValueError, match="at least 1 design of each kind is needed, got --trials 0"):
        _ = Request({"scale": "small", "trials": 0}, lambda request: Path()).scale


def test_the_curves_are_of_the_papers_functions_unless_others_are_named(tmp_path, monkeypatch):
    asked = []
    monkeypatch.setattr(
        "metasmith.experiments.one_off_curves.made_all", lambda wanted, tick: asked.extend(wanted) or 1 / 0
    )
    for words in ([], ["--only", "F2"]):
        CliRunner().invoke(app, ["reproduce", "one-off-curves", "--trials", "1", "--out", str(tmp_path), *words])
    assert [each.task for each in asked] == [f"pbo:F{number}" for number in (1, 3, 14, 15, 17, 20, 2)]
