"""The history of a run: which of its steps were learning."""

from collections.abc import Sequence
from typing import Any

LEARNING = ("epoch", "batch")
"""What a step of learning is called in the history of a run."""


def learning(history: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """The steps in which a designer proposed programs and learned from their scores."""
    return [line for line in history if line["step"] in LEARNING]
