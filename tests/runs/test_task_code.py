"""Changes of a task's code and data are noticed, and nothing else is."""

import os
import subprocess
import sys
from pathlib import Path
from textwrap import dedent
from typing import Any

import numba
import numpy as np
import pytest
from design_helpers import SOURCE, dead_after

import metasmith as ms
from metasmith.api import find_task
from metasmith.runs.task_code import code_digest

CODE = """
import numpy as np
WEIGHTS = np.arange(9)
LIMIT = 12
calls = 0

def helper(x):
    return x @ WEIGHTS

def function(x):
    global calls
    calls += 1
    return float(helper(x)) if x.sum() in {1, 2, "three", "four"} else -LIMIT
"""


def digest(code: str = CODE) -> str | None:
    scope: dict[str, Any] = {}
    exec(dedent(code), scope)
    return of(scope["function"])


def of(function: Any, **options: Any) -> str | None:
    return code_digest("mine", find_task(ms.Problem(function, ms.Bits(9), name="mine", **options), 100))


def test_the_same_code_elsewhere_is_the_same():
    assert digest() == digest() == digest("\n\n# a line more" + CODE)


def test_calls_change_nothing():
    scope: dict[str, Any] = {}
    exec(CODE, scope)
    before = of(scope["function"])
    scope["function"](np.zeros(9, dtype=int))
    assert scope["calls"] == 1
    assert of(scope["function"]) == before


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("-LIMIT", "LIMIT"),
        ("x @ WEIGHTS", "x @ -WEIGHTS"),
        ("= 12", "= 13"),
        ("arange(9)", "arange(1, 10)"),
        ("{1,", "{4,"),
    ],
)
def test_other_code_and_other_data_are_noticed(old, new):
    assert old in CODE
    assert digest(CODE.replace(old, new)) != digest()


def test_what_a_function_closes_over_counts():
    def closed(weight: float) -> Any:
        return lambda x: weight * x[0]

    assert of(closed(1.0)) == of(closed(1.0))
    assert of(closed(1.0)) != of(closed(2.0))


def test_constraints_and_compiled_functions_count():
    assert of(max, violation=lambda x: x[0] * 1.0) != of(max, violation=lambda x: x[0] * 2.0)
    one, two = (numba.njit(function) for function in (lambda x: x[0] * 1.0, lambda x: x[0] * 2.0))
    assert of(one, compiled=True) != of(two, compiled=True)


@pytest.mark.slow
def test_other_processes_agree():
    here = str(Path(__file__).parent)
    program = f"import sys\nsys.path.insert(0, {here!r})\nimport test_task_code\nprint(test_task_code.digest())"
    for seed in ("1", "2"):
        environment = {**os.environ, "PYTHONHASHSEED": seed}
        said = subprocess.run(
            [sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=True
        )
        assert said.stdout.strip() == digest()


def test_built_in_problems_have_no_code_of_a_user():
    assert code_digest("pbo:F2", find_task("pbo:F2")) is None


def test_a_run_that_goes_on_with_a_changed_file_says_so(tmp_path):
    file = tmp_path / "mine.py"
    file.write_text(SOURCE)
    name = f"{file}:small"
    for change, expected in (("", 0), ("# another line\n", 1)):
        path = dead_after(2, tmp_path / f"run{expected}", task=name)
        file.write_text(SOURCE + change)
        warnings: list[str] = []
        ms.resume(path, warn=warnings.append)
        assert len(warnings) == expected
        assert all(warning.startswith("the code or the data of the task has changed since") for warning in warnings)


def test_what_changed_is_told_on_standard_error_by_default(tmp_path, capsys):
    def task(factor: float) -> ms.Problem:
        return ms.Problem(lambda x: float(factor * x.sum()), ms.Bits(12), name="sum")

    path = dead_after(2, tmp_path / "run", task=task(1.0), evaluations=60)
    ms.resume(path, task(-1000.0))
    assert capsys.readouterr().err.startswith("metasmith: the code or the data of the task has changed since the run")
