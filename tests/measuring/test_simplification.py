"""Simplification: what makes no difference goes, what does stays, and no more is spent than there is."""

import hashlib
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from measuring_helpers import case, prepared, result, told

from metasmith.measuring import Scores
from metasmith.measuring.cache import Request, run_seed
from metasmith.measuring.schedule import by_size
from metasmith.measuring.simplification import Look, Simplification, cost, simplified, variants, with_fewer_runs
from metasmith.program import Program, canonical, random_program
from metasmith.program.parts import size
from metasmith.space import Space

CASE = case(100)
WINNER = canonical(Program.parse("population 20; tournament; cross_n(n=1); reset_n(n=1); reset_sweep; greedy_select"))


def noise(job) -> float:
    """A number between -1 and 1 that depends on the program and the seed."""
    drawn = hashlib.blake2b(f"{job.program} {job.seed} {job.problem.name}".encode(), digest_size=8).digest()
    return int.from_bytes(drawn, "big") / 2**63 - 1


def looked(
    patch: pytest.MonkeyPatch, quality: Callable[[str], float], *, winner: Program = WINNER, runs: int = 400, **others
) -> tuple[list[Look], Scores]:
    """The looks at a winner, if runs are as good as `quality` says of the text of the program, but for noise."""
    told(patch, lambda job: 50.0 + quality(str(job.program)) + noise(job))
    scores = prepared(CASE)
    most = scores.cache.ledger.evaluations + runs * CASE.evaluations
    return list(simplified(scores, [0], winner, 0.2, most, **others)), scores


def test_what_is_planted_idle_goes_and_what_is_useful_stays(monkeypatch):
    """reset_n is worth 3 spreads, several solutions two; nothing else is worth anything."""

    def quality(text: str) -> float:
        return 1.7 * ("reset_n" in text) + 1.2 * ("population 20" in text)

    looks, scores = looked(monkeypatch, quality)
    assert looks[-1].program == canonical(Program.parse("population 20; reset_n(n=1)"))
    assert all(size(look.program) <= size(WINNER) for look in looks)
    assert {request.purpose for request in scores.cache.measurements} == {"reference", "simplify"}


def test_what_is_needed_stays(monkeypatch):
    looks, _ = looked(monkeypatch, lambda text: 10.0 * (text == str(WINNER)))
    assert {look.program for look in looks} == {WINNER}
    assert max(look.runs for look in looks) < 20  # clear cases have no more runs


def test_two_parts_of_which_either_will_do_do_not_both_go(monkeypatch):
    looks, _ = looked(monkeypatch, lambda text: 5.0 * ("reset_n" in text or "tournament" in text))
    text = str(looks[-1].program)
    assert "reset_n" in text or "tournament" in text
    assert size(looks[-1].program) < size(WINNER)


def test_of_programs_that_all_reach_the_optimum_the_slower_is_worse(monkeypatch):
    def hits(job):
        slow = "reset_n" not in str(job.program)
        return result(100.0, 100, hit=int(30 + 40 * slow + 10 * noise(job)))

    told(monkeypatch, hits)
    scores = prepared(CASE)
    *_, last = simplified(scores, [0], WINNER, 0.2, scores.cache.ledger.evaluations + 40_000)
    assert last.program == canonical(Program.parse("population 1; reset_n(n=1)"))


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 2**32), runs=st.integers(0, 120), all_of_it=st.booleans(), scale=st.floats(0, 3))
def test_never_longer_and_never_more_than_there_is(seed, runs, all_of_it, scale):
    winner = canonical(random_program(Space.named("full").on("bits"), seed))
    with pytest.MonkeyPatch.context() as patch:
        looks, scores = looked(
            patch, lambda text: scale * len(text) / 50, winner=winner, runs=runs, all_of_it=all_of_it
        )
    begun = 2 * CASE.evaluations
    assert scores.cache.ledger.evaluations <= begun + runs * CASE.evaluations
    if all_of_it:
        assert scores.cache.ledger.evaluations == begun + runs * CASE.evaluations
    for look in looks:
        assert size(look.program) <= size(winner)
        assert Program.parse(str(look.program)) == look.program


def test_runs_are_paired_and_share_no_random_numbers_with_others(monkeypatch):
    looks, scores = looked(monkeypatch, lambda text: 0.0)
    seeds = {run_seed(0, request) for request in scores.cache.measurements if request.purpose == "simplify"}
    others = [Request(WINNER, 0, purpose, repeat) for purpose in ("race", "rung", "trial") for repeat in range(200)]
    assert not seeds & {run_seed(0, request) for request in others}
    first = looks[0]
    for variant in variants(WINNER):
        done = [request.repeat for request in scores.cache.measurements if request.program == variant]
        assert done[: first.runs] == list(range(first.runs))


def test_one_infeasible_run_is_not_all_that_counts(monkeypatch):
    """A spread of the winner's own runs, and no difference beyond some of them."""

    def once(job):
        bad = "reset_n" not in str(job.program) and noise(job) > 0.9
        return result(50.0 + noise(job), 100, violation=1.0 if bad else 0.0)

    told(monkeypatch, once)
    scores = prepared(CASE)
    looks = list(simplified(scores, [0], WINNER, 0.2, scores.cache.ledger.evaluations + 40_000))
    assert all(abs(trial.difference) <= 5 for look in looks for trial in look.trials)


def test_where_the_space_has_no_single_solutions_the_population_stays(monkeypatch):
    looks, _ = looked(monkeypatch, lambda text: 0.0, several=True)
    assert looks[-1].program.population == 20
    assert size(looks[-1].program) < size(WINNER)


def test_costs():
    plan = by_size([case(100), case(300)], [1000])
    assert cost(plan, Simplification(7)) == 7 * 300
    assert with_fewer_runs(Simplification(40), plan, 20 * 300 + 5).runs == 20
    assert with_fewer_runs(Simplification(40), plan, 100 * 300).runs == 40
    assert with_fewer_runs(Simplification(40), plan, 7 * 300).runs == 0


@pytest.mark.parametrize(
    ("own", "said"), [({"runs": -1}, "runs must be at least 0"), ({"tolerance": -0.1}, "tolerance is a number")]
)
def test_numbers_that_no_design_can_have(own, said):
    with pytest.raises(ValueError, match=said):
        Simplification(**own).check()
