"""What a writer remembers: nothing at first, and more after every task (paper III-C)."""

from dataclasses import replace
from typing import Any

import numpy as np
import torch

from metasmith.designers.contract import State
from metasmith.designers.ppo.ewc import consolidated, fisher
from metasmith.designers.ppo.network import as_arrays
from metasmith.designers.ppo.sampling import write
from metasmith.designers.ppo.settings import own_settings
from metasmith.designers.ppo.writer import Writer
from metasmith.designers.ppo.writer_file import Consolidated, Learned, WriterFile
from metasmith.designers.training import Training
from metasmith.space import Space

SAMPLES = 200
"""Programs that say how much each parameter matters to a task."""


def blank(space: Space, seed: int, factors: int, scaling: Any) -> WriterFile:
    """A writer that has learned nothing yet. factors: how many say what a problem looks like, scaled by `scaling`."""
    writer = Writer(space, Training(), seed=seed, factors=np.zeros(factors))
    weights = as_arrays(writer.network.state_dict())
    return WriterFile(space.name, writer.tokens, writer.network.shape, scaling, weights, None)


def remembered(memory: WriterFile, space: Space, training: Training, state: State, learned: Learned) -> WriterFile:
    """What a writer remembers after one more task: its weights, how much each matters to all tasks, and the design.

    state: that of the writer after the task, which began from `memory`.
    """
    writer = Writer(space, training, seed=learned.seed, factors=np.array(learned.factors), memory=memory)
    writer.restore(state)
    with own_settings():
        draw = torch.Generator().manual_seed(learned.seed)
        tokens = write(writer.network, writer.grammar, SAMPLES, draw, factors=writer.factors).tokens
        importance = fisher(writer.network, writer.grammar, tokens, writer.factors)
        held = consolidated(writer.held, len(memory.learned), writer.network, importance)
    after = replace(
        memory,
        tokens=writer.tokens,
        shape=writer.network.shape,
        weights=as_arrays(writer.network.state_dict()),
        consolidated=Consolidated(*map(as_arrays, held)),
        learned=(*memory.learned, learned),
    )
    return after.keeping(memory)
