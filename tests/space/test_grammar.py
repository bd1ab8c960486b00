"""The grammar: the rules by example, and the table against the rules."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from metasmith.components import COMPONENTS, Role
from metasmith.space import BEGIN, END, Kind, Space, Token, allowed, grammar, sample

SPACES = {name: Space.named(name) for name in ("paper", "full")}
SEARCH = {name for name, component in COMPONENTS.items() if component.role is Role.SEARCH}
PAPER = SPACES["paper"]


def tokens(text: str, space: Space = PAPER) -> list[Token]:
    """Tokens by their texts, divided by |."""
    by_text = {token.text: token for token in space.tokens}
    return [by_text[word.strip()] for word in text.split("|")]


def follow(text: str, space: Space = PAPER) -> set[str]:
    return {token.text for token in allowed(tokens(text, space), space)}


ITERATED = {"until 1%", "until 5%", "until 10%", "until 15%", "until 20%"}
CHOOSE = "traverse | forward | once"
RESET = "reinitialize | forward | once"


def test_a_sequence_starts_with_a_component_or_a_population_where_there_is_a_choice() -> None:
    assert allowed([], PAPER) == [BEGIN]
    assert follow("begin") == set(PAPER.components)
    assert follow("begin", SPACES["full"]) == {f"population {size}" for size in (1, 2, 5, 10, 20, 50, 100)}
    assert follow("begin | population 20", SPACES["full"]) == set(COMPONENTS)


def test_hyperparameters_follow_their_component() -> None:
    assert follow("begin | reset_n") == {f"n={share}%" for share in (1, 5, 10, 15, 20, 25, 30, 35, 40, 45)}
    assert follow("begin | cross_uniform") == follow("begin | reset_rand")
    assert follow("begin | population 1 | reset_heavy", SPACES["full"]) == {
        f"beta={amount}" for amount in COMPONENTS["reset_heavy"].settings["beta"].grid
    }


def test_pointers_by_role() -> None:
    assert follow("begin | tournament") == {"forward", "fork"}
    assert follow("begin | reinitialize") == {"forward", "iterate", "fork"}
    assert follow("begin | reset_n | n=1%") == {"forward", "iterate", "fork"}
    assert follow("begin | tabu") == {"forward", "iterate"}


def test_targets_and_conditions_by_pointer() -> None:
    assert follow("begin | reinitialize | fork") == {f"target {jump}" for jump in (2, 3, 4, 5)}
    assert follow("begin | reinitialize | fork | target 3") == {"once"}
    assert follow("begin | reinitialize | forward") == {"once"}
    assert follow("begin | reinitialize | iterate") == ITERATED
    assert follow("begin | population 1 | tabu | iterate", SPACES["full"]) == ITERATED | {
        "until stagnation",
        "until local_optimum",
    }


def test_no_end_before_a_search_nor_after_a_fork() -> None:
    assert "end" not in follow(f"begin | {CHOOSE} | tabu | forward | once")
    assert "end" in follow(f"begin | {RESET}")
    assert "end" in follow(f"begin | {RESET} | {CHOOSE}")
    assert "end" not in follow("begin | reinitialize | fork | target 2 | once")
    assert "end" not in follow(f"begin | {RESET} | traverse | fork | target 5 | once")
    assert "end" in follow(f"begin | reinitialize | fork | target 5 | once | {CHOOSE}")


def test_the_last_component_searches_if_none_did() -> None:
    four, five = " | ".join([CHOOSE] * 4), " | ".join([CHOOSE] * 5)
    assert follow(f"begin | {four}") == set(PAPER.components)
    assert follow(f"begin | {five}") == SEARCH & set(PAPER.components)
    assert follow(f"begin | {RESET} | {four}") == {*PAPER.components, "end"}


def test_no_fork_on_the_last_component_and_then_only_the_end() -> None:
    five = " | ".join([RESET] * 5)
    assert follow(f"begin | {five} | reinitialize") == {"forward", "iterate"}
    assert follow(f"begin | {five} | traverse") == {"forward"}
    assert follow(f"begin | {five} | {RESET}") == {"end"}
    four = " | ".join([RESET] * 4)
    assert "end" not in follow(f"begin | {four} | reinitialize | fork | target 2 | once")


def test_after_the_end_comes_the_end() -> None:
    assert follow(f"begin | {RESET} | end") == {"end"}
    assert follow(f"begin | {RESET} | end | end") == {"end"}


@pytest.mark.parametrize("name", SPACES)
@given(seed=st.integers(0, 2**32))
def test_the_table_says_what_the_rules_say(name: str, seed: int) -> None:
    space = SPACES[name]
    rules = grammar(space)
    numbers = sample(space, np.random.default_rng(seed))
    for length in range(1, len(numbers) + 1):
        prefix = numbers[:length]
        may = {space.number[token] for token in allowed([space.tokens[number] for number in prefix], space)}
        assert set(np.flatnonzero(rules.mask[rules.state(prefix)])) == may


@pytest.mark.parametrize("name", SPACES)
def test_the_table_is_sound(name: str) -> None:
    rules, space = grammar(SPACES[name]), SPACES[name]
    assert rules.mask.shape == rules.next.shape == (len(rules.mask), len(space.tokens))
    assert rules.mask.any(axis=1).all()  # no dead end
    assert ((rules.next >= 0) == rules.mask).all()
    assert rules.next.max() < len(rules.mask)
    reached = {rules.start} | set(rules.next[rules.mask].tolist())
    assert reached == set(range(len(rules.mask)))


@pytest.mark.parametrize("name", SPACES)
def test_every_way_ends_within_the_components_allowed(name: str) -> None:
    rules, space = grammar(SPACES[name]), SPACES[name]
    is_component = np.array([token.kind is Kind.COMPONENT for token in space.tokens])
    end = rules.next[:, space.number[END]].max()
    reached = {(rules.start, 0)}  # states, with the components written on the way there
    for _ in range(2 + 5 * space.longest):  # begin, population, snippets of at most five tokens
        assert max(written for _, written in reached) <= space.longest
        reached = {
            (int(rules.next[state, token]), written + int(is_component[token]))
            for state, written in reached
            for token in np.flatnonzero(rules.mask[state])
        }
    assert reached == {(end, written) for written in range(1, space.longest + 1)}


def test_what_is_not_allowed_has_no_state() -> None:
    rules, number = grammar(PAPER), PAPER.number
    assert rules.state([]) == -1
    assert rules.state([number[END]]) == -1
    assert rules.state([number[BEGIN], number[END], number[END]]) == -1
    assert rules.state([number[BEGIN], -1]) == -1
    assert rules.state([number[BEGIN]]) == rules.start


@pytest.mark.parametrize("name", SPACES)
def test_samples_reach_every_token(name: str) -> None:
    space = SPACES[name]
    rng = np.random.default_rng(1)
    seen = {number for _ in range(600) for number in sample(space, rng)}
    assert seen == set(range(len(space.tokens)))


def test_a_space_without_forks_or_loops() -> None:
    space = Space(
        "small", populations=(1,), components=("reset_sweep", "traverse"), conditions=(), targets=(), longest=2
    )
    assert follow("begin | reset_sweep", space) == {"forward"}
    assert follow("begin | traverse | forward | once", space) == {"reset_sweep"}
    assert all(len(sample(space, np.random.default_rng(seed))) in (5, 8) for seed in range(20))
