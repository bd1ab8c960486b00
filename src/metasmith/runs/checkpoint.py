"""Checkpoints of a designer: arrays in safetensors, the rest in JSON. Nothing is ever unpickled."""

import json
import re
from collections.abc import Iterator
from hashlib import blake2b
from pathlib import Path
from typing import NamedTuple

from safetensors import SafetensorError
from safetensors.numpy import load, save

from metasmith.designers.contract import State
from metasmith.files import replace

KEPT = 2
"""Checkpoints that are kept: the last, and the one before in case the last is damaged."""


class Checkpoint(NamedTuple):
    """A designer's state after so many batches."""

    batch: int
    state: State


class Damaged(NamedTuple):
    """A checkpoint that cannot be used, and why."""

    batch: int
    reason: str


def keep(folder: Path, checkpoint: Checkpoint, spec: str) -> None:
    """Save a checkpoint, then let go of old ones. It counts once its JSON is there, which comes last.

    spec: the checksum of the run's spec.
    """
    name, data = f"checkpoint-{checkpoint.batch}", save(checkpoint.state.arrays)
    facts = json.dumps({"batch": checkpoint.batch, "spec": spec, "facts": checkpoint.state.facts})
    replace(folder / f"{name}.safetensors", data)
    replace(folder / f"{name}.json", json.dumps({"checkpoint": facts, "digest": digest(data, facts)}).encode())
    for batch in batches(folder)[KEPT:]:
        remove(folder, batch)


def remove(folder: Path, batch: int) -> None:
    """Let go of a checkpoint."""
    for ending in ("json", "safetensors"):
        (folder / f"checkpoint-{batch}.{ending}").unlink(missing_ok=True)


def checkpoints(folder: Path, spec: str) -> Iterator[Checkpoint | Damaged]:
    """The checkpoints, the newest first. spec: the checksum of the run's spec."""
    for batch in batches(folder):
        try:
            saved = json.loads((folder / f"checkpoint-{batch}.json").read_bytes())
            data = (folder / f"checkpoint-{batch}.safetensors").read_bytes()
            about = json.loads(saved["checkpoint"])
            if saved["digest"] != digest(data, saved["checkpoint"]) or about["batch"] != batch:
                raise ValueError("it is not what was saved")
            if about["spec"] != spec:
                raise ValueError("it is of another run")
            yield Checkpoint(batch, State(load(data), about["facts"]))
        except (OSError, ValueError, KeyError, AttributeError, TypeError, RecursionError, SafetensorError) as error:
            yield Damaged(batch, str(error))


def batches(folder: Path) -> list[int]:
    """The batches after which there are checkpoints, the last first."""
    names = (re.fullmatch(r"checkpoint-(\d+)\.json", path.name) for path in folder.iterdir())
    return sorted((int(name[1]) for name in names if name), reverse=True)


def digest(data: bytes, facts: str) -> str:
    return blake2b(data + facts.encode(), digest_size=16).hexdigest()
