"""The tutorial and the guides run as printed: each page, from top to bottom, in a folder of its own."""

import contextlib
import io
import re
import runpy
import shlex
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

import metasmith as ms
from metasmith import cli
from metasmith.designers.training import Training
from metasmith.measuring import Measuring, Race
from metasmith.program import Program, pseudocode
from metasmith.report.numbers import decimals
from metasmith.runs.design import export
from metasmith.runs.efforts import EFFORTS, Settings

DOCS = Path(__file__).parents[1] / "docs"
TUTORIAL = DOCS / "tutorial.md"
GUIDES = sorted((DOCS / "guides").glob("*.md"))
ELSEWHERE = {"add-a-component", "your-own-package"}
"""Those that change the package itself, see test_extending.py, or are a package of their own, see test_outside.py."""

BLOCK = re.compile(r"<!-- executed by tests/test_guides\.py(?: as (\S+))? -->\n```(python|sh)\n(.*?)```", re.DOTALL)
"""Code, or commands; or with `as FILE` a file."""

LITTLE = Settings(
    2,
    Training(batch=4, mutants=1, immigrants=1, known=False),
    Measuring(runs=1),
    Race(finalists=2, samples=1, rounds=(1,)),
)
"""An effort that only shows that it works."""


@pytest.fixture
def folder(tmp_path: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """An empty folder to work in, where efforts are small; what is imported from it is forgotten afterwards."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path_factory.mktemp("temporary")))
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    for effort in ("quick", "default"):
        monkeypatch.setitem(EFFORTS, effort, LITTLE)  # type: ignore[arg-type]
    loaded = set(sys.modules)
    yield tmp_path
    for name in set(sys.modules) - loaded:
        if str(getattr(sys.modules[name], "__file__", None)).startswith(str(tmp_path)):
            del sys.modules[name]


def follow(page: Path) -> list[str]:
    """Do what a page says; what each of its blocks printed."""
    names: dict[str, object] = {"__name__": "__main__"}
    printed = []
    for file, language, text in BLOCK.findall(page.read_text()):
        if file:
            Path(file).parent.mkdir(parents=True, exist_ok=True)
            Path(file).write_text(text)
            continue
        with contextlib.redirect_stdout(io.StringIO()) as out:
            if language == "python":
                exec(compile(text, page.name, "exec"), names)
            else:
                for line in text.splitlines():
                    typed(*shlex.split(re.sub(r"\s+# .*", "", line)))
        printed.append(out.getvalue())
    return printed


def typed(program: str, *words: str) -> None:
    """A command as a person types it, in this process."""
    with pytest.MonkeyPatch.context() as patch:
        if program == "python":
            patch.setattr(sys, "argv", list(words))
            # absolute: processes that it starts look for it in the folder that the tests were started in
            runpy.run_path(str(Path(words[0]).resolve()), run_name="__main__")
            return
        assert program == "metasmith"
        patch.setattr(sys, "argv", [program, *words])
        with pytest.raises(SystemExit) as ended:
            cli.main()
        assert not ended.value.code, words


@pytest.mark.slow
@pytest.mark.parametrize(
    "guide", [guide for guide in GUIDES if guide.stem not in ELSEWHERE], ids=lambda path: path.stem
)
@pytest.mark.usefixtures("folder")
def test_examples_run_and_print_something(guide: Path) -> None:
    printed = follow(guide)
    assert printed
    assert all(text.strip() for text in printed)


def test_own_applications(folder: Path) -> None:
    """The depots are not crowded, and a plan from other units takes no less time than is proved."""
    depots, units = follow(DOCS / "guides" / "your-own-application.md")
    value, violation = map(float, depots.splitlines()[0].split())
    assert violation == 0
    assert 0 < value < 60
    assert "depot 4 serves [" in depots
    best, least = map(float, units.split()[:2])
    assert best >= least > 800
    assert "proved optimal" in units


@pytest.mark.slow
def test_the_tutorial(folder: Path) -> None:
    printed = follow(TUTORIAL)
    assert all(text.strip() for text in printed)
    by_command, in_python = ((folder / "runs" / name / "design.txt").read_text() for name in ("sensors", "in-python"))
    assert by_command == in_python
    assert (folder / "runs" / "sensors" / "report.html").is_file()
    used = printed[-2]
    assert float(used.split()[0]) > 0  # it can be paid for
    assert "at the sites [" in used


@pytest.mark.slow
def test_what_the_tutorial_shows_is_true(folder: Path) -> None:
    """The algorithm is the same in both ways; it and a known one reach what is said, and as a file no less."""
    blocks = re.findall(r"```text\n(.*?)```", TUTORIAL.read_text(), re.DOTALL)
    solved, solved_mean, design, compared, used = blocks
    as_pseudocode, as_program, *_ = design.split("\n\n")
    program = Program.parse(as_program)
    assert pseudocode(program).strip() == as_pseudocode.strip()
    sensors, *_, use, _ = (text for _, language, text in BLOCK.findall(TUTORIAL.read_text()) if language == "python")
    (folder / "sensors.py").write_text(sensors)
    means = {
        name: ms.solve_all(each, "sensors.py:problem", evaluations=2_000, seeds=range(10))
        for name, each in {"design": program, "ea": "ea"}.items()
    }
    for name, runs in means.items():
        assert re.search(rf"^{name} +{runs.mean:g} ± {decimals(runs.std)}$", compared, re.MULTILINE)
    assert f"mean {means['ea'].mean:.10g}   standard deviation {means['ea'].std:.4g}" == solved_mean.strip()
    export(program, "bits", folder / "solver.py")
    for text, shown in ((sensors, solved), (use, used)):
        with contextlib.redirect_stdout(io.StringIO()) as out:
            exec(compile(text, "tutorial.md", "exec"), {"__name__": "__main__"})
        assert out.getvalue().startswith(shown)
