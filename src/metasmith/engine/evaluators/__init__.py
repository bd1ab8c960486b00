"""Ways to evaluate a problem, one file each; `contract.py` says what each must answer. The folder is scanned."""

from importlib import import_module
from pkgutil import iter_modules

from metasmith.engine.evaluators.contract import Evaluator, evaluator
from metasmith.engine.evaluators.fitness import EvaluationError

for _module in iter_modules(__path__):
    import_module(f"{__name__}.{_module.name}")

__all__ = ["EvaluationError", "Evaluator", "evaluator"]
