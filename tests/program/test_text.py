"""Programs as text: exact both ways, and errors that say what to do."""

import pickle
import subprocess
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from program_strategies import programs, refused

from metasmith.components.settings import Amount
from metasmith.program import Condition, Event, Pointer, Program, ProgramError, Snippet, one_line

EXAMPLE = """\
population 50
roulette_wheel
reset_n(n=1)           iterate until 5%
cross_uniform(p=0.7)
reset_rand(p=0.1)      iterate until 5%
pairwise_select"""


def test_the_example_prints_as_it_is_written() -> None:
    assert str(Program.parse(EXAMPLE)) == EXAMPLE


def test_the_example_is_what_it_says() -> None:
    five = Condition(share=Amount(5, "%"))
    assert Program.parse(EXAMPLE) == Program(
        50,
        (
            Snippet("roulette_wheel"),
            Snippet("reset_n", (Amount(1),), Pointer.ITERATE, condition=five),
            Snippet("cross_uniform", (Amount(0.7),)),
            Snippet("reset_rand", (Amount(0.1),), Pointer.ITERATE, condition=five),
            Snippet("pairwise_select"),
        ),
    )


@given(programs)
def test_text_round_trips(program: Program) -> None:
    again = Program.parse(str(program))
    assert again == program
    assert hash(again) == hash(program)
    assert str(again) == str(program)
    assert Program.parse(one_line(str(program))) == program
    assert "\n" not in one_line(str(program))


@given(programs)
def test_semicolons_comments_blanks_and_forward_change_nothing(program: Program) -> None:
    lines = str(program).splitlines()
    assert Program.parse("; ".join(lines)) == program
    assert Program.parse("# a title; not a line\n\n" + "  # why\n \n".join(lines)) == program
    explicit = [line if " " in line else f"{line} forward" for line in lines]
    assert Program.parse("\r\n".join(explicit)) == program


def test_spaces_in_brackets_and_events_and_forks() -> None:
    program = Program.parse(
        "population 3; reset_n( n = 5% ) fork 2; reset_rand(p=1/d) iterate until local_optimum; tabu"
    )
    assert program.snippets[0] == Snippet("reset_n", (Amount(5, "%"),), Pointer.FORK, target=2)
    assert program.snippets[1].condition == Condition(event=Event.LOCAL_OPTIMUM)
    assert str(program).splitlines()[1] == "reset_n(n=5%)       fork 2"


ERRORS = {
    "": "line 1: expected the population first, such as population 50, got the end of the line",
    "# only a comment": "line 1: expected the population first, such as population 50, got the end of the line",
    "reset_n(n=1)": "line 1: expected the population first, such as population 50, got 'reset_n'",
    "\n\npopulation": "line 3: expected a population from 1 to 1000000, got the end of the line",
    "population 0; reset_sweep": "line 1: expected a population from 1 to 1000000, got '0'",
    "population 9999999; reset_sweep": "line 1: expected a population from 1 to 1000000, got '9999999'",
    "population 1e3; reset_sweep": "line 1: expected a population from 1 to 1000000, got '1e3'",
    "population 50 reset_sweep": "line 1: expected the end of the line after population 50, got 'reset_sweep'",
    "population 5; reset_sweep; population 5": "line 3: the population is given once, on the first line",
    "population 5": "line 1: a program needs a line that searches, such as reset_n(n=1)",
    "population 5; traverse; tabu": "line 3: a program needs a line that searches, such as reset_n(n=1)",
    "population 5; traverse\nreset_m(n=1)": "line 3: there is no component 'reset_m'; did you mean 'reset_n'?",
    "population 5; (n=1)": "line 2: there is no component '('; there is always_select, ",
    "population 5; reset_n": "line 2: reset_n needs n, a whole number of variables such as 1, "
    "or a share of them such as 5%: write reset_n(n=1)",
    "population 5; reset_n()": "line 2: expected n= in the brackets of reset_n, got ')'",
    "population 5; reset_n(p=1)": "line 2: expected n= in the brackets of reset_n, got 'p'",
    "population 5; reset_n(n 1)": "line 2: expected = after n, got '1'",
    "population 5; reset_n(n=": "line 2: expected a whole number of variables such as 1, "
    "or a share of them such as 5%, got the end of the line",
    "population 5; reset_n(n=many)": "line 2: n of reset_n: expected a number such as 3, 0.7, 5% or 1/d, got 'many'",
    "population 5; reset_n(n=0.5)": "line 2: n of reset_n: expected a whole number of variables such as 1, "
    "or a share of them such as 5%, got '0.5'",
    "population 5; reset_n(n=1": "line 2: expected the closing bracket of reset_n, got the end of the line",
    "population 5; reset_n(n=1, p=2)": "line 2: expected the closing bracket of reset_n, got ','",
    "population 5; tabu(n=1)": "line 2: tabu has no hyperparameters; write it without brackets",
    "population 5; reset_n(n=1) itrate": "line 2: expected forward, iterate or fork after reset_n(n=1), got 'itrate'; "
    "did you mean 'iterate'?",
    "population 5; reset_n(n=1) forward on": "line 2: expected the end of the line after reset_n(n=1) forward, "
    "got 'on'",
    "population 5; reset_n(n=1) iterate": "line 2: expected until after iterate, got the end of the line",
    "population 5; reset_n(n=1) iterate while 5%": "line 2: expected until after iterate, got 'while'",
    "population 5; reset_n(n=1) iterate until": "line 2: expected a condition such as 5% or stagnation after until, "
    "got the end of the line",
    "population 5; reset_n(n=1) iterate until dawn": "line 2: expected a share of the evaluations such as 5%, "
    "or stagnation or local_optimum, got 'dawn'",
    "population 5; reset_n(n=1) iterate until 5": "line 2: expected a share of the evaluations, "
    "above 0% and at most 100%, got '5'",
    "population 5; reset_n(n=1) iterate until 101%": "line 2: expected a share of the evaluations, "
    "above 0% and at most 100%, got '101%'",
    "population 5; reset_n(n=1) iterate until 5% again": "line 2: expected the end of the line after "
    "reset_n(n=1) iterate until 5%, got 'again'",
    "population 5; reset_n(n=1) fork": "line 2: expected how many lines on fork jumps, a whole number of at least 2, "
    "got the end of the line",
    "population 5; reset_n(n=1) fork 1; tabu": "line 2: expected how many lines on fork jumps, "
    "a whole number of at least 2, got '1'",
    "population 5; reset_n(n=1) fork 2": "line 2: fork needs a later line to go to; line 2 is the last",
    "population 5\n# a comment\n\nreset_n(n=1) fork 2\n": "line 4: fork needs a later line to go to; "
    "line 4 is the last",
    "population 5; reset_sweep; tabu; tournament iterate until 5%": "line 4: tournament chooses and cannot iterate",
    "population 5; reset_sweep; tabu fork 2; tabu": "line 3: tabu selects and cannot fork",
}


@pytest.mark.parametrize("text", ERRORS)
def test_errors_say_where_and_what_to_do(text: str) -> None:
    error = refused(text)
    assert error.startswith(ERRORS[text])
    assert "\n" not in error


WORDS = [
    "population",
    "5",
    "0",
    "reset_n",
    "(",
    "n",
    "=",
    "1",
    ")",
    "5%",
    "fork",
    "2",
    "iterate",
    "until",
    "tabu",
    ";",
    "\n",
    "#",
    "é",
    "²",
]


@settings(max_examples=300)
@given(st.lists(st.sampled_from(WORDS), max_size=20))
def test_any_words_are_a_program_or_a_program_error(words: list[str]) -> None:
    text = "population 5; reset_sweep; " + " ".join(words)
    error = refused(text)  # anything but a ProgramError fails the test
    assert error.startswith("line ") or Program.parse(str(Program.parse(text))) == Program.parse(text)


def test_programs_built_in_code_are_checked_too() -> None:
    reset = Snippet("reset_n", (Amount(1),))
    with pytest.raises(ProgramError, match="line 1: expected a population from 1"):
        Program(0, (reset,))
    with pytest.raises(ProgramError, match="needs a line that searches"):
        Program(5, ())
    with pytest.raises(ProgramError, match="needs a line that searches"):
        Program(5, (Snippet("traverse"),))
    with pytest.raises(ProgramError, match="line 3: fork needs a later line to go to; line 3 is the last"):
        Program(5, (reset, Snippet("traverse", pointer=Pointer.FORK, target=2)))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"component": "reset_m"}, "there is no component 'reset_m'; did you mean 'reset_n'"),
        ({"component": "reset_n"}, "reset_n needs n"),
        ({"component": "reset_n", "amounts": (Amount(1), Amount(2))}, "reset_n has 1 hyperparameters, got 2"),
        ({"component": "reset_rand", "amounts": (Amount(2),)}, "p of reset_rand: expected a probability"),
        ({"component": "tabu", "amounts": (Amount(1),)}, "tabu has 0 hyperparameters, got 1"),
        ({"component": "tabu", "pointer": Pointer.FORK, "target": 2}, "tabu selects and cannot fork"),
        ({"component": "tabu", "target": 2}, "fork has a target, and nothing else has"),
        ({"component": "traverse", "pointer": Pointer.FORK}, "fork has a target, and nothing else has"),
        ({"component": "traverse", "pointer": Pointer.FORK, "target": 1}, "a whole number of at least 2, got '1'"),
        ({"component": "tabu", "pointer": Pointer.ITERATE}, "iterate has a condition, and nothing else has"),
        ({"component": "tabu", "condition": Condition(event=Event.STAGNATION)}, "iterate has a condition"),
    ],
)
def test_snippets_built_in_code_are_checked_too(arguments: dict[str, object], message: str) -> None:
    with pytest.raises(ProgramError, match=message):
        Snippet(**arguments)


def test_a_program_that_was_sent_elsewhere_is_found_there():
    program = Program.parse("population 1; reset_n(n=1)")
    hash(program)
    code = """
import pickle, sys
from metasmith.program import Program
copy = pickle.loads(sys.stdin.buffer.read())
print(copy in {Program.parse(str(copy))})
"""
    done = subprocess.run([sys.executable, "-c", code], input=pickle.dumps(program), capture_output=True, check=True)
    assert done.stdout.strip() == b"True"
