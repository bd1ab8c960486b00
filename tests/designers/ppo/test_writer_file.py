"""A writer's file: what is saved is read again, also by a version with more components; what is not whole is refused in
one line.
"""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors import safe_open
from safetensors.numpy import save

from metasmith.designers.ppo.network import as_arrays
from metasmith.designers.ppo.sampling import padded, score
from metasmith.designers.ppo.writer import Writer
from metasmith.designers.ppo.writer_file import FORMAT, PER_TOKEN, Consolidated, Learned, WriterFile
from metasmith.designers.training import Training
from metasmith.program import named, tokens_of
from metasmith.space import END, Space

FULL = Space.named("full")
FACTORS = np.linspace(-1, 1, 32)
EA = Learned("pbo:F1", FACTORS.tolist(), str(named("ea")), 0.9, 50_000, 3)


def memory(tokens: list[str] | None = None) -> WriterFile:
    """Of a writer that knows something. tokens: without the rows of all others."""
    writer = Writer(FULL, Training(), seed=0, factors=FACTORS)
    weights = as_arrays(writer.network.state_dict())
    held = Consolidated(
        {name: value + 1 for name, value in weights.items()}, {name: value**2 for name, value in weights.items()}
    )
    whole = WriterFile(
        "full",
        writer.tokens,
        writer.network.shape,
        {"mean": {"a": 0.5}, "deviation": {"a": 2.0}},
        weights,
        held,
        (EA,),
    )
    if tokens is None:
        return whole
    rows = [writer.tokens.index(token) for token in tokens]

    def fewer(values: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
        return {name: value[rows] if name in PER_TOKEN else value for name, value in values.items()}

    shape = replace(whole.shape, tokens=len(tokens))
    return replace(
        whole, tokens=tokens, shape=shape, weights=fewer(weights), consolidated=Consolidated(*map(fewer, held))
    )


def saved(path: Path) -> Path:
    memory().save(path / "writer.safetensors")
    return path / "writer.safetensors"


def alike(one: dict[str, np.ndarray], other: dict[str, np.ndarray]) -> bool:
    return one.keys() == other.keys() and all(np.array_equal(one[name], other[name]) for name in one)


def test_what_is_saved_is_read_again(tmp_path):
    before, after = memory(), WriterFile.load(saved(tmp_path))
    assert (after.space, after.tokens, after.shape, after.scaling, after.learned) == (
        before.space, before.tokens, before.shape, before.scaling, before.learned,
    )  # fmt: skip
    assert alike(after.weights, before.weights)
    assert alike(after.consolidated.anchor, before.consolidated.anchor)
    assert alike(after.consolidated.fisher, before.consolidated.fisher)


def test_a_writer_that_has_learned_nothing_is_saved_too(tmp_path):
    replace(memory(), consolidated=None, learned=()).save(tmp_path / "new")
    after = WriterFile.load(tmp_path / "new")
    assert (after.consolidated, after.learned) == (None, ())


def test_a_file_of_an_older_vocabulary_loads(tmp_path):
    """Tokens that it does not have start as in a fresh network and matter to nothing; the others are as they were,
    wherever they stand.
    """
    whole = memory()
    older = [token for token in whole.tokens if "tabu" not in token and "cross" not in token][::-1]
    memory(older).save(tmp_path / "older")
    writer = Writer(FULL, Training(), seed=9, factors=FACTORS, memory=WriterFile.load(tmp_path / "older"))
    fresh = Writer(FULL, Training(), seed=9, factors=FACTORS)
    old = [number for number, token in enumerate(whole.tokens) if token in older]
    new = [number for number in range(len(whole.tokens)) if number not in old]
    assert len(new) == 3
    weights, start = (dict(each.network.named_parameters()) for each in (writer, fresh))
    for name, value in weights.items():
        if name in PER_TOKEN:
            assert np.array_equal(value[old].detach(), whole.weights[name][old])
            assert torch.equal(value[new], start[name][new])
            assert np.array_equal(writer.held.anchor[name][old], whole.consolidated.anchor[name][old])
            assert (writer.held.fisher[name][new] == 0).all()
        else:
            assert np.array_equal(value.detach(), whole.weights[name])
    assert len(writer.write(7)) == 7


@pytest.mark.parametrize(
    "damage", ["shorter", "another byte", "other facts", "noise", "empty", "a picture of weights", "a folder"]
)
def test_what_is_not_whole_is_refused_in_one_line(tmp_path, damage):
    file = saved(tmp_path)
    data = file.read_bytes()
    if damage == "a folder":
        file.unlink()
        file.mkdir()
    else:
        file.write_bytes({
            "shorter": data[:-100], "another byte": data[:-50] + bytes([data[-50] ^ 1]) + data[-49:],
            "other facts": data.replace(b"pbo:F1", b"pbo:F2"), "noise": b"\x00\xff" * 400, "empty": b"",
            "a picture of weights": save({"weights.a": np.zeros(3)}),
        }[damage])  # fmt: skip
    with pytest.raises(
        ValueError, match="is a folder" if damage == "a folder" else "is not a writer file, or is damaged"
    ) as error:
        WriterFile.load(file)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("change", "said"), [(1, "a later version of metasmith"), (-1, "an earlier version of metasmith")]
)
def test_a_file_of_another_version_is_refused(change, said, tmp_path):
    file = saved(tmp_path)
    with safe_open(file, framework="numpy") as opened:
        header, tensors = opened.metadata(), {name: opened.get_tensor(name) for name in opened.keys()}  # noqa: SIM118
    header["facts"] = json.dumps({**json.loads(header["facts"]), "format": FORMAT + change})
    file.write_bytes(save(tensors, header))
    with pytest.raises(ValueError, match=said):
        WriterFile.load(file)


def test_designs_of_earlier_tasks_are_replayed():
    """With replay, a writer becomes surer of the design of an earlier task than without, while it learns something
    else.
    """
    numbers = [[FULL.number[token] for token in tokens_of(named("ea"), FULL)]]
    tokens = padded(numbers, FULL.number[END])
    likely = []
    for replay in (0.0, 1.0):
        writer = Writer(FULL, Training(strength=0.0, replay=replay), seed=0, factors=-FACTORS, memory=memory())
        for _ in range(5):
            rows = np.stack(writer.write(8))
            writer.learn(rows, [True] * 8, [float(len(set(row.tolist()))) for row in rows], 0.0)
        with torch.no_grad():
            likely.append(float(score(writer.network, writer.grammar, tokens, torch.tensor(EA.factors)[None])[0]))
    assert likely[1] > likely[0] + 1


def test_tokens_that_a_task_could_not_use_are_kept_as_they_were():
    before = memory()
    rest = ["swap", "reset_n"]
    after = memory([token for token in before.tokens if token not in rest])
    after = replace(after, weights={name: value + 5 for name, value in after.weights.items()}, learned=(EA, EA))
    kept = after.keeping(before)
    assert sorted(kept.tokens) == sorted(before.tokens)
    assert kept.shape == before.shape
    for token in before.tokens:
        new, old = kept.tokens.index(token), before.tokens.index(token)
        for name in PER_TOKEN:
            assert np.array_equal(kept.weights[name][new], before.weights[name][old] + (0 if token in rest else 5))
            assert np.array_equal(kept.consolidated.anchor[name][new], before.consolidated.anchor[name][old])
            share = 0.5 if token in rest else 1  # one task of two
            assert np.array_equal(kept.consolidated.fisher[name][new], share * before.consolidated.fisher[name][old])
    assert before.keeping(after) is before


def test_the_same_writer_is_the_same_bytes_every_time(tmp_path):
    writer, file = memory(), tmp_path / "writer"
    contents = set()
    for _ in range(20):
        writer.save(file)
        contents.add(file.read_bytes())
        writer = WriterFile.load(file)
    assert len(contents) == 1


@pytest.mark.parametrize("deep", ["facts", "header"])
def test_a_header_of_endless_brackets_is_one_line(deep, tmp_path):
    file, brackets = tmp_path / "writer", "[" * 100_000 + "]" * 100_000
    if deep == "facts":
        file.write_bytes(save({"weights.a": np.zeros(1)}, {"facts": brackets, "digest": "0"}))
    else:
        file.write_bytes(len(brackets).to_bytes(8, "little") + brackets.encode())
    with pytest.raises(ValueError, match=r"^'.*writer' is not a writer file, or is damaged$"):
        WriterFile.load(file)
