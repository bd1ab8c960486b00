"""Measure what Dask adds to runs: CPU seconds of 1,000 jobs of about 14 ms on its workers, beside those of Local.

One scheduler and two worker processes on this machine, started for it and ended afterwards. Each way is done once to
warm up, then three times in turn; the median counts. The CPU time is that of this process and, for Dask, of its
scheduler and workers as well, while the jobs are done: what they spend on their connections, idle or not, is in it.
"""

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median

import psutil

from metasmith.engine import Job, Local, OnExecutor, Outcome, executor_at
from metasmith.problems import problem
from metasmith.program import named

JOBS = 1_000
SECONDS = 0.014
"""About what a job takes; its evaluations are chosen so."""

WORKERS = 2
REPEATS = 3
WANTED = 1.4
QUIET = {"DASK_DISTRIBUTED__WORKER__PROFILE__ENABLED": "False", "DASK_LOGGING__DISTRIBUTED": "error"}


def main() -> None:
    jobs = work()
    with tempfile.TemporaryDirectory() as folder:
        file = str(Path(folder) / "scheduler.json")
        commands = [["dask_scheduler", "--port", "0", "--host", "127.0.0.1"]]
        commands += [["dask_worker", "--nthreads", "1", "--no-nanny", "--no-dashboard"]] * WORKERS
        started = [
            subprocess.Popen(
                [sys.executable, "-m", f"distributed.cli.{module}", *words, "--scheduler-file", file],
                env={**os.environ, **QUIET},
                cwd=folder,
            )
            for module, *words in commands
        ]
        try:
            with executor_at(f"dask:{file}") as executor:
                compare(jobs, Local(WORKERS).run, OnExecutor(executor).run, [process.pid for process in started])
        finally:
            for process in started:
                process.kill()
                process.wait()


def work() -> list[Job]:
    """Jobs that take about 14 ms each, here and now."""
    program, where, probe = named("ea"), problem("pbo:F18@100"), 100_000
    Local(1).run([Job(program, where, probe, 0)])  # compiles
    begun = time.process_time()
    Local(1).run([Job(program, where, probe, 0)])
    evaluations = round(probe * SECONDS / (time.process_time() - begun))
    return [Job(program, where, evaluations, seed) for seed in range(JOBS)]


def compare(
    jobs: list[Job],
    here: Callable[[list[Job]], list[Outcome]],
    there: Callable[[list[Job]], list[Outcome]],
    others: list[int],
) -> None:
    """Do the jobs both ways in turn. others: the processes of the cluster."""
    assert digest(here(jobs)) == digest(there(jobs))
    taken: dict[str, list[float]] = {"Local": [], "Dask": []}
    for _ in range(REPEATS):
        for name, run, processes in (("Local", here, []), ("Dask", there, others)):
            begun = cpu([os.getpid(), *processes])
            run(jobs)
            taken[name].append(cpu([os.getpid(), *processes]) - begun)
    for name, seconds in taken.items():
        print(
            f"     {name:6} {median(seconds):6.2f} CPU s for {JOBS} jobs, {1000 * median(seconds) / JOBS:.1f} ms each"
        )
    ratio = median(taken["Dask"]) / median(taken["Local"])
    print(f"{'ok  ' if ratio <= WANTED else 'MISS'} Dask / Local {ratio:.2f} (at most {WANTED:g})", flush=True)


def cpu(processes: list[int]) -> float:
    """CPU seconds of processes so far, with those of their children."""
    return sum(sum(psutil.Process(each).cpu_times()[:4]) for each in processes)


def digest(outcomes: list[Outcome]) -> list[tuple[float, int]]:
    return [(outcome.fun, outcome.hit) for outcome in outcomes if not isinstance(outcome, Exception)]


if __name__ == "__main__":
    main()
