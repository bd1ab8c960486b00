"""iohinspector reads all folders of a log as one experiment, and finds the means and the ECDF values that we find."""

from pathlib import Path

import numpy as np
import pytest
from log_helpers import made_up

import metasmith as ms

iohinspector = pytest.importorskip("iohinspector", reason="what reads the logs is in the extra: pip install metasmith[test]")
pytestmark = pytest.mark.filterwarnings("ignore")  # of the packages it stands on

BUDGETS = (1, 3, 10, 50, 200, 1_000, 2_000)


def experiment(folder: Path) -> "iohinspector.DataManager":
    manager = iohinspector.DataManager()
    manager.add_folder(str(folder))
    return manager


def reached(runs: list[ms.Runs], targets: np.ndarray) -> list[float]:
    """The share of runs and targets with the target reached, within each of the BUDGETS: from the histories alone."""
    shares = []
    for budget in BUDGETS:
        best = []
        for each in runs:
            for result in each.results.values():
                within = result.history.values[result.history.evaluations <= budget]
                best.append(round(each.problem.original(within[-1]), 9))
        better = np.greater_equal if runs[0].problem.maximise else np.less_equal
        shares.append(better.outer(best, targets).mean())
    return shares


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
    means = overview.group_by("algorithm_name", "instance").mean()
    found = {(row["algorithm_name"], row["instance"]): row["best_y"] for row in means.to_dicts()}
    ours = {(each.algorithm, int(each.problem.name.split("#")[1])): each.problem.original(each.mean) for each in runs}
    assert found == pytest.approx(ours)
    assert dict(overview.select("algorithm_name", "program").iter_rows())["ea"] == "population 1; reset_rand(p=1/d); pairwise_select"


@pytest.mark.parametrize("monotonic", [True, False])
def test_ecdf_values_at_fixed_targets_are_ours(monotonic: bool, logged: tuple[Path, list[ms.Runs]]) -> None:
    """Whole targets, so that a value a little off would not reach them."""
    folder, runs = logged
    targets = np.arange(0, 61.0)
    for algorithm in {each.algorithm for each in runs}:
        data = experiment(folder).select(algorithms=[algorithm]).load(monotonic=monotonic)
        aligned = iohinspector.turbo_align(data.cast({"evaluations": int}), BUDGETS)
        found = [np.greater_equal.outer(group["raw_y"].to_numpy(), targets) for _, group in aligned.group_by("evaluations")]
        assert all(len(group) == 10 for group in found)
        ours = reached([each for each in runs if each.algorithm == algorithm], targets)
        assert sorted(group.mean() for group in found) == pytest.approx(ours)
        assert len(set(ours)) > 4


def test_its_own_ecdf_is_ours(logged: tuple[Path, list[ms.Runs]]) -> None:
    """It has every value between the bounds for a target; half-way between whole numbers there are no others."""
    folder, runs = logged
    data = experiment(folder).load(monotonic=True, include_meta_data=True)
    table = iohinspector.get_data_ecdf(data, f_min=0, f_max=60, scale_f_log=False, eval_values=BUDGETS, maximization=True)
    for algorithm in {each.algorithm for each in runs}:
        ours = reached([each for each in runs if each.algorithm == algorithm], np.arange(0.5, 60))
        assert table[table["algorithm_name"] == algorithm]["eaf"].tolist() == pytest.approx(ours)


def test_minimisation_that_begins_infeasible(tmp_path: Path) -> None:
    problem = ms.Problem(sum, ms.Bits(30), violation=lambda x: max(0, 20 - sum(x)), direction="min", name="light")
    runs = ms.solve_all("ea", problem, evaluations=2_000, seeds=range(6))
    ms.log_ioh(runs, tmp_path)
    manager, targets = experiment(tmp_path), np.arange(18.0, 31)
    assert manager.overview["best_y"].mean() == runs.mean == 20
    data = manager.load(monotonic=True).cast({"evaluations": int})
    aligned = iohinspector.turbo_align(data, BUDGETS)
    found = [np.less_equal.outer(group["raw_y"].to_numpy(), targets).mean() for _, group in aligned.group_by("evaluations")]
    ours = reached([runs], targets)
    assert ours[0] == 0
    assert sorted(found) == pytest.approx(ours)


def test_no_run_is_lost(tmp_path: Path) -> None:
    """Not even one that begins where the run before it ended, never improves, or has nothing feasible."""
    problem = ms.Problem(sum, ms.Bits(4), name="sum")
    worst = -np.inf
    runs = made_up(problem, {1: 1.0, 5: 2.0}, {1: 2.0}, {1: 2.0}, {1: worst, 9: 2.0}, {1: worst}, {1: worst}, {1: 1e-300, 2: 1e300})
    ms.log_ioh(runs, tmp_path)
    manager = experiment(tmp_path)
    data = manager.load(monotonic=True)
    assert data["data_id"].n_unique() == manager.n_runs == 7
    assert data.filter(data["evaluations"] == 1)["raw_y"].to_list() == [result.history.values[0] for result in runs.results.values()]
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
