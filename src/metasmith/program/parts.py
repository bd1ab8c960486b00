"""The parts of a program: what can be left out of it, alone or together.

A part is a line, the pointer of a line, or that there are several solutions. A chooser or a selector that is left out
gives way to the neutral one, which the language has where nothing is written: traverse, pairwise_select.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from metasmith.components import Role
from metasmith.program.canonical import canonical
from metasmith.program.program import Program, ProgramError, Snippet
from metasmith.program.stages import CHOOSER, SELECTOR
from metasmith.space.pointers import Pointer

NEUTRAL = {Role.CHOOSE: CHOOSER, Role.SELECT: SELECTOR}


@dataclass(frozen=True)
class Part:
    """What can be left out. line: in the text of the canonical program, from 1, which has the population. snippet: that
    line. change: what happens to it, in words. pointer: whether only its loop or its fork goes.
    """

    line: int
    snippet: str
    change: str
    pointer: bool = False


def parts(program: Program) -> list[Part]:
    """Every part of a program in canonical form, line by line."""
    form, found = canonical(program), list[Part]()
    if form.population > 1:
        found.append(Part(1, f"population {form.population}", "down to 1"))
    for line, snippet in enumerate(form.snippets, start=2):
        printed = f"{snippet.head} {snippet.tail}".rstrip()
        if snippet.pointer is not Pointer.FORWARD:
            found.append(Part(line, printed, f"{snippet.pointer} removed", pointer=True))
        neutral = NEUTRAL.get(snippet.role, snippet.component)
        change = "removed" if snippet.component == neutral else f"replaced by {neutral}"
        found.append(Part(line, printed, change))
    return found


def without(program: Program, left_out: Iterable[Part]) -> Program:
    """A program without some of its parts, in canonical form. Raises ProgramError if nothing else searches."""
    form = canonical(program)
    population, snippets = form.population, form.snippets
    for part in sorted(left_out, key=lambda part: (-part.line, not part.pointer)):  # those before keep their numbers
        if part.line == 1:
            population = 1
        elif part.pointer:
            snippets = _forward(snippets, part.line - 2)
        else:
            snippets = _gone(snippets, part.line - 2)
    if not snippets:
        raise ProgramError("nothing else searches")
    return canonical(Program(population, snippets))


def size(program: Program) -> int:
    """How many parts a program has in canonical form, without the selector at its end where that is implied."""
    implied = canonical(program).snippets[-1] == Snippet(SELECTOR)
    return len(parts(program)) - implied


def _forward(snippets: Sequence[Snippet], i: int) -> tuple[Snippet, ...]:
    """The snippets with number i neither looping nor forking."""
    return (
        *snippets[:i], replace(snippets[i], pointer=Pointer.FORWARD, target=None, condition=None), *snippets[i + 1 :]
    )  # fmt: skip


def _gone(snippets: Sequence[Snippet], i: int) -> tuple[Snippet, ...]:
    """The snippets but for number i, or with the neutral choice instead.

    Forks still lead where they led; the loop of a chain stays, if there is a chain left.
    """
    neutral = NEUTRAL.get(snippets[i].role, snippets[i].component)
    if snippets[i].component != neutral:
        return (*snippets[:i], replace(snippets[i], component=neutral), *snippets[i + 1 :])
    before = [
        _nearer(snippet) if j < i < j + (snippet.target or 0) else snippet for j, snippet in enumerate(snippets[:i])
    ]
    if snippets[i].role is Role.SEARCH and snippets[i].pointer is Pointer.ITERATE and before:
        last = before[-1]
        if last.role is Role.SEARCH and last.pointer is not Pointer.ITERATE:
            before[-1] = replace(last, pointer=Pointer.ITERATE, target=None, condition=snippets[i].condition)
    return (*before, *snippets[i + 1 :])


def _nearer(fork: Snippet) -> Snippet:
    """A fork with one line fewer to jump over; none left: no fork."""
    assert fork.target is not None
    return (
        replace(fork, target=fork.target - 1)
        if fork.target > 2
        else replace(fork, pointer=Pointer.FORWARD, target=None)
    )
