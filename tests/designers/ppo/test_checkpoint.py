"""Checkpoints come back to the bit, or say what is wrong with them."""

import json
import pickle
from pathlib import Path

import pytest
import torch

from metasmith.designers.ppo.checkpoint import Checkpoint, Damaged, checkpoints, digest, epochs, keep
from metasmith.designers.ppo.training import Training
from metasmith.designers.ppo.writer import Writer
from metasmith.designers.random import RandomDesigner
from metasmith.space import Space

FULL = Space.named("full")
TRAINING = Training(epochs=4, batch=6, advantage="raw")


def learn(writer: Writer | RandomDesigner, count: int) -> list[list[list[int]]]:
    """What a writer writes in some epochs, rewarded for short programs."""
    found = []
    for _ in range(count):
        written = writer.write()
        found.append(written.tokens.tolist())
        writer.learn(written, [float((row == row[-1]).sum()) for row in written.tokens])
    return found


def taught(count: int, seed: int = 3) -> Writer:
    writer = Writer(FULL, TRAINING, seed=seed)
    learn(writer, count)
    return writer


def saved(writer: Writer | RandomDesigner, folder: Path) -> Checkpoint:
    keep(folder, Checkpoint(*writer.state()))
    found = next(checkpoints(folder))
    assert isinstance(found, Checkpoint)
    return found


@pytest.mark.parametrize("count", [0, 1, 2])
def test_a_writer_that_comes_back_goes_on_to_the_bit(count, tmp_path):
    stayed = taught(count)
    came = Writer(FULL, TRAINING, seed=99)
    came.restore(*saved(stayed, tmp_path))
    assert learn(came, 2) == learn(stayed, 2)
    mine, theirs = (writer.state() for writer in (stayed, came))
    assert mine[1] == theirs[1]
    assert mine[0].keys() == theirs[0].keys()
    assert all(torch.equal(mine[0][name], theirs[0][name]) for name in mine[0])
    assert [row.tolist() for row in stayed.final(3)] == [row.tolist() for row in came.final(3)]


def test_a_writer_without_tensors_is_kept_too(tmp_path):
    writer = RandomDesigner(FULL, TRAINING, seed=0)
    learn(writer, 2)
    assert saved(writer, tmp_path) == Checkpoint({}, {"epoch": 2})


def test_the_last_two_are_kept_and_the_newest_comes_first(tmp_path):
    writer = taught(1)
    for _ in range(4):
        learn(writer, 1)
        keep(tmp_path, Checkpoint(*writer.state()))
    assert epochs(tmp_path) == [5, 4]
    assert [found.facts["epoch"] for found in checkpoints(tmp_path)] == [5, 4]
    assert len(list(tmp_path.iterdir())) == 4


def test_ten_comes_after_nine(tmp_path):
    for epoch in (9, 10, 11):
        keep(tmp_path, Checkpoint({}, {"epoch": epoch}))
    assert epochs(tmp_path) == [11, 10]


def test_what_was_not_written_to_its_end_does_not_count(tmp_path):
    assert list(checkpoints(tmp_path)) == []
    (tmp_path / "checkpoint-7.safetensors").write_bytes(b"all of it, but no JSON yet")
    (tmp_path / "checkpoint-8.json.part").write_bytes(b"{")
    (tmp_path / "checkpoint-x.json").write_bytes(b"{")
    assert list(checkpoints(tmp_path)) == []


def test_other_tokens_are_refused(tmp_path):
    checkpoint = saved(taught(1), tmp_path)
    with pytest.raises(ValueError, match="the design space has changed"):
        Writer(Space.named("paper"), TRAINING, seed=0).restore(*checkpoint)


def damaged(folder: Path) -> str:
    found = next(checkpoints(folder))
    assert isinstance(found, Damaged)
    assert found.epoch == 1
    assert "\n" not in found.reason
    return found.reason


def test_a_byte_that_changed_is_noticed(tmp_path):
    saved(taught(1), tmp_path)
    file = tmp_path / "checkpoint-1.safetensors"
    data = file.read_bytes()
    for position in (0, 20, len(data) // 2, len(data) - 1):
        file.write_bytes(data[:position] + bytes([data[position] ^ 4]) + data[position + 1 :])
        assert "it is not what was saved" in damaged(tmp_path)
    file.write_bytes(data)
    assert isinstance(next(checkpoints(tmp_path)), Checkpoint)


def test_a_fact_that_changed_is_noticed(tmp_path):
    saved(taught(1), tmp_path)
    file = tmp_path / "checkpoint-1.json"
    data = file.read_bytes()
    for position in range(0, len(data), 5):
        if data[position] not in b" ":
            file.write_bytes(data[:position] + bytes([data[position] ^ 1]) + data[position + 1 :])
            damaged(tmp_path)


@pytest.mark.parametrize(
    "facts", [b"", b"null", b"[]", b"3", b'"text"', b"{}", b'{"epoch": 1}', b"\xff", b'{"epoch": 1, "digest": 5}']
)
def test_facts_of_noise_are_noticed(facts, tmp_path):
    saved(taught(1), tmp_path)
    (tmp_path / "checkpoint-1.json").write_bytes(facts)
    damaged(tmp_path)


def test_a_checkpoint_under_another_name_is_not_believed(tmp_path):
    saved(taught(2), tmp_path)
    for ending in ("json", "safetensors"):
        (tmp_path / f"checkpoint-2.{ending}").rename(tmp_path / f"checkpoint-1.{ending}")
    damaged(tmp_path)


def test_tensors_that_are_missing_are_noticed(tmp_path):
    saved(taught(1), tmp_path)
    (tmp_path / "checkpoint-1.safetensors").unlink()
    assert "No such file" in damaged(tmp_path)


def test_a_pickle_is_never_loaded(tmp_path):
    """Not even one that claims to be whole."""

    class Trap:
        def __reduce__(self):
            return (pytest.fail, ("a pickle was loaded",))

    data = pickle.dumps(Trap())
    (tmp_path / "checkpoint-1.safetensors").write_bytes(data)
    (tmp_path / "checkpoint-1.json").write_text(json.dumps({"epoch": 1, "digest": digest(data, {"epoch": 1})}))
    damaged(tmp_path)
