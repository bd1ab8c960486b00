"""Runs on a Dask cluster of two worker processes, of which one is killed in the middle: the same bits as here."""

import json
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from engine_helpers import same
from hostile import DEEDS

import metasmith as ms
from metasmith.api import find_problem
from metasmith.cli import main
from metasmith.designers.training import Training
from metasmith.engine import Job, Local, OnExecutor, Result, executor_at
from metasmith.engine.runners import dask
from metasmith.engine.runners.calls import WorkerWarning
from metasmith.measuring import Measuring, Race
from metasmith.program import named
from metasmith.runs.folder import Folder

pytest.importorskip("distributed", reason="the extra cluster is not installed")

SOURCE = """
from beside import weight
import metasmith as ms

problem = ms.Problem(lambda x: float(sum(weight(i) * each for i, each in enumerate(x))), ms.Bits(30), name="mine")
"""
SMALL: dict[str, Any] = {
    "evaluations": 400,
    "spend": 100_000,
    "training": Training(batch=6, mutants=2, immigrants=1, known=False),
    "measuring": Measuring(keep=0.5, runs=1, again=2),
    "race": Race(finalists=4, samples=2, rounds=(2, 2)),
}


class Cluster:
    """A scheduler and its workers, all processes of their own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.on = f"dask:{folder / 'scheduler.json'}"
        self.workers: list[subprocess.Popen[bytes]] = []
        self.scheduler = self._start("dask_scheduler", "--port", "0", "--host", "127.0.0.1", "--no-show")

    def fill(self) -> None:
        """Have two workers, each with one thread and nobody who would start it again."""
        self.workers = [each for each in self.workers if each.poll() is None]
        while len(self.workers) < 2:
            self.workers.append(self._start("dask_worker", "--nthreads", "1", "--no-nanny", "--no-dashboard"))

    def kill_one(self) -> None:
        self.workers[0].send_signal(signal.SIGKILL)
        self.workers[0].wait()

    def end(self) -> None:
        for each in (*self.workers, self.scheduler):
            each.kill()
            each.wait()

    def _start(self, module: str, *words: str) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-m", f"distributed.cli.{module}", *words]
        command += ["--scheduler-file", str(self.folder / "scheduler.json")]
        return subprocess.Popen(command, cwd=self.folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


@pytest.fixture(scope="module")
def started(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    cluster = Cluster(tmp_path_factory.mktemp("dask"))
    yield cluster
    cluster.end()


@pytest.fixture
def cluster(started: Cluster) -> Cluster:
    """A cluster with two workers."""
    started.fill()
    return started


@pytest.mark.slow
def test_a_killed_worker_costs_time_only(cluster: Cluster) -> None:
    """Built-in problems, and a function whose code the workers have never seen."""
    problems = [
        ms.problem("pbo:F18@60"),
        ms.Problem(lambda x: float((x[1:] != x[:-1]).sum() - x.sum() % 3), ms.Bits(40)),
    ]
    jobs = [Job(named("ea"), problems[seed % 2], 3_000, seed) for seed in range(60)]
    reported: list[int] = []

    def on_done(number: int, outcome: object) -> None:
        reported.append(number)
        if len(reported) == 20:
            cluster.kill_one()

    with executor_at(cluster.on) as executor:
        runner = OnExecutor(executor)
        outcomes = runner.run(jobs, on_done)
    assert sorted(reported) == list(range(60))
    assert all(map(same, outcomes, Local().run(jobs)))


@pytest.mark.slow
def test_a_function_travels_with_the_files_beside_it(cluster: Cluster, tmp_path: Path) -> None:
    (tmp_path / "beside.py").write_text("def weight(i):\n    return 7 * i % 11 - 3\n")
    (tmp_path / "mine.py").write_text(SOURCE)
    task = f"{tmp_path / 'mine.py'}:problem"
    there, here = (ms.solve_all("ea", task, evaluations=500, seeds=range(6), on=on) for on in (cluster.on, None))
    assert all(same(there.results[seed], here.results[seed]) for seed in range(6))


@pytest.mark.slow
def test_a_design_is_the_same_if_a_worker_is_killed_and_if_it_ends_here(cluster: Cluster, tmp_path: Path) -> None:
    """One design all on Dask, one begun there and resumed here, one all here."""

    def interrupted(event: object) -> None:
        if getattr(event, "step", 0) == 2:
            raise KeyboardInterrupt

    def killing(event: object) -> None:
        if not killed and getattr(event, "step", 0) == 1:
            killed.append(cluster.kill_one())

    problem, killed = ms.problem("pbo:F2@50"), []
    with pytest.raises(KeyboardInterrupt):
        ms.design(problem, **SMALL, on=cluster.on, workers=3, out=tmp_path / "begun", tell=interrupted)
    ms.design(problem, **SMALL, on=cluster.on, out=tmp_path / "there", tell=killing)
    ms.resume(tmp_path / "begun", problem)
    ms.design(problem, **SMALL, out=tmp_path / "here")
    assert killed
    kept = {
        name: [kept_of(tmp_path / name), (tmp_path / name / "design.toml").read_text()]
        for name in ("begun", "there", "here")
    }
    assert kept["begun"] == kept["there"] == kept["here"]


def kept_of(run: Path) -> list[object]:
    """The history of a run, without times."""
    return [timeless(step) for step in Folder(run).history()]


def timeless(value: object) -> object:
    if isinstance(value, dict):
        return {name: timeless(each) for name, each in value.items() if not name.endswith(("seconds", "rate"))}
    return value


@pytest.mark.slow
def test_the_command_line_prints_the_same(
    cluster: Cluster, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    said = []
    for words in ([], ["--on", cluster.on, "--workers", "2"]):
        command = ["metasmith", "solve", "pbo:F2@50", "--runs", "5", "--evaluations", "500", "--json", *words]
        monkeypatch.setattr(sys, "argv", command)
        with pytest.raises(SystemExit) as ended:
            main()
        assert not ended.value.code
        record = json.loads(capsys.readouterr().out)
        said.append([{**run, "seconds": None} for run in record["runs"]])
    assert said[0] == said[1]


@pytest.mark.slow
def test_a_scheduler_without_workers_is_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    alone = Cluster(tmp_path)
    monkeypatch.setattr(dask, "PATIENCE", 8.0)
    monkeypatch.setitem(dask.SETTINGS, "distributed.comm.timeouts.connect", "1s")
    try:
        assert "no worker came to the Dask scheduler tcp://127.0.0.1:" in complaint(alone.on)
    finally:
        alone.end()
    assert f"no Dask scheduler answers at '{alone.on.removeprefix('dask:')}'" in complaint(alone.on)


def complaint(on: str) -> str:
    """What is said if a cluster cannot be used, in one line."""
    with pytest.raises(RuntimeError) as raised, executor_at(on):
        pass
    assert "\n" not in str(raised.value)
    return str(raised.value)


@pytest.mark.slow
def test_a_scheduler_that_goes_is_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(dask.SETTINGS, "distributed.comm.timeouts.connect", "2s")
    cluster = Cluster(tmp_path)
    cluster.fill()
    jobs = [Job(named("ea"), ms.problem("pbo:F18@60"), 3_000, seed) for seed in range(200)]
    try:
        with (
            pytest.raises(RuntimeError, match=r"the executor takes no more work \(.*\); start a new one"),
            executor_at(cluster.on) as executor,
        ):
            OnExecutor(executor).run(jobs, lambda number, outcome: cluster.scheduler.kill())
    finally:
        cluster.end()


def test_the_file_of_a_scheduler_is_waited_for_some_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dask, "PATIENCE", 1.2)
    with (
        pytest.warns(WorkerWarning, match=r"waiting up to 1.2 s for '.*none.json', which a scheduler makes"),
        pytest.raises(
            RuntimeError, match=r"there is no file '.*none.json'; 'dask scheduler --scheduler-file .*none.js"
        ),
        executor_at(f"dask:{tmp_path / 'none.json'}"),
    ):
        pass


@pytest.mark.parametrize("on", ["", "dask", "dask:", "dask://", "ray://head:10001", "host:8786"])
def test_what_is_no_address_is_one_line(on: str) -> None:
    with pytest.raises(ValueError, match=f"^a cluster is dask://HOST:PORT or dask:SCHEDULER_FILE, got '{on}'$"):
        ms.solve_all("ea", "pbo:F1@20", evaluations=20, seeds=[1], on=on)


def test_without_dask_it_is_said_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    with (
        pytest.raises(ValueError, match=r"^Dask must be installed for this: pip install 'metasmith\[cluster\]'$"),
        executor_at("dask://host:8786"),
    ):
        pass


@pytest.mark.slow
def test_hostile_functions_harm_no_worker(cluster: Cluster) -> None:
    file = Path(__file__).with_name("hostile.py")
    names = [f"{deed.__name__}_{what}" for deed in DEEDS for what in ("stop", "worst")]
    jobs = [Job(named("rls"), find_problem(f"{file}:{name}"), 40, 3) for name in [*names, "leak"]]
    here = Local(2).run(jobs)
    with executor_at(cluster.on) as executor:
        there = OnExecutor(executor).run(jobs)
    for name, ours, theirs in zip([*names, "leak"], here, there, strict=True):
        if isinstance(ours, Result):
            assert isinstance(theirs, Result), name
            assert same(ours, theirs), name
        else:
            assert str(ours).partition("]")[0] == str(theirs).partition("]")[0], name  # the input that did it
    assert sum(isinstance(outcome, Result) for outcome in here) == len(DEEDS) + 1
    assert all(worker.poll() is None for worker in cluster.workers)
