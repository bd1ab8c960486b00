"""A writer file: what a writer has learned, task after task. Arrays as safetensors, the rest as JSON in its header.

Nothing is unpickled, and torch is not needed to read it. Tokens have names, so that a later version, with more
components, can read the file: new tokens start as in a fresh network.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from hashlib import blake2b
from pathlib import Path
from typing import Any, Generic, NamedTuple, Self, TypeVar

import numpy as np
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save

from metasmith import files
from metasmith.designers.contract import Arrays

FORMAT = 2
"""Counts up whenever files change so that other versions cannot read them."""

PER_TOKEN = ("embed.weight", "head.weight", "head.bias")
"""Parameters with a row for every token."""

Numbers = TypeVar("Numbers")


@dataclass(frozen=True)
class Shape:
    """The size of a network. width: d = d' of the paper. factors: numbers in a problem's embedding, 0 for none."""

    tokens: int
    longest: int
    width: int = 32
    heads: int = 8
    blocks: int = 1
    factors: int = 0


class Consolidated(NamedTuple, Generic[Numbers]):
    """What a writer must not forget, by parameter, as arrays or tensors.

    anchor: its value after the last task. fisher: how much it matters, the mean over tasks.
    """

    anchor: dict[str, Numbers]
    fisher: dict[str, Numbers]


class Learned(NamedTuple):
    """A task that was learned. factors: what it looks like to the network. program: its design, with its score."""

    task: str
    factors: list[float]
    program: str
    score: float
    evaluations: int
    seed: int


@dataclass(frozen=True, eq=False)
class WriterFile:
    """What a writer remembers.

    scaling: what turns landscape factors into those of the network. consolidated: None before the first task.
    """

    space: str
    tokens: list[str]
    shape: Shape
    scaling: Mapping[str, Mapping[str, float]]
    weights: Arrays
    consolidated: "Consolidated[np.ndarray[Any, Any]] | None"
    learned: tuple[Learned, ...] = ()

    def fitted(self, tokens: Sequence[str], shape: Shape, start: Arrays) -> Self:
        """The same for a space with other tokens. shape, start: those of a new network for them, and its parameters."""
        if list(tokens) == self.tokens:
            return self
        row = {token: number for number, token in enumerate(self.tokens)}
        new = [number for number, token in enumerate(tokens) if token in row]
        old = [row[tokens[number]] for number in new]

        def moved(values: Arrays, start: Arrays) -> Arrays:
            rows = {name: start[name].copy() for name in PER_TOKEN}
            for name in PER_TOKEN:
                rows[name][new] = values[name][old]
            return values | rows

        nothing = {name: np.zeros_like(value) for name, value in start.items()}  # new tokens matter to no task so far
        held = self.consolidated and Consolidated(
            moved(self.consolidated.anchor, start), moved(self.consolidated.fisher, nothing)
        )
        return replace(self, tokens=list(tokens), shape=shape, weights=moved(self.weights, start), consolidated=held)

    def keeping(self, before: Self) -> Self:
        """The same, and the tokens that only an earlier state had, as they were there.

        A task on bits leaves alone what is for integers only.
        """
        rest = [number for number, token in enumerate(before.tokens) if token not in self.tokens]
        if not rest:
            return self

        def joined(values: Arrays, others: Arrays, share: float = 1.0) -> Arrays:
            single = np.float32(share)
            return values | {name: np.concatenate([values[name], single * others[name][rest]]) for name in PER_TOKEN}

        assert self.consolidated is not None
        assert before.consolidated is not None
        # importance is a mean over tasks, and these tokens mattered to no later one
        share = len(before.learned) / len(self.learned)
        held = Consolidated(
            joined(self.consolidated.anchor, before.consolidated.anchor),
            joined(self.consolidated.fisher, before.consolidated.fisher, share),
        )
        tokens = [*self.tokens, *(before.tokens[number] for number in rest)]
        shape, weights = replace(self.shape, tokens=len(tokens)), joined(self.weights, before.weights)
        return replace(self, tokens=tokens, shape=shape, weights=weights, consolidated=held)

    @property
    def parameters(self) -> int:
        """How many numbers the network has."""
        return sum(value.size for value in self.weights.values())

    @property
    def arrays(self) -> Arrays:
        """All numbers, by name."""
        parts = {"weights": self.weights}
        if self.consolidated is not None:
            parts |= {"anchor": self.consolidated.anchor, "fisher": self.consolidated.fisher}
        return {f"{part}.{name}": value for part, values in parts.items() for name, value in values.items()}

    @property
    def facts(self) -> dict[str, Any]:
        """All else."""
        return {
            "format": FORMAT,
            "space": self.space,
            "tokens": self.tokens,
            "shape": asdict(self.shape),
            "scaling": self.scaling,
            "learned": [task._asdict() for task in self.learned],
        }

    @property
    def digest(self) -> str:
        """What tells one memory from another."""
        return digest(self.arrays, self.facts)

    def save(self, path: Path) -> None:
        """Write the file, whole or not at all."""
        data = save(self.arrays, {"facts": json.dumps(self.facts), "digest": self.digest})
        files.replace(path, ordered(data))

    @classmethod
    def load(cls, path: Path) -> Self:
        """Read a file. Raises ValueError, in one line, if it is none of ours, damaged, or of another version."""
        if path.is_dir():
            raise ValueError(f"'{path}' is a folder, and a writer is a file; choose another name")
        if not path.is_file():
            raise ValueError(f"there is no writer file '{path}'; 'metasmith learn TASK --writer {path}' makes one")
        memory = None
        try:
            with safe_open(path, framework="numpy") as file:
                header = file.metadata() or {}
                arrays = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
            facts = json.loads(header["facts"])
            written = int(facts["format"])
            if written == FORMAT:
                if header["digest"] != digest(arrays, facts):
                    raise ValueError
                memory = cls._made(facts, arrays)
        except (OSError, SafetensorError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
            raise ValueError(f"'{path}' is not a writer file, or is damaged") from None
        if memory is None:
            other = "a later version of metasmith; that one can read it"
            other = other if written > FORMAT else "an earlier version of metasmith; learn its tasks anew"
            raise ValueError(f"'{path}' was written by {other}")
        return memory

    @classmethod
    def _made(cls, facts: dict[str, Any], arrays: Arrays) -> Self:
        parts: dict[str, Arrays] = {}
        for name, value in arrays.items():
            part, _, parameter = name.partition(".")
            parts.setdefault(part, {})[parameter] = value
        return cls(
            space=facts["space"],
            tokens=facts["tokens"],
            shape=Shape(**facts["shape"]),
            scaling=facts["scaling"],
            weights=parts["weights"],
            consolidated=Consolidated(parts["anchor"], parts["fisher"]) if "anchor" in parts else None,
            learned=tuple(Learned(**task) for task in facts["learned"]),
        )


def ordered(data: bytes) -> bytes:
    """Safetensors with the metadata in order, so that the same writer is the same bytes every time."""
    size = int.from_bytes(data[:8], "little")
    header = json.loads(data[8 : 8 + size])
    metadata = dict(sorted(header.pop("__metadata__").items()))
    text = json.dumps({"__metadata__": metadata, **header}, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)  # the arrays begin at a whole word
    return len(text).to_bytes(8, "little") + text + data[8 + size :]


def digest(arrays: Mapping[str, np.ndarray[Any, Any]], facts: Mapping[str, Any]) -> str:
    """A digest of all that is in a file, however it is laid out there."""
    hashed = blake2b(json.dumps(facts).encode(), digest_size=16)
    for name, value in sorted(arrays.items()):
        hashed.update(f"{name} {value.dtype} {list(value.shape)}".encode())
        hashed.update(value.tobytes())
    return hashed.hexdigest()
