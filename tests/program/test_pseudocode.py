"""Pseudocode: the paper's printed algorithms line by line, and forks in words."""

import pytest
from hypothesis import given
from program_strategies import programs

from metasmith.program import Program, named, pseudocode, tidied

PRINTED = {
    # The loops and calls of the algorithms that the paper prints, its spelling slips put right, FE as evaluations.
    "aldes-f1": """\
    while count_5%*evaluations not met
        S = roulette_wheel(S)
        S_new = reset_n(S, n=1)
        S = pairwise_select(S, S_new)
    while count_5%*evaluations not met
        S = roulette_wheel(S)
        S_new = cross_uniform(S, p=0.7)
        S_new = reset_rand(S_new, p=0.1)
        S = pairwise_select(S, S_new)""",
    "aldes-f13": """\
    S = roulette_wheel(S)
    S_new = cross_n(S, n=2)
    S_new = reset_rand(S_new, p=0.1)
    S = always_select(S, S_new)""",
    "aldes-f15": """\
    while count_10%*evaluations not met
        S = tournament(S)
        S_new = cross_n(S, n=2)
        S_new = reset_n(S_new, n=1)
        S = pairwise_select(S, S_new)
    S = reinitialize(S)""",
    "aldes-f20": """\
    while count_10%*evaluations not met
        S = roulette_wheel(S)
        S_new = reset_n(S, n=1)
        S = round_robin_select(S, S_new)
    while count_10%*evaluations not met
        S = roulette_wheel(S)
        S_new = cross_uniform(S, p=0.9)
        S_new = reset_rand(S_new, p=0.1)
        S = round_robin_select(S, S_new)""",
    "aldes-beamforming": """\
    S = tournament(S)
    S_new = cross_n(S, n=1)
    S_new = reset_n(S_new, n=1)
    S = greedy_select(S, S_new)""",
    "aldes-restoration": """\
    S = traverse(S)
    S_new = cross_uniform(S, p=0.2)
    S_new = reset_n(S_new, n=1)
    S = pairwise_select(S, S_new)""",
}


@pytest.mark.parametrize("name", PRINTED)
def test_the_algorithms_printed_in_the_paper(name: str) -> None:
    first, loop, *body, last = pseudocode(named(name)).splitlines()
    assert first == "Input: initial solutions S (population 50)"
    assert loop == "while not terminated"
    assert "\n".join(body) == PRINTED[name]
    assert last == "Output: best solution found"


def test_forks_and_loops_within_loops_in_words() -> None:
    program = Program.parse(
        "population 2; best fork 3; reset_n(n=1) fork 2; reset_rand(p=1/d); reset_sweep iterate until stagnation; "
        "tabu iterate until 20%"
    )
    assert pseudocode(program) == (
        """\
Input: initial solutions S (population 2)
while not terminated
    while count_20%*evaluations not met
        while stagnation not met
            S = best(S)
            S_new = S
            with probability 1/2, each solution of S_new skips reset_n, reset_rand
            S_new = reset_n(S_new, n=1)
            with probability 1/2, each solution of S_new skips reset_rand
            S_new = reset_rand(S_new, p=1/d)
            S_new = reset_sweep(S_new)
            S = tabu(S, S_new)
Output: best solution found"""
    )


@given(programs)
def test_programs_with_the_same_blocks_read_the_same(program: Program) -> None:
    assert pseudocode(program) == pseudocode(tidied(program))
