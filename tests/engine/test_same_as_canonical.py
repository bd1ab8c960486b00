"""A program and its canonical form do the same: to the bit, given the same random numbers."""

from dataclasses import replace
from importlib import import_module

import pytest
from engine_helpers import programs, rugged
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import metasmith as ms
from metasmith.engine import Job, run
from metasmith.program import Program, canonical, tidied

engine_run = import_module("metasmith.engine.run")
prepared = engine_run.prepare.__wrapped__


def as_written(program, variables, evaluations):
    """Ready to run without what the canonical form leaves out, with random numbers that do not depend on the text."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(engine_run, "canonical", lambda each: each)
        return prepared(program, variables, evaluations)._replace(identity="the same")


def histories(*programs: Program) -> list[tuple[list[int], list[float]]]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(engine_run, "prepare", as_written)
        problem = ms.Problem(rugged, ms.Bits(20), name="rugged")
        found = [run(Job(each, problem, 150, seed=1)) for each in programs]
    return [(result.history.evaluations.tolist(), result.history.values.tolist()) for result in found]


@settings(max_examples=60)
@given(programs, st.booleans())
def test_to_the_bit(program: Program, alone: bool) -> None:
    program = replace(program, population=1) if alone else program
    if program.population == 1:
        assume("round_robin_select" not in str(program))  # its draws decide nothing, but come before others
        assume("fork" not in str(program) or "cross" not in str(program))  # so do coins for a way past a crossover
    one, other = histories(tidied(program), canonical(program))
    assert one == other


LOOPS = ["", " iterate until 10%", " iterate until local_optimum"]
choosers = st.sampled_from(["", "traverse; ", "best; ", "tournament; "])
stages = st.tuples(choosers, st.sampled_from(LOOPS)).map(lambda parts: f"{parts[0]}reset_sweep{parts[1]}; ")
blocks = st.tuples(st.lists(stages, min_size=1, max_size=2), st.sampled_from(LOOPS)).map(
    lambda parts: "".join(parts[0]) + "round_robin_select" + parts[1]
)


@settings(max_examples=40)
@given(st.lists(blocks, min_size=1, max_size=2))
def test_the_draws_of_a_round_robin_of_one_decide_nothing(body: list[str]) -> None:
    """Nothing else draws here after the first solution."""
    program = Program.parse("population 1; " + "; ".join(body))
    one, other = histories(tidied(program), canonical(program))
    assert one == other
    assert "pairwise_select" in str(canonical(program))
