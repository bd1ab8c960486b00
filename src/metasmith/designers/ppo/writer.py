"""The writer: a network that writes batches of programs and takes a few steps after each (paper III-B and IV-A)."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from metasmith.arrays import Floats, Indices
from metasmith.designers.contract import State
from metasmith.designers.ppo.adam import Adam
from metasmith.designers.ppo.ewc import penalty
from metasmith.designers.ppo.loss import annealed, moving_average, ppo_loss, rank_advantage, raw_advantage
from metasmith.designers.ppo.network import Network, as_arrays, as_tensors
from metasmith.designers.ppo.sampling import padded, score, visited, write
from metasmith.designers.ppo.settings import own_settings
from metasmith.designers.ppo.writer_file import Consolidated, Learned, Shape, WriterFile
from metasmith.designers.training import Training
from metasmith.program import Program, ProgramError, tokens_of
from metasmith.space import Space, grammar


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

    @own_settings()
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
        self.grammar = grammar(space)
        self.tokens = [str(token) for token in space.tokens]
        self.draw = torch.Generator().manual_seed(seed)
        self.batch = 0
        self.baseline: float | None = None
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            shape = Shape(0, 0, factors=0 if factors is None else len(factors)) if memory is None else memory.shape
            sizes = {"tokens": len(space.tokens), "longest": space.most_tokens}
            self.network = Network(replace(shape, **sizes))
        self.factors = None if factors is None else torch.as_tensor(factors, dtype=torch.float32)[None]
        self.held: Consolidated[Tensor] | None = None
        self.replayed: tuple[Indices, Tensor] | None = None
        if memory is not None:
            memory = memory.fitted(self.tokens, self.network.shape, as_arrays(dict(self.network.named_parameters())))
            self.network.load_state_dict(as_tensors(memory.weights))
            if memory.consolidated is not None:
                self.held = Consolidated(*map(as_tensors, memory.consolidated))
            self.replayed = self._replayed(memory.learned)
        self.optimiser = Adam(self.network.named_parameters())

    def write(self, count: int) -> list[Indices]:
        """Programs as token numbers, padded with `end`."""
        with own_settings():
            return list(write(self.network, self.grammar, count, self.draw, factors=self.factors).tokens)

    def infer(self) -> Indices:
        """The program that the writer thinks best: the likeliest token everywhere."""
        with own_settings():
            written = write(self.network, self.grammar, 1, self.draw, greedy=True, factors=self.factors)
        row: Indices = written.tokens[0]
        return row

    def state(self) -> State:
        """All that the next batches depend on."""
        parts = {"network": self.network.state_dict(), "optimiser": self.optimiser.state()}
        tensors = {f"{part}.{name}": value for part, values in parts.items() for name, value in values.items()}
        tensors["draw"] = self.draw.get_state()
        facts = {"batch": self.batch, "baseline": self.baseline, "tokens": self.tokens}
        return State(
            as_arrays(tensors), facts if self.factors is None else {**facts, "factors": self.factors[0].tolist()}
        )

    def restore(self, state: State) -> None:
        """Go on from a state, with the same bits as the writer that was in it.

        Raises ValueError if that wrote other tokens, or was no writer.
        """
        if state.facts.get("tokens") != self.tokens:
            raise ValueError("the design space has changed since the checkpoint was saved")
        tensors = as_tensors(state.arrays)
        for part, restore in (("network.", self.network.load_state_dict), ("optimiser.", self.optimiser.restore)):
            restore({name.removeprefix(part): value for name, value in tensors.items() if name.startswith(part)})
        self.draw.set_state(tensors["draw"])
        self.batch, self.baseline = state.facts["batch"], state.facts["baseline"]

    def learn(self, tokens: Indices, own: Sequence[bool], rewards: Sequence[float], progress: float) -> Lesson:
        """Take the steps of one batch.

        tokens: of the programs, (programs, length), padded with `end`. own: which of them it wrote itself. rewards: one
        per program, larger is better. progress: the share of the evaluations for proposing that was spent before.
        """
        with own_settings():
            advantage = self._advantage(torch.tensor(rewards, dtype=torch.float32))
            # What it did not write itself it learns to write if it is good. Not to write what it never would has no
            # bounds, and ruins it.
            advantage = torch.where(torch.tensor(own), advantage, advantage.clamp(min=0))
            rate = annealed(self.training.rate, progress)
            self.batch += 1
            different, same = np.unique(tokens, axis=0, return_inverse=True)
            states = visited(self.grammar, different)
            log_p_old, loss, uncertainty = None, torch.zeros(()), torch.zeros(())
            for _ in range(self.training.updates):
                log_p, entropy = (
                    each[same] for each in score(self.network, self.grammar, different, self.factors, states)
                )
                log_p_old = log_p.detach() if log_p_old is None else log_p_old  # the network has not moved since
                uncertainty = entropy.mean()
                loss = ppo_loss(log_p, log_p_old, advantage, self.training.clip) - self.training.entropy * uncertainty
                if self.held is not None and self.training.strength:
                    loss = loss + penalty(self.network, self.held, self.training.strength)
                if self.replayed is not None and self.training.replay:
                    loss = loss - self.training.replay * score(self.network, self.grammar, *self.replayed)[0].mean()
                loss.backward()  # type: ignore[no-untyped-call]
                self.optimiser.step(rate)
            return Lesson(float(loss.detach()), float(uncertainty.detach()))

    def _replayed(self, learned: Sequence[Learned]) -> tuple[Indices, Tensor] | None:
        """The designs of earlier tasks that the space can write, as tokens, and what their tasks look like."""
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
