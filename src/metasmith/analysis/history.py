"""The history of a run: which of its steps were learning."""

from collections.abc import Sequence
from typing import Any


def learning(history: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """The steps in which a designer proposed programs and learned from their scores."""
    return [line for line in history if line["step"] == "batch"]
