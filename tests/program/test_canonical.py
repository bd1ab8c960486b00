"""The canonical form: same blocks, nothing idle, one for all programs that do the same."""

from contextlib import suppress
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from program_strategies import programs

from metasmith.components import COMPONENTS, Role
from metasmith.program import Program, ProgramError, Snippet, blocks, canonical, tidied

CHOOSERS = [Snippet(name) for name, component in COMPONENTS.items() if component.role is Role.CHOOSE]
SELECTORS = [Snippet(name) for name, component in COMPONENTS.items() if component.role is Role.SELECT]


alone = programs.map(lambda program: replace(program, population=1))


@settings(max_examples=300)
@given(programs)
def test_tidied_it_has_the_same_blocks(program: Program) -> None:
    form = tidied(program)
    assert blocks(form) == blocks(program)
    assert form.population == program.population
    assert tidied(form) == form
    assert canonical(form) == canonical(program)


@settings(max_examples=300)
@given(st.one_of(programs, alone))
def test_it_is_its_own_canonical_form_and_tidy(program: Program) -> None:
    form = canonical(program)
    assert form.population == program.population
    assert canonical(form) == tidied(form) == form
    assert len(form.snippets) <= len(tidied(program).snippets)


@settings(max_examples=300)
@given(programs)
def test_it_is_no_longer_than_the_program_but_for_an_implied_selector(program: Program) -> None:
    selects = [snippet.role for snippet in program.snippets if snippet.role is not Role.CHOOSE]
    implied = selects[-1] is not Role.SELECT
    assert len(tidied(program).snippets) <= len(program.snippets) + implied


@settings(max_examples=300)
@given(programs)
def test_no_line_can_be_left_out(program: Program) -> None:
    form = canonical(program)
    last = len(form.snippets) - 1
    for i, snippet in enumerate(form.snippets):
        shorter = form.snippets[:i] + form.snippets[i + 1 :]
        if i == last and snippet == Snippet("pairwise_select"):
            continue  # implied, but written for the reader
        with suppress(ProgramError):  # without it there is no program
            assert blocks(replace(form, snippets=shorter)) != blocks(form)


@settings(max_examples=300)
@given(programs, st.data())
def test_idle_lines_leave_no_trace(program: Program, data: st.DataObject) -> None:
    body = [data.draw(st.sampled_from([Snippet("traverse"), *SELECTORS]))]  # in force anyway, or nothing to govern
    if program.snippets[0].role is Role.SEARCH and body[0].role is Role.CHOOSE:
        body = [Snippet("best"), *body]  # overruled
    for snippet in program.snippets:
        if snippet.role is Role.CHOOSE:
            body.append(data.draw(st.sampled_from(CHOOSERS)))  # overruled
        body.append(snippet)
        if snippet.role is Role.SELECT:
            body.append(data.draw(st.sampled_from(SELECTORS)))  # nothing left to govern
    body.append(data.draw(st.sampled_from(CHOOSERS)))  # nothing left to choose for
    assert canonical(Program(program.population, tuple(body))) == canonical(program)


EXAMPLES = {
    "a chooser in force anyway": ("traverse; reset_sweep; tabu", "reset_sweep; tabu"),
    "a chooser overruled": ("best; nich; reset_sweep; tabu", "nich; reset_sweep; tabu"),
    "a chooser said again": (
        "best; reset_sweep; tabu; best; reset_sweep; tabu",
        "best; reset_sweep; tabu; reset_sweep; tabu",
    ),
    "a chooser after the last stage": ("reset_sweep; best; tabu; nich", "reset_sweep; tabu"),
    "selectors with nothing to govern": ("tabu; reset_sweep; tabu; greedy_select", "reset_sweep; tabu"),
    "the implied selector": ("reset_sweep", "reset_sweep; pairwise_select"),
    "a selector not heeded": ("tournament; reinitialize; greedy_select", "reinitialize"),
    "a restart that repeats": (
        "reinitialize; greedy_select iterate until 5%; reset_sweep; tabu",
        "reinitialize; pairwise_select iterate until 5%; reset_sweep; tabu",
    ),
    "a loop that the rounds repeat": ("reset_sweep iterate until 5%; tabu iterate until 5%", "reset_sweep; tabu"),
    "a loop around all stages": (
        "reset_sweep iterate until 5%; reset_n(n=1); tabu iterate until 1%",
        "reset_sweep iterate until 5%; reset_n(n=1); tabu",
    ),
    "a loop that ends with the one inside": (
        "reset_sweep iterate until 5%; tabu iterate until 1%; reset_n(n=1); tabu",
        "reset_sweep iterate until 5%; tabu; reset_n(n=1); tabu",
    ),
    "a loop that ends at the same event": (
        "reset_sweep iterate until stagnation; tabu iterate until stagnation; reset_n(n=1); tabu",
        "reset_sweep iterate until stagnation; tabu; reset_n(n=1); tabu",
    ),
    "a loop that outlasts the one inside": (
        "reset_sweep iterate until 1%; tabu iterate until 5%; reset_n(n=1); tabu",
        "reset_sweep iterate until 1%; tabu iterate until 5%; reset_n(n=1); tabu",
    ),
    "crossover of several": ("best; cross_n(n=1); reset_sweep; tabu", "best; cross_n(n=1); reset_sweep; tabu"),
    "a jump past the end": (
        "best fork 9; reset_n(n=1) fork 9; reset_sweep fork 2; tabu",
        "best fork 3; reset_n(n=1) fork 2; reset_sweep; tabu",
    ),
    "the chooser that parts two chains": (
        "reset_sweep; traverse; reset_n(n=1); tabu",
        "reset_sweep; traverse; reset_n(n=1); tabu",
    ),
    "no chooser where an iterate parts them": (
        "reset_sweep iterate until 5%; traverse; reset_n(n=1); tabu",
        "reset_sweep iterate until 5%; reset_n(n=1); tabu",
    ),
    "a chooser before a restart that serves the stage after": (
        "best; reset_sweep; nich; reinitialize iterate until 5%; reset_sweep; tabu",
        "best; reset_sweep; nich; reinitialize iterate until 5%; reset_sweep; tabu",
    ),
}


@pytest.mark.parametrize("example", EXAMPLES)
def test_examples(example: str) -> None:
    text, form = EXAMPLES[example]
    assert canonical(Program.parse(f"population 5; {text}")) == Program.parse(f"population 5; {form}")


ALONE = {
    "one solution is chosen from": ("tournament; reset_sweep; tabu", "reset_sweep; tabu"),
    "it is kept if it is not worse": ("reset_sweep; round_robin_select", "reset_sweep; pairwise_select"),
    "a chooser still parts two chains": (
        "best; reset_sweep; nich; reset_n(n=1); greedy_select",
        "reset_sweep; traverse; reset_n(n=1); pairwise_select",
    ),
    "a chooser still forks": ("tournament fork 2; reset_sweep; tabu", "traverse fork 2; reset_sweep; tabu"),
    "crossed with nobody": ("cross_n(n=1); reset_sweep; cross_uniform(p=0.5); tabu", "reset_sweep; tabu"),
    "crossed in a loop": (
        "reset_sweep; cross_n(n=1) iterate until 5%; tabu; swap",
        "reset_sweep iterate until 5%; tabu; swap",
    ),
    "nothing but crossover": ("cross_n(n=1); tabu", "cross_n(n=1); tabu"),
    "a restart would begin": ("cross_n(n=1); reinitialize; tabu", "cross_n(n=1); reinitialize; tabu"),
    "a fork past a crossover": (
        "reset_n(n=1) fork 2; cross_n(n=1); reset_sweep; tabu",
        "reset_n(n=1); reset_sweep; tabu",
    ),
    "a fork past more": (
        "reset_n(n=1) fork 3; cross_n(n=1); swap; reset_sweep; tabu",
        "reset_n(n=1) fork 2; swap; reset_sweep; tabu",
    ),
    "a chooser's fork to what a crossover led to": (
        "best fork 2; cross_n(n=1); reset_sweep; tabu",
        "reset_sweep; tabu",
    ),
    "a crossover that forks past one": (
        "reset_n(n=1); cross_n(n=1) fork 2; cross_n(n=2); tabu",
        "reset_n(n=1); tabu",
    ),
    "a crossover that forks": ("cross_n(n=1) fork 2; reset_n(n=1); reset_sweep; tabu",) * 2,
}


@pytest.mark.parametrize("example", ALONE)
def test_examples_of_one_solution(example: str) -> None:
    text, form = ALONE[example]
    assert canonical(Program.parse(f"population 1; {text}")) == tidied(Program.parse(f"population 1; {form}"))
