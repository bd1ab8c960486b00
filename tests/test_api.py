"""The front door: names, files and texts are looked up, and mistakes are told in one line."""

import inspect
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import metasmith as ms
from metasmith.api import EVALUATIONS, export, find_task
from metasmith.designers.training import Training
from metasmith.measuring import Race
from metasmith.problems.beamforming.propagation import channels
from metasmith.program import ProgramError, named
from metasmith.runs.continual import blank


def test_an_algorithm_is_a_program_a_name_a_file_or_a_text(tmp_path: Path) -> None:
    program = named("ea")
    file = tmp_path / "mine.txt"
    file.write_text(f"# my own\n{program}\n")
    for given in (program, "ea", file, str(file), str(program), "population 1; reset_rand(p=1/d); pairwise_select"):
        assert ms.algorithm(given) == program
    assert ms.algorithm("ea", population=7).population == 7


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("rsl", "there is no algorithm 'rsl'; did you mean 'rls'?"),
        ("missing.txt", "cannot read the algorithm file 'missing.txt': No such file or directory"),
        ("population 1; reset_m(n=1)", "line 2: there is no component 'reset_m'; did you mean 'reset_n'?"),
    ],
)
def test_an_unknown_algorithm_is_one_clear_line(given: str, said: str) -> None:
    with pytest.raises((ValueError, ProgramError)) as caught:
        ms.algorithm(given)
    assert str(caught.value) == said


def test_a_binary_file_is_not_an_algorithm(tmp_path: Path) -> None:
    file = tmp_path / "noise.txt"
    file.write_bytes(b"\xff\xfe\x00population")
    with pytest.raises(ValueError, match=r"cannot read the algorithm file .*: it is not text"):
        ms.algorithm(file)


def test_solve_gives_what_scipy_users_expect() -> None:
    result = ms.solve("ea", "pbo:F1@50", evaluations=3000, seed=4)
    assert result.success
    assert result.nfev == 3000
    assert result.fun == ms.problem("pbo:F1@50")(result.x) == 50
    assert result.hit == result.history.evaluations[-1]
    assert result.message == "all evaluations spent"


def test_solve_all_gives_each_seed_what_solve_gives() -> None:
    runs = ms.solve_all("rls", "pbo:F2@50", evaluations=500, seeds=[3, 1, 2], workers=2)
    assert list(runs.outcomes) == [3, 1, 2]
    for seed, result in runs.results.items():
        alone = ms.solve("rls", "pbo:F2@50", evaluations=500, seed=seed)
        assert alone.fun == result.fun
        np.testing.assert_array_equal(alone.x, result.x)
    assert runs.mean == pytest.approx(np.mean(runs.best))
    assert runs.std == pytest.approx(np.std(runs.best, ddof=1))


def test_a_problem_can_come_from_a_file(tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    file.write_text("import metasmith as ms\nbits = ms.Problem(lambda x: x.sum(), ms.Bits(20))\nnumber = 3\n")
    assert ms.solve("rls", f"{file}:bits", evaluations=400).fun == 20
    for name, said in (("bite", "it has: bits"), ("number", "it has: bits")):
        with pytest.raises(ValueError, match=said):
            ms.solve("rls", f"{file}:{name}", evaluations=400)
    with pytest.raises(ValueError, match="there is no file"):
        ms.solve("rls", f"{tmp_path}/other.py:bits", evaluations=400)
    file.write_text("import nothing_of_this_name")
    with pytest.raises(ValueError, match="cannot be loaded: ModuleNotFoundError"):
        ms.solve("rls", f"{file}:bits", evaluations=400)


def test_failing_runs_do_not_take_the_others_with_them() -> None:
    def sometimes(x: np.ndarray) -> float:
        if x[0]:
            raise ArithmeticError("no ones at the start")
        return float(x.sum())

    runs = ms.solve_all(
        "population 1; reset_n(n=1)", ms.Problem(sometimes, ms.Bits(30)), evaluations=3, seeds=range(12)
    )
    assert runs.errors
    assert runs.results
    assert len(runs.errors) + len(runs.results) == 12
    assert all("ArithmeticError: no ones at the start" in str(error) for error in runs.errors.values())
    rows = runs.record()["runs"]
    assert [("error" in row) for row in rows] == [seed in runs.errors for seed in range(12)]


def test_every_public_name_is_there() -> None:
    for name in ms.__all__:
        assert getattr(ms, name) is not None
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = ms.nothing


SMALL = {
    "effort": "quick",
    "training": Training(batch=4, known=False),
    "race": Race(finalists=2, samples=1, rounds=(1, 1)),
}


def ones() -> ms.Problem:
    return ms.Problem(lambda x: float(x.sum()), ms.Bits(12), name="ones")


def test_a_task_is_found_by_name_by_file_or_made_of_a_problem(tmp_path: Path) -> None:
    assert find_task("pbo:F2").name == ms.task("pbo:F2").name
    assert find_task("pbo:F2", 700).evaluations == 700
    problem = ones()
    task = find_task(problem)
    assert (task.name, task.training, task.test, task.evaluations) == ("ones", (problem,), (problem,), EVALUATIONS)
    assert find_task(task) is task
    file = tmp_path / "mine.py"
    text = "import metasmith as ms\nbits = ms.Problem(lambda x: x.sum(), ms.Bits(20))\n"
    file.write_text(text + "task = ms.Task('t', (bits,), (bits,), 70)\n")
    assert find_task(f"{file}:bits").evaluations == EVALUATIONS
    assert find_task(f"{file}:task").evaluations == 70
    with pytest.raises(ValueError, match="is a task, and a problem is needed; its test problems are <lambda>"):
        ms.solve("ea", f"{file}:task", evaluations=10)


def test_a_file_may_lie_in_a_folder_with_py_in_its_name(tmp_path: Path) -> None:
    folder = tmp_path / ".pyenv" / "a.py:b"
    folder.mkdir(parents=True)
    file = folder / "mine.py"
    file.write_text("import metasmith as ms\nbits = ms.Problem(lambda x: x.sum(), ms.Bits(8))\n")
    assert ms.solve("rls", f"{file}:bits", evaluations=100).fun == 8
    design = ms.design(f"{file}:bits", evaluations=20, out=tmp_path / "run", **SMALL)
    assert design.spec.task == f"{file}:bits"
    assert ms.resume(tmp_path / "run").program == design.program


def test_a_design_for_a_users_channels_is_resumed_from_anywhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    drawn = channels(8, 1)
    np.savez(tmp_path / "mine.npz", G=drawn.station_surface, Hd=drawn.direct, Hr=drawn.surface_users)
    monkeypatch.chdir(tmp_path)
    design = ms.design("beamforming:mine.npz", evaluations=20, out=tmp_path / "run", **SMALL)
    assert design.spec.task == f"beamforming:{(tmp_path / 'mine.npz').resolve()}"
    monkeypatch.chdir(tmp_path.parent)
    assert ms.resume(tmp_path / "run").program == design.program


def test_a_design_is_an_algorithm_that_can_be_saved_exported_and_used(tmp_path: Path) -> None:
    design = ms.design(ones(), evaluations=40, seed=np.int64(3), **SMALL)
    assert isinstance(design, ms.Design)
    assert isinstance(design.program, ms.Program)
    assert design.spec.seed == 3
    assert f"{design.score:.4g}" in repr(design)
    assert design.ledger["runs"] == sum(len(line["measured"]) for line in design.history)
    design.save(tmp_path / "run")
    assert (
        ms.solve(tmp_path / "run", ones(), evaluations=40).fun == ms.solve(design.program, ones(), evaluations=40).fun
    )
    design.export(tmp_path / "one.py")
    export(tmp_path / "run", tmp_path / "other.py")
    assert (tmp_path / "one.py").read_text() == (tmp_path / "other.py").read_text()
    with pytest.raises(ValueError, match="cannot write"):
        design.export(tmp_path / "nowhere" / "one.py")


def test_a_run_of_a_problem_without_a_name_is_resumed_with_it(tmp_path: Path) -> None:
    design = ms.design(ones(), evaluations=40, out=tmp_path / "run", **SMALL)
    (tmp_path / "run" / "design.txt").unlink()
    with pytest.raises(ValueError, match="there is no problem 'ones'"):
        ms.resume(tmp_path / "run")
    again = ms.resume(tmp_path / "run", ones(), workers=1)
    assert (again.program, again.score) == (design.program, design.score)
    assert ms.algorithm(tmp_path / "run") == design.program


def test_an_unfinished_run_is_no_algorithm(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="it is not the folder of a run"):
        ms.algorithm(tmp_path)
    (tmp_path / "design.toml").write_text("")
    with pytest.raises(ValueError, match="is not finished; 'metasmith resume"):
        ms.algorithm(str(tmp_path))


def without_torch(code: str) -> None:
    """Run some code, which must not load torch."""
    subprocess.run([sys.executable, "-c", f"import sys\n{code}\nassert 'torch' not in sys.modules"], check=True)


def test_designing_does_not_load_torch_before_it_is_needed() -> None:
    without_torch("import metasmith.api, metasmith.cli, metasmith.runs.loop, metasmith.runs.continual")


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a run by the default designer, whose problem is in a file beside it."""
    folder = tmp_path_factory.mktemp("mine")
    (folder / "mine.py").write_text(
        "import metasmith as ms\nones = ms.Problem(lambda x: float(x.sum()), ms.Bits(12), name='ones')\n"
    )
    ms.design(f"{folder / 'mine.py'}:ones", evaluations=40, out=folder / "run", **SMALL)
    return folder / "run"


@pytest.mark.slow
@pytest.mark.parametrize(
    "words",
    ["show RUN", "show WRITER", "compare RUN --runs 2", "export RUN OUT.py", "report RUN --runs 2 --out OUT.html",
     "solve FILE:ones --with RUN --evaluations 20"],
)  # fmt: skip
def test_commands_that_use_a_run_do_not_load_torch(words: str, run: Path, tmp_path: Path) -> None:
    blank("full", "bits", 0).save(tmp_path / "writer")
    paths = {"RUN": run, "WRITER": tmp_path / "writer", "OUT": tmp_path / "out", "FILE": run.parent / "mine.py"}
    for name, path in paths.items():
        words = words.replace(name, str(path))
    without_torch(
        f"sys.argv = ['metasmith', *{words.split()!r}]\nfrom metasmith.cli import main\n"
        "try:\n    main()\nexcept SystemExit as end:\n    assert not end.code, end.code"
    )


@pytest.mark.slow
@pytest.mark.parametrize("designer", ["random", "evolution"])
def test_a_design_without_a_network_and_its_resumption_do_not_load_torch(designer: str, tmp_path: Path) -> None:
    without_torch(
        f"import metasmith as ms\nms.design('pbo:F1', evaluations=100, effort='quick', designer='{designer}', "
        f"out={str(tmp_path / 'run')!r})\nms.resume({str(tmp_path / 'run')!r})"
    )


def test_every_argument_of_the_front_door_is_named_and_typed() -> None:
    for name in ("algorithm", "design", "landscape", "learn", "resume", "solve", "solve_all"):
        for argument in inspect.signature(getattr(ms, name)).parameters.values():
            assert argument.kind not in (inspect.Parameter.VAR_KEYWORD, inspect.Parameter.VAR_POSITIONAL), name
            assert argument.annotation is not inspect.Parameter.empty, (name, argument)
    with pytest.raises(TypeError, match="bananas"):
        ms.design(ones(), bananas=3)


def test_spend_bounds_all_that_is_spent(tmp_path: Path) -> None:
    whole = ms.design(ones(), evaluations=40, **SMALL)
    half = ms.design(ones(), evaluations=40, spend=whole.spec.spend // 2, **SMALL)
    assert whole.ledger["evaluations"] <= whole.spec.spend
    assert half.ledger["evaluations"] <= half.spec.spend == whole.spec.spend // 2
    with pytest.raises(ValueError, match="100 evaluations are too few"):
        ms.design(ones(), evaluations=40, spend=100, out=tmp_path / "run", **SMALL)
    assert not (tmp_path / "run").exists()


def test_a_landscape_is_of_a_problem_a_name_or_a_file(tmp_path: Path) -> None:
    problem = ms.problem("pbo:F2@30")
    landscape = ms.landscape("pbo:F2@30", seed=np.int64(4))
    assert isinstance(landscape, ms.Landscape)
    assert (landscape.problem.name, landscape.seed) == (problem.name, 4)
    assert landscape.factors == ms.landscape(problem, seed=4).factors != ms.landscape(problem).factors
    file = tmp_path / "mine.py"
    file.write_text("import metasmith as ms\nbits = ms.Problem(lambda x: x.sum(), ms.Bits(5), name='five')\n")
    assert ms.landscape(f"{file}:bits").problem.name == "five"
    with pytest.raises(ValueError, match="there is no problem 'pbo:F24'"):
        ms.landscape("pbo:F24")
    with pytest.raises(ValueError, match=r"^seed must be a whole number, got 0.5$"):
        ms.landscape(problem, seed=0.5)


def test_a_run_may_start_from_the_best_of_a_landscape() -> None:
    problem = ms.problem("pbo:F1@40")
    best = ms.landscape(problem).best(10)
    runs = ms.solve_all("ea", problem, evaluations=1, seeds=[1, 2], population=10, start=best)
    assert runs.best == [problem(best[0])] * 2
    assert (
        ms.solve("ea", problem, evaluations=1, start=best).fun
        == problem(best[0])
        > ms.solve("ea", problem, evaluations=1).fun
    )
    with pytest.raises(
        ValueError, match="start solutions do not fit pbo:F1@41#1: expected a vector of 41 zeros and ones"
    ):
        ms.solve("ea", "pbo:F1@41", evaluations=1, start=best)
    with pytest.raises(ValueError, match="start solutions do not fit"):
        ms.solve_all("ea", "pbo:F1@41", evaluations=1, seeds=[1, 2], start=best)


def test_rooms_are_loaded_when_they_are_needed_and_hide_no_name() -> None:
    code = """
import importlib, pkgutil, sys
import metasmith as ms
assert "numpy" not in sys.modules and "typer" not in sys.modules
for room in pkgutil.iter_modules(ms.__path__):
    if room.name != "__main__":
        importlib.import_module(f"metasmith.{room.name}")
assert not [name for name in ms.__all__ if type(getattr(ms, name)) is type(sys)]
"""
    subprocess.run([sys.executable, "-c", code], check=True)


def test_an_exported_file_is_written_anew_unless_somebody_edited_it(tmp_path: Path) -> None:
    design, file = ms.design(ones(), evaluations=40, **SMALL), tmp_path / "mine.py"
    for _ in range(2):
        design.export(file)
    exported = file.read_text()
    file.write_text(exported.replace("\n", "\r\n"))  # as some editors and systems save it
    design.export(file)
    assert file.read_text() == exported
    for edited in (exported + "# mine\n", exported.replace("seed", "sead"), exported.partition("\n")[2]):
        file.write_text(edited)
        with pytest.raises(ValueError, match=r"mine.py' was edited after it was exported; choose another name, or del"):
            design.export(file)
        assert file.read_text() == edited
    for others in ("print(3)\n", "\udcff"):
        file.write_text(others, errors="surrogateescape")
        with pytest.raises(ValueError, match=r"is there already, and is not an exported algorithm; choose"):
            design.export(file)
    assert [path.name for path in tmp_path.iterdir()] == ["mine.py"]


def test_an_exported_file_is_whole_or_not_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    design, file = ms.design(ones(), evaluations=40, **SMALL), tmp_path / "mine.py"
    design.export(file)
    before = file.read_bytes()

    def full(path: Path, data: bytes) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("metasmith.files.replace", full)
    with pytest.raises(ValueError, match=r"cannot write '.*mine.py': No space left on device"):
        design.export(file)
    assert file.read_bytes() == before
