"""The network in numpy is the one that torch teaches, and tells programs apart."""

import numpy as np
import pytest
import torch
from safetensors.numpy import save

from metasmith.designers.guided import shipped
from metasmith.designers.guided.network import LINES, Network, read, words
from metasmith.program import Program, named, names, random_program
from metasmith.space import Space
from metasmith.teaching.training import features, fresh, lesson, vocabulary

FULL = Space.named("full").on("bits")
PROGRAMS = [random_program(FULL, seed) for seed in range(40)] + [named(name) for name in names()]


def taught(programs, seed=0):
    """A network that knows the words of programs, and the same programs as torch sees them."""
    count = len(programs)
    archive = {
        "family": "toy", "programs": [str(program) for program in programs], "batches": [1] * count,
        "sources": ["mutant"] * count, "first": [0.0] * count, "scores": [None] * count,
    }  # fmt: skip
    known = vocabulary([archive])
    numbers = {word: number for number, word in enumerate(known)}
    parameters = fresh(len(known), seed)
    for name in ("biases", "shifts", "hidden_bias", "out_bias", "bias"):
        parameters[name] = torch.randn(parameters[name].shape, generator=torch.Generator().manual_seed(1))
    weights = {name: value.numpy().astype(np.float64) for name, value in parameters.items()}
    return Network(weights, numbers), features(parameters, lesson(archive, numbers).words).numpy()


def test_numpy_and_torch_compute_the_same_features():
    network, expected = taught(PROGRAMS)
    np.testing.assert_allclose(network.features(PROGRAMS), expected, rtol=1e-4, atol=1e-4)
    assert (network.features(PROGRAMS)[:, -1] == 1).all()


def test_features_do_not_depend_on_what_else_is_asked():
    network, _ = taught(PROGRAMS)
    alone = Network(network.weights, network.numbers).features(PROGRAMS[3:4])
    np.testing.assert_allclose(alone[0], network.features(PROGRAMS)[3], rtol=1e-12)


def test_words_that_were_not_taught_are_told_apart():
    network, _ = taught([named("rls")])
    programs = [Program.parse(f"population 1\n{move}\npairwise_select") for move in ("swap", "insert", "reverse")]
    one, two, three = network.features(programs)
    assert not np.allclose(one, two)
    assert not np.allclose(two, three)
    again = Network(network.weights, network.numbers).features(programs)
    np.testing.assert_array_equal(again[0], one)


def test_the_words_of_a_program_are_its_text_line_by_line():
    program = Program.parse(
        "population 5\nreset_n(n=2)   iterate until 5%\nbest   fork 2\nreset_sweep\nreset_rand(p=0.1)"
    )
    assert words(program) == [
        ["population 5"], ["reset_n", "n=2", "iterate until 5%", "iterate"], ["best", "fork 2", "fork"],
        ["reset_sweep", "forward"], ["reset_rand", "p=0.1", "forward"],
    ]  # fmt: skip
    long = Program.parse("population 5\n" + "reset_sweep\n" * (LINES + 4) + "pairwise_select")
    assert len(words(long)) == 1 + LINES


def test_the_shipped_network_knows_every_word_of_the_space_on_bits():
    network = shipped()
    for seed in range(100):
        for line in words(random_program(FULL, seed)):
            assert [word for word in line if word not in network.numbers] == []


@pytest.mark.parametrize("content", [b"", b"nonsense", save({"words": np.zeros((2, 2), np.float32)})])
def test_a_file_that_is_no_network_is_one_line(tmp_path, content):
    (tmp_path / "network.safetensors").write_bytes(content)
    with pytest.raises(ValueError, match=r"network in '.*' cannot be read .*; install metasmith anew"):
        read(tmp_path / "network.safetensors")
