"""Runs programs: compiled, on all cores or other machines, the same bits every time."""

from metasmith.engine.evaluators import EvaluationError
from metasmith.engine.run import History, InterruptedRunError, Job, Result, run
from metasmith.engine.runners.contract import Outcome, Runner
from metasmith.engine.runners.dask import executor_at
from metasmith.engine.runners.executor import OnExecutor
from metasmith.engine.runners.local import Local
from metasmith.engine.runs import Runs
from metasmith.engine.search import Search

__all__ = [
    "EvaluationError",
    "History",
    "InterruptedRunError",
    "Job",
    "Local",
    "OnExecutor",
    "Outcome",
    "Result",
    "Runner",
    "Runs",
    "Search",
    "executor_at",
    "run",
]
