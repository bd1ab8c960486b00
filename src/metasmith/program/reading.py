"""Parse the text of a program, one snippet a line.

`;` separates lines too, `#` starts a comment, blank lines are skipped, and `forward` may be left out.
"""

import re

from metasmith.components.settings import Amount
from metasmith.program.program import LARGEST, ProgramError, Snippet, check, find
from metasmith.space.conditions import Condition
from metasmith.space.pointers import Pointer
from metasmith.space.spelling import suggestion

WORD = re.compile(r"[(),=]|[^\s(),=]+")
"""A word of a line: one of the signs ( ) , = or a run of other characters without blanks."""

WHOLE = re.compile(r"[0-9]{1,9}")
"""A whole number, of so few digits that it cannot fill memory."""


def read(text: str) -> tuple[int, tuple[Snippet, ...]]:
    """The population and the snippets of a text."""
    lines = _lines(text) or [(1, "")]
    population = 0
    snippets = []
    for i, (number, line) in enumerate(lines):
        words = Words(line)
        try:
            if i == 0:
                population = _population(words)
            else:
                snippets.append(_snippet(words))
        except ProgramError as error:
            raise error.at(number) from None
    check(population, snippets, [number for number, _ in lines])
    return population, tuple(snippets)


class Words:
    """The words of a line, taken one by one. The argument `expected` is for the error message if a word is wrong."""

    def __init__(self, line: str) -> None:
        self.left: list[str] = WORD.findall(line)

    def take(self, expected: str, word: str | None = None) -> str:
        """The next word; it must equal `word` unless that is None."""
        if not self.left or word not in (None, self.left[0]):
            got = f"'{self.left[0]}'" if self.left else "the end of the line"
            raise ProgramError(f"expected {expected}, got {got}")
        return self.left.pop(0)

    def whole(self, expected: str, least: int) -> int:
        """The next word as a whole number of at least `least`."""
        word = self.take(expected)
        if not (WHOLE.fullmatch(word) and least <= int(word) <= LARGEST):
            raise ProgramError(f"expected {expected}, got '{word}'")
        return int(word)

    def end(self, after: str) -> None:
        """Raise ProgramError if there are words left. after: what the line said so far."""
        if self.left:
            raise ProgramError(f"expected the end of the line after {after}, got '{self.left[0]}'")


def _lines(text: str) -> list[tuple[int, str]]:
    """The lines that are not blank, with their numbers."""
    bare = [line.partition("#")[0] for line in text.splitlines()]  # first, as a comment may hold a semicolon
    lines = [part for line in bare for part in line.split(";")]
    return [(number, line) for number, line in enumerate(lines, start=1) if line.strip()]


def _population(words: Words) -> int:
    words.take("the population first, such as population 50", "population")
    population = words.whole(f"a population from 1 to {LARGEST}", least=1)
    words.end(f"population {population}")
    return population


def _snippet(words: Words) -> Snippet:
    name = words.take("a component")
    if name == "population":
        raise ProgramError("the population is given once, on the first line")
    amounts = _amounts(name, words)
    head = Snippet(name, amounts).head  # checks component and amounts first, so that errors come from left to right
    pointer = _pointer(head, words)
    target, condition = None, None
    if pointer is Pointer.FORK:
        target = words.whole("how many lines on fork jumps, a whole number of at least 2", least=2)
    if pointer is Pointer.ITERATE:
        words.take("until after iterate", "until")
        condition = _condition(words.take("a condition such as 5% or stagnation after until"))
    snippet = Snippet(name, amounts, pointer, target, condition)
    words.end(f"{snippet.head} {snippet.tail or pointer}")
    return snippet


def _amounts(name: str, words: Words) -> tuple[Amount, ...]:
    """The hyperparameters in brackets: (n=1)."""
    settings = find(name).settings
    if words.left[:1] != ["("]:
        return ()
    if not settings:
        raise ProgramError(f"{name} has no hyperparameters; write it without brackets")
    amounts: list[Amount] = []
    for setting, allowed in settings.items():
        words.take("a bracket or a comma", "," if amounts else "(")
        words.take(f"{setting}= in the brackets of {name}", setting)
        words.take(f"= after {setting}", "=")
        value = words.take(allowed.words)
        try:
            amounts.append(Amount.parse(value))
        except ValueError as error:
            raise ProgramError(f"{setting} of {name}: {error}") from None
    words.take(f"the closing bracket of {name}", ")")
    return tuple(amounts)


def _pointer(head: str, words: Words) -> Pointer:
    if not words.left:
        return Pointer.FORWARD
    word = words.take("forward, iterate or fork")
    if word not in list(Pointer):
        raise ProgramError(f"expected forward, iterate or fork after {head}, got '{word}'; {suggestion(word, Pointer)}")
    return Pointer(word)


def _condition(word: str) -> Condition:
    try:
        return Condition.parse(word)
    except ValueError as error:
        raise ProgramError(str(error)) from None
