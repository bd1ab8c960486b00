"""iohinspector reads all folders of a log as one experiment, and finds the means and the ECDF values that we find."""

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from log_helpers import made_up

import metasmith as ms

iohinspector = pytest.importorskip(
    "iohinspector", reason="what reads the logs is in the extra: pip install metasmith[test]"
)
polars = pytest.importorskip("polars")
pytestmark = pytest.mark.filterwarnings("ignore")  # of the packages it stands on

GUIDE = Path(__file__).parents[2] / "docs" / "guides" / "logs.md"
BUDGETS = (1, 3, 10, 50, 200, 1_000, 2_000)


def experiment(folder: Path) -> "iohinspector.DataManager":
    manager = iohinspector.DataManager()
    manager.add_folder(str(folder))
    return manager


def reached(runs: list[ms.Runs], targets: np.ndarray) -> dict[int, float]:
    """The share of runs and targets with the target reached, within each of the BUDGETS: from the histories alone."""
    shares = {}
    for budget in BUDGETS:
        best = []
        for each in runs:
            for result in each.results.values():
                within = result.history.values[result.history.evaluations <= budget]
                best.append(round(each.problem.original(within[-1]), 9))
        better = np.greater_equal if runs[0].problem.maximise else np.less_equal
        shares[budget] = better.outer(best, targets).mean()
    return shares


def reached_in(data: "polars.DataFrame", targets: np.ndarray, runs: int, better: np.ufunc) -> dict[int, float]:
    """The same from what iohinspector loaded."""
    aligned = iohinspector.turbo_align(data.cast({"evaluations": polars.Int64}), BUDGETS)
    best = {budget: group["raw_y"].to_numpy() for (budget,), group in aligned.group_by("evaluations")}
    assert all(len(values) == runs for values in best.values())
    return {budget: better.outer(values, targets).mean() for budget, values in best.items()}


@pytest.fixture(scope="module")
def logged(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[ms.Runs]]:
    """Two algorithms on two instances, in four folders."""
    folder = tmp_path_factory.mktemp("logs")
    runs = [
        ms.solve_all(algorithm, f"pbo:F2@60#{instance}", evaluations=2_000, seeds=range(5))
        for algorithm in ("ea", "population 5; reset_rand(p=1/d); greedy_select")
        for instance in (1, 51)
    ]
    for each in runs:
        ms.log_ioh(each, folder)
    assert len(list(folder.iterdir())) == 4
    return folder, runs


def test_final_means_are_ours(logged: tuple[Path, list[ms.Runs]]) -> None:
    folder, runs = logged
    overview = experiment(folder).overview
    assert len(overview) == 20
    assert set(overview["function_name"]) == {"LeadingOnes"}
    means = overview.select("algorithm_name", "instance", "best_y").group_by("algorithm_name", "instance").mean()
    theirs = {(algorithm, instance): mean for algorithm, instance, mean in means.iter_rows()}
    ours = {(each.algorithm, int(each.problem.name.split("#")[1])): each.problem.original(each.mean) for each in runs}
    assert theirs == pytest.approx(ours)
    assert (
        dict(overview.select("algorithm_name", "program").iter_rows())["ea"]
        == "population 1; reset_rand(p=1/d); pairwise_select"
    )


@pytest.mark.parametrize("monotonic", [True, False])
def test_ecdf_values_at_fixed_targets_are_ours(monotonic: bool, logged: tuple[Path, list[ms.Runs]]) -> None:
    """Whole targets, so that a value a little off would not reach them."""
    folder, runs = logged
    targets = np.arange(0, 61.0)
    for algorithm in {each.algorithm for each in runs}:
        data = experiment(folder).select(algorithms=[algorithm]).load(monotonic=monotonic)
        ours = reached([each for each in runs if each.algorithm == algorithm], targets)
        assert reached_in(data, targets, 10, np.greater_equal) == pytest.approx(ours)
        assert len(set(ours.values())) > 4


def test_its_own_ecdf_is_ours(logged: tuple[Path, list[ms.Runs]]) -> None:
    """It has every value between the bounds for a target; half-way between whole numbers there are no others."""
    folder, runs = logged
    data = experiment(folder).load(
        monotonic=True, include_columns=["algorithm_name"]
    )  # it averages all columns, which text has no use for
    table = iohinspector.get_data_ecdf(
        data, f_min=0, f_max=60, scale_f_log=False, eval_values=BUDGETS, maximization=True
    )
    for algorithm in {each.algorithm for each in runs}:
        ours = reached([each for each in runs if each.algorithm == algorithm], np.arange(0.5, 60))
        assert table[table["algorithm_name"] == algorithm]["eaf"].tolist() == pytest.approx(list(ours.values()))


def test_minimisation_that_begins_infeasible(tmp_path: Path) -> None:
    problem = ms.Problem(sum, ms.Bits(30), violation=lambda x: max(0, 20 - sum(x)), direction="min", name="light")
    runs = ms.solve_all("ea", problem, evaluations=2_000, seeds=range(6))
    ms.log_ioh(runs, tmp_path)
    manager, targets = experiment(tmp_path), np.arange(18.0, 31)
    assert manager.overview["best_y"].mean() == runs.mean == 20
    ours = reached([runs], targets)
    assert ours[1] == 0
    assert reached_in(manager.load(monotonic=True), targets, 6, np.less_equal) == pytest.approx(ours)


def test_the_guide_is_right(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Its examples run as printed, the first before the second."""
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {}
    for code in re.findall(r"```python\n(.*?)```", GUIDE.read_text(), re.DOTALL):
        exec(compile(code, GUIDE.name, "exec"), names)
    ours = [line.split() for line in capsys.readouterr().out.splitlines()[:4]]
    means = names["experiment"].overview.group_by("algorithm_name", "instance").agg(polars.col("best_y").mean())
    assert {(name, instance): mean for name, instance, mean in means.iter_rows()} == pytest.approx(
        {(name, int(instance)): float(mean) for name, instance, mean in ours}
    )


def test_no_run_is_lost(tmp_path: Path) -> None:
    """Not even one that begins where the run before it ended, never improves, or has nothing feasible."""
    problem = ms.Problem(sum, ms.Bits(4), name="sum")
    worst = -np.inf
    runs = made_up(
        problem, {1: 1.0, 5: 2.0}, {1: 2.0}, {1: 2.0}, {1: worst, 9: 2.0}, {1: worst}, {1: worst}, {1: 1e-300, 2: 1e300}
    )
    ms.log_ioh(runs, tmp_path)
    manager = experiment(tmp_path)
    data = manager.load(monotonic=True)
    assert data["data_id"].n_unique() == manager.n_runs == 7
    assert data.filter(data["evaluations"] == 1)["raw_y"].to_list() == [
        result.history.values[0] for result in runs.results.values()
    ]
    assert manager.overview["best_y"].null_count() == 2


def test_other_problems_and_other_logs_come_along(tmp_path: Path) -> None:
    """A second log of the same is added, not written over; two functions of one's own are two functions."""
    for name in ("one", "two"):
        runs = ms.solve_all("ea", ms.Problem(sum, ms.Integers(3, 12), name=name), evaluations=200, seeds=[0, 1])
        ms.log_ioh(runs, tmp_path)
    ms.log_ioh(runs, tmp_path)
    (tmp_path / "ea-three").mkdir()  # as a log leaves that was cut short
    manager = experiment(tmp_path)
    assert manager.n_runs == 6
    assert {function.name: function.maximization for function in manager.functions} == {"one": True, "two": True}
    assert len({function.id for function in manager.functions}) == 2
