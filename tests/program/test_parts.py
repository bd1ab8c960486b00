"""What can be left out of a program, alone and together."""

from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st
from program_strategies import programs

from metasmith.program import Program, ProgramError, canonical
from metasmith.program.parts import parts, size, without

GENETIC = Program.parse("population 20; tournament; cross_n(n=1); reset_n(n=1); greedy_select")


def left(program: Program, *changes: tuple[int, str]) -> Program:
    return without(program, [part for part in parts(program) if (part.line, part.change) in changes])


def test_every_line_is_a_part_and_so_are_several_solutions_and_pointers():
    program = Program.parse("population 5; reset_n(n=1) fork 2; reset_sweep; swap iterate until 5%; tabu; reset_sweep")
    assert [(part.line, part.change) for part in parts(program)] == [
        (1, "down to 1"), (2, "fork removed"), (2, "removed"), (3, "removed"), (4, "iterate removed"), (4, "removed"),
        (5, "replaced by pairwise_select"), (6, "removed"), (7, "removed"),
    ]  # fmt: skip
    assert size(program) == 8  # the last selector is implied


def test_parts_go_together():
    assert left(GENETIC, (2, "replaced by traverse"), (3, "removed"), (5, "replaced by pairwise_select")) == canonical(
        Program.parse("population 20; reset_n(n=1)")
    )
    assert left(GENETIC, (1, "down to 1")) == canonical(Program.parse("population 1; reset_n(n=1)"))


def test_a_line_and_its_loop_go_together():
    program = Program.parse("population 2; reset_n(n=1); reset_sweep iterate until 5%; tabu; swap; tabu")
    assert left(program, (3, "iterate removed"), (3, "removed")) == canonical(
        Program.parse("population 2; reset_n(n=1); tabu; swap; tabu")
    )
    assert left(program, (3, "removed")) == canonical(
        Program.parse("population 2; reset_n(n=1) iterate until 5%; tabu; swap; tabu")
    )


@settings(max_examples=200)
@given(programs, st.data())
def test_what_is_left_is_a_program_that_is_no_longer(program: Program, data: st.DataObject) -> None:
    chosen = data.draw(st.lists(st.sampled_from(parts(program)), unique=True))
    try:
        shorter = without(program, chosen)
    except ProgramError:
        return  # nothing else searches
    assert Program.parse(str(shorter)) == shorter == canonical(shorter)
    assert size(shorter) <= size(program)
    assert len(shorter.snippets) <= len(canonical(program).snippets)
    assert without(program, []) == canonical(program)
    if not chosen:
        assert shorter == canonical(program)
    assert size(replace(shorter, population=1)) <= size(shorter)
