"""Whoever does the runs is told to the front door, and is no part of what comes out."""

import warnings
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest

import metasmith as ms
from metasmith import api, screens
from metasmith.designers.training import Training
from metasmith.engine import Local
from metasmith.engine.runners.calls import WorkerWarning
from metasmith.measuring import Measuring, Race

SMALL: dict[str, Any] = {
    "evaluations": 200,
    "spend": 30_000,
    "training": Training(batch=6, mutants=2, immigrants=1, known=False),
    "measuring": Measuring(keep=0.5, runs=1, again=2),
    "race": Race(finalists=4, samples=2, rounds=(2, 2)),
}


class Counting(ThreadPoolExecutor):
    """Two threads that count what they are asked to do."""

    calls = 0

    def submit(self, *arguments: Any, **named: Any) -> Future[Any]:
        self.calls += 1
        return super().submit(*arguments, **named)


@pytest.fixture
def executor() -> Any:
    with Counting(2) as executor:
        yield executor
        assert executor.calls > 0


def test_runs_are_the_same_on_an_executor(executor: Executor) -> None:
    there, here = (
        ms.solve_all("ea", "pbo:F2@50", evaluations=500, seeds=range(8), executor=each) for each in (executor, None)
    )
    for seed, result in here.results.items():
        assert there.results[seed].x.tolist() == result.x.tolist()


@pytest.mark.slow
def test_designs_begun_on_an_executor_are_resumed_here(executor: Executor, tmp_path: Path) -> None:
    """And the other way; all three folders say the same of what was asked."""

    def interrupted(event: Any) -> None:
        if getattr(event, "step", 0) == 2:
            raise KeyboardInterrupt

    problem = ms.problem("pbo:F2@40")
    for name, first, second in (("there", executor, None), ("here", None, executor)):
        with pytest.raises(KeyboardInterrupt):
            ms.design(problem, **SMALL, executor=first, out=tmp_path / name, tell=interrupted)
        ms.resume(tmp_path / name, problem, executor=second)
    ms.design(problem, **SMALL, out=tmp_path / "whole")
    for file in ("design.toml", "design.txt"):
        assert len({(tmp_path / name / file).read_bytes() for name in ("there", "here", "whole")}) == 1


@pytest.mark.slow
def test_a_writer_learns_the_same_on_an_executor(executor: Executor, tmp_path: Path) -> None:
    task = ms.problem("pbo:F2@40")
    there, here = (
        ms.learn([task], tmp_path / name, **SMALL, executor=each)
        for name, each in (("there", executor), ("here", None))
    )
    assert there.digest == here.digest


@pytest.mark.parametrize(
    ("places", "said"),
    [
        (("executor", "on"), "runs are done in one place; give only one of executor and on"),
        (("executor", "runner"), "give only one of executor and runner"),
        (("executor", "on", "runner"), "give only one of executor and on and runner"),
        (("workers", "executor"), "the executor knows how many it does at once; give workers or executor, not both"),
        (("workers", "runner"), "the runner knows how many it does at once; give workers or runner, not both"),
    ],
)
def test_runs_are_done_in_one_place(places: tuple[str, ...], said: str) -> None:
    with ThreadPoolExecutor(1) as threads:
        values: dict[str, Any] = {"workers": 2, "executor": threads, "on": "dask://host:1", "runner": Local()}
        where = {name: values[name] for name in places}
        with pytest.raises(ValueError, match=said):
            ms.solve_all("ea", "pbo:F2@50", evaluations=50, seeds=[1], **where)


def test_workers_of_a_cluster_are_batches_under_way(monkeypatch: pytest.MonkeyPatch, executor: Executor) -> None:
    monkeypatch.setattr(api, "executor_at", lambda on: nullcontext(executor))
    with api._runner(5, None, "dask://host:1", None) as runner:
        assert runner.at_once(ms.problem("pbo:F1@20")) == 2
    with api._runner(1, None, "dask://host:1", None) as runner:
        assert runner.at_once(ms.problem("pbo:F1@20")) == 1
    with pytest.raises(ValueError, match="workers must be at least 1, got 0"):
        ms.solve_all("ea", "pbo:F1@20", evaluations=10, seeds=[1], on="dask://host:1", workers=0)
    ms.solve_all("ea", "pbo:F1@20", evaluations=10, seeds=[1], on="dask://host:1", workers=1)


def test_a_client_is_no_executor() -> None:
    with pytest.raises(ValueError, match=r"expected a concurrent\.futures\.Executor, got int"):
        ms.solve_all("ea", "pbo:F1@20", evaluations=10, seeds=[1], executor=3)  # type: ignore[arg-type]


def test_commands_show_warnings_of_workers_in_a_line(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    others: list[str] = []
    monkeypatch.setattr(warnings, "showwarning", lambda message, *place, **named: others.append(str(message)))
    screens.show_warnings_in_a_line()
    for message, category in (("a worker is not used", WorkerWarning), ("something else", UserWarning)):
        warnings.showwarning(category(message), category, "executor.py", 1)
    assert capsys.readouterr().err == "metasmith: a worker is not used\n"
    assert others == ["something else"]
