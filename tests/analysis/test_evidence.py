"""The evidence for a design: what was asked, of the right runs, on the original scale."""

import json
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path

import pytest

import metasmith as ms
from metasmith.analysis import evidence
from metasmith.analysis.compare import USUAL
from metasmith.analysis.evidence import Runner, best_first, compared, kept, records, spread, typed
from metasmith.api import find_task
from metasmith.designers.training import Training
from metasmith.measuring import Race
from metasmith.problems import Task
from metasmith.report.design_page import page
from metasmith.runs.continual import blank
from metasmith.runs.folder import Folder

PROGRAM = ms.Program.parse("population 1; reset_n(n=1); pairwise_select")
SOURCE = """
import metasmith as ms

def far(x):
    return float(((x - 2) ** 2).sum())

def said(x):
    return [f"far: {far(x)}"]

def drawn(x):
    from matplotlib.figure import Figure

    return Figure()

look = {"explain": said, "picture": drawn}
bowls = [ms.Problem(far, ms.Integers(5, n), direction="min", optimum=0.0, name=f"bowl-{n}", **look) for n in (4, 6, 9)]
task = ms.Task("bowls", training=tuple(bowls[:2]), test=(bowls[2],), evaluations=90)
"""
SMALL = {
    "effort": "quick",
    "training": Training(batch=6, mutants=2, immigrants=1, known=False),
    "race": Race(finalists=2, samples=1, rounds=(1,)),
}


@contextmanager
def watch(what: str, total: int):
    yield lambda: None


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("mine")
    (folder / "mine.py").write_text(SOURCE)
    ms.design(f"{folder / 'mine.py'}:task", out=folder / "run", **SMALL)
    return folder / "run"


def made(run: Path, runs: int = 3, seed: int = 5) -> dict:
    return records(run, runs=runs, seed=seed, workers=1, watch=watch, ready=lambda: None)


def test_values_are_those_of_solve_and_curves_end_there(run):
    found = made(run)["evidence"]
    (test,) = found["test"]
    assert list(test["values"]) == ["design", *USUAL]
    assert (test["problem"], test["evaluations"], test["optimum"]) == ("bowl-9", 90, 0.0)
    for name, values in test["values"].items():
        assert [curve[-1] for curve in test["curves"][name]] == values
        assert all(later <= earlier for curve in test["curves"][name] for earlier, later in pairwise(curve))
    assert test["grid"][0] == 1
    assert test["grid"][-1] == 90
    assert {case["problem"]: case["evaluations"] for case in found["generalisation"]} == {
        "bowl-4": 40,
        "bowl-6": 60,
        "bowl-9": 90,
    }
    assert found["generalisation"][-1]["values"]["design"] == test["values"]["design"]
    (plan,) = found["plans"]
    assert plan["lines"] == [f"far: {min(test['values']['design'])}"]
    assert plan["picture"].startswith("<?xml")


def test_curves_are_the_best_so_far():
    problem = ms.problem("pbo:F1@40#7")  # scaled, so that the original scale shows
    task = Task("t", (problem,), (problem,), 200)
    (case,) = compared(
        Runner({"design": PROGRAM}, task, [3], 1), ["design"], [problem], lambda: None, trajectories=True
    )
    result = ms.solve(PROGRAM, problem, evaluations=200, seed=3)
    for at, value in zip(case["grid"], case["curves"]["design"][0], strict=True):
        best = result.history.values[result.history.evaluations <= at][-1]
        assert value == pytest.approx(problem.original(float(best)))
    assert case["hits"]["design"] == [result.hit]
    assert case["values"]["design"] == [problem.original(result.fun)]
    assert case["optimum"] == 40


def test_nothing_is_run_twice_and_all_is_counted():
    problem = ms.problem("pbo:F1@40")
    runner = Runner({}, Task("t", (problem,), (problem,), 100), range(4), 1)
    assert runner("rls", problem) is runner("rls", problem)
    assert runner.evaluations == 400


@pytest.mark.parametrize("evaluations", [1, 7, 100, 50_000, 10**7])
def test_points_are_few_and_reach_the_end(evaluations):
    points = spread(evaluations)
    assert points == sorted(set(points))
    assert len(points) <= 100
    assert (points[0], points[-1]) == (1, evaluations)


def test_what_is_infeasible_is_null_and_ranks_last():
    problem = ms.Problem(lambda x: float(x.sum()), ms.Bits(5), violation=lambda x: 1.0 - 0.1 * x[0], name="never")
    (case,) = compared(
        Runner({}, Task("t", (problem,), (problem,), 20), [0], 1),
        ["rls", "ea"],
        [problem],
        lambda: None,
        trajectories=True,
    )
    assert case["values"] == {"rls": [None], "ea": [None]}
    assert set(case["curves"]["rls"][0]) == {None}
    json.dumps(case, allow_nan=False)
    assert best_first([{**case, "values": {"rls": [None], "ea": [3.0]}}], ["rls", "ea"]) == ["ea", "rls"]


def test_the_best_of_the_others_come_first_where_less_is_better_too():
    values, hits = (
        {"rls": [3.0, 3.0], "ea": [1.0, 2.0], "fga": [9.0, 9.0], "ga": [9.0, 9.0]},
        {"rls": [1], "ea": [1], "fga": [1], "ga": [2]},
    )
    case = {"values": values, "hits": hits, "direction": "min"}
    assert best_first([case], ["rls", "ea", "ga", "fga"]) == [
        "ea",
        "rls",
        "fga",
        "ga",
    ]  # of equals, the one that is there sooner
    assert best_first([{**case, "direction": "max"}], ["rls", "ea", "ga", "fga"]) == ["fga", "ga", "rls", "ea"]


def test_other_settings_and_damaged_files_are_made_anew(run):
    made(run)
    file = run / evidence.FILE
    before = file.read_bytes()
    assert made(run)["evidence"] == {name: value for name, value in json.loads(before).items() if name != "checksum"}
    assert file.read_bytes() == before
    assert made(run, seed=6)["evidence"]["settings"]["seed"] == 6
    file.write_bytes(before[:100])
    assert kept(file, {}) is None
    found = made(run)["evidence"]
    assert found["test"] == json.loads(before)["test"]  # the same bits


def test_another_problem_in_the_same_file_is_measured_anew(tmp_path):
    file = tmp_path / "mine.py"
    file.write_text(SOURCE)
    ms.design(f"{file}:task", out=tmp_path / "run", **SMALL)
    before = made(tmp_path / "run")["evidence"]
    assert before["settings"]["digest"]
    file.write_text(SOURCE.replace("x - 2", "x - 1"))
    after = made(tmp_path / "run")["evidence"]
    assert after["settings"]["digest"] != before["settings"]["digest"]
    assert after["test"] != before["test"]
    assert evidence.digest("pbo:F2") is None
    data = tmp_path / "channels.npz"
    data.write_bytes(b"numbers")
    assert evidence.digest(f"beamforming:{data}")


def test_the_cost_is_of_all_that_ran(monkeypatch):
    """Equal variants run once; and if no share can be told, all have run before that is known."""
    flat = ms.Problem(lambda x: 0.0, ms.Bits(4), name="flat")
    program = ms.Program.parse("population 1; reset_n(n=1); reset_n(n=1); reset_n(n=1); tabu")
    runs = 2 * (
        2 + len(USUAL) + len(evidence.wanted(program))
    )  # of the design, the known algorithms and random search beside them
    task = Task("t", (flat,), (flat,), 8)
    found = evidence.evidence(program, task, 2, 0, 1, watch)
    assert len(found["ablation"]) == 4 > len(evidence.wanted(program)) - 2
    assert found["spent"]["evaluations"] == 8 * runs

    def no_shares(*given):
        raise ValueError("no better than random search")

    monkeypatch.setattr("metasmith.analysis.ablate.losses", no_shares)
    found = evidence.evidence(program, task, 2, 0, 1, watch)
    assert found["whole"] == "Not done: no better than random search."
    assert found["spent"]["evaluations"] == 8 * runs


def test_cases_say_what_was_learned_from_and_judged_on(run):
    found = made(run)["evidence"]
    assert [(each["problem"], each["learned"], each["judged"]) for each in found["generalisation"]] == [
        ("bowl-4", True, False), ("bowl-6", True, False), ("bowl-9", False, True),
    ]  # fmt: skip
    problem = ms.Problem(lambda x: 0.0, ms.Bits(4))
    alone = evidence.case(problem, find_task(problem))
    assert (alone["learned"], alone["judged"]) == (True, True)
    same = [ms.Problem(lambda x: 0.0, ms.Bits(4), name="alike") for _ in range(2)]
    assert not evidence.case(same[1], Task("t", (same[0],), (same[1],), 9))["learned"]  # a name is not the problem


def test_pbo_test_problems_are_not_run_again_among_others():
    task = ms.task("pbo:F1")
    assert {each for each in evidence.other_problems(task) if each.name in {test.name for test in task.test}} <= set(
        task.test
    )


def test_pbo_designs_are_tried_on_other_sizes_and_instances():
    places = evidence.other_problems(ms.task("pbo:F23"))
    assert len(places) == len(evidence.DIMENSIONS) * len(evidence.INSTANCES)
    assert {problem.dimension for problem in places} == set(evidence.DIMENSIONS)
    seen = {problem.name for problem in ms.task("pbo:F23").training}
    assert not seen & {problem.name for problem in places}


def test_the_command_is_the_one_that_was_typed():
    asked = evidence.specify(find_task("pbo:F2", 50_000), effort="quick", seed=3)
    assert typed(asked, Path("runs/a b")) == (
        "metasmith design pbo:F2 --evaluations 50000 --seed 3 --space full --designer mixture --quality final "
        "--effort quick --out 'runs/a b'"
    )
    for minutes, timing in ((None, 0), (2.5, 700)):
        laid_out = evidence.specify(find_task("pbo:F2", 1000), spend=40_000 + timing, minutes=minutes, timing=timing)
        assert " --effort default --spend 40000 --out r" in typed(laid_out, Path("r"))
    assert typed(evidence.specify(find_task("pbo:F2", 9), **SMALL), Path("r")).startswith(
        "# the design was asked for in Python"
    )


def test_no_command_begins_from_a_writer_that_is_not_there_any_more(tmp_path):
    writer = tmp_path / "my.writer"
    memory = blank("full", "bits", 0)
    memory.save(writer)
    asked = evidence.specify(find_task("pbo:F2", 9), effort="quick", writer=f"{writer} {memory.digest}")
    assert f"--writer {writer} --effort quick" in typed(asked, tmp_path / "run")
    blank("full", "bits", 1).save(writer)  # it learns
    assert typed(asked, tmp_path / "run") == (
        f"# the design began from the writer {writer}, which has learned more since, or is gone; "
        f"what the writer knew then is in {tmp_path}/run/writer.safetensors"
    )
    writer.unlink()
    assert typed(asked, tmp_path / "run").startswith("# the design began from")
    memory.save(writer)
    assert typed(asked, tmp_path / "my.writer.runs" / "1-pbo-F2").startswith(
        "# the design is a task that 'metasmith learn' taught"
    )
    series = evidence.specify(find_task("pbo:F2", 9), effort="quick", writer=memory.digest)
    assert typed(series, tmp_path / "run").startswith("# the design is a task of an experiment")


def test_the_task_must_be_found_again(tmp_path):
    problem = ms.problem("pbo:F1@20")
    ms.design(Task("unknown to all", (problem,), (problem,), 50), out=tmp_path / "run", **SMALL)
    with pytest.raises(ValueError, match="the task of this run cannot be found"):
        made(tmp_path / "run")
    assert Folder(tmp_path / "run").design() is not None


def test_the_page_of_a_real_run_is_whole(run):
    text = page(made(run))
    assert "where less is better" in text
    assert "far: " in text
    assert text.count("<section") == 11
