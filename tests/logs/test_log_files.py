"""What is in the files of a log."""

import math
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import ioh
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from log_helpers import made_up, read, tables

import metasmith as ms
from metasmith.logs import make_log_folder, named
from metasmith.problems.pbo import FUNCTIONS

SUM = ms.Problem(sum, ms.Bits(4), name="sum")
numbers = st.floats(allow_nan=False)


@st.composite
def curve(draw: st.DrawFn) -> dict[int, float]:
    """Improvements of a run that maximises, the first at its first evaluation."""
    values = sorted(draw(st.sets(numbers, min_size=1, max_size=6)))
    later = draw(st.sets(st.integers(2, 100), min_size=len(values) - 1, max_size=len(values) - 1))
    return dict(zip([1, *sorted(later)], values, strict=True))


@given(st.lists(curve(), min_size=1, max_size=6))
def test_every_improvement_is_logged_to_the_last_digit(
    tmp_path_factory: pytest.TempPathFactory, curves: list[dict[int, float]]
) -> None:
    home = ms.log_ioh(made_up(SUM, *curves), tmp_path_factory.mktemp("logs"))
    assert [dict(table) for table in tables(home)] == [{**curve, 100: list(curve.values())[-1]} for curve in curves]
    described = [run for scenario in read(home)["scenarios"] for run in scenario["runs"]]
    assert [run["seed"] for run in described] == list(range(len(curves)))
    for run, curve in zip(described, curves, strict=True):
        evaluation, best = list(curve.items())[-1]
        assert (run["instance"], run["evals"], run["best"]["evals"]) == (1, 100, evaluation)
        assert run["best"]["y"] == (best if math.isfinite(best) else None)


def test_a_run_that_begins_where_another_ended_is_in_another_file(tmp_path: Path) -> None:
    """iohinspector would lose its first line."""
    home = ms.log_ioh(made_up(SUM, {1: 1.0, 5: 2.0}, {1: 2.0, 7: 3.0}, {1: 2.0}, {1: 2.0}), tmp_path)
    assert [len(scenario["runs"]) for scenario in read(home)["scenarios"]] == [1, 2, 1]
    assert len({scenario["path"] for scenario in read(home)["scenarios"]}) == 3


def test_functions_are_called_as_ioh_calls_them() -> None:
    theirs = ioh.ProblemClass.PBO.problems
    for name, function in FUNCTIONS.items():
        ours, instance = named(function.at(16, 7))
        assert (ours.number, ours.name, instance) == (int(name[1:]), theirs[int(name[1:])], 7)


def test_other_problems_have_numbers_of_their_own() -> None:
    beams = [named(ms.problem(name)) for name in ("beamforming@40#3", "beamforming@80")]
    assert [(logged.name, instance) for logged, instance in beams] == [("beamforming", 3), ("beamforming", 1)]
    assert beams[0][0] == beams[1][0]
    others = [named(ms.Problem(sum, ms.Bits(4), name=name))[0] for name in ("sum", "pbo:F99", "a\nb", "#7", "x@y")]
    assert [logged.name for logged in others] == ["sum", "pbo:F99", "a\nb", "#7", "x@y"]
    assert len({logged.number for logged in others}) == len(others)
    assert all(25 < logged.number < 2**16 for logged in others)


@pytest.mark.parametrize("direction", ["max", "min"])
def test_direction_program_and_seeds_are_told(direction: str, tmp_path: Path) -> None:
    problem = ms.Problem(sum, ms.Bits(4), direction=direction, name="sum")
    program = ms.Program.parse("population 2\nreset_n(n=1)\npairwise_select")
    home = ms.log_ioh(ms.solve_all(program, problem, evaluations=9, seeds=[3, 1]), tmp_path)
    record = read(home)
    assert record["maximization"] is (direction == "max")
    assert record["algorithm"]["name"] == "population 2; reset_n(n=1); pairwise_select"
    assert ms.Program.parse(record["experiment_attributes"][0]["program"]) == program
    assert record["experiment_attributes"][1] == {"budget": "9"}
    assert [run["seed"] for run in record["scenarios"][0]["runs"]] == [3, 1]


def test_values_are_on_the_original_scale_without_noise(tmp_path: Path) -> None:
    """Whole numbers stay whole, so that a run reaches the target that it reached."""
    runs = ms.solve_all("rls", "pbo:F2@60#7", evaluations=3_000, seeds=range(4))
    logged = [value for table in tables(ms.log_ioh(runs, tmp_path)) for _, value in table]
    a, b = runs.problem.scale
    undone = [(value - b) / a for result in runs.results.values() for value in result.history.values]
    assert all(value == round(value) for value in logged)
    assert any(value != round(value) for value in undone)
    assert max(logged) == 60


def test_what_was_infeasible_is_infinite_and_its_best_null(tmp_path: Path) -> None:
    """Its value, which may well look good, was never reached by anything that counts."""
    late = ms.Problem(sum, ms.Bits(20), violation=lambda x: max(0, 15 - sum(x)), direction="min", name="late")
    never = ms.Problem(sum, ms.Bits(20), violation=lambda x: 1 + sum(x), direction="max", name="never")
    (table,) = tables(ms.log_ioh(ms.solve_all("rls", late, evaluations=500, seeds=[0]), tmp_path))
    assert table[0] == (1, math.inf)
    assert table[-1] == (500, 15)
    home = ms.log_ioh(ms.solve_all("rls", never, evaluations=50, seeds=[0, 1]), tmp_path)
    assert {value for table in tables(home) for _, value in table} == {-math.inf}
    assert [run["best"]["y"] for scenario in read(home)["scenarios"] for run in scenario["runs"]] == [None, None]


def test_failed_runs_are_left_out(tmp_path: Path) -> None:
    def fragile(x: np.ndarray) -> float:
        raise ArithmeticError

    broken = ms.solve_all("rls", ms.Problem(fragile, ms.Bits(4)), evaluations=50, seeds=[0, 1])
    with pytest.raises(ValueError, match="nothing to log: no run of rls on fragile ended well"):
        ms.log_ioh(broken, tmp_path)
    whole = made_up(SUM, {1: 1.0})
    some = ms.Runs("some", whole.program, SUM, 100, {**broken.outcomes, 7: whole.outcomes[0]})
    assert len(tables(ms.log_ioh(some, tmp_path))) == 1


def test_logs_made_at_once_have_folders_of_their_own(tmp_path: Path) -> None:
    runs = made_up(SUM, {1: 1.0, 5: 2.0})
    with ThreadPoolExecutor(8) as pool:
        homes = list(pool.map(lambda _: ms.log_ioh(runs, tmp_path / "new" / "logs"), range(24)))
    assert {home.name for home in homes} == {"made-up-sum", *(f"made-up-sum-{number}" for number in range(1, 24))}
    assert all(len(tables(home)) == 1 for home in homes)


@pytest.mark.parametrize("name", ["../../x", ".hidden", "a/b:c*?<>|", "x" * 1000, "é" * 300, "", "a\nb", "..."])
def test_any_name_makes_files_in_the_folder(name: str, tmp_path: Path) -> None:
    made = made_up(ms.Problem(sum, ms.Bits(4), name=name), {1: 1.0})
    home = ms.log_ioh(ms.Runs(name, made.program, made.problem, 100, made.outcomes), tmp_path / "logs")
    assert home.parent == tmp_path / "logs"
    assert not home.name.startswith(".")
    assert [path.name for path in tmp_path.iterdir()] == ["logs"]
    assert len(tables(home)) == 1


def test_a_log_cut_short_is_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What describes the data comes last, so that a reader never finds half of it."""

    def killed(path: Path, data: bytes) -> None:
        path.write_text(data[:9].decode())
        raise KeyboardInterrupt

    monkeypatch.setattr(Path, "write_bytes", killed)
    with pytest.raises(KeyboardInterrupt):
        ms.log_ioh(made_up(SUM, {1: 1.0}), tmp_path)
    monkeypatch.undo()
    assert not list(tmp_path.rglob("*.json"))
    assert ms.log_ioh(made_up(SUM, {1: 1.0}), tmp_path).name == "made-up-sum-1"


def test_a_folder_that_cannot_be_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    for folder in (tmp_path / "file", tmp_path / "file" / "logs"):
        with pytest.raises(ValueError, match=r"cannot write logs to '.*': .*; name a folder that can be written to$"):
            make_log_folder(folder)
    make_log_folder(tmp_path / "new")
    assert not list((tmp_path / "new").iterdir())


@pytest.mark.parametrize("name", ["pbo:F5@16#7", "pbo:F18@16#60", "pbo:F1@16#1"])
def test_ioh_logs_the_same_of_the_same_points(name: str, tmp_path: Path) -> None:
    """ioh evaluates, and its own logger watches."""
    ours = ms.problem(name)
    function, instance = named(ours)
    theirs = ioh.get_problem(function.number, instance, ours.dimension, ioh.ProblemClass.PBO)
    logger = ioh.logger.Analyzer(root=str(tmp_path), folder_name="theirs", algorithm_name="rls")
    theirs.attach_logger(logger)
    watched = ms.Problem(lambda x: theirs(x.tolist()), ours.variables, name=name, isolate=False)
    watched.scale = ours.scale
    results = {}
    for seed in range(3):
        results[seed] = ms.solve("rls", watched, evaluations=40, seed=seed)
        theirs.reset()
    logger.close()
    home = ms.log_ioh(ms.Runs("rls", ms.algorithm("rls"), watched, 40, results), tmp_path)
    mine, other = read(home), read(tmp_path / "theirs")
    same = ("function_id", "function_name", "maximization", "attributes")
    assert [mine[field] for field in same] == [other[field] for field in same]
    assert mine["scenarios"][0]["path"] == other["scenarios"][0]["path"]
    for one, two in zip(described(mine), described(other), strict=True):
        assert one["best"].pop("y") == pytest.approx(two["best"].pop("y"), abs=1e-9)
        assert two.items() <= one.items()
    for one, two in zip(tables(home), tables(tmp_path / "theirs"), strict=True):
        so_far = np.maximum.accumulate([value for _, value in two])
        assert [evaluation for evaluation, _ in one] == [evaluation for evaluation, _ in two]
        assert [value for _, value in one] == pytest.approx(so_far, abs=1e-9)


def described(record: dict) -> Iterator[dict]:
    return (run for scenario in record["scenarios"] for run in scenario["runs"])
