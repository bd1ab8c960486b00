"""The grammar: which tokens may follow a prefix of a sequence (paper III-B, masked sampling).

`allowed` states the rules. `Grammar` has them as a table, for whole batches: prefixes in the same `situation` have the
same continuations, so each situation is a state of a finite automaton.
"""

from collections.abc import Sequence
from functools import cache, cached_property

import numpy as np

from metasmith.arrays import Indices
from metasmith.components import COMPONENTS, Role
from metasmith.space.pointers import POINTERS, Pointer
from metasmith.space.space import Space
from metasmith.space.tokens import BEGIN, END, ONCE, Kind, Token


def allowed(prefix: Sequence[Token], space: Space) -> list[Token]:
    """The tokens that may follow `prefix` in a sequence of `space`."""
    match prefix:
        case []:
            return [BEGIN]
        case [Token(Kind.BEGIN)] if len(space.populations) > 1:
            return [Token.population(size) for size in space.populations]
        case [*_, Token(Kind.BEGIN | Kind.POPULATION | Kind.CONDITION)]:
            return _components_or_end(prefix, space)
        case [*_, Token(Kind.COMPONENT | Kind.SETTING)]:
            missing = _missing_settings(prefix, space)
            return list(missing[0]) if missing else _pointers(prefix, space)
        case [*_, Token(Kind.POINTER, Pointer.FORK)]:
            return [Token.target(jump) for jump in space.targets]
        case [*_, Token(Kind.POINTER, Pointer.ITERATE)]:
            return [Token.condition(condition) for condition in space.conditions]
        case [*_, Token(Kind.POINTER | Kind.TARGET)]:
            return [ONCE]
        case _:
            return [END]  # the only choice, so its probability is 1 and padding adds nothing to the loss


def _components_or_end(prefix: Sequence[Token], space: Space) -> list[Token]:
    written, searched = _components(prefix), _searched(prefix)
    left = space.longest - len(written)
    names = [name for name in space.components if left > 1 or searched or COMPONENTS[name].role is Role.SEARCH]
    components = [Token.component(name) for name in names] if left else []
    may_end = searched and Token.pointer(Pointer.FORK) not in _snippet(prefix)
    return [*components, END] if may_end else components


def _pointers(prefix: Sequence[Token], space: Space) -> list[Token]:
    written = _components(prefix)
    last = len(written) == space.longest  # a fork needs a later component to go to
    possible = {
        Pointer.FORWARD: True,
        Pointer.ITERATE: bool(space.conditions),
        Pointer.FORK: bool(space.targets) and not last,
    }
    return [Token.pointer(pointer) for pointer in POINTERS[COMPONENTS[written[-1]].role] if possible[pointer]]


def _components(prefix: Sequence[Token]) -> list[str]:
    return [token.text for token in prefix if token.kind is Kind.COMPONENT]


def _missing_settings(prefix: Sequence[Token], space: Space) -> tuple[tuple[Token, ...], ...]:
    """The hyperparameters that the last component has not been given yet, each as its tokens."""
    component, *settings = _snippet(prefix)
    return space.settings(component.text)[len(settings) :]


def _searched(prefix: Sequence[Token]) -> bool:
    return any(COMPONENTS[name].role is Role.SEARCH for name in _components(prefix))


def _snippet(prefix: Sequence[Token]) -> Sequence[Token]:
    """The unfinished snippet: the tokens from the last component on."""
    starts = [i for i, token in enumerate(prefix) if token.kind is Kind.COMPONENT]
    return prefix[starts[-1] :] if starts else []


def situation(prefix: Sequence[Token], space: Space) -> tuple[object, ...]:
    """All that `allowed` depends on: prefixes in the same situation have the same continuations."""
    written, last = _components(prefix), prefix[-1]
    match last.kind:
        case Kind.COMPONENT | Kind.SETTING:
            missing = _missing_settings(prefix, space)
            detail: object = (COMPONENTS[written[-1]].role, missing)
        case Kind.POINTER:
            detail = last.text
        case Kind.CONDITION:
            detail = Token.pointer(Pointer.FORK) in _snippet(prefix)
        case Kind.END:
            return (Kind.END,)
        case _:
            detail = None
    return last.kind, detail, len(written), _searched(prefix)


class Grammar:
    """The rules of a space as the table of a finite automaton.

    start: the state after `begin`. end: the number of the token `end`, which only `end` may follow.
    mask: (states, tokens), which tokens may come next.
    next: (states, tokens), the state after each token, -1 where the mask forbids it.
    """

    def __init__(self, space: Space) -> None:
        self.start = 0
        self.end = space.number[END]
        prefixes = [[BEGIN]]
        states = {situation([BEGIN], space): 0}
        rows = []
        for prefix in prefixes:  # grows while new situations turn up
            row = np.full(len(space.tokens), -1, dtype=np.int64)
            for token in allowed(prefix, space):
                longer = [*prefix, token]
                state = states.setdefault(situation(longer, space), len(states))
                if state == len(prefixes):
                    prefixes.append(longer)
                row[space.number[token]] = state
            rows.append(row)
        self.next: Indices = np.stack(rows)
        self.mask = self.next >= 0

    @cached_property
    def options(self) -> list[list[int]]:
        """The numbers of the tokens that may come next, one list for each state."""
        return [np.flatnonzero(row).tolist() for row in self.mask]

    def state(self, numbers: Sequence[int]) -> int:
        """The state after a sequence of token numbers from `begin` on; -1 if it is not allowed or a number is -1."""
        state = self.start if numbers and numbers[0] == 0 else -1
        for number in numbers[1:]:
            if state < 0 or number < 0:
                return -1
            state = int(self.next[state, number])
        return state


@cache
def grammar(space: Space) -> Grammar:
    """The grammar of `space`, compiled once."""
    return Grammar(space)
