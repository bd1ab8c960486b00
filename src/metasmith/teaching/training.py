"""Training the network, with torch: what it says of the next programs of an archive, after those before, should hold.

The loss is that of the regression which the designer uses, on programs that it has not seen yet: the network learns
features and a prior from which few programs of a new task suffice.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional as f

from metasmith.arrays import Indices
from metasmith.designers.contract import Arrays, Member, Proposal
from metasmith.designers.guided.network import EPSILON, LINES, SUMMED, words
from metasmith.designers.guided.regression import values
from metasmith.program import Program

WIDTH, FEATURES, BLOCKS = 64, 48, 2
MOST_WORDS = 8
"""Of a line: a component, its hyperparameters, and where it goes on."""

NONE, RARE = 0, 1
"""Numbers of words: where there is none, and of words that are left out at random."""

FORGOTTEN = 0.02
"""How often a word is left out, so that no prediction hangs on one."""

STEPS, TASKS, RATE, DECAY = 3000, 6, 2e-3, 1e-2
AHEAD = 4
"""Batches of an archive that are predicted from those before."""

Parameters = Mapping[str, Tensor]


@dataclass(frozen=True)
class Lesson:
    """An archive as numbers. words: (programs, 1 + LINES, MOST_WORDS). batches, sources: one a program."""

    family: str
    words: Tensor
    batches: Indices
    sources: tuple[str, ...]
    members: tuple[Member, ...]

    def values(self, which: Indices) -> tuple[Tensor, Tensor]:
        """What some of the programs are worth among each other, and whether each reached the last rung."""
        worth, finished = values([self.members[k] for k in which])
        return torch.from_numpy(worth), torch.from_numpy(finished)


def vocabulary(archives: Sequence[Mapping[str, Any]]) -> list[str]:
    """All words of the archives; the first two are no words."""
    texts = {text for each in archives for text in each["programs"]}
    return ["", "?", *sorted({word for text in texts for line in words(Program.parse(text)) for word in line})]


def lesson(archive: Mapping[str, Any], numbers: Mapping[str, int]) -> Lesson:
    """An archive as numbers of words."""
    programs = [Program.parse(text) for text in archive["programs"]]
    table = np.full((len(programs), 1 + LINES, MOST_WORDS), NONE)
    for i, program in enumerate(programs):
        for j, line in enumerate(words(program)):
            table[i, j, : len(line)] = [numbers.get(word, RARE) for word in line]
    rows = zip(programs, archive["sources"], archive["first"], archive["scores"], strict=True)
    members = tuple(Member(Proposal(program, None, source), first, score) for program, source, first, score in rows)
    batches = np.array(archive["batches"])
    return Lesson(archive["family"], torch.from_numpy(table), batches, tuple(archive["sources"]), members)


def fresh(count: int, seed: int) -> dict[str, Tensor]:
    """The parameters of a network that knows nothing. count: how many words it has."""
    draw = torch.Generator().manual_seed(seed)

    def normal(*shape: int, size: float) -> Tensor:
        return size * torch.randn(*shape, generator=draw)

    return {
        "words": normal(count, WIDTH, size=1.0), "bias": torch.zeros(WIDTH),
        "positions": normal(LINES, WIDTH, size=0.1),
        "convolutions": normal(BLOCKS, 3, WIDTH, WIDTH, size=(3 * WIDTH) ** -0.5), "biases": torch.zeros(BLOCKS, WIDTH),
        "scales": torch.ones(BLOCKS, WIDTH), "shifts": torch.zeros(BLOCKS, WIDTH),
        "hidden": normal(3 * WIDTH, 2 * WIDTH, size=(3 * WIDTH) ** -0.5), "hidden_bias": torch.zeros(2 * WIDTH),
        "out": normal(2 * WIDTH, FEATURES, size=(2 * WIDTH) ** -0.5), "out_bias": torch.zeros(FEATURES),
        "mean": torch.zeros(FEATURES + 1), "log_variance": torch.zeros(FEATURES + 1),
        "log_noise": torch.tensor([-1.0, -1.6]),
    }  # fmt: skip


def features(parameters: Parameters, numbers: Tensor) -> Tensor:
    """The features of programs by the numbers of their words; the same as `guided.network` computes."""
    flat = f.embedding_bag(numbers.flatten(0, 1), parameters["words"], mode="sum", padding_idx=NONE)
    lines = flat.view(*numbers.shape[:2], -1)
    there = (numbers[:, 1:, :1] != NONE).float()
    population = lines[:, 0] + parameters["bias"]
    x = (lines[:, 1:] + parameters["positions"] + population.unsqueeze(1)) * there
    blocks = zip(*(parameters[name] for name in ("convolutions", "biases", "scales", "shifts")), strict=True)
    for kernels, bias, scale, shift in blocks:
        padded = f.pad(x, (0, 0, 1, 1))
        y = padded[:, :-2] @ kernels[0] + padded[:, 1:-1] @ kernels[1] + padded[:, 2:] @ kernels[2] + bias
        x = (x + f.relu(f.layer_norm(y, y.shape[2:], scale, shift, EPSILON))) * there
    pooled = torch.cat([x.sum(1) / SUMMED, x.amax(1), population], dim=1)
    hidden = f.relu(pooled @ parameters["hidden"] + parameters["hidden_bias"])
    return f.pad(hidden @ parameters["out"] + parameters["out_bias"], (0, 1), value=1.0)


def loss_of(parameters: Parameters, lesson: Lesson, batches: int, draw: torch.Generator) -> Tensor:
    """Minus the logarithm of the likelihood of the batches that follow the first so many, a program."""
    before = np.flatnonzero(lesson.batches <= batches)
    after = np.flatnonzero((lesson.batches > batches) & (lesson.batches <= batches + AHEAD))
    both = np.concatenate([before, after])
    numbers = lesson.words[both]
    forgotten = (torch.rand(numbers.shape, generator=draw) < FORGOTTEN) & (numbers != NONE)
    x = features(parameters, torch.where(forgotten, RARE, numbers)).double()
    worth, finished = lesson.values(both)
    noise = parameters["log_noise"].double().exp()[finished.long()]
    seen = len(before)
    precision = torch.exp(-parameters["log_variance"].double())
    weighted = x[:seen] / noise[:seen, None]
    root = torch.linalg.cholesky(torch.diag(precision) + weighted.T @ x[:seen])
    right = precision * parameters["mean"].double() + weighted.T @ worth[:seen]
    mean = torch.cholesky_solve(right.unsqueeze(1), root).squeeze(1)
    spread = torch.linalg.solve_triangular(root, x[seen:].T, upper=False).square().sum(0) + noise[seen:]
    return 0.5 * ((worth[seen:] - x[seen:] @ mean).square() / spread + spread.log()).mean()


def trained(
    lessons: Sequence[Lesson],
    count: int,
    *,
    seed: int = 0,
    steps: int = STEPS,
    on_step: Callable[[], None] = lambda: None,
) -> Arrays:
    """The weights of a network that learned from some lessons. count: how many words there are."""
    parameters = {name: value.requires_grad_() for name, value in fresh(count, seed).items()}
    rng, draw = np.random.default_rng(seed), torch.Generator().manual_seed(seed)
    optimiser = torch.optim.AdamW(parameters.values(), lr=RATE, weight_decay=DECAY)
    for step in range(steps):
        for group in optimiser.param_groups:
            group["lr"] = RATE * (1 - step / steps)
        optimiser.zero_grad()
        for k in rng.integers(len(lessons), size=TASKS):
            last = int(lessons[k].batches.max())
            batches = int(np.exp(rng.uniform(0, np.log(last)))) - 1  # small archives as often as large ones
            (loss_of(parameters, lessons[k], batches, draw) / TASKS).backward()  # type: ignore[no-untyped-call]
        torch.nn.utils.clip_grad_norm_(parameters.values(), 1.0)
        optimiser.step()
        on_step()
    return {name: value.detach().numpy() for name, value in parameters.items()}
