"""The network that was taught on other tasks: programs in, features out, on which a regression within a task works.

A program is read line by line: the vectors of its words are added up, lines that follow each other are convolved, and
all are pooled. It is taught in `metasmith.teaching`, with torch; here it is numpy, as a few hundred programs take
milliseconds.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from hashlib import blake2b
from pathlib import Path

import numpy as np
from safetensors import SafetensorError, safe_open

from metasmith.arrays import Floats
from metasmith.components import COMPONENTS
from metasmith.designers.contract import Arrays
from metasmith.program import Program

SHIPPED = Path(__file__).parent / "network.safetensors"
LINES = 8
"""Of a program after its population; what comes after them is not seen."""

EPSILON = 1e-5
"""Added to variances before they are divided by."""

SUMMED = 3.0
"""What sums over lines are divided by: as many lines as a program usually has."""


def words(program: Program) -> list[list[str]]:
    """The words of a program, line by line: the population, then of each snippet its component, its hyperparameters
    and where it goes on.
    """
    lines = [[f"population {program.population}"]]
    for snippet in program.snippets[:LINES]:
        settings = zip(COMPONENTS[snippet.component].settings, snippet.amounts, strict=True)
        line = [snippet.component, *(f"{name}={amount}" for name, amount in settings)]
        lines.append([*line, *([snippet.tail, str(snippet.pointer)] if snippet.tail else ["forward"])])
    return lines


@dataclass
class Network:
    """weights: by name. numbers: the row of each word in the table of vectors. features_of: those computed before."""

    weights: Arrays
    numbers: Mapping[str, int]
    features_of: dict[Program, Floats] = field(default_factory=dict)

    def features(self, programs: Sequence[Program]) -> Floats:
        """The features of programs, (programs, features); the last is 1."""
        new = [program for program in dict.fromkeys(programs) if program not in self.features_of]
        if new:
            self.features_of.update(zip(new, self._forward(new), strict=True))
        return np.stack([self.features_of[program] for program in programs])

    def _forward(self, programs: Sequence[Program]) -> Floats:
        weights = self.weights
        lines, there = self._embedded(programs)
        population = lines[:, 0] + weights["bias"]
        x = (lines[:, 1:] + weights["positions"] + population[:, None]) * there
        for block in range(len(weights["convolutions"])):
            before, here, after = weights["convolutions"][block]
            padded = np.pad(x, ((0, 0), (1, 1), (0, 0)))
            y = padded[:, :-2] @ before + padded[:, 1:-1] @ here + padded[:, 2:] @ after + weights["biases"][block]
            y = (y - y.mean(2, keepdims=True)) / np.sqrt(y.var(2, keepdims=True) + EPSILON)
            x = (x + np.maximum(0, y * weights["scales"][block] + weights["shifts"][block])) * there
        pooled = np.concatenate([x.sum(1) / SUMMED, x.max(1), population], axis=1)
        hidden = np.maximum(0, pooled @ weights["hidden"] + weights["hidden_bias"])
        return np.pad(hidden @ weights["out"] + weights["out_bias"], ((0, 0), (0, 1)), constant_values=1.0)

    def _embedded(self, programs: Sequence[Program]) -> tuple[Floats, Floats]:
        """The vectors of lines, (programs, 1 + LINES, width), and 1 where there is one, (programs, LINES, 1)."""
        vectors = np.zeros((len(programs), 1 + LINES, self.weights["words"].shape[1]))
        there = np.zeros((len(programs), LINES, 1))
        for i, program in enumerate(programs):
            for j, line in enumerate(words(program)):
                vectors[i, j] = self._sum(line)
                if j:
                    there[i, j - 1] = 1
        return vectors, there

    def _sum(self, line: Iterable[str]) -> Floats:
        """The vectors of words, added up. A word that was not taught has a random one of its own, so that at least it
        is told from others.
        """
        table = self.weights["words"]
        known = [table[self.numbers[word]] for word in line if word in self.numbers]
        size = float(np.sqrt(np.mean(table**2)))
        return sum((size * untaught(word, table.shape[1]) for word in line if word not in self.numbers), sum(known))


@lru_cache(maxsize=4096)
def untaught(word: str, width: int) -> Floats:
    """The random vector of a word, always the same."""
    seed = int.from_bytes(blake2b(word.encode(), digest_size=8).digest(), "little")
    return np.random.default_rng(seed).standard_normal(width)


@lru_cache(maxsize=2)
def read(path: Path) -> Network:
    """The network of a file. Raises ValueError if there is none that can be read."""
    try:
        with safe_open(path, framework="numpy") as file:
            weights = {name: file.get_tensor(name).astype(np.float64) for name in file.keys()}  # noqa: SIM118
            names = json.loads(file.metadata()["words"])
    except (OSError, SafetensorError, KeyError, TypeError, ValueError) as error:
        raise ValueError(f"the network in '{path}' cannot be read ({error}); install metasmith anew") from None
    return Network(weights, {word: number for number, word in enumerate(names)})
