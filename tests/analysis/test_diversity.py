"""How different programs are: hand-made distances, those of a metric, and what programs come to."""

import json
import shutil
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

import metasmith as ms
from metasmith.analysis.diversity import Designed, change, compared, designs_in, distance, edits, in_effect, lines
from metasmith.cli import app
from metasmith.designers.training import Training
from metasmith.program import Program, canonical, named, random_program
from metasmith.report.analyses import diversity_lines, diversity_table
from metasmith.runs.spec import Race
from metasmith.space import Space

drawn = st.integers(0, 2**32).map(lambda seed: random_program(Space.named("full"), seed))
short = st.lists(
    st.sampled_from(["reset_sweep", "reset_n(n=1)", "reset_n(n=2)", "best", "tabu", "reset_sweep iterate until 5%"]),
    max_size=4,
)
near = st.tuples(st.sampled_from([1, 2, 50]), short).map(
    lambda parts: Program.parse("; ".join([f"population {parts[0]}", *parts[1], "reset_sweep"]))
)
programs = drawn | near  # drawn ones have little in common


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ("ea", "ea", 0),
        ("ea", "rls", 1 / 3),  # another search component
        ("rls", "sa", 2 / 3),  # fifty solutions, another selection
        ("ga", "genetic-algorithm", (1 + 0.25 + 0.25 + 1) / 5),  # a chooser more, both probabilities, another selection
        ("rls", "random", 2 / 3),  # one line is another, one is gone
        ("rls", "population 1; reset_n(n=2) iterate until 5%", 0.5 / 3),  # another setting, another pointer
        ("ghc", "population 1; reset_sweep iterate until 15%; greedy_select", 1.25 / 3),
        ("population 1; reset_sweep iterate until 15%", "population 1; reset_sweep iterate until 1%", 0.25 / 3),
        ("population 20; reset_sweep", "population 50; reset_sweep", 0.25 / 3),
        ("population 1; traverse; reset_sweep; pairwise_select", "ghc", 0),  # in canonical form
    ],
)
def test_distances_by_hand(one, other, expected):
    assert distance(ms.algorithm(one), ms.algorithm(other)) == pytest.approx(expected)


@settings(max_examples=200)
@given(programs, programs, programs)
def test_it_is_a_distance(a, b, c):
    assert 0 <= distance(a, b) <= 1
    assert distance(a, b) == distance(b, a)
    assert (distance(a, b) == 0) == (canonical(a) == canonical(b))
    assert distance(a, a) == 0
    assert edits(lines(a), lines(c)) <= edits(lines(a), lines(b)) + edits(lines(b), lines(c)) + 1e-12


@settings(max_examples=100)
@given(programs, programs)
def test_edits_are_the_fewest(a, b):
    """Against the definition: all ways to keep, change, add and leave out lines."""
    mine, theirs = lines(a), lines(b)

    @cache
    def fewest(i: int, j: int) -> float:
        if i == len(mine) or j == len(theirs):
            return len(mine) - i + len(theirs) - j
        return min(1 + fewest(i + 1, j), 1 + fewest(i, j + 1), change(mine[i], theirs[j]) + fewest(i + 1, j + 1))

    assert edits(mine, theirs) == pytest.approx(fewest(0, 0))


@pytest.mark.parametrize(
    ("written", "effect"),
    [
        ("population 1; best; reset_sweep iterate until 15%; round_robin_select iterate until 5%", "ghc"),
        (
            "population 1; tournament fork 2; reset_sweep; greedy_select",
            "population 1; traverse fork 2; reset_sweep; pairwise_select",
        ),
        (
            "population 2; best; reset_sweep; greedy_select iterate until 5%",
            "population 2; best; reset_sweep; greedy_select",
        ),
        (
            "population 1; reset_sweep iterate until 5%; reset_n(n=1); tabu iterate until 1%",
            # two stages: their loops matter, that around both does not
            "population 1; reset_sweep iterate until 5%; reset_n(n=1); tabu",
        ),
        (
            "population 1; reset_sweep; greedy_select iterate until 5%; reset_n(n=1); tabu",
            "population 1; reset_sweep; pairwise_select iterate until 5%; reset_n(n=1); tabu",
        ),
    ],
)
def test_what_a_program_comes_to(written, effect):
    assert in_effect(Program.parse(written)) == canonical(ms.algorithm(effect))
    assert in_effect(ms.algorithm(effect)) == canonical(ms.algorithm(effect))


LOOPS = ["", " iterate until 10%", " iterate until local_optimum"]
choosers = st.sampled_from(["", "traverse; ", "best; ", "best_half; "])
stages = st.tuples(choosers, st.sampled_from(LOOPS)).map(lambda parts: f"{parts[0]}reset_sweep{parts[1]}; ")
selectors = ["greedy_select", "pairwise_select", "always_select"]


@st.composite
def without_chance(draw):
    """Programs that draw no random numbers after their first solutions; round robin draws none that matter of two."""
    size = draw(st.sampled_from([1, 3]))
    ends = st.sampled_from(selectors + ["round_robin_select"] * (size == 1))
    body = draw(
        st.lists(
            st.tuples(st.lists(stages, min_size=1, max_size=2), ends, st.sampled_from(LOOPS)), min_size=1, max_size=2
        )
    )
    return Program.parse(f"population {size}; " + "; ".join("".join(chain) + end + loop for chain, end, loop in body))


@settings(max_examples=60)
@given(without_chance())
def test_a_program_and_what_it_comes_to_do_the_same(program):
    start = np.random.default_rng(0).integers(2, size=(program.population, 20))
    found = [ms.solve(each, "pbo:F18@20", evaluations=200, start=start) for each in (program, in_effect(program))]
    for mine, theirs in zip(found[0].history, found[1].history, strict=True):
        assert mine.tolist() == theirs.tolist()
    assert found[0].x.tolist() == found[1].x.tolist()


def designed(name, task, text):
    return Designed(Path("runs") / name, task, ms.algorithm(text))


def test_the_table_by_hand():
    found = compared(
        [
            designed("a", "pbo:F1", "population 1; best; reset_sweep"),
            designed("b", "pbo:F1", "rls"),
            designed("c", "pbo:F2", "ghc"),
        ]
    )
    first, second, third = found.rows
    assert first.nearest_known == ("ghc", 0.25)
    assert first.in_effect == ("ghc", 0)
    assert first.other == ("runs/c", 0.25)
    assert second.nearest_known == ("rls", 0)
    assert second.other == ("runs/c", 1 / 3)
    assert third.other == ("runs/a", 0.25)
    assert found.as_read.same_task == 0.5  # a and b: a chooser and a search component, of four lines
    assert found.as_read.other_tasks == pytest.approx((0.25 + 1 / 3) / 2)
    assert found.as_read.nearest_known == pytest.approx(0.25 / 3)
    assert (found.as_read.different, found.in_effect.different) == (3, 2)
    assert found.in_effect.other_tasks == pytest.approx((0 + 1 / 3) / 2)
    assert found.components == pytest.approx(
        {"pairwise_select": 1, "reset_sweep": 2 / 3, "best": 1 / 3, "reset_n": 1 / 3}
    )
    assert (
        diversity_lines(found)[0] == "3 designs are 3 programs, 2 in effect; 3 designs are known algorithms in effect"
    )
    assert diversity_table(found).rows[0][-1] == "c at 0.25"


def test_one_design_has_no_other():
    found = compared([designed("a", "pbo:F1", "rls")])
    assert found.rows[0].other is None
    assert diversity_table(found).rows[0][-1] == ""
    assert (found.as_read.same_task, found.as_read.other_tasks) == (None, None)
    assert "same task" not in "\n".join(diversity_lines(found))


def test_known_algorithms_are_nearest_to_themselves():
    found = compared([Designed(Path(name), "", named(name)) for name in ("ils", "umda", "aldes-f20", "tabu-search")])
    assert [row.nearest_known for row in found.rows] == [("ils", 0), ("umda", 0), ("aldes-f20", 0), ("tabu-search", 0)]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Two runs, F2 and F10 by name, and one that was killed."""
    path = tmp_path_factory.mktemp("runs")
    small = {
        "effort": "quick",
        "training": Training(batch=4, known=False),
        "race": Race(finalists=2, samples=1, rounds=(1, 1)),
    }
    ms.design(ms.problem("pbo:F1@30"), evaluations=100, out=path / "F10", **small)
    shutil.copytree(path / "F10", path / "F2")
    shutil.copytree(path / "F10", path / "F3")
    (path / "F3" / "design.json").unlink()
    return path


def test_folders_of_runs_are_searched(folder):
    found, left_out = designs_in([folder, folder / "F2"])
    assert [each.run.name for each in found] == ["F2", "F10"]
    assert left_out == [folder / "F3"]


def test_the_command_prints_json_and_a_table(folder):
    done = CliRunner().invoke(app, ["diversity", str(folder), "--json"])
    found = json.loads(done.stdout)
    assert list(found) == ["designs", "as_read", "in_effect", "random", "components"]
    assert [row["design"] for row in found["designs"]] == [str(folder / "F2"), str(folder / "F10")]
    assert found["designs"][0]["other"] == {"name": str(folder / "F10"), "distance": 0}
    assert list(found["as_read"]) == ["same_task", "other_tasks", "nearest_known", "different"]
    assert (found["as_read"]["same_task"], found["as_read"]["other_tasks"], found["as_read"]["different"]) == (
        0,
        None,
        1,
    )
    assert 0.5 < found["random"] < 1
    assert done.stderr == f"metasmith: left out '{folder / 'F3'}', which is not finished\n"
    printed = CliRunner().invoke(app, ["diversity", str(folder / "F2"), str(folder / "F10")]).stdout
    assert printed.startswith("design")
    assert "2 designs are 1 programs" in printed


def test_mistakes_are_told(folder, tmp_path):
    for given_folders, said in (
        ([tmp_path / "nowhere"], "is not the folder of a run, and there is none in it"),
        ([tmp_path], "is not the folder of a run, and there is none in it"),
        ([folder / "F3"], "the run in it is not finished"),
    ):
        done = CliRunner().invoke(app, ["diversity", *map(str, given_folders)])
        assert isinstance(done.exception, ValueError)
        assert said in str(done.exception)
    shutil.copytree(folder / "F3", tmp_path / "runs" / "F3")
    with pytest.raises(ValueError, match=r"no run in .* is finished; 'metasmith resume"):
        designs_in([tmp_path / "runs"])
