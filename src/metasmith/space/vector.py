"""A space as parameters: a program is a choice for each, for configurators that know neither tokens nor grammars.

One parameter is the population, one the length, and every line has its own: which component, the values of its
hyperparameters, where the flow goes, and until when or how far. The values are the texts of tokens.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache

from metasmith.components import COMPONENTS, Role
from metasmith.space.grammar import allowed, grammar
from metasmith.space.pointers import Pointer
from metasmith.space.space import Space
from metasmith.space.tokens import BEGIN, END, ONCE, Kind, Token

LENGTH = "length"


@dataclass(frozen=True)
class Parameter:
    """A choice among values. ordered: whether values that are next to each other are alike.

    parent, needed: there is this choice only where that parameter has one of these values; always if it has no parent.
    """

    name: str
    values: tuple[str, ...]
    ordered: bool = False
    parent: str | None = None
    needed: tuple[str, ...] = ()


@cache
def parameters(space: Space) -> tuple[Parameter, ...]:
    """The parameters of a space, parents first; those with a single value leave no choice and are not among them."""
    every = {each.name: each for each in _parameters(space)}
    choices = []
    for each in every.values():
        while each.parent is not None and set(every[each.parent].values) <= set(each.needed):
            above = every[each.parent]  # whatever its value is, so all depends on what that parameter itself depends on
            each = replace(each, parent=above.parent, needed=above.needed)
        if len(each.values) > 1:
            choices.append(each)
    return tuple(choices)


def tokens(space: Space, configuration: Mapping[str, str]) -> tuple[int, ...] | None:
    """The numbers of the tokens that a configuration says, from `begin` to `end`; None if nothing in it searches.

    configuration: the values of parameters by name; those that say nothing in it may be left out. A fork of the last
    line, which has nowhere to go, is no fork.
    """
    only = _only(space)
    length, written = int(configuration.get(LENGTH) or only[LENGTH]), [str(BEGIN)]

    def write(name: str) -> str:
        """Write what a parameter says."""
        written.append(configuration.get(name) or only[name])
        return written[-1]

    if len(space.populations) > 1:
        write("population")
    for line in range(1, length + 1):
        component = write(f"line{line}")
        for suffix in _suffixes(space, component):
            write(f"line{line}.{suffix}")
        role = COMPONENTS[component].role
        pointer = write(f"line{line}.{role}.to")
        if pointer == Pointer.FORK and line == length:
            written[-1] = pointer = str(Pointer.FORWARD)
        if pointer == Pointer.FORK:
            write(f"line{line}.{role}.target")
        if pointer == Pointer.ITERATE:
            write(f"line{line}.{role}.until")
        else:
            written.append(str(ONCE))
    number = {str(token): i for token, i in space.number.items()}
    numbers = tuple(number[text] for text in [*written, str(END)])
    return numbers if grammar(space).state(numbers) >= 0 else None


@cache
def _only(space: Space) -> dict[str, str]:
    """The values of parameters that have a single one."""
    return {each.name: each.values[0] for each in _parameters(space) if len(each.values) == 1}


def _parameters(space: Space) -> Iterator[Parameter]:
    """All parameters, also those without a choice."""
    yield Parameter("population", tuple(str(Token.population(size)) for size in space.populations), ordered=True)
    yield Parameter(LENGTH, tuple(str(length) for length in range(1, space.longest + 1)), ordered=True)
    for line in range(1, space.longest + 1):
        yield from _line(space, line)


def _line(space: Space, line: int) -> Iterator[Parameter]:
    name, components = f"line{line}", space.components
    if line == 1:  # a selector before all else has nothing to select from; what searches is the first to be tried
        components = tuple(sorted(_without(Role.SELECT, components), key=lambda each: not _searches(each)))
    longer = tuple(str(length) for length in range(line, space.longest + 1))
    yield Parameter(name, components, parent=LENGTH, needed=longer)
    for suffix, (values, users) in _settings(space).items():
        if here := tuple(each for each in users if each in components):
            yield Parameter(f"{name}.{suffix}", values, True, name, here)
    for role in Role:
        if not (here := tuple(each for each in components if COMPONENTS[each].role is role)):
            continue
        prefix = _prefix(space, line, here[0])
        pointers = allowed(prefix, space)
        yield Parameter(f"{name}.{role}.to", _texts(pointers), False, name, here)
        for pointer, suffix, ordered in ((Pointer.FORK, "target", True), (Pointer.ITERATE, "until", False)):
            if (token := Token.pointer(pointer)) in pointers:
                values = _texts(allowed([*prefix, token], space))
                yield Parameter(f"{name}.{role}.{suffix}", values, ordered, f"{name}.{role}.to", (str(pointer),))


def _prefix(space: Space, line: int, component: str) -> list[Token]:
    """The beginning of a sequence, up to a component in that line and its hyperparameters."""
    searches = next(each for each in space.components if _searches(each))
    population = [Token.population(space.populations[0])] if len(space.populations) > 1 else []
    before = [*_written(space, searches), Token.pointer(Pointer.FORWARD), ONCE] * (line - 1)
    return [BEGIN, *population, *before, *_written(space, component)]


def _written(space: Space, component: str) -> list[Token]:
    """A component with the first value of each of its hyperparameters."""
    return [Token.component(component), *(values[0] for values in space.settings(component))]


def _settings(space: Space) -> dict[str, tuple[tuple[str, ...], list[str]]]:
    """The hyperparameters: their values, and the components that have them.

    Components share one of the same name, and the component is part of the name where some have another grid for it.
    """
    grids: dict[str, dict[str, tuple[str, ...]]] = {}
    for component in space.components:
        for values in space.settings(component):
            grids.setdefault(_setting(values), {})[component] = _texts(values)
    shared: dict[str, tuple[tuple[str, ...], list[str]]] = {}
    for setting, by_component in grids.items():
        if len(set(by_component.values())) == 1:
            shared[setting] = next(iter(by_component.values())), list(by_component)
        else:
            shared |= {f"{setting}.{component}": (values, [component]) for component, values in by_component.items()}
    return shared


@cache
def _suffixes(space: Space, component: str) -> tuple[str, ...]:
    """The names of the parameters of a component's hyperparameters, in their order, without the line."""
    shared, names = _settings(space), (_setting(values) for values in space.settings(component))
    return tuple(name if name in shared else f"{name}.{component}" for name in names)


def _setting(values: tuple[Token, ...]) -> str:
    """The name of a hyperparameter, of which these are the tokens."""
    assert values[0].kind is Kind.SETTING
    return values[0].text.partition("=")[0]


def _texts(written: tuple[Token, ...] | list[Token]) -> tuple[str, ...]:
    return tuple(map(str, written))


def _without(role: Role, components: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(name for name in components if COMPONENTS[name].role is not role)


def _searches(component: str) -> bool:
    return COMPONENTS[component].role is Role.SEARCH
