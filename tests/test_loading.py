"""Users' files are loaded whatever they are called, hide no module, and reach the files beside them."""

import statistics
import sys
from pathlib import Path

import pytest

import metasmith as ms
from metasmith.api import find_problem
from metasmith.loading import load_file

PROBLEM = "import metasmith as ms\nmine = ms.Problem(lambda x: float(x.sum()), ms.Bits(12), name='mine')\n"


def written(folder: Path, **files: str) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        (folder / f"{name}.py").write_text(text)
    return folder


@pytest.mark.parametrize(
    "name",
    ["statistics", "json", "numpy", "metasmith", "random", "mine", "torch", "__init__", "types", "copy", "platform"],
)
def test_a_file_may_be_called_as_any_module(name, tmp_path):
    before = sys.modules.get(name)
    written(tmp_path, **{name: PROBLEM})
    assert ms.solve("rls", f"{tmp_path / name}.py:mine", evaluations=200).fun == 12
    assert sys.modules.get(name) is before
    design = ms.design(f"{tmp_path / name}.py:mine", effort="quick", evaluations=20)
    assert design.score > 0


def test_the_search_path_is_left_as_it_was(tmp_path):
    before = list(sys.path)
    written(tmp_path, mine="import beside_mine\n" + PROBLEM, beside_mine="", broken="raise KeyError('x')")
    load_file(tmp_path / "mine.py")
    with pytest.raises(ValueError, match=r"broken.py' cannot be loaded: KeyError: 'x'"):
        load_file(tmp_path / "broken.py")
    assert sys.path == before


def test_files_beside_it_are_within_reach_at_once_and_later(tmp_path):
    later = "import metasmith as ms\ndef value(x):\n    import weights_later\n    return x @ weights_later.WEIGHTS\n"
    later += "from weights_now import N\nmine = ms.Problem(value, ms.Bits(N))\n"
    written(
        tmp_path, mine=later, weights_now="N = 3\n", weights_later="import numpy as np\nWEIGHTS = np.array([1, 2, 4])\n"
    )
    problem = find_problem(f"{tmp_path / 'mine.py'}:mine")
    assert ms.solve("rls", problem, evaluations=100).fun == 7


def test_files_beside_it_hide_no_module(tmp_path):
    text = "import statistics, fractions, numpy, zipapp\nfrom metasmith import Bits\n"
    hidden = dict.fromkeys(("statistics", "fractions", "numpy", "zipapp", "metasmith"), "raise AssertionError")
    written(tmp_path, mine=text, **hidden)
    module = load_file(tmp_path / "mine.py")
    assert module.statistics is statistics
    assert "python" in module.zipapp.__file__


def test_files_of_one_name_in_two_folders_are_kept_apart(tmp_path):
    for number in (1, 2):
        text = "import helper_of_mine\nN = helper_of_mine.N\n"
        written(tmp_path / str(number), mine=text, helper_of_mine=f"N = {number}\n")
    assert [load_file(tmp_path / f"{number}" / "mine.py").N for number in (1, 2, 1)] == [1, 2, 1]


def test_a_file_is_read_anew_every_time(tmp_path):
    for number in (1, 2):
        written(tmp_path, mine=f"N = {number:>{number * 9}}\n")
        assert number == load_file(tmp_path / "mine.py").N


@pytest.mark.parametrize(
    ("raised", "said"),
    [
        ("asyncio.CancelledError('stop')", "CancelledError: stop"),
        ("GeneratorExit", "GeneratorExit: "),
        ("SystemExit(3)", "SystemExit: 3"),
        ("type('Mine', (BaseException,), {})('odd')", "Mine: odd"),
        ("MemoryError", "MemoryError: "),
    ],
)
def test_whatever_a_file_raises_is_one_line(raised, said, tmp_path):
    written(tmp_path, mine=f"import asyncio\nraise {raised}\n")
    with pytest.raises(ValueError, match=f"^'{tmp_path / 'mine.py'}' cannot be loaded: {said}$"):
        load_file(tmp_path / "mine.py")


def test_an_interruption_of_a_file_is_one(tmp_path):
    written(tmp_path, mine="raise KeyboardInterrupt\n")
    with pytest.raises(KeyboardInterrupt):
        load_file(tmp_path / "mine.py")
