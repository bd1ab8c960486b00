"""What every configurator must keep to, whatever it does inside."""

from collections.abc import Sequence
from hashlib import blake2b

from metasmith.designers import find_designer
from metasmith.designers.contract import Budget, Configurator, Proposal, SpentError, Trial
from metasmith.designers.known import known
from metasmith.designers.training import Training
from metasmith.program import canonical, program_of
from metasmith.representations import KINDS
from metasmith.space import Space

LENGTHS, ORDER = (5, 10, 20), (2, 1, 2, 0, 2, 1, 2)
"""Of three cases, as a design has them."""

RUNS = 40


def check_configurator(name: str, runs: int = RUNS) -> None:
    """Raise AssertionError if the configurator called `name` breaks the contract. runs: that it may do, each time."""
    first, again, other = (Toy(runs) for _ in range(3))
    space = Space.named("full").on("bits")
    finalists = [configured(made(name, space, seed), toy) for seed, toy in ((7, first), (7, again), (8, other))]
    assert first.trials == again.trials, f"{name} wants other trials with the same seed"
    assert finalists[0] == finalists[1], f"{name} has other finalists with the same seed"
    assert first.trials != other.trials, f"{name} wants the same trials with another seed"
    check_trials(name, space, first.trials)
    tried = {trial.proposal.program for trial in first.trials}
    assert {proposal.program for proposal in finalists[0]} <= tried, f"{name} has finalists that it never tried"
    check_other_spaces(name, runs)


def check_trials(name: str, space: Space, trials: Sequence[Trial]) -> None:
    """Trials are of programs of the space in canonical form, or of the library, which the space need not be able to
    write; on cases that there are; some have common seeds.
    """
    library = {proposal for kind in KINDS for proposal in known(space, kind)}
    assert trials, f"{name} tries nothing"
    for proposal, case, seed in trials:
        assert proposal.source == name or proposal in library, f"{name} does not say that it proposed a program"
        if proposal not in library:
            assert proposal.tokens is not None, f"{name} proposes what the space '{space.name}' cannot write"
            written = program_of([space.tokens[number] for number in proposal.tokens], space)
            assert proposal.program == canonical(written), f"{name} proposes another program than its tokens say"
        assert case in ORDER, f"{name} wants a run on case {case}, which is not there"
        assert isinstance(seed, int), f"{name} has the seed {seed!r}, which is no whole number"
    programs = {trial.proposal.program for trial in trials}
    assert 1 < len(programs) < len(trials), f"{name} tries {len(programs)} programs in {len(trials)} trials"


def check_other_spaces(name: str, runs: int) -> None:
    """It works in spaces with other choices, such as a single population."""
    for space in (Space.named("paper").on("bits"), Space.named("full").on("permutations")):
        toy = Toy(runs)
        configured(made(name, space, 0), toy)
        check_trials(name, space, toy.trials)


def made(name: str, space: Space, seed: int) -> Configurator:
    return find_designer(name).make(space, Training(), seed=seed)


def configured(configurator: Configurator, toy: "Toy") -> list[Proposal]:
    """What it ends with; nothing if it was ended."""
    try:
        return configurator.configure(toy, toy.budget)
    except SpentError:
        return []


class Toy:
    """Measures trials: short programs are good, and chance plays a part. It has evaluations for so many runs."""

    def __init__(self, runs: int) -> None:
        self.budget = Budget(runs * sum(LENGTHS[case] for case in ORDER) // len(ORDER), LENGTHS, ORDER)
        self.left = self.budget.evaluations
        self.costs: dict[tuple[object, ...], float] = {}
        self.trials: list[Trial] = []

    def __call__(self, trials: Sequence[Trial]) -> list[float]:
        keys = [(str(trial.proposal.program), trial.case, trial.seed) for trial in trials]
        price = sum(LENGTHS[case] for _, case, _ in set(keys) - set(self.costs))
        if price > self.left:
            raise SpentError
        self.left -= price
        self.trials += trials
        for key, trial in zip(keys, trials, strict=True):
            chance = blake2b(repr(key).encode(), digest_size=2).digest()
            self.costs[key] = -1 / len(trial.proposal.program.snippets) + int.from_bytes(chance) / 2**20
        return [self.costs[key] for key in keys]
