"""Damage at random: a file of a run, of a writer or of data is refused in one line, or gives what it would have given.

Every damage is followed by what a user would do, on a design so small that this takes a moment.
"""

import json
import random
import shutil
from collections.abc import Callable, Iterator
from dataclasses import astuple
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import pytest
from design_helpers import SMALL, dying, kept, spend_for, tiny

import metasmith as ms
from metasmith.api import find_task
from metasmith.designers.ppo.writer_file import WriterFile
from metasmith.designers.training import Training
from metasmith.measuring import Measuring, Race
from metasmith.problems.beamforming.channels import Channels
from metasmith.problems.beamforming.propagation import channels
from metasmith.problems.beamforming.reading import read
from metasmith.runs.checkpoint import batches

pytestmark = pytest.mark.slow
DAMAGES = 300

T = TypeVar("T")
Damage = Callable[[bytes, random.Random], bytes]


@pytest.fixture(autouse=True)
def no_waiting_for_the_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.fsync", lambda descriptor: None)


def flipped(data: bytes, draw: random.Random) -> bytes:
    position = draw.randrange(len(data))
    return data[:position] + bytes([data[position] ^ 1 << draw.randrange(8)]) + data[position + 1 :]


def other_byte(data: bytes, draw: random.Random) -> bytes:
    position = draw.randrange(len(data))
    return data[:position] + bytes([draw.randrange(256)]) + data[position + 1 :]


def other_digit(data: bytes, draw: random.Random) -> bytes:
    digits = [position for position, byte in enumerate(data) if byte in b"0123456789"]
    position = draw.choice(digits or [0])
    return data[:position] + draw.choice("0123456789").encode() + data[position + 1 :]


def cut(data: bytes, draw: random.Random) -> bytes:
    return data[: draw.randrange(len(data))]


def part_lost(data: bytes, draw: random.Random) -> bytes:
    begin, end = sorted(draw.randrange(len(data)) for _ in range(2))
    return data[:begin] + data[end:]


def part_zero(data: bytes, draw: random.Random) -> bytes:
    """As after a power cut."""
    begin = draw.randrange(len(data))
    return data[:begin] + bytes(len(data) - begin)


def longer(data: bytes, draw: random.Random) -> bytes:
    return data + draw.choice([b"\n", b"{}\n", b"\0" * 9, data[-draw.randrange(1, len(data)) :]])


def lines_moved(data: bytes, draw: random.Random) -> bytes:
    """A line doubled, lost, or exchanged with another."""
    lines = data.splitlines(keepends=True)
    one, other = (draw.randrange(len(lines)) for _ in range(2))
    match draw.randrange(3):
        case 0:
            lines.insert(other, lines[one])
        case 1:
            del lines[one]
        case 2:
            lines[one], lines[other] = lines[other], lines[one]
    return b"".join(lines)


ALL: tuple[Damage, ...] = (flipped, other_byte, other_digit, cut, part_lost, part_zero, longer, lines_moved)


def damaged(data: bytes, seed: str) -> Iterator[bytes]:
    """So many damages of some bytes, the same every time."""
    draw = random.Random(seed)
    for number in range(DAMAGES):
        while (changed := ALL[number % len(ALL)](data, draw)) == data:
            pass
        yield changed


def task() -> ms.Task:
    return ms.Task("fuzzed", (ms.problem("pbo:F1@10"), ms.problem("pbo:F2@12")), (ms.problem("pbo:F2@12"),), 40)


def made(path: Path, designer: str, step: int | None) -> Path:
    """A run of two batches and two rounds, to its end or until it died after a step."""
    settings = {
        "training": Training(batch=3, mutants=1, immigrants=0, updates=1, known=False),
        "measuring": Measuring(keep=0.5, runs=1, again=1),
        "race": Race(finalists=2, samples=1, rounds=(1, 1)),
    }
    spend = spend_for(find_task(task()), 2, False, settings)
    options = {"tell": dying(step)} if step is not None else {}
    try:
        ms.design(task(), designer=designer, spend=spend, out=path, **settings, **options)
    except Exception:
        assert step is not None
    return path


def tried(action: Callable[[], T]) -> tuple[T | None, str]:
    """What comes of something that may be refused, and the one line that says why."""
    try:
        return action(), ""
    except ValueError as error:
        refusal = str(error)
    assert refusal
    assert "\n" not in refusal
    return None, refusal


class Runs:
    """A run that died, and what it would have ended with."""

    def __init__(self, home: Path, designer: str) -> None:
        self.whole = results(made(home / "whole", designer, None))
        self.stopped = made(home / "stopped", designer, 3)
        self.copy = home / "copy"

    def damaged(self, name: str) -> Iterator[None]:
        """Copies of the run in which one file is damaged."""
        for data in damaged((self.stopped / name).read_bytes(), name):
            shutil.rmtree(self.copy, ignore_errors=True)
            shutil.copytree(self.stopped, self.copy)
            (self.copy / name).write_bytes(data)
            yield

    def resumed(self) -> bool:
        """Whether the copy goes on. If so it ends as it would have, else the reason is one line and nothing changes."""
        before, warnings = contents(self.copy), list[str]()
        _, refusal = tried(lambda: ms.resume(self.copy, task(), warn=warnings.append))
        if refusal:
            assert str(self.copy) in refusal
            assert contents(self.copy) == before
            return False
        assert results(self.copy) == self.whole
        assert not any("\n" in warning for warning in warnings)
        return True


def results(path: Path) -> dict[str, Any]:
    """What a run ends with; JSON of the last checkpoint may end with another space."""
    everything = kept(path)
    return {**everything, "json": json.loads(everything["json"])}


def contents(path: Path) -> dict[str, bytes]:
    return {file.name: file.read_bytes() for file in path.iterdir()}


@pytest.fixture(scope="module")
def without_network(tmp_path_factory: pytest.TempPathFactory) -> Runs:
    return Runs(tmp_path_factory.mktemp("random"), "random")


@pytest.fixture(scope="module")
def with_network(tmp_path_factory: pytest.TempPathFactory) -> Runs:
    return Runs(tmp_path_factory.mktemp("ppo"), "ppo")


def test_a_history(without_network):
    assert all(without_network.resumed() for _ in without_network.damaged("history.jsonl"))


def test_a_spec(without_network):
    went_on = [without_network.resumed() for _ in without_network.damaged("design.toml")]
    assert sum(went_on) < DAMAGES / 10  # those in the words of the first line


@pytest.mark.parametrize("ending", ["json", "safetensors"])
def test_a_checkpoint(ending, with_network):
    newest = f"checkpoint-{batches(with_network.stopped)[0]}.{ending}"
    assert all(with_network.resumed() for _ in with_network.damaged(newest))


def test_a_writer(tmp_path):
    file = tmp_path / "writer"
    ms.learn([tiny()], file, spend=spend_for(tiny(), 1, True, SMALL), **SMALL)
    data, digest = file.read_bytes(), WriterFile.load(file).digest
    refused = 0
    for changed in damaged(data, "writer"):
        file.write_bytes(changed)
        writer, refusal = tried(lambda: WriterFile.load(file))
        assert writer.digest == digest if writer else refusal.startswith(f"'{file}' ")
        refused += writer is None
    assert refused > 0.9 * DAMAGES


def numbers(air: Channels) -> list[Any]:
    return [np.asarray(part).tolist() for part in astuple(air)]


@pytest.mark.parametrize("save", [np.savez, np.savez_compressed])
def test_channels(save, tmp_path):
    file, names = tmp_path / "mine.npz", ("G", "Hd", "Hr", "b", "P_T", "omega")
    save(file, **dict(zip(names, astuple(channels(8, 1)), strict=True)))
    whole, refused = numbers(read(file)), 0
    for changed in damaged(file.read_bytes(), save.__name__):
        file.write_bytes(changed)
        air, refusal = tried(lambda: read(file))
        assert numbers(air) == whole if air else refusal.startswith(f"channels of '{file}': ")
        refused += air is None
    assert refused > DAMAGES / 2
