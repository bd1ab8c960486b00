"""What a writer has learned, task after task, in one file: tensors as safetensors, the rest as JSON in its header.

Nothing is unpickled.

Tokens are known by name, so that a later version, with more components, can read the file: new tokens start as in a
fresh network.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from hashlib import blake2b
from pathlib import Path
from typing import Any, NamedTuple, Self

from safetensors import SafetensorError, safe_open
from safetensors.torch import save
from torch import Tensor, cat

from metasmith import files
from metasmith.designers.ppo.ewc import Consolidated
from metasmith.designers.ppo.network import Network, Shape

FORMAT = 1
"""Counts up whenever files change so that earlier versions cannot read them."""

PER_TOKEN = ("embed.weight", "head.weight", "head.bias")
"""Parameters with a row for every token."""


class Learned(NamedTuple):
    """A task that was learned. factors: what it looks like to the network. program: its design, and its score in the
    final race.
    """

    task: str
    factors: list[float]
    program: str
    score: float
    evaluations: int
    seed: int


@dataclass(frozen=True, eq=False)
class WriterFile:
    """What a writer knows. scaling: what turns landscape factors into those of the network. known:

    None before the first task.
    """

    space: str
    tokens: list[str]
    shape: Shape
    scaling: Mapping[str, Mapping[str, float]]
    weights: dict[str, Tensor]
    known: Consolidated | None
    learned: tuple[Learned, ...] = ()

    def fitted(self, tokens: Sequence[str], fresh: Network) -> Self:
        """The same for a space with other tokens. fresh: a new network for them."""
        if list(tokens) == self.tokens:
            return self
        row = {token: number for number, token in enumerate(self.tokens)}
        new = [number for number, token in enumerate(tokens) if token in row]
        old = [row[tokens[number]] for number in new]

        def moved(values: dict[str, Tensor], start: dict[str, Tensor]) -> dict[str, Tensor]:
            found = dict(values)
            for name in PER_TOKEN:
                found[name] = start[name].clone()
                found[name][new] = values[name][old]
            return found

        start = {name: value.detach() for name, value in fresh.named_parameters()}
        nothing = {name: value * 0 for name, value in start.items()}  # a new token matters to no task so far
        known = self.known and Consolidated(moved(self.known.anchor, start), moved(self.known.fisher, nothing))
        return replace(self, tokens=list(tokens), shape=fresh.shape, weights=moved(self.weights, start), known=known)

    def keeping(self, before: Self) -> Self:
        """The same, and tokens that only an earlier state had: a task on bits leaves as it was what is for integers
        only.
        """
        rest = [number for number, token in enumerate(before.tokens) if token not in self.tokens]
        if not rest:
            return self

        def joined(values: dict[str, Tensor], others: dict[str, Tensor], share: float = 1.0) -> dict[str, Tensor]:
            return values | {name: cat([values[name], share * others[name][rest]]) for name in PER_TOKEN}

        assert self.known is not None
        assert before.known is not None
        share = len(before.learned) / len(
            self.learned
        )  # importance is a mean over tasks, and these tokens mattered to no later one
        known = Consolidated(
            joined(self.known.anchor, before.known.anchor), joined(self.known.fisher, before.known.fisher, share)
        )
        tokens = [*self.tokens, *(before.tokens[number] for number in rest)]
        shape, weights = replace(self.shape, tokens=len(tokens)), joined(self.weights, before.weights)
        return replace(self, tokens=tokens, shape=shape, weights=weights, known=known)

    @property
    def tensors(self) -> dict[str, Tensor]:
        """All numbers, by name."""
        parts = {"weights": self.weights}
        if self.known is not None:
            parts |= {"anchor": self.known.anchor, "fisher": self.known.fisher}
        return {
            f"{part}.{name}": value.contiguous() for part, values in parts.items() for name, value in values.items()
        }

    @property
    def facts(self) -> dict[str, Any]:
        """All else."""
        return {
            "format": FORMAT, "space": self.space, "tokens": self.tokens, "shape": asdict(self.shape), "scaling": self.scaling,
            "learned": [task._asdict() for task in self.learned],
        }  # fmt: skip

    @property
    def digest(self) -> str:
        """What tells one memory from another."""
        return digest(self.tensors, self.facts)

    def save(self, path: Path) -> None:
        """Write the file, whole or not at all."""
        files.replace(path, save(self.tensors, {"facts": json.dumps(self.facts), "digest": self.digest}))

    @classmethod
    def load(cls, path: Path) -> Self:
        """Read a file. Raises ValueError, in one line, if it is none of ours, damaged, or of a later version."""
        if path.is_dir():
            raise ValueError(f"'{path}' is a folder, and a writer is a file; choose another name")
        if not path.is_file():
            raise ValueError(f"there is no writer file '{path}'; 'metasmith learn TASK --writer {path}' makes one")
        try:
            with safe_open(path, framework="pt") as file:
                header = file.metadata() or {}
                tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
            facts = json.loads(header["facts"])
            later = facts["format"] > FORMAT
            if not later and header["digest"] != digest(tensors, facts):
                raise ValueError
            found = None if later else cls._made(facts, tensors)
        except (OSError, SafetensorError, ValueError, KeyError, TypeError, AttributeError):
            raise ValueError(f"'{path}' is not a writer file, or is damaged") from None
        if found is None:
            raise ValueError(f"'{path}' was written by a later version of metasmith; that one can read it")
        return found

    @classmethod
    def _made(cls, facts: dict[str, Any], tensors: dict[str, Tensor]) -> Self:
        parts: dict[str, dict[str, Tensor]] = {}
        for name, value in tensors.items():
            part, _, parameter = name.partition(".")
            parts.setdefault(part, {})[parameter] = value
        return cls(
            space=facts["space"],
            tokens=facts["tokens"],
            shape=Shape(**facts["shape"]),
            scaling=facts["scaling"],
            weights=parts["weights"],
            known=Consolidated(parts["anchor"], parts["fisher"]) if "anchor" in parts else None,
            learned=tuple(Learned(**task) for task in facts["learned"]),
        )


def digest(tensors: Mapping[str, Tensor], facts: Mapping[str, Any]) -> str:
    """Of all that is in a file, however it is laid out there."""
    hashed = blake2b(json.dumps(facts).encode(), digest_size=16)
    for name, value in sorted(tensors.items()):
        hashed.update(f"{name} {value.dtype} {list(value.shape)}".encode())
        hashed.update(value.contiguous().numpy().tobytes())
    return hashed.hexdigest()
