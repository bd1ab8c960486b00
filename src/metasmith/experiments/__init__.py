"""Experiments: one file for each table or figure, with a declaration `EXPERIMENT`; the folder is scanned for them.

`references.py` and `speed.py` are not made by `metasmith reproduce` and declare nothing: they are what the commands
`metasmith references` and `metasmith bench` do. What several experiments need is in `shared/`.
"""

from functools import cache
from importlib import import_module
from pkgutil import iter_modules

from metasmith.experiments.shared.contract import Experiment


@cache
def experiments() -> dict[str, Experiment]:
    """All experiments by name, in the order of the paper."""
    modules = [import_module(f"{__name__}.{module.name}") for module in iter_modules(__path__) if not module.ispkg]
    declared = [module.EXPERIMENT for module in modules if hasattr(module, "EXPERIMENT")]
    return {each.name: each for each in sorted(declared, key=lambda each: each.order)}
