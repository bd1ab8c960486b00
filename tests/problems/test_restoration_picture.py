"""The picture of a plan: everything is on it, and nothing lies on anything else."""

import re
from itertools import combinations
from xml.etree import ElementTree

import numpy as np
import pytest
from restoration_helpers import INSTANCES, OPTIMAL

from metasmith.figures import save_figure
from metasmith.problems import problem
from metasmith.problems.restoration.picture import LOAD, UNIT, picture, purposes
from metasmith.problems.restoration.places import PLACES
from metasmith.problems.restoration.plan import plan
from metasmith.problems.restoration.system import BRANCHES, BUSES, system

DRAW = np.random.default_rng(0)
PLANS = {
    "train": ("train", OPTIMAL["train"]),
    "test": ("test", OPTIMAL["test"]),
    "bad": ("test", np.concatenate([DRAW.integers(0, 2, 8), DRAW.integers(0, 8, 21)])),
    "bits": ("test", DRAW.integers(0, 2, 184) * DRAW.integers(0, 2, 184)),
    "none": ("test", np.zeros(184, int)),
    "all by one": ("train", [0] * 29),
}


def crossing(one, other):
    """Whether two branches meet elsewhere than at a bus of both."""
    (a, b), (c, d) = ((np.array(PLACES[branch.start]), np.array(PLACES[branch.end])) for branch in (one, other))

    def side(p, q, r):
        return np.sign((q[0] - p[0]) * (r[1] - p[1]) - (q[1] - p[1]) * (r[0] - p[0]))

    return side(a, b, c) != side(a, b, d) and side(c, d, a) != side(c, d, b)


def test_no_branches_cross_and_no_buses_touch():
    assert sorted(PLACES) == list(range(1, BUSES + 1))
    for one, other in combinations(PLACES, 2):
        assert np.hypot(*np.subtract(PLACES[one], PLACES[other])) > 1.5 * UNIT
    for one, other in combinations(system().branches, 2):
        assert {one.start, one.end} & {other.start, other.end} or not crossing(one, other)


def test_no_branch_passes_through_a_bus():
    for branch in system().branches:
        start, end = np.array(PLACES[branch.start]), np.array(PLACES[branch.end])
        for bus in set(PLACES) - {branch.start, branch.end}:
            share = np.clip((PLACES[bus] - start) @ (end - start) / ((end - start) @ (end - start)), 0, 1)
            assert np.linalg.norm(start + share * (end - start) - PLACES[bus]) > 2 * LOAD


@pytest.mark.parametrize("name", PLANS)
def test_everything_is_on_it(name, tmp_path):
    scenario, x = PLANS[name]
    instance = INSTANCES[scenario]
    save_figure(picture(instance, np.array(x)), tmp_path / "plan.svg")
    text = (tmp_path / "plan.svg").read_text()
    marks = [element.get("id") or "" for element in ElementTree.fromstring(text).iter()]
    assert {mark for mark in marks if mark.startswith("unit-")} == {f"unit-{unit.bus}" for unit in system().units}
    assert {mark for mark in marks if mark.startswith("load-")} == {f"load-{load.bus}" for load in instance.loads}
    assert {int(mark.split("-")[1]) for mark in marks if re.match(r"(unit|load|bus)-", mark)} == set(PLACES)
    assert sum(mark.startswith("branch-") for mark in marks) == BRANCHES
    assert all(re.search(rf"<!-- {bus}\*? -->", text) for bus in PLACES)
    drawn = plan(instance, x)
    for a, crankers in enumerate(drawn.crankers):
        if len(crankers) == 1:
            assert f"<!-- {drawn.on[a]:.1f} min, by {instance.starters[crankers[0]].bus} -->" in text
    assert text.count("not fed") == sum(not feeders for feeders in drawn.feeders)
    assert text.count("fed by") == sum(bool(feeders) for feeders in drawn.feeders)
    assert len(text) < 150_000


def test_it_says_the_minutes_and_whether_the_limits_are_kept(tmp_path):
    save_figure(picture(INSTANCES["test"], np.array(OPTIMAL["test"])), tmp_path / "good.svg")
    assert "plan: 879.4 minutes of paths; every limit is kept" in (tmp_path / "good.svg").read_text()
    save_figure(picture(INSTANCES["test"], PLANS["bad"][1]), tmp_path / "bad.svg")
    assert "limits not kept: bs_cranking" in (tmp_path / "bad.svg").read_text()


def test_branches_are_drawn_as_what_they_are_first_energised_for():
    instance = INSTANCES["test"]
    drawn = plan(instance, OPTIMAL["test"])
    strokes = {
        (branch.start, branch.end): stroke
        for branch, stroke in zip(system().branches, purposes(instance, drawn), strict=True)
    }
    assert strokes[22, 35] == strokes[2, 30] == "cranking"
    assert strokes[5, 8] == strokes[12, 11] == "critical loads"  # 32 feeds 8 and 12, which are critical
    assert strokes[9, 39] == strokes[28, 29] == "the other loads"
    assert strokes[3, 4] == strokes[26, 28] == "left dead"


def words_of(figure):
    """What is written outside the marks, and the marks, as boxes in pixels."""
    (axes,) = figure.axes
    written = [text.get_window_extent(figure.canvas.get_renderer()) for text in axes.texts if len(text.get_text()) > 3]
    return written, [patch.get_window_extent() for patch in axes.patches]


@pytest.mark.parametrize("name", PLANS)
def test_words_lie_on_nothing_and_within_the_picture(name):
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    scenario, x = PLANS[name]
    figure = picture(INSTANCES[scenario], np.array(x))
    FigureCanvasAgg(figure).draw()
    written, marks = words_of(figure)
    assert len(written) >= 21
    for one, other in combinations(written, 2):
        assert not one.overlaps(other)
    for words in written:
        assert words.x0 >= 0
        assert words.x1 <= figure.bbox.x1
        assert not any(words.overlaps(mark) for mark in marks)


def test_the_same_plan_gives_the_same_bytes(tmp_path):
    network, x = problem("restoration:test"), np.array(OPTIMAL["test"])
    for name in ("one.svg", "two.svg", "one.png", "two.png", "one.pdf", "two.pdf"):
        save_figure(network.picture(x), tmp_path / name)
    for kind in ("svg", "png", "pdf"):
        assert (tmp_path / f"one.{kind}").read_bytes() == (tmp_path / f"two.{kind}").read_bytes()
    assert "<dc:date>" not in (tmp_path / "one.svg").read_text()
