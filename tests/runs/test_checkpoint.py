"""Checkpoints come back to the bit, or say what is wrong with them."""

import json
import pickle
from pathlib import Path

import numpy as np
import pytest

from metasmith.designers import find_designer
from metasmith.designers.contract import Archive, Designer, Standing, State
from metasmith.designers.training import Training
from metasmith.runs.checkpoint import Checkpoint, Damaged, batches, checkpoints, digest, keep
from metasmith.space import Space

FULL = Space.named("full")
TRAINING = Training(batch=6, advantage="raw")
SPEC = "0123"
"""The checksum of a spec."""


def fresh(name: str = "ppo", seed: int = 3, space: Space = FULL) -> Designer:
    return find_designer(name).make(space, TRAINING, seed=seed)


def teach(designer: Designer, count: int) -> list[list[tuple[int, ...] | None]]:
    """What a designer proposes in some batches, rewarded for short programs."""
    written = []
    for _ in range(count):
        batch = designer.propose(Archive(), TRAINING.batch)
        written.append([proposal.tokens for proposal in batch])
        designer.tell(
            Standing(batch, [-float(len(proposal.tokens or ())) for proposal in batch], [0.0] * len(batch), [])
        )
    return written


def taught(count: int) -> Designer:
    designer = fresh()
    teach(designer, count)
    return designer


def saved(designer: Designer, folder: Path, batch: int = 1) -> Checkpoint:
    keep(folder, Checkpoint(batch, designer.state()), SPEC)
    checkpoint = next(checkpoints(folder, SPEC))
    assert isinstance(checkpoint, Checkpoint)
    return checkpoint


@pytest.mark.parametrize("count", [0, 1, 2])
@pytest.mark.parametrize("name", ["ppo", "mixture", "guided", "random"])
def test_a_designer_that_comes_back_goes_on_to_the_bit(name, count, tmp_path):
    stayed, came = fresh(name), fresh(name, seed=3 if name in ("guided", "random") else 99)
    teach(stayed, count)
    came.restore(saved(stayed, tmp_path).state)
    assert teach(came, 2) == teach(stayed, 2)
    mine, theirs = (designer.state() for designer in (stayed, came))
    assert mine.facts == theirs.facts
    assert mine.arrays.keys() == theirs.arrays.keys()
    assert all(np.array_equal(mine.arrays[key], theirs.arrays[key]) for key in mine.arrays)
    assert stayed.finalists(4) == came.finalists(4)


def test_a_designer_without_arrays_is_kept_too(tmp_path):
    designer = fresh("random")
    teach(designer, 2)
    assert saved(designer, tmp_path, 2) == Checkpoint(2, State({}, {"batch": 2}))


def test_the_last_two_are_kept_and_the_newest_comes_first(tmp_path):
    designer = fresh("random")
    for batch in range(1, 6):
        teach(designer, 1)
        keep(tmp_path, Checkpoint(batch, designer.state()), SPEC)
    assert batches(tmp_path) == [5, 4]
    assert [checkpoint.batch for checkpoint in checkpoints(tmp_path, SPEC)] == [5, 4]
    assert len(list(tmp_path.iterdir())) == 4


def test_ten_comes_after_nine(tmp_path):
    for batch in (9, 10, 11):
        keep(tmp_path, Checkpoint(batch, State({}, {})), SPEC)
    assert batches(tmp_path) == [11, 10]


def test_what_was_not_written_to_its_end_does_not_count(tmp_path):
    assert list(checkpoints(tmp_path, SPEC)) == []
    (tmp_path / "checkpoint-7.safetensors").write_bytes(b"all of it, but no JSON yet")
    (tmp_path / "checkpoint-8.json.part").write_bytes(b"{")
    (tmp_path / "checkpoint-x.json").write_bytes(b"{")
    assert list(checkpoints(tmp_path, SPEC)) == []


def test_other_tokens_are_refused(tmp_path):
    checkpoint = saved(taught(1), tmp_path)
    with pytest.raises(ValueError, match="the design space has changed"):
        fresh(space=Space.named("paper")).restore(checkpoint.state)


def damaged(folder: Path) -> str:
    damage = next(checkpoints(folder, SPEC))
    assert isinstance(damage, Damaged)
    assert damage.batch == 1
    assert "\n" not in damage.reason
    return damage.reason


def test_a_byte_that_changed_is_noticed(tmp_path):
    saved(taught(1), tmp_path)
    file = tmp_path / "checkpoint-1.safetensors"
    data = file.read_bytes()
    for position in (0, 20, len(data) // 2, len(data) - 1):
        file.write_bytes(data[:position] + bytes([data[position] ^ 4]) + data[position + 1 :])
        assert "it is not what was saved" in damaged(tmp_path)
    file.write_bytes(data)
    assert isinstance(next(checkpoints(tmp_path, SPEC)), Checkpoint)


def test_a_fact_that_changed_is_noticed(tmp_path):
    saved(taught(1), tmp_path)
    file = tmp_path / "checkpoint-1.json"
    data = file.read_bytes()
    for position in range(0, len(data), 5):
        if data[position] not in b" ":
            file.write_bytes(data[:position] + bytes([data[position] ^ 1]) + data[position + 1 :])
            damaged(tmp_path)


@pytest.mark.parametrize(
    "facts", [b"", b"null", b"[]", b"3", b'"text"', b"{}", b'{"batch": 1}', b"\xff", b'{"batch": 1, "digest": 5}']
)
def test_facts_of_noise_are_noticed(facts, tmp_path):
    saved(taught(1), tmp_path)
    (tmp_path / "checkpoint-1.json").write_bytes(facts)
    damaged(tmp_path)


def test_a_checkpoint_under_another_name_is_not_believed(tmp_path):
    saved(taught(2), tmp_path, 2)
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
    about = json.dumps({"batch": 1, "spec": SPEC, "facts": {}})
    (tmp_path / "checkpoint-1.json").write_text(json.dumps({"checkpoint": about, "digest": digest(data, about)}))
    damaged(tmp_path)
