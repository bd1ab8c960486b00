"""Training a writer: write a batch of programs, be told how they did, take a few steps, again (paper III-B and IV-A)."""

from collections.abc import Callable, Hashable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor

from metasmith.arrays import Floats, Indices
from metasmith.designers.mutation import variation
from metasmith.designers.ppo.adam import Adam
from metasmith.designers.ppo.ewc import Consolidated, penalty
from metasmith.designers.ppo.loss import annealed, moving_average, ppo_loss, rank_advantage, raw_advantage
from metasmith.designers.ppo.network import Network, Shape
from metasmith.designers.ppo.sampling import Written, padded, score, visited, write
from metasmith.designers.ppo.training import Training
from metasmith.designers.ppo.writer_file import Learned, WriterFile
from metasmith.program import Program, ProgramError, tokens_of
from metasmith.space import Space, grammar, sample

TOKENS_PER_COMPONENT = 5
"""The longest snippet: a component, a setting, a pointer, a target, a condition."""


class Lesson(NamedTuple):
    """What came of a batch: the loss of the last update, and the mean entropy of the choices before it."""

    loss: float
    entropy: float


class Writer:
    """A network that writes programs of a space and learns from their rewards.

    The same seed and rewards, the same bits.

    factors: what the problem looks like, for a network that has a token for it. memory: what earlier tasks taught, to
    begin with and not to forget.
    """

    def __init__(
        self,
        space: Space,
        training: Training,
        *,
        seed: int,
        factors: Floats | None = None,
        memory: WriterFile | None = None,
    ) -> None:
        self.space = space
        self.training = training
        self.seed = seed
        self.grammar = grammar(space)
        self.tokens = [str(token) for token in space.tokens]
        self.draw = torch.Generator().manual_seed(seed)
        self.epoch = 0
        self.baseline: float | None = None
        with one_thread(), torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            shape = Shape(0, 0, factors=0 if factors is None else len(factors)) if memory is None else memory.shape
            length = 3 + TOKENS_PER_COMPONENT * space.longest
            self.network = Network(replace(shape, tokens=len(space.tokens), longest=length))
        self.factors: Tensor | None = None
        if factors is not None:
            self.see(factors)
        self.known: Consolidated | None = None
        self.replayed: tuple[Indices, Tensor] | None = None
        if memory is not None:
            memory = memory.fitted(self.tokens, self.network)
            self.network.load_state_dict(memory.weights)
            self.known = memory.known
            self.replayed = self._replayed(memory.learned)
        self.optimiser = Adam(self.network.named_parameters())

    def see(self, factors: Floats) -> None:
        """What the problem looks like, if it was not known at first."""
        self.factors = torch.as_tensor(factors, dtype=torch.float32)[None]

    def write(
        self, best: Sequence[list[int]] = (), meaning: Callable[[Indices], Hashable] = lambda row: row.tobytes()
    ) -> Written:
        """A batch of programs. best: good ones so far, as token numbers.

        Beside what the network writes, some are drawn at random, and some are variations of the best: the more, the
        more often it writes what means the same as another in the batch, so that always as many different programs are
        tried.
        """
        others = self.training.varied + self.training.drawn
        count = min(others, self.training.batch // 2) if best else 0
        with one_thread():
            written = write(self.network, self.grammar, self.training.batch - count, self.draw, factors=self.factors)
            if not count:
                return written
            draw = np.random.default_rng((self.seed, self.epoch))
            drawn = [sample(self.space, draw) for _ in range(count * self.training.drawn // others)]
            different = len({meaning(row) for row in written.tokens}) + len(drawn)
            varied = [variation(best, self.space, draw) for _ in range(self.training.batch - different)]
            tokens = padded([*written.tokens.tolist(), *drawn, *varied], self.grammar.end)
            with torch.no_grad():  # as likely as the network finds them: where it starts to learn from
                return Written(tokens, score(self.network, self.grammar, tokens, self.factors)[0], written.own)

    def infer(self) -> Indices:
        """The program that the writer thinks best: the likeliest token everywhere."""
        with one_thread():
            tokens: Indices = write(self.network, self.grammar, 1, self.draw, greedy=True, factors=self.factors).tokens[
                0
            ]
            return tokens

    def final(self, samples: int) -> list[Indices]:
        """The last programs: the one that the writer thinks best, and samples."""
        with one_thread():
            sampled = (
                list(write(self.network, self.grammar, samples, self.draw, factors=self.factors).tokens)
                if samples
                else []
            )
        return [self.infer(), *sampled]

    def state(self) -> tuple[dict[str, Tensor], dict[str, Any]]:
        """All that the next epochs depend on: tensors by name, and facts."""
        parts = {"network": self.network.state_dict(), "optimiser": self.optimiser.state()}
        tensors = {f"{part}.{name}": value for part, values in parts.items() for name, value in values.items()}
        tensors["draw"] = self.draw.get_state()
        facts = {"epoch": self.epoch, "baseline": self.baseline, "tokens": self.tokens}
        return tensors, facts if self.factors is None else {**facts, "factors": self.factors[0].tolist()}

    def restore(self, tensors: dict[str, Tensor], facts: dict[str, Any]) -> None:
        """Go on from a state, with the same bits as the writer that was in it.

        Raises ValueError if that wrote other tokens.
        """
        if facts["tokens"] != self.tokens:
            raise ValueError("the design space has changed since the checkpoint was saved")
        for part, restore in (("network.", self.network.load_state_dict), ("optimiser.", self.optimiser.restore)):
            restore({name.removeprefix(part): value for name, value in tensors.items() if name.startswith(part)})
        self.draw.set_state(tensors["draw"])
        self.epoch, self.baseline = facts["epoch"], facts["baseline"]

    def learn(self, written: Written, rewards: Sequence[float]) -> Lesson:
        """Take the steps of one epoch. rewards: one per program written, larger is better."""
        with one_thread():
            advantage = self._advantage(torch.tensor(rewards, dtype=torch.float32))
            # What it did not write itself it learns to write if it is good. Not to write what it never would has no
            # bounds, and ruins it.
            advantage[written.own :].clamp_(min=0)
            rate = annealed(self.training.rate, self.epoch, self.training.epochs)
            self.epoch += 1
            different, same = np.unique(written.tokens, axis=0, return_inverse=True)
            states = visited(self.grammar, different)
            loss, uncertainty = torch.zeros(()), torch.zeros(())
            for _ in range(self.training.updates):
                log_p, entropy = (
                    each[same] for each in score(self.network, self.grammar, different, self.factors, states)
                )
                uncertainty = entropy.mean()
                loss = (
                    ppo_loss(log_p, written.log_p, advantage, self.training.clip) - self.training.entropy * uncertainty
                )
                if self.known is not None and self.training.strength:
                    loss = loss + penalty(self.network, self.known, self.training.strength)
                if self.replayed is not None and self.training.replay:
                    loss = loss - self.training.replay * score(self.network, self.grammar, *self.replayed)[0].mean()
                loss.backward()  # type: ignore[no-untyped-call]
                self.optimiser.step(rate)
            return Lesson(float(loss.detach()), float(uncertainty.detach()))

    def _replayed(self, learned: Sequence[Learned]) -> tuple[Indices, Tensor] | None:
        """The designs of earlier tasks, as tokens, and what their tasks look like; without those that the space cannot
        write.
        """
        rows, factors = [], []
        for task in learned:
            with suppress(ProgramError):
                rows.append([self.space.number[token] for token in tokens_of(Program.parse(task.program), self.space)])
                factors.append(task.factors)
        return (padded(rows, self.grammar.end), torch.tensor(factors, dtype=torch.float32)) if rows else None

    def _advantage(self, rewards: Tensor) -> Tensor:
        if self.training.advantage == "rank":
            return rank_advantage(rewards)
        self.baseline = moving_average(self.baseline, rewards, self.training.average)
        return raw_advantage(rewards, self.baseline)


@contextmanager
def one_thread() -> Iterator[None]:
    """Networks this small are fastest on one thread, and the same bits everywhere."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)
