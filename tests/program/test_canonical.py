"""The canonical form: same blocks, nothing idle, one for all programs that do the same."""

from contextlib import suppress
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from program_strategies import programs

from metasmith.components import COMPONENTS, Role
from metasmith.program import Program, ProgramError, Snippet, blocks, canonical

CHOOSERS = [Snippet(name) for name, component in COMPONENTS.items() if component.role is Role.CHOOSE]
SELECTORS = [Snippet(name) for name, component in COMPONENTS.items() if component.role is Role.SELECT]


@settings(max_examples=300)
@given(programs)
def test_it_does_the_same_and_is_its_own_canonical_form(program: Program) -> None:
    form = canonical(program)
    assert blocks(form) == blocks(program)
    assert form.population == program.population
    assert canonical(form) == form


@settings(max_examples=300)
@given(programs)
def test_it_is_no_longer_than_the_program_but_for_an_implied_selector(program: Program) -> None:
    selects = [snippet.role for snippet in program.snippets if snippet.role is not Role.CHOOSE]
    implied = selects[-1] is not Role.SELECT
    assert len(canonical(program).snippets) <= len(program.snippets) + implied


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
        "reinitialize; greedy_select iterate until 5%",
        "reinitialize; pairwise_select iterate until 5%",
    ),
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
