"""The examples in the guides run as printed."""

import contextlib
import io
import re
from pathlib import Path

import pytest

GUIDES = sorted((Path(__file__).parents[1] / "docs" / "guides").glob("*.md"))


@pytest.mark.parametrize("guide", GUIDES, ids=lambda path: path.stem)
def test_examples_run_and_print_something(guide: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"<!-- executed by tests/test_guides.py -->\n```python\n(.*?)```", guide.read_text(), re.DOTALL)
    assert blocks
    for code in blocks:
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile(code, guide.name, "exec"), {"__name__": "__main__"})
        assert printed.getvalue().strip()


def test_the_depots_are_not_crowded() -> None:
    """What the guide's problem finds is feasible and explained."""
    (guide,) = [path for path in GUIDES if path.stem == "your-own-application"]
    (code,) = re.findall(r"```python\n(.*?)```", guide.read_text(), re.DOTALL)
    names: dict[str, object] = {"__name__": "__main__"}
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        exec(compile(code, guide.name, "exec"), names)
    value, violation = map(float, printed.getvalue().splitlines()[0].split())
    assert violation == 0
    assert 0 < value < 60
    assert "depot 4 serves [" in printed.getvalue()
