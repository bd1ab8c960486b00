"""A design depends on what was asked and on nothing else, and says what it did."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from design_helpers import SMALL, STEPS, designed, facts, kept, lines, tiny

import metasmith as ms
from metasmith.api import find_task
from metasmith.designers.contract import Archive
from metasmith.designers.ppo.writer import Writer
from metasmith.designers.random import RandomDesigner
from metasmith.designers.training import PAPER, Training
from metasmith.measuring import Measuring, Race, schedule
from metasmith.program import canonical, program_of
from metasmith.runs.checkpoint import Checkpoint
from metasmith.runs.design import Design
from metasmith.runs.folder import Folder
from metasmith.runs.forecast import Plan, Progress
from metasmith.runs.history import descent
from metasmith.runs.loop import PATIENCE
from metasmith.runs.spec import specify
from metasmith.space import Space


@pytest.fixture(scope="module")
def alone() -> Design:
    """A design in memory, by one worker."""
    return designed(workers=1)


def same_bits(one: Checkpoint, other: Checkpoint) -> bool:
    mine, theirs = one.state, other.state
    same = mine.arrays.keys() == theirs.arrays.keys() and (one.batch, mine.facts) == (other.batch, theirs.facts)
    return same and all(np.array_equal(mine.arrays[name], theirs.arrays[name]) for name in mine.arrays)


@pytest.mark.parametrize("workers", [2, 4])
def test_the_same_seed_the_same_design_however_many_work_on_it(workers, alone):
    other = designed(workers=workers)
    assert facts(other) == facts(alone)
    assert same_bits(other.checkpoint, alone.checkpoint)


def test_another_seed_another_design(alone):
    other = designed(seed=1)
    assert lines(other.history)[1]["programs"] != lines(alone.history)[1]["programs"]
    assert other.score != alone.score
    first, second = ({row[5] for row in design.history[0]["measured"]} for design in (alone, other))
    assert first != second


def test_a_folder_changes_nothing(alone, tmp_path):
    kept_one = designed(out=tmp_path / "run")
    assert facts(kept_one) == facts(alone)
    assert same_bits(kept_one.checkpoint, alone.checkpoint)
    assert lines(Folder(tmp_path / "run").history()) == lines(alone.history)


def test_a_design_saved_is_the_folder_of_a_run(alone, tmp_path):
    alone.save(tmp_path / "saved")
    designed(out=tmp_path / "run")
    assert kept(tmp_path / "saved") == kept(tmp_path / "run")
    assert Folder(tmp_path / "saved").spec() == alone.spec
    assert ms.algorithm(tmp_path / "saved") == ms.algorithm(str(tmp_path / "saved")) == alone.program
    assert facts(ms.resume(tmp_path / "saved", tiny())) == facts(alone)
    with pytest.raises(ValueError, match="is not empty; 'metasmith resume"):
        alone.save(tmp_path / "saved")


def test_the_random_designer_goes_through_the_same_hands(tmp_path):
    design = designed(designer="random", out=tmp_path / "run")
    assert [line["step"] for line in design.history] == ["references"] + ["batch"] * 3 + ["race"] * 2
    assert facts(designed(designer="random")) == facts(design)
    assert not any("entropy" in line for line in design.history)
    assert {source for line in design.history for source in line.get("sources", [])} == {"immigrant"}


def test_it_says_what_it_did(alone):
    assert [line["step"] for line in alone.history] == ["references"] + ["batch"] * 3 + ["race"] * 2
    assert [line["batch"] for line in alone.history[1:4]] == [1, 2, 3]
    for line in alone.history[1:4]:
        assert len(line["programs"]) == len(line["rewards"]) == 6
        assert all(0 <= reward <= 1 for reward in line["rewards"])
    best = [line["best"] for line in alone.history[1:4]]
    assert all(0 < value < 1.1 for value in best)
    program, score, runs = alone.history[-1]["standing"][0]
    assert (program, score, runs) == (str(alone.program), alone.score, 4)
    assert score == max(entry[1] for entry in alone.history[-1]["standing"])


def test_it_says_who_proposed_the_winner_and_what_that_descends_from():
    """By evolution, of a design with many batches: every mutant has a parent that was proposed before it."""
    design = designed(designer="evolution", batches=12)
    winner, *line = design.record()["descent"]
    assert winner["program"] == str(design.program)
    assert winner["source"] == design.history[-1]["sources"][0]
    child = winner
    for ancestor in line:
        step = design.history[-2] if child["batch"] is None else design.history[child["batch"]]
        programs = [row[0] for row in step["standing"]] if child["batch"] is None else step["programs"]
        assert step["parents"][programs.index(child["program"])] == ancestor["program"]
        assert ancestor["program"] in design.history[ancestor["batch"]]["programs"]
        assert child["batch"] is None or ancestor["batch"] < child["batch"]
        child = ancestor
    assert [each["source"] == "mutant" for each in (winner, *line)] == [True] * len(line) + [False]


def step_of(kind: str, *rows: tuple[str, str, str | None], batch: int | None = None) -> dict[str, Any]:
    programs, sources, parents = (list(column) for column in zip(*rows, strict=True))
    fields = (
        {"programs": programs, "batch": batch} if kind == "batch" else {"standing": [(p, 0.0, 1) for p in programs]}
    )
    return {"step": kind, "sources": sources, "parents": parents, **fields}


def test_a_program_is_of_whoever_proposed_it_first():
    first = step_of("batch", ("a", "library", None), ("b", "network", None), batch=1)
    second = step_of("batch", ("b", "mutant", "a"), ("c", "mutant", "b"), ("a", "mutant", "c"), batch=2)
    race = step_of("race", ("d", "mutant", "c"), ("a", "library", None))
    expected = [("d", "mutant", None), ("c", "mutant", 2), ("b", "network", 1)]
    assert descent([{"step": "references"}, first, second, race]) == expected
    assert descent([first, second]) == []
    del race["parents"]
    assert descent([first, second, race]) == expected[:1]


def test_a_design_written_at_once_says_by_whom():
    inference = {"step": "inference", "program": "a", "source": "network"}
    assert descent([{"step": "references"}, inference]) == [("a", "network", None)]


def test_the_ledger_counts_what_was_measured(alone):
    evaluations = [case.evaluations for case in schedule(tiny(), alone.spec.measuring).cases]
    runs = spent = 0
    for line in alone.history:
        runs += len(line["measured"])
        spent += sum(evaluations[row[1]] for row in line["measured"])
        assert (line["ledger"]["runs"], line["ledger"]["evaluations"]) == (runs, spent)
    requests = [(line["names"][row[0]], *row[1:5]) for line in alone.history for row in line["measured"]]
    assert len(requests) == len(set(requests)) == alone.ledger["runs"]


def test_problems_of_one_size_are_learned_in_short_runs_and_raced_at_full_length():
    design = designed(task=ms.problem("pbo:F2@40#3"), evaluations=12_000)
    assert design.history[0]["cases"] == [
        ["pbo:F2@40#3", 40, evaluations] for evaluations in (1000, 1200, 2400, 12_000)
    ]
    batches, rounds = design.history[1:4], design.history[4:]
    assert {row[1] for line in batches for row in line["measured"]} == {0, 1, 2}
    assert {row[1] for line in rounds for row in line["measured"]} == {3}


def test_the_paper_has_one_length_for_all_sizes():
    measuring = specify(find_task("pbo:F2"), preset="paper").measuring
    for name, cases in (("pbo:F2", 3), (ms.problem("pbo:F2@100"), 1)):
        assert [case.evaluations for case in schedule(find_task(name), measuring).cases] == [5000] * cases


def test_the_final_race_shares_no_run_with_the_training(alone):
    first, batches, race = (
        {(row[2], row[4] is None) for line in lines for row in line["measured"]}
        for lines in (alone.history[:1], alone.history[1:4], alone.history[4:])
    )
    assert (first, batches, race) == ({("reference", True)}, {("rung", False)}, {("race", True)})


def test_the_finalists_are_the_greedy_program_samples_and_the_best_seen(alone):
    entrants = {entry[0] for entry in alone.history[4]["standing"]}
    assert len(entrants) <= 1 + 2 + 4
    assert alone.history[3]["leader"] in entrants
    assert len(alone.history[4]["sources"]) == len(entrants)
    assert "network" in alone.history[4]["sources"]


def test_test_problems_are_never_touched():
    def secret(x: np.ndarray) -> float:
        raise AssertionError("a test problem was evaluated")

    task = replace(tiny(), test=(ms.Problem(secret, ms.Bits(40)),))
    assert designed(task=task).score > 0


def test_a_problem_that_fails_ends_the_design_with_its_error():
    def odd(x: np.ndarray) -> float:
        raise ArithmeticError("the bridge is closed")

    with pytest.raises(ms.EvaluationError, match="ArithmeticError: the bridge is closed"):
        designed(task=ms.Problem(odd, ms.Bits(20)), evaluations=50)


def test_it_tells_a_plan_and_then_every_step():
    told: list[Plan | Progress] = []
    design = designed(tell=told.append)
    whole, plan, *steps = told
    assert isinstance(plan, Plan)
    assert whole == Plan(plan.evaluations + design.history[0]["ledger"]["evaluations"], None)
    assert whole.evaluations == design.spec.spend
    assert [(step.what, step.step, step.steps) for step in steps] == [("batch", i, 3) for i in (1, 2, 3)] + [
        ("round", i, 2) for i in (1, 2)
    ]
    assert len(steps) == STEPS - 1
    assert [step.evaluations for step in steps] == [line["ledger"]["evaluations"] for line in design.history[1:]]
    assert design.ledger["evaluations"] <= plan.evaluations + design.history[0]["ledger"]["evaluations"]
    assert plan.seconds is not None
    assert plan.seconds > 0
    assert all(step.left >= 0 and step.rate > 0 for step in steps)
    assert steps[-1].best == design.score


def ones(change: Callable[[float], float], direction: str, optimum: float | None) -> ms.Problem:
    weights = np.arange(1, 13)
    best = None if optimum is None else change(optimum)
    return ms.Problem(lambda x: change(float(weights @ x)), ms.Bits(12), direction=direction, optimum=best, name="ones")


@pytest.mark.parametrize("optimum", [78.0, None], ids=["optimum", "none"])
def test_units_and_direction_change_nothing(optimum):
    def result(change: Callable[[float], float], direction: str) -> list[object]:
        design = designed(task=ones(change, direction, optimum), evaluations=60)
        rewards = [line["rewards"] for line in design.history if line["step"] == "batch"]
        return [design.program, design.score, rewards, [line["mean"] for line in design.history[1:4]]]

    plain = result(lambda value: value, "max")
    assert result(lambda value: 4 * value - 1024, "max") == plain
    assert result(lambda value: 512 - value / 2, "min") == plain


def test_anytime_quality_is_asked_for_and_counts():
    final, anytime = designed(), designed(quality="anytime")
    assert lines(final.history)[1]["programs"] == lines(anytime.history)[1]["programs"]
    assert lines(final.history)[1]["mean"] > lines(anytime.history)[1]["mean"]


def test_without_a_race_the_greedy_program_is_the_design(tmp_path):
    """The paper's way, made small."""
    own = {
        "training": replace(PAPER, batch=4),
        "measuring": Measuring(keep=1.0, runs=2, again=1, evaluations=200, instances=1),
        "race": Race(finalists=0, samples=0, rounds=()),
    }
    design = designed(tiny(), batches=2, preset="paper", out=tmp_path / "run", **own)
    assert design.spec.designer == "ppo"
    space = Space.named("paper")
    writer = Writer(space, design.spec.training, seed=0)
    writer.restore(design.checkpoint.state)
    assert design.program == canonical(program_of([space.tokens[number] for number in writer.infer()], space))
    assert design.program.population == 50
    assert design.history[-1]["step"] == "inference"
    assert design.record()["finalists"] == []
    # of the two problems of one size, one
    assert {row[1] for line in design.history for row in line["measured"]} == {0, 1}
    assert facts(ms.resume(tmp_path / "run", tiny())) == facts(design)


@pytest.mark.parametrize("batch", [1, 2, 5])
def test_a_batch_may_be_small(batch):
    design = designed(training=Training(batch=batch, known=False))
    assert [len(line["programs"]) for line in design.history if line["step"] == "batch"][:3] == [batch] * 3


def test_the_history_says_who_proposed_what_and_from_which_parent(alone):
    """Of six programs, once there is something to vary: three of the network, one immigrant, two mutants."""
    batches = alone.history[1:4]
    assert [line["sources"] for line in batches] == [
        ["network"] * 6,
        *[["network"] * 3 + ["immigrant"] + ["mutant"] * 2] * 2,
    ]
    seen: set[str] = set()
    for line in batches:
        for program, source, parent in zip(line["programs"], line["sources"], line["parents"], strict=True):
            assert (parent in seen) if source == "mutant" else parent is None
            assert program == str(ms.Program.parse(program))
        seen |= {program for program, score in zip(line["programs"], line["scores"], strict=True) if score is not None}
    without = designed(training=replace(SMALL["training"], mutants=0))
    one, other = ([line["programs"] for line in design.history[1:3]] for design in (alone, without))
    assert one[0] == other[0]
    assert one[1] != other[1]


def test_the_tokens_of_the_history_say_its_programs(alone):
    space = Space.named("full").on("bits")
    for line in alone.history[1:4]:
        for program, tokens in zip(line["programs"], line["tokens"], strict=True):
            assert str(canonical(program_of([space.tokens[number] for number in tokens], space))) == program


@pytest.mark.parametrize("share", [0.0, 0.3, 0.5, 0.75, 0.99])
def test_the_ledger_never_exceeds_what_may_be_spent_and_a_last_batch_may_be_smaller(share, alone):
    """What is left after a batch of 6 is used if it pays for half a batch or more."""
    costs = alone.spec.costs(tiny())
    spend = costs.start + costs.batch(6) + int(share * costs.batch(6)) + costs.final
    design = designed(spend=spend)
    sizes = [len(line["programs"]) for line in design.history if line["step"] == "batch"]
    fitting = max(count for count in range(7) if costs.batch(count) <= share * costs.batch(6))
    assert sizes == ([6, fitting] if fitting >= 3 else [6])
    before_the_race = design.history[len(sizes)]["ledger"]["evaluations"]
    assert spend - costs.final - costs.batch(3) < before_the_race <= spend - costs.final
    assert design.ledger["evaluations"] <= spend


@pytest.mark.parametrize(("method", "count"), [("propose", 6), ("finalists", 3)])
def test_a_designer_may_not_propose_more_than_it_was_asked_for_nor_nothing(method, count, monkeypatch):
    drawn = getattr(RandomDesigner, method)
    for more in (1, -count):
        monkeypatch.setattr(
            RandomDesigner, method, lambda self, *given, more=more: drawn(self, *given[:-1], given[-1] + more)
        )
        with pytest.raises(ValueError, match=f"expected 1 to {count} different programs of the designer 'random', got"):
            designed(designer="random")


def test_a_designer_that_has_nothing_else_to_say_is_not_asked_for_ever(monkeypatch):
    """It proposes the same program again and again, which has had all its runs."""
    (same,) = RandomDesigner(Space.named("full").on("bits"), Training(), seed=0).propose(Archive(), 1)
    monkeypatch.setattr(RandomDesigner, "propose", lambda self, archive, count: [same] * count)
    design = designed(designer="random", batches=20)
    batches = [line["ledger"]["evaluations"] for line in design.history if line["step"] == "batch"]
    assert len(batches) == SMALL["measuring"].again + PATIENCE
    assert design.ledger["evaluations"] < design.spec.spend


def test_integers_are_designed_for_as_well(tmp_path):
    bowl = ms.Problem(lambda x: float(((x - 3) ** 2).sum()), ms.Integers(7, 8), direction="min", optimum=0, name="bowl")
    design = designed(task=bowl, evaluations=60, batches=1, training=Training(batch=4, known=False))
    assert design.representation == "integers"
    design.export(tmp_path / "own.py")
    assert "values" in (tmp_path / "own.py").read_text()


def test_a_folder_that_holds_anything_is_refused(tmp_path):
    (tmp_path / "notes.txt").write_text("mine")
    with pytest.raises(ValueError, match="is not empty; choose another folder"):
        designed(out=tmp_path)
    with pytest.raises(ValueError, match="cannot write a run to"):
        designed(out=tmp_path / "notes.txt" / "run")
    assert [path.name for path in tmp_path.iterdir()] == ["notes.txt"]


def test_a_mistake_leaves_no_folder(tmp_path):
    for others in ({"seed": -1}, {"designer": "pop"}, {"evaluations": 0}, {"workers": 0}):
        with pytest.raises(ValueError, match=r"got -1|no designer|got 0"):
            designed(out=tmp_path / "run", **others)
    assert list(tmp_path.iterdir()) == []
