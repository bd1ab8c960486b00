"""Runs programs: compiled, on threads, the same bits every time."""

from metasmith.engine.evaluators import EvaluationError
from metasmith.engine.run import History, InterruptedRunError, Job, Result, run
from metasmith.engine.runners.contract import Outcome, Runner
from metasmith.engine.runners.local import Local
from metasmith.engine.runs import Runs
from metasmith.engine.search import Search

__all__ = [
    "EvaluationError",
    "History",
    "InterruptedRunError",
    "Job",
    "Local",
    "Outcome",
    "Result",
    "Runner",
    "Runs",
    "Search",
    "run",
]
