"""Traces keep what matters of a history, and the picture of them shows where most runs end."""

import re
from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from metasmith.experiments.shared.convergence import NOTE, POINTS, convergence, quartiles, trace, view
from metasmith.report.svg import save_chart


@given(st.sets(st.integers(2, 50_000), max_size=600), st.integers(0, 100))
def test_a_trace_keeps_the_first_and_the_last_and_only_improves(at, more):
    evaluations = [1, *sorted(at)]
    values = [float(-i) for i in range(len(evaluations))]
    spent = evaluations[-1] + more
    kept, best = trace(evaluations, values, spent)
    assert len(kept) == len(best) <= POINTS
    assert (kept[0], best[0], kept[-1], best[-1]) == (1, 0.0, spent, values[-1])
    assert kept == sorted(kept)
    assert best == sorted(best, reverse=True)
    assert set(zip(kept[:-1], best[:-1], strict=True)) <= set(zip(evaluations, values, strict=True))


def test_a_short_history_is_kept_whole():
    assert trace(np.array([1, 7, 30]), np.array([5.0, 4.0, 1.0]), 50) == ([1, 7, 30, 50], [5.0, 4.0, 1.0, 1.0])


def test_quartiles_are_of_the_best_so_far():
    traces = [([1, 10, 100], [9.0, value, value]) for value in (1.0, 2.0, 3.0, 4.0, 5.0)]
    found = quartiles(traces, np.array([1.0, 9.9, 10.0, 100.0]))
    np.testing.assert_array_equal(found, [[9, 9, 2, 2], [9, 9, 3, 3], [9, 9, 4, 4]])


def test_penalties_are_cut_off_and_runs_that_end_below_them_are_not():
    rows = [[([1, 1000, 50_000], [30_000.0, 1500.0, end])] for end in (920.0, 960.0, 1000.0, 1010.0)]
    rows.append([([1, 50_000], [40_000.0, 20_000.0])])
    begin, end, low, high = view(rows, 879.4)
    assert low < 879.4
    assert 1010 < high < 2000
    assert end == 50_000
    assert 900 < begin <= 5000


@pytest.mark.parametrize("optimum", [None, 5.0])
def test_runs_that_all_end_alike_are_shown_too(optimum):
    begin, end, low, high = view([[([1, 1], [5.0, 5.0])]] * 3, optimum)
    assert begin < end == 1
    assert low < 5 < high


def example(problems, algorithms=7, runs=10):
    draw = np.random.default_rng(1)

    def course(level):
        at = np.unique(np.concatenate([[1], draw.geometric(0.001, 300)]))
        return trace(at, np.sort(level + draw.exponential(1.0, len(at)))[::-1], 50_000)

    return {
        f"size {k}": {f"way {i}": [course(1 + i / 5) for _ in range(runs)] for i in range(algorithms)}
        for k in range(problems)
    }


@pytest.mark.parametrize("problems", [1, 5])
def test_every_algorithm_is_named_on_every_panel(problems, tmp_path):
    panels = example(problems)
    for name in ("one.svg", "two.svg"):
        save_chart(convergence(panels, "what is minimised", {"size 0": 0.9}), tmp_path / name, "courses")
    text = (tmp_path / "one.svg").read_text()
    ElementTree.fromstring(text)
    assert text == (tmp_path / "two.svg").read_text()
    assert len(text) < 150_000
    for name in panels:
        assert f">{name}</text>" in text
    for label in panels["size 0"]:
        assert len(re.findall(rf">{label}( \([\d.]+\))?</text>", text)) == problems
    assert NOTE in text
    assert text.count("proved optimum, 0.9") == 1
    assert "what is minimised" in text


def test_what_ends_above_the_top_says_where():
    panels = {
        "one": {**{f"way {i}": [([1, 100], [9.0, 1.0 + i / 10])] for i in range(4)}, "lost": [([1, 100], [90.0, 80.0])]}
    }
    (axes,) = convergence(panels, "minutes", {}).axes
    assert "lost (80)" in [text.get_text() for text in axes.texts]
    assert axes.get_ylim()[1] < 10
