"""Exported files, loaded and called as their users would."""

import sys
from collections.abc import Callable
from types import ModuleType
from typing import Any
from unittest.mock import patch

from metasmith.representations import Variables


def loaded(text: str, *, numba: bool = False) -> ModuleType:
    """An exported file as a module; without numba it is plain Python."""
    module = ModuleType("exported_file")
    with patch.dict(sys.modules, {} if numba else {"numba": None}):
        exec(compile(text, "<exported file>", "exec"), vars(module))
    assert (module.numba is not None) == numba
    return module


def optimized(module: ModuleType, function: Callable[..., Any], variables: Variables, **options: Any) -> Any:
    """What an exported file finds for a function of these variables."""
    return module.Run(
        function, variables, options["evaluations"], options["seed"], options.get("direction", "max")
    ).result()
