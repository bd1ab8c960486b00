"""The example in the README runs as printed."""

import contextlib
import io
import re
from pathlib import Path

README = Path(__file__).parents[1] / "README.md"


def test_the_example_runs_and_finds_something() -> None:
    (code,) = re.findall(r"```python\n(.*?)```", README.read_text(), re.DOTALL)
    assert len([line for line in code.splitlines() if line.strip()]) <= 15
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(code, "README.md", "exec"), {})
    first, *_, last = printed.getvalue().splitlines()
    best, spent = first.split()[:2]
    assert float(best) > 0  # every random vector that fits is worth something; overweight ones are negative
    assert spent == "2000"
    assert 0 < float(last) <= 100
