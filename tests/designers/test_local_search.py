"""Local search: one exchange at a time, to what is better; away from where nothing is, now and then from the start."""

from statistics import fmean

import numpy as np
import pytest
from designer_helpers import FULL, archive_of, short, taught, written

from metasmith.designers import local_search
from metasmith.designers.contract import Archive, Member, Proposal, Standing
from metasmith.designers.local_search import EXCHANGES, LONG, LocalSearchDesigner, neighbours, quality
from metasmith.designers.random import RandomDesigner
from metasmith.designers.reading import Reader
from metasmith.designers.training import Training
from metasmith.program import Program
from metasmith.space import Kind, Space, grammar, sample

SPACES = [Space.named("paper"), FULL, Space.named("full").on("integers"), Space.named("full").on("permutations")]


def near(text: str, space: Space = FULL) -> set[str]:
    tokens = written(text, space).tokens
    read = Reader(space)
    return {str(read(each)) for each in neighbours(tokens, space, np.random.default_rng(0))}


def parsed(*texts: str) -> set[str]:
    return {str(Program.parse(text)) for text in texts}


def test_one_exchange_is_another_token_a_line_more_or_a_line_less():
    around = near("population 5; reset_n(n=1); tabu")
    assert parsed("population 1; reset_n(n=1); tabu", "population 5; reset_n(n=5%); tabu") <= around
    assert parsed("population 5; reset_n(n=1); greedy_select", "population 5; reset_n(n=1); pairwise_select") <= around
    assert any(text.startswith("population 5\nreset_sweep\ntabu") for text in around)  # a component without settings
    assert any("reset_rand(p=" in text and text.count("\n") == 2 for text in around)  # settings come in with it
    assert any(text.count("iterate until") == 1 and "reset_n(n=1)" in text for text in around)
    assert any("reset_heavy" in text and "reset_n(n=1)" in text for text in around)  # a line more
    assert parsed("population 1; reset_n(n=2); tabu").isdisjoint(around)  # that would be two


def test_a_component_takes_over_what_fits():
    around = near("population 5; reset_n(n=20%) iterate until 15%; tabu")
    assert any("cross_n(n=20%)   iterate until 15%" in text for text in around)
    assert all("until 15%" in text for text in around if "cross_n" in text and text.count("\n") == 2)


@pytest.mark.parametrize("space", SPACES, ids=lambda space: f"{space.name}-{len(space.components)}")
def test_neighbours_are_legal_different_and_as_many_as_there_are_exchanges(space):
    draw, rules = np.random.default_rng(5), grammar(space)
    for _ in range(10):
        program = tuple(sample(space, draw))
        around = neighbours(program, space, draw)
        assert program not in around
        assert len(set(around)) == len(around)
        assert all(rules.state(each) >= 0 and each[-1] == rules.end for each in around)
        settings = [number for number in program if space.tokens[number].kind is Kind.SETTING]
        grids = [len(grid) for name in space.components for grid in space.settings(name)]
        assert len(around) >= len(settings) * (min(grids, default=1) - 1)


def designer(seed: int = 0) -> LocalSearchDesigner:
    return LocalSearchDesigner(FULL, Training(), seed=seed)


def told(search: LocalSearchDesigner, batch: list[Proposal]) -> None:
    search.tell(Standing(batch, [0.0] * len(batch), [0.0] * len(batch), []))


def test_the_neighbours_of_the_best_are_tried_each_once():
    start = written("population 5; reset_n(n=1); tabu; reset_rand(p=1/d); greedy_select")
    search, seen = designer(), [start]
    tried: list[Program] = []
    worse = lambda program: 1.0 if program == start.program else 0.0  # noqa: E731
    while search.incumbent == start or not tried:
        batch = search.propose(archive_of(seen, worse), 12)
        told(search, batch)
        seen += batch
        if search.incumbent == start:
            assert batch[0] == start  # it runs again beside its neighbours
            assert {each.source for each in batch[1:]} == {"neighbour"}
            assert {each.parent for each in batch[1:]} == {start.program}
            tried += [each.program for each in batch[1:]]
    assert len(set(tried)) == len(tried) > LONG / 2
    assert {each.source for each in batch} == {"perturbed"}
    assert search.accepted == start


def test_it_goes_to_an_improvement_and_back_to_what_was_accepted():
    start, better = written("population 5; reset_n(n=1); tabu"), "population 5; reset_n(n=2); tabu"
    worth = {str(start.program): 1.0, str(Program.parse(better)): 2.0}
    search, seen = designer(), [start]
    for _ in range(80):
        batch = search.propose(archive_of(seen, lambda program: worth.get(str(program), 0.0)), 12)
        told(search, batch)
        seen += batch
        if search.accepted is not None:
            break
    assert search.accepted is not None
    assert str(search.accepted.program) == str(Program.parse(better))
    assert search.finalists(1)[0] == search.accepted


def test_who_was_dropped_on_the_first_rung_is_no_improvement():
    reached, dropped = written("population 1; reset_n(n=1)"), written("population 1; reset_n(n=2)")
    members = {reached.program: Member(reached, 0.2, 0.1), dropped.program: Member(dropped, 0.9, None)}
    archive = Archive(members, [members[reached.program]])
    assert quality(archive, reached) > quality(archive, dropped)


def test_a_perturbation_is_some_exchanges_and_a_restart_is_random(monkeypatch):
    start = written("population 5; reset_n(n=1); tabu")
    search = designer()
    search.accepted, search.candidates = start, [start]
    search.incumbent, search.tried = start, LONG
    batch = search.propose(archive_of([start]), 20)
    assert {(each.source, each.parent) for each in batch} == {("perturbed", start.program)}
    lengths = [len(each.program.snippets) for each in batch]
    assert (
        max(lengths) <= len(start.program.snippets) + EXCHANGES + 1
    )  # a selector that is implied is written at the end
    monkeypatch.setattr(local_search, "RESTARTS", 1.0)
    search.incumbent, search.tried, search.candidates = start, LONG, [start]
    again = search.propose(archive_of([start]), 20)
    assert {(each.source, each.parent) for each in again} == {("immigrant", None)}


def test_it_begins_with_the_best_of_what_is_known():
    known = [written("population 5; reset_n(n=1); reset_sweep; tabu"), written("population 1; reset_sweep")]
    search = designer()
    told(search, known)
    assert search.propose(archive_of(known), 5)[0] == known[1]  # the shorter, which is the better here


@pytest.mark.slow
def test_it_gets_better_at_whatever_is_rewarded():
    for reward in (short, lambda program: float(str(program).count("iterate"))):
        searched, drawn = (
            [fmean(reward(proposal.program) for proposal in batch) for batch in taught(kind, 25, 20, reward)]
            for kind in (designer(), RandomDesigner(FULL, Training(), seed=0))
        )
        assert fmean(searched[-5:]) > fmean(drawn) + 1
