"""Measure what the problem token and elastic weight consolidation add to an epoch of the network, in CPU time.

An epoch is to write a batch and to learn from it. Epochs with and without take turns: a busy machine slows both.
Run it from the repository with `python benchmarks/continual.py`.
"""

import time

import numpy as np

from metasmith.designers.ppo.network import as_tensors
from metasmith.designers.ppo.writer import Writer
from metasmith.designers.ppo.writer_file import Consolidated
from metasmith.designers.training import Training
from metasmith.runs.continual import blank
from metasmith.space import Space

EPOCHS = 40
REPEATS = 5


def seconds(writer: Writer) -> float:
    """CPU seconds of an epoch, on average."""
    draw, begun = np.random.default_rng(0), time.process_time()
    for _ in range(EPOCHS):
        rows = np.stack(writer.write(Training().batch))
        writer.learn(rows, [True] * len(rows), draw.random(len(rows)).tolist(), 0.0)
    return (time.process_time() - begun) / EPOCHS


def main() -> None:
    space, memory = Space.named("full").on("bits"), blank("full", "bits", 0)
    weights = as_tensors(memory.weights)
    anchor = Consolidated(weights, {name: value.square() for name, value in weights.items()})
    plain, continual = [], []
    for _ in range(REPEATS):
        plain.append(seconds(Writer(space, Training(), seed=0)))
        writer = Writer(space, Training(), seed=0, factors=np.linspace(-1, 1, 32), memory=memory)
        writer.held = anchor
        continual.append(seconds(writer))
    print(
        f"an epoch of the network: {1e3 * min(plain):.1f} ms; "
        f"with problem token and EWC {1e3 * min(continual):.1f} ms: ",
        end="",
    )
    print(f"{min(continual) / min(plain):.2f} times (at most 1.30 wanted)")


if __name__ == "__main__":
    main()
