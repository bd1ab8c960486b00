"""Translation between programs and sequences of tokens."""

from collections.abc import Iterable, Sequence

from metasmith.components import COMPONENTS
from metasmith.components.settings import Amount
from metasmith.program.program import Program, ProgramError, Snippet
from metasmith.space import BEGIN, END, ONCE, Condition, Kind, Pointer, Space, Token, allowed, grammar


def tokens_of(program: Program, space: Space) -> tuple[Token, ...]:
    """The tokens of `program`, from `begin` to `end`. Raises ProgramError for the first that is not in the space."""
    if program.population not in space.populations:
        sizes = ", ".join(map(str, space.populations))
        raise ProgramError(f"space '{space.name}' cannot write population {program.population}; it has {sizes}").at(1)
    tokens = [BEGIN]
    if len(space.populations) > 1:
        tokens.append(Token.population(program.population))
    for line, snippet in enumerate(program.snippets, start=2):
        if line - 1 > space.longest:
            raise ProgramError(f"space '{space.name}' cannot write more than {space.longest} components").at(line)
        tokens += _snippet_tokens(snippet)
        try:
            _check(tokens, space)
        except ProgramError as error:
            raise error.at(line) from None
    return (*tokens, END)


def program_of(tokens: Iterable[Token], space: Space) -> Program:
    """The program of a sequence of tokens. Raises ProgramError if the space does not allow the sequence."""
    tokens = list(tokens)
    _check(tokens, space)
    if tokens[-1:] != [END]:
        raise ProgramError("a sequence of tokens ends with 'end'")
    written = tokens[1 : tokens.index(END)]
    population = space.populations[0]
    if written[0].kind is Kind.POPULATION:
        population = int(written.pop(0).text.removeprefix("population "))
    starts = [i for i, token in enumerate(written) if token.kind is Kind.COMPONENT]
    ends = [*starts[1:], len(written)]
    return Program(population, tuple(_snippet(written[start:end]) for start, end in zip(starts, ends, strict=True)))


def _snippet_tokens(snippet: Snippet) -> list[Token]:
    names = COMPONENTS[snippet.component].settings
    tokens = [Token.component(snippet.component)]
    tokens += [Token.setting(name, amount) for name, amount in zip(names, snippet.amounts, strict=True)]
    tokens += [Token.pointer(snippet.pointer)]
    if snippet.target is not None:
        tokens += [Token.target(snippet.target)]
    return [*tokens, Token.condition(snippet.condition) if snippet.condition else ONCE]


def _snippet(tokens: Sequence[Token]) -> Snippet:
    """The snippet of the tokens from a component to its condition."""
    component, pointer, target, condition = "", Pointer.FORWARD, None, None
    amounts: list[Amount] = []
    for token in tokens:
        match token.kind:
            case Kind.COMPONENT:
                component = token.text
            case Kind.SETTING:
                amounts.append(Amount.parse(token.text.partition("=")[2]))
            case Kind.POINTER:
                pointer = Pointer(token.text)
            case Kind.TARGET:
                target = int(token.text.removeprefix("target "))
            case Kind.CONDITION if token != ONCE:
                condition = Condition.parse(token.text.removeprefix("until "))
    return Snippet(component, tuple(amounts), pointer, target, condition)


def _check(tokens: Sequence[Token], space: Space) -> None:
    """Raise ProgramError for the first token that the space does not allow."""
    if grammar(space).state([space.number.get(token, -1) for token in tokens]) >= 0:
        return
    for i, token in enumerate(tokens):
        possible = allowed(tokens[:i], space)
        if token not in possible:
            after = f" after '{tokens[i - 1]}'" if i else ""
            raise ProgramError(
                f"space '{space.name}' cannot write '{token}'{after}; it has {', '.join(map(str, possible))}"
            )
