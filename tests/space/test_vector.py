"""A space as parameters says the programs of the space, all of them and no others."""

from collections.abc import Mapping

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from metasmith.components import COMPONENTS, Role
from metasmith.components.settings import COUNTS, Amount
from metasmith.program import Program, Snippet, canonical, program_of
from metasmith.space import Space, grammar, sample
from metasmith.space.tokens import Kind, Token
from metasmith.space.vector import Parameter, parameters, tokens

TWO_GRIDS = Space.parse(
    "two",
    'populations = [5]\ncomponents = ["reset_n", "cross_n", "tabu"]\nconditions = []\ntargets = [2]\nlongest = 3',
)
SPACES = [
    Space.named("paper"), TWO_GRIDS,
    *(Space.named("full").on(kind) for kind in ("bits", "integers", "permutations")),
]  # fmt: skip
each_space = pytest.mark.parametrize("space", SPACES, ids=[f"{each.name}-{len(each.components)}" for each in SPACES])


def drawn(space: Space, draw: np.random.Generator) -> dict[str, str]:
    """A random choice for every parameter that has one."""
    chosen: dict[str, str] = {}
    for each in parameters(space):
        if each.parent is None or chosen.get(each.parent) in each.needed:
            chosen[each.name] = each.values[draw.integers(len(each.values))]
    return chosen


def vector(space: Space, numbers: list[int]) -> dict[str, str]:
    """The choices that make a sequence of tokens."""
    words = [space.tokens[number] for number in numbers]
    chosen, line, role = {}, 0, ""
    for token in words:
        match token.kind:
            case Kind.POPULATION:
                chosen["population"] = str(token)
            case Kind.COMPONENT:
                line, role = line + 1, COMPONENTS[token.text].role
                component = token.text
                chosen[f"line{line}"] = component
            case Kind.SETTING:
                name = token.text.partition("=")[0]
                names = {each.name for each in parameters(space)}
                shared = f"line{line}.{name}"
                chosen[shared if shared in names else f"{shared}.{component}"] = str(token)
            case Kind.POINTER:
                chosen[f"line{line}.{role}.to"] = str(token)
            case Kind.TARGET:
                chosen[f"line{line}.{role}.target"] = str(token)
            case Kind.CONDITION if token.text != "once":
                chosen[f"line{line}.{role}.until"] = str(token)
    return {**chosen, "length": str(line)}


@each_space
def test_every_program_of_the_space_can_be_said(space):
    draw, said = np.random.default_rng(1), 0
    values = {each.name: each.values for each in parameters(space)}
    for _ in range(100):
        numbers = sample(space, draw)
        chosen = vector(space, numbers)
        if COMPONENTS[chosen["line1"]].role is Role.SELECT:
            continue  # see below
        assert all(value in values[name] for name, value in chosen.items() if name in values)
        assert tokens(space, chosen) == tuple(numbers)
        said += 1
    assert said > 20


@each_space
def test_whatever_is_chosen_is_a_program_unless_nothing_searches(space):
    draw = np.random.default_rng(2)
    for _ in range(200):
        chosen = drawn(space, draw)
        numbers = tokens(space, chosen)
        lines = [chosen.get(f"line{line}", "") for line in range(1, int(chosen["length"]) + 1)]
        searches = any(COMPONENTS[name].role is Role.SEARCH for name in lines)
        assert (numbers is not None) == searches
        if numbers is not None:
            assert grammar(space).state(numbers) >= 0
            program = program_of([space.tokens[number] for number in numbers], space)
            assert [snippet.component for snippet in program.snippets] == lines


@given(st.integers(0, 10**6))
def test_a_selector_before_all_else_is_not_missed(seed):
    """It is no choice of the first line, as a program does the same without it."""
    space = Space.named("full").on("bits")
    numbers = sample(space, np.random.default_rng(seed))
    program = program_of([space.tokens[number] for number in numbers], space)
    first = Snippet("tabu" if seed % 2 else "greedy_select")
    assert canonical(Program(program.population, (first, *program.snippets))) == canonical(program)


@each_space
def test_parameters_have_choices_and_come_after_what_decides_about_them(space):
    seen: dict[str, Parameter] = {}
    for each in parameters(space):
        assert len(set(each.values)) == len(each.values) > 1
        assert each.name not in seen
        if each.parent is not None:
            assert set(each.needed) < set(seen[each.parent].values)
        seen[each.name] = each
    assert ("population" in seen) == (len(space.populations) > 1)
    assert all(values == seen[name].values for name, values in _pairs(space, seen))


def _pairs(space: Space, seen: Mapping[str, Parameter]) -> list[tuple[str, tuple[str, ...]]]:
    sizes = tuple(str(Token.population(size)) for size in space.populations)
    return [("population", sizes)] if "population" in seen else []


def test_the_first_choice_of_everything_is_a_program():
    """SMAC begins with it."""
    for space in SPACES:
        assert tokens(space, {each.name: each.values[0] for each in parameters(space)}) is not None


def test_a_fork_of_the_last_line_goes_forward():
    space = Space.named("full").on("bits")
    chosen = {"population": "population 5", "length": "1", "line1": "reset_sweep", "line1.search.to": "fork"}
    numbers = tokens(space, {**chosen, "line1.search.target": "target 2"})
    assert numbers == tokens(space, {**chosen, "line1.search.to": "forward"})
    assert [str(space.tokens[number]) for number in numbers or ()] == [
        "begin", "population 5", "reset_sweep", "forward", "once", "end",
    ]  # fmt: skip


def test_components_with_several_settings_and_with_grids_of_their_own(monkeypatch):
    """Each setting is a parameter; one that has another grid in another component has a parameter for each."""
    from dataclasses import replace

    several = replace(COMPONENTS["reset_n"], settings={"n": COUNTS, "m": COUNTS})
    monkeypatch.setitem(COMPONENTS, "reset_n", several)
    other = replace(COUNTS, grid=(Amount(7), Amount(9)))
    monkeypatch.setitem(COMPONENTS, "cross_n", replace(COMPONENTS["cross_n"], settings={"n": other}))
    space = replace(TWO_GRIDS, name="several")
    named = {each.name: each for each in parameters(space) if each.name.startswith("line2.")}
    assert named["line2.n.cross_n"].values == ("n=7", "n=9")
    assert named["line2.n.reset_n"].needed == named["line2.m"].needed == ("reset_n",)
    draw = np.random.default_rng(3)
    for _ in range(50):
        numbers = sample(space, draw)
        chosen = vector(space, numbers)
        if chosen["line1"] != "tabu":
            assert tokens(space, chosen) == tuple(numbers)
