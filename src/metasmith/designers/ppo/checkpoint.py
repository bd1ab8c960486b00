"""Checkpoints of a writer: tensors in safetensors, the rest in JSON. Nothing is ever unpickled."""

import json
import re
from collections.abc import Iterator
from hashlib import blake2b
from pathlib import Path
from typing import Any, NamedTuple

from safetensors import SafetensorError
from safetensors.torch import load, save
from torch import Tensor

from metasmith.files import replace

KEPT = 2
"""Checkpoints: the last, and the one before in case the last is damaged."""


class Checkpoint(NamedTuple):
    """A writer's state, as `Writer.state` gives it."""

    tensors: dict[str, Tensor]
    facts: dict[str, Any]


def keep(folder: Path, checkpoint: Checkpoint) -> None:
    """Save a checkpoint, then let go of old ones. It counts once its JSON is there, which comes last."""
    name = f"checkpoint-{checkpoint.facts['epoch']}"
    data = save(checkpoint.tensors)
    replace(folder / f"{name}.safetensors", data)
    replace(
        folder / f"{name}.json", json.dumps({**checkpoint.facts, "digest": digest(data, checkpoint.facts)}).encode()
    )
    for epoch in epochs(folder)[KEPT:]:
        remove(folder, epoch)


def remove(folder: Path, epoch: int) -> None:
    """Let go of a checkpoint."""
    for ending in ("json", "safetensors"):
        (folder / f"checkpoint-{epoch}.{ending}").unlink(missing_ok=True)


class Damaged(NamedTuple):
    """A checkpoint that cannot be used, and why."""

    epoch: int
    reason: str


def checkpoints(folder: Path) -> Iterator[Checkpoint | Damaged]:
    """The checkpoints, the newest first."""
    for epoch in epochs(folder):
        try:
            facts = json.loads((folder / f"checkpoint-{epoch}.json").read_bytes())
            data = (folder / f"checkpoint-{epoch}.safetensors").read_bytes()
            if facts.pop("digest") != digest(data, facts) or facts["epoch"] != epoch:
                raise ValueError("it is not what was saved")
            yield Checkpoint(load(data), facts)
        except (OSError, ValueError, KeyError, AttributeError, TypeError, SafetensorError) as error:
            yield Damaged(epoch, str(error))


def epochs(folder: Path) -> list[int]:
    """The epochs of the checkpoints, the last first."""
    found = (re.fullmatch(r"checkpoint-(\d+)\.json", path.name) for path in folder.iterdir())
    return sorted((int(match[1]) for match in found if match), reverse=True)


def digest(data: bytes, facts: dict[str, Any]) -> str:
    return blake2b(data + json.dumps(facts).encode(), digest_size=16).hexdigest()
