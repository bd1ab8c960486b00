"""What the guides add to the package works as they say: in a copy of it, as somebody else would do it."""

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
BLOCK = re.compile(
    r"<!-- executed by tests/test_extending\.py(?: as (\S+))? -->\n```(?:python|sh)\n(.*?)```", re.DOTALL
)


def typed(line: str, folder: Path) -> str:
    """What a command prints, in a folder with a package of its own."""
    first, *words = shlex.split(line)
    program = [sys.executable, *(["-m", "metasmith"] if first == "metasmith" else [])]
    own = {
        "PYTHONPATH": str(folder / "src"),
        "METASMITH_CACHE": str(folder / "cache"),
        "COLUMNS": "200",
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    done = subprocess.run(
        [*program, *words], cwd=folder, env={**os.environ, **own}, capture_output=True, text=True, check=False
    )
    assert not done.returncode, f"{line}\n{done.stdout}\n{done.stderr}"
    return done.stdout


@pytest.mark.slow
def test_a_component_and_a_problem_are_added_as_the_guides_say(tmp_path: Path) -> None:
    """Both in one copy, since compiling the engine anew is what takes time."""
    for name in ("src", "tests", "docs"):
        shutil.copytree(ROOT / name, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    blocks = [
        block
        for name in ("add-a-component", "add-a-problem")
        for block in BLOCK.findall((ROOT / f"docs/guides/{name}.md").read_text())
    ]
    for file, text in blocks:
        if file:
            assert not (tmp_path / file).exists(), f"'{file}' is there already; the guide needs another example"
            (tmp_path / file).write_text(text)
    lines = [line for file, text in blocks if not file for line in text.splitlines()]
    printed = {line: typed(line, tmp_path) for line in dict.fromkeys(lines)}

    assert re.search(r"reset_block\(n\) +search +n positions in a row", printed["metasmith components"])
    assert re.search(r"maxcut +Maximum cut", printed["metasmith problems"])
    means = [
        float(re.search(r"^mean (\S+)", text, re.MULTILINE)[1]) for line, text in printed.items() if "pbo:F19" in line
    ]  # type: ignore[index]
    assert means == [93, 78.6]
    assert [int(re.search(r"(\d+) passed", text)[1]) > 2 for line, text in printed.items() if "pytest" in line] == [
        True,
        True,
    ]  # type: ignore[index]
    reference = tmp_path / "docs" / "reference"
    assert "`reset_block`" in (reference / "components.md").read_text()
    assert "`reset_block`" in (reference / "spaces.md").read_text().partition("## paper")[0]
    assert "`maxcut`" in (reference / "problems.md").read_text()
    exported = (
        "from metasmith.runs.design import export; from metasmith.program import Program; "
        "export(Program.parse('population 10; reset_block(n=10%)'), 'bits', 'solver.py'); "
        "import solver; solver.example()"
    )
    assert "nfev = 5000" in typed(shlex.join(["python", "-c", exported]), tmp_path)
