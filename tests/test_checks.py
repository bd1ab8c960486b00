"""What users give is checked before it is believed: a mistake is one line, and nothing is written."""

import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import metasmith as ms
from metasmith.checks import whole_number
from metasmith.designers.training import Training
from metasmith.measuring import Measuring, Race


def ones() -> ms.Problem:
    return ms.Problem(lambda x: float(x.sum()), ms.Bits(9), name="ones")


def test_whole_numbers_of_all_kinds() -> None:
    assert [whole_number("n", value) for value in (3, np.int64(4), np.uint8(5), -6, 2**70)] == [3, 4, 5, -6, 2**70]
    assert whole_number("n", 0, 0) == 0
    with pytest.raises(ValueError, match=r"^n must be at least 1, got 0$"):
        whole_number("n", 0, 1)


WAYS: dict[str, Callable[[object, Path], object]] = {
    "solve": lambda seed, out: ms.solve("ea", ones(), evaluations=9, seed=seed),
    "solve_all": lambda seed, out: ms.solve_all("ea", ones(), evaluations=9, seeds=[0, seed]),
    "Search": lambda seed, out: ms.Search("ea", ms.Bits(9), evaluations=9, seed=seed),
    "design": lambda seed, out: ms.design(ones(), evaluations=40, effort="quick", seed=seed, out=out),
    "learn": lambda seed, out: ms.learn([ones()], out, evaluations=40, effort="quick", seed=seed),
    "landscape": lambda seed, out: ms.landscape(ones(), seed=seed),
}


@pytest.mark.parametrize("seed", [1.5, "a", None, True, [1]])
@pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)
def test_seeds_are_whole_numbers(way: Callable[[object, Path], object], seed: object, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=f"^seed must be a whole number, got {re.escape(repr(seed))}$"):
        way(seed, tmp_path / "new")
    assert list(tmp_path.iterdir()) == []


def test_a_seed_of_any_kind_of_whole_number_is_the_same() -> None:
    first, second = (ms.solve("ea", ones(), evaluations=50, seed=seed) for seed in (7, np.int64(7)))
    assert (first.x.tolist(), first.hit) == (second.x.tolist(), second.hit)


@pytest.mark.parametrize(
    ("said", "others"),
    [
        ("finalists must be at least 0, got -5", {"race": Race(finalists=-5)}),
        ("finalists must be a whole number, got 1.5", {"race": Race(finalists=1.5)}),
        ("samples must be at least 0, got -1", {"race": Race(samples=-1)}),
        ("round must be a whole number, got 2.5", {"race": Race(rounds=(2.5,))}),
        ("batch must be a whole number, got 1.5", {"training": Training(batch=1.5)}),
        ("mutants must be at least 0, got -1", {"training": Training(mutants=-1)}),
        ("advantage must be 'rank' or 'raw', got 'rafk'", {"training": Training(advantage="rafk")}),
        ("runs must be a whole number, got 0.5", {"measuring": Measuring(runs=0.5)}),
        ("evaluations must be at least 1, got 0", {"measuring": Measuring(evaluations=0)}),
        ("instances must be at least 1, got 0", {"measuring": Measuring(instances=0)}),
        ("workers must be a whole number, got 1.5", {"workers": 1.5}),
        ("evaluations must be a whole number, got 40.5", {"evaluations": 40.5}),
        ("spend must be a whole number, got '9'", {"spend": "9"}),
    ],
)
def test_numbers_that_no_design_can_have_are_one_line(said: str, others: dict[str, object], tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=f"^{re.escape(said)}$"):
        ms.design(ones(), **{"evaluations": 40, "out": tmp_path / "run", **others})
    assert not (tmp_path / "run").exists()


def test_workers_are_whole_numbers_in_all_ways() -> None:
    with pytest.raises(ValueError, match=r"^workers must be a whole number, got 1.5$"):
        ms.solve_all("ea", ones(), evaluations=9, seeds=[0], workers=1.5)
    with pytest.raises(ValueError, match=r"^population must be a whole number, got 1.5$"):
        ms.solve("ea", ones(), evaluations=9, population=1.5)


@pytest.mark.parametrize("name", [5, ["a"], 1.5, 0])
def test_names_are_text(name: object) -> None:
    with pytest.raises(ValueError, match=r"^a problem's name must be text, got "):
        ms.Problem(lambda x: x.sum(), ms.Bits(9), name=name)
    with pytest.raises(ValueError, match=r"^a problem's name must be text, got "):
        ms.Search("ea", ms.Bits(9), evaluations=9, name=name)
