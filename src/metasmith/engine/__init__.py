"""Runs programs: compiled, on threads, the same bits every time."""

from metasmith.engine.parallel import Outcome, run_all
from metasmith.engine.run import EvaluationError, History, InterruptedRunError, Job, Result, run
from metasmith.engine.runs import Runs

__all__ = ["EvaluationError", "History", "InterruptedRunError", "Job", "Outcome", "Result", "Runs", "run", "run_all"]
