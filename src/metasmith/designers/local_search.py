"""Local search among programs, as ParamILS does it: to better neighbours, perturbed where there is none, with restarts.

The neighbours of a program are all that one exchange makes of it: another token, with what has to follow it, a line
more, or a line less. They are tried in random order, none twice. ParamILS ends runs that cannot make a configuration
the better one ("capping"); here the rungs do that: a program that is behind on the entry rung gets no more runs, and so
is no improvement.
"""

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from metasmith.designers.contract import Archive, Declaration, Proposal, Standing, State
from metasmith.designers.reading import Reader
from metasmith.designers.training import Training
from metasmith.program import Program
from metasmith.space import Kind, Space, grammar, sample

EXCHANGES = 3
"""Of a perturbation, as in ParamILS."""

RESTARTS = 0.01
"""How often a search begins anew from random programs instead of a perturbed one, as in ParamILS."""

LONG = 100
"""Neighbours without an improvement after which a neighbourhood counts as exhausted: many have more than 200."""

Tokens = tuple[int, ...]


class LocalSearchDesigner:
    """Iterated local search that goes to the first improvement, which is the best one of the first batch with any."""

    def __init__(self, space: Space, training: Training, *, seed: int) -> None:
        self.read = Reader(space)
        self.seed = seed
        self.batch = 0
        self.incumbent: Proposal | None = None
        """The program whose neighbours are tried; None while others are tried that one of them will be chosen from."""
        self.accepted: Proposal | None = None
        """The best program that a local search has ended with: perturbations are of this one."""
        self.candidates: list[Proposal] = []
        """What was proposed last."""
        self.entered = 0
        """The batch in which the neighbourhood was entered, which decides the order of neighbours."""
        self.tried = 0
        """How many neighbours have had their turn."""

    def propose(self, archive: Archive, count: int) -> list[Proposal]:
        draw = np.random.default_rng((self.seed, self.batch))
        self._move(archive, draw)
        if self.incumbent is not None:
            self.candidates = self._neighbours(self.incumbent, archive, count)
        elif self.accepted is not None and draw.random() >= RESTARTS:
            self.candidates = self._perturbed(self.accepted, draw, count)
        else:
            self.candidates = [self.read.proposal(sample(self.read.space, draw), "immigrant") for _ in range(count)]
        return self.candidates

    def tell(self, standing: Standing) -> Mapping[str, float]:
        self.batch += 1
        return {}

    def finalists(self, count: int) -> list[Proposal]:
        """Where the search has got to, the best local optimum before, then neighbours that had no turn yet."""
        liked = [each for each in (self.incumbent, self.accepted) if each is not None]
        if not liked:
            draw = np.random.default_rng((self.seed, self.batch))
            return [self.read.proposal(sample(self.read.space, draw), "immigrant") for _ in range(count)]
        further = self._coming(liked[0], self.tried) if self.incumbent else iter(self.candidates)
        different = {each.program: each for each in liked}
        for proposal in further:
            if len(different) >= count:
                break
            different.setdefault(proposal.program, proposal)
        return list(different.values())[:count]

    def state(self) -> State:
        facts = {"batch": self.batch, "entered": self.entered, "tried": self.tried}
        kept = {
            "incumbent": [each for each in [self.incumbent] if each],
            "accepted": [each for each in [self.accepted] if each],
            "candidates": self.candidates,
        }
        return State({}, {**facts, **{name: list(map(written, proposals)) for name, proposals in kept.items()}})

    def restore(self, state: State) -> None:
        def proposals(name: str) -> list[Proposal]:
            return [
                self.read.proposal(tokens, source, parent and Program.parse(parent))
                for tokens, source, parent in state.facts[name]
            ]

        self.batch, self.entered, self.tried = (state.facts[name] for name in ("batch", "entered", "tried"))
        self.incumbent, self.accepted = (next(iter(proposals(name)), None) for name in ("incumbent", "accepted"))
        self.candidates = proposals("candidates")

    def _move(self, archive: Archive, draw: np.random.Generator) -> None:
        """Go to the best of the candidates, if it is an improvement; leave a neighbourhood without one."""
        if not self.candidates:  # what is known is where to begin
            self.candidates = [each.proposal for each in archive.best if each.proposal.tokens is not None][:1]
        measured = [each for each in self.candidates if each.program in archive.members]
        best = max(measured, key=lambda each: quality(archive, each), default=None)
        if best is not None and (self.incumbent is None or quality(archive, best) > quality(archive, self.incumbent)):
            self.incumbent, self.entered, self.tried = best, self.batch, 0
        elif self.incumbent is not None and self._exhausted():
            if self.accepted is None or quality(archive, self.incumbent) > quality(archive, self.accepted):
                self.accepted = self.incumbent
            self.incumbent = None

    def _exhausted(self) -> bool:
        assert self.incumbent is not None
        return self.tried >= LONG or next(self._coming(self.incumbent, self.tried), None) is None

    def _neighbours(self, incumbent: Proposal, archive: Archive, count: int) -> list[Proposal]:
        """The incumbent again, as it gets new runs that tell the good from the lucky, and the next of its neighbours.

        Those that the archive knows already have been compared.
        """
        batch = {incumbent.program: incumbent} if count > 1 else {}
        for proposal in self._coming(incumbent, self.tried):
            self.tried += 1
            if proposal.program not in archive.members:
                batch.setdefault(proposal.program, proposal)
            if len(batch) == count:
                break
        return list(batch.values()) or [incumbent]

    def _coming(self, incumbent: Proposal, tried: int) -> Iterator[Proposal]:
        """The neighbours that have not had their turn, in their order."""
        assert incumbent.tokens is not None
        draw = np.random.default_rng((self.seed, self.entered, 1))
        order = neighbours(incumbent.tokens, self.read.space, draw)
        draw.shuffle(order)
        for tokens in order[tried:]:
            yield self.read.proposal(tokens, "neighbour", incumbent.program)

    def _perturbed(self, accepted: Proposal, draw: np.random.Generator, count: int) -> list[Proposal]:
        """Programs that are some exchanges away; the best of them is the next incumbent."""
        batch = []
        for _ in range(count):
            assert accepted.tokens is not None
            tokens = accepted.tokens
            for _ in range(EXCHANGES):
                near = neighbours(tokens, self.read.space, draw)
                tokens = near[int(draw.integers(len(near)))]
            batch.append(self.read.proposal(tokens, "perturbed", accepted.program))
        return batch


def quality(archive: Archive, proposal: Proposal) -> tuple[bool, float]:
    """What programs are compared by: whoever reached the last rung is before whoever did not; then by scores."""
    member = archive.members[proposal.program]
    return (False, member.first) if member.score is None else (True, member.score)


def written(proposal: Proposal) -> tuple[Tokens | None, str, str | None]:
    """A proposal as JSON has it."""
    return proposal.tokens, proposal.source, None if proposal.parent is None else str(proposal.parent)


def neighbours(program: Tokens, space: Space, draw: np.random.Generator) -> list[Tokens]:
    """All sequences that one exchange makes of a program's tokens.

    What comes in with a token, such as a component's hyperparameters, is drawn at random where the old does not do.
    """
    kinds, exchange = [token.kind for token in space.tokens], Exchange(program, space, draw)
    components = [number for number, kind in enumerate(kinds) if kind is Kind.COMPONENT]
    starts = [position for position, number in enumerate(program) if kinds[number] is Kind.COMPONENT]
    ends = [*starts[1:], len(program) - 1]  # the last is `end`
    near = [exchange(1, 2, (number,)) for number in alike(program[1], kinds) if starts[0] > 1]  # the population
    for start, end in zip(starts, ends, strict=True):
        near.append(exchange(start, end, ()))  # a line less
        for position in range(start, end):
            near += [
                exchange(position, end, exchange.line(position, number, program[position + 1 : end]))
                for number in alike(program[position], kinds)
            ]
    for gap in (*starts, len(program) - 1):
        near += [exchange(gap, gap, exchange.line(gap, number, ())) for number in components]  # a line more
    return [tokens for tokens in dict.fromkeys(near) if tokens is not None and tokens != program]


def alike(number: int, kinds: Sequence[Kind]) -> list[int]:
    """The other tokens of the same kind. kinds: of all tokens, by number."""
    return [other for other, kind in enumerate(kinds) if kind is kinds[number] and other != number]


class Exchange:
    """Puts tokens in the place of some of a program's, if the grammar allows it."""

    def __init__(self, program: Tokens, space: Space, draw: np.random.Generator) -> None:
        rules = grammar(space)
        self.program = program
        self.draw = draw
        self.options = rules.options
        self.next: list[list[int]] = rules.next.tolist()
        self.conditions = {number for number, token in enumerate(space.tokens) if token.kind is Kind.CONDITION}
        self.states = [-1, rules.start]
        """After the first tokens of the program, by how many."""
        for number in program[1:]:
            self.states.append(self.next[self.states[-1]][number])

    def __call__(self, start: int, end: int, tokens: Tokens | None) -> Tokens | None:
        """The program with `tokens` from `start` to `end`; None if that is none."""
        if tokens is None or self._state(start, (*tokens, *self.program[end:])) < 0:
            return None
        return (*self.program[:start], *tokens, *self.program[end:])

    def line(self, position: int, number: int, old: Tokens) -> Tokens | None:
        """A token at a position and what follows to the end of its line: of the old tokens those that can, and drawn
        ones. None if the token cannot be there.
        """
        tokens, state = [number], self._state(position, (number,))
        while state >= 0 and tokens[-1] not in self.conditions:
            options = self.options[state]
            kept = next((each for each in old if each in options), None)
            tokens.append(options[int(self.draw.integers(len(options)))] if kept is None else kept)
            state = self.next[state][tokens[-1]]
        return tuple(tokens) if state >= 0 else None

    def _state(self, position: int, tokens: Tokens) -> int:
        """The state after tokens that are put at a position; -1 if they cannot be there."""
        state = self.states[position]
        for number in tokens:
            if state < 0:
                break
            state = self.next[state][number]
        return state


DESIGNER = Declaration("local_search", __doc__, LocalSearchDesigner)
