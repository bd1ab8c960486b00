"""The two design spaces, and how spaces are read."""

import pytest

from metasmith.components import COMPONENTS
from metasmith.components.settings import Amount
from metasmith.representations import KINDS
from metasmith.space import Condition, Event, Kind, Space, Token

SMALL = 'populations = [1]\nconditions = ["5%"]\ntargets = [2]\nlongest = 3\n'


def count(space: Space, kind: Kind) -> int:
    return sum(token.kind is kind for token in space.tokens)


def test_the_papers_space_has_the_papers_numbers() -> None:
    space = Space.named("paper")
    assert space.populations == (50,)
    assert space.longest == 6
    assert [count(space, kind) for kind in Kind] == [1, 1, 0, 16, 20, 3, 4, 6]
    assert not any(condition.event for condition in space.conditions)  # the appendix: event-conditions are not involved


def test_the_full_space_has_every_component_on_its_own_grid() -> None:
    space = Space.named("full")
    assert space.components == tuple(COMPONENTS)
    for name, component in COMPONENTS.items():
        assert space.settings(name) == tuple(
            tuple(Token.setting(setting, amount) for amount in allowed.grid)
            for setting, allowed in component.settings.items()
        )
    assert {condition.event for condition in space.conditions} == {None, *Event}
    assert count(space, Kind.POPULATION) == 7


def test_a_space_on_a_representation_has_what_works_there() -> None:
    full = Space.named("full")
    for kind in KINDS:
        here = set(full.on(kind).components)
        assert here == {name for name in full.components if COMPONENTS[name].kernel(kind)}
        assert here
    assert "swap" in full.on("integers").components
    assert "swap" not in full.on("bits").components
    assert full.on("bits").name == "full"
    assert Space.named("paper").on("bits") == Space.named("paper")


@pytest.mark.parametrize("name", ["paper", "full"])
def test_every_token_has_a_text_of_its_own(name: str) -> None:
    space = Space.named(name)
    assert len({token.text for token in space.tokens}) == len(space.tokens)
    assert all(space.tokens[space.number[token]] == token for token in space.tokens)


def test_spaces_are_values() -> None:
    assert Space.named("paper") == Space.named("paper")
    assert hash(Space.named("paper")) == hash(Space.named("paper"))
    assert Space.named("paper") != Space.named("full")


def test_a_wrong_name_gets_a_suggestion() -> None:
    with pytest.raises(ValueError, match="there is no space 'papr'; did you mean 'paper'"):
        Space.named("papr")
    with pytest.raises(ValueError, match="there is no space 'x'; there is full, paper"):
        Space.named("x")


def test_a_space_of_ones_own() -> None:
    space = Space.parse("mine", SMALL + 'components = ["reset_n", "tabu"]\n[grids]\nn = ["7"]\n')
    assert [token.text for token in space.tokens] == [
        *("begin", "end", "reset_n", "tabu", "n=7", "forward", "iterate", "fork", "target 2", "once", "until 5%")
    ]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('components = ["reset_m"]', "space 'mine': there is no component 'reset_m'; did you mean 'reset_n'?"),
        ('components = ["tabu"]', "space 'mine' needs a component that searches"),
        ('components = ["reset_n"]\n[grids]\nn = ["0.5"]', "expected a whole number"),
    ],
)
def test_spaces_that_cannot_be(text: str, message: str) -> None:
    with pytest.raises(ValueError, match=message.replace("?", r"\?")):
        Space.parse("mine", SMALL + text)
    with pytest.raises(ValueError, match="targets at least 2"):
        Space.parse("mine", SMALL.replace("targets = [2]", "targets = [1]"))


@pytest.mark.parametrize("text", ["5%", "0.5%", "100%", "stagnation", "local_optimum"])
def test_conditions_round_trip(text: str) -> None:
    assert str(Condition.parse(text)) == text


@pytest.mark.parametrize(
    ("share", "event", "message"),
    [
        (None, None, "one of the two"),
        (Amount(5, "%"), Event.STAGNATION, "one of the two"),
        (Amount(0, "%"), None, "above 0%"),
        (Amount(101, "%"), None, "at most 100%"),
        (Amount(5), None, "got '5'"),
    ],
)
def test_conditions_that_cannot_be(share: Amount | None, event: Event | None, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Condition(share, event)
