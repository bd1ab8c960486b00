"""Hypothesis strategies: programs that a space writes, and programs that only a person would."""

from functools import partial

from hypothesis import strategies as st

from metasmith.components import COMPONENTS, Role
from metasmith.components.settings import Amount, Range
from metasmith.program import Condition, Event, Pointer, Program, ProgramError, Snippet, random_program
from metasmith.space import POINTERS, Space

SPACES = {name: Space.named(name) for name in ("paper", "full")}

amounts = st.one_of(
    st.integers(1, 1000).map(lambda n: Amount(float(n))),
    st.floats(1e-9, 10).map(Amount),
    st.floats(0.001, 100).map(lambda share: Amount(share, "%")),
    st.floats(0.001, 1000).map(lambda rate: Amount(rate, "/d")),
)
conditions = st.one_of(
    st.sampled_from(Event).map(lambda event: Condition(event=event)),
    st.floats(0.001, 100).map(lambda share: Condition(share=Amount(share, "%"))),
)


def drawn(name: str) -> st.SearchStrategy[Program]:
    """Programs sampled from a space."""
    return st.integers(0, 2**32).map(lambda seed: random_program(SPACES[name], seed))


@st.composite
def snippets(draw: st.DrawFn) -> Snippet:
    """Any snippet, its hyperparameter anywhere in its range."""
    component = COMPONENTS[draw(st.sampled_from(list(COMPONENTS)))]
    values = tuple(draw(amounts.filter(partial(within, allowed))) for allowed in component.settings.values())
    pointer = draw(st.sampled_from(POINTERS[component.role]))
    target = draw(st.integers(2, 9)) if pointer is Pointer.FORK else None
    condition = draw(conditions) if pointer is Pointer.ITERATE else None
    return Snippet(component.name, values, pointer, target, condition)


def within(allowed: Range, amount: Amount) -> bool:
    try:
        allowed.check(amount)
    except ValueError:
        return False
    return True


@st.composite
def written(draw: st.DrawFn) -> Program:
    """Programs of any length, as a person could write them."""
    body = draw(st.lists(snippets(), min_size=1, max_size=12).filter(valid))
    return Program(draw(st.integers(1, 10_000)), tuple(body))


def valid(body: list[Snippet]) -> bool:
    return body[-1].pointer is not Pointer.FORK and any(snippet.role is Role.SEARCH for snippet in body)


programs = st.one_of(drawn("paper"), drawn("full"), written())


def refused(text: str) -> str:
    """The error that parsing `text` gives; empty if there is none."""
    try:
        Program.parse(text)
    except ProgramError as error:
        return str(error)
    return ""
