"""Programs and sequences of tokens: both directions, in both spaces."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from program_strategies import SPACES, drawn

from metasmith.program import Program, ProgramError, program_of, random_program, tokens_of
from metasmith.space import BEGIN, END, ONCE, Kind, Space, Token, sample


@pytest.mark.parametrize("name", SPACES)
@given(seed=st.integers(0, 2**32))
def test_every_sampled_sequence_is_a_program_and_comes_back(name: str, seed: int) -> None:
    space = SPACES[name]
    tokens = tuple(space.tokens[number] for number in sample(space, np.random.default_rng(seed)))
    program = program_of(tokens, space)
    assert tokens_of(program, space) == tokens
    assert Program.parse(str(program)) == program


@given(drawn("full"))
def test_tokens_round_trip(program: Program) -> None:
    tokens = tokens_of(program, SPACES["full"])
    assert program_of(tokens, SPACES["full"]) == program
    assert program_of([*tokens, END, END], SPACES["full"]) == program  # padded


def test_a_sequence_reads_like_the_program() -> None:
    program = Program.parse("population 50; tournament fork 2; reset_n(n=5%); reset_rand(p=0.1) iterate until 5%; tabu")
    words = (
        "begin|tournament|fork|target 2|once|reset_n|n=5%|forward|once|"
        "reset_rand|p=0.1|iterate|until 5%|tabu|forward|once|end"
    )
    assert "|".join(map(str, tokens_of(program, SPACES["paper"]))) == words
    assert "|".join(map(str, tokens_of(program, SPACES["full"]))) == words.replace("begin|", "begin|population 50|")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("population 20; reset_n(n=5%)", "line 1: space 'paper' cannot write population 20; it has 50"),
        (
            "population 50; tabu; reset_sweep",
            "line 3: space 'paper' cannot write 'reset_sweep' after 'once'; it has traverse, ",
        ),
        (
            "population 50; reset_n(n=1)",
            "line 2: space 'paper' cannot write 'n=1' after 'reset_n'; it has n=1%, n=5%, ",
        ),
        (
            "population 50; reinitialize iterate until 2%",
            "line 2: space 'paper' cannot write 'until 2%' after 'iterate'; it has until 1%, until 5%, ",
        ),
        (
            "population 50; reinitialize iterate until stagnation",
            "line 2: space 'paper' cannot write 'until stagnation' after 'iterate'; it has until 1%, until 5%, ",
        ),
        (
            "population 50; reinitialize fork 6; tabu",
            "line 2: space 'paper' cannot write 'target 6' after 'fork'; it has target 2, target 3, ",
        ),
        ("population 50" + "; reinitialize" * 7, "line 8: space 'paper' cannot write more than 6 components"),
        (
            "population 50" + "; tabu" * 5 + "; tabu; reinitialize",
            "line 7: space 'paper' cannot write 'tabu' after 'once'; it has reset_n, reset_rand, ",
        ),
    ],
)
def test_the_first_thing_a_space_cannot_write_is_named(text: str, message: str) -> None:
    with pytest.raises(ProgramError) as caught:
        tokens_of(Program.parse(text), SPACES["paper"])
    assert str(caught.value).startswith(message)


def test_sequences_that_are_no_program() -> None:
    space = SPACES["paper"]
    reset = [BEGIN, Token.component("reinitialize"), Token(Kind.POINTER, "forward"), ONCE]
    with pytest.raises(ProgramError, match="cannot write 'end' after 'begin'; it has traverse"):
        program_of([BEGIN, END], space)
    with pytest.raises(ProgramError, match="cannot write 'reinitialize'; it has begin"):
        program_of(reset[1:], space)
    with pytest.raises(ProgramError, match="ends with 'end'"):
        program_of(reset, space)
    with pytest.raises(ProgramError, match="ends with 'end'"):
        program_of([], space)


def test_a_random_program_depends_only_on_the_seed() -> None:
    space: Space = SPACES["full"]
    assert random_program(space, 7) == random_program(replace(space), 7)
    assert len({random_program(space, seed) for seed in range(50)}) > 45
