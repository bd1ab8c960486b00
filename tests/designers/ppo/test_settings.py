"""What users' functions do to torch changes no design, and what we do to torch is undone."""

from collections.abc import Callable, Iterator

import numpy as np
import pytest
import torch

from metasmith.designers.ppo import memory
from metasmith.designers.ppo.memory import blank, remembered
from metasmith.designers.ppo.settings import own_settings
from metasmith.designers.ppo.writer import Writer
from metasmith.designers.ppo.writer_file import Learned
from metasmith.designers.training import Training
from metasmith.space import Space

FULL = Space.named("full").on("bits")
FACTORS = [0.5, -0.5]

CHANGES: dict[str, Callable[[], object]] = {
    "no gradients": lambda: torch.set_grad_enabled(False),
    "another dtype": lambda: torch.set_default_dtype(torch.float64),
    "another device": lambda: torch.set_default_device("meta"),
    "fewer digits": lambda: torch.set_float32_matmul_precision("medium"),
    "several threads": lambda: torch.set_num_threads(2),
}


def settings() -> list[object]:
    return [
        torch.is_grad_enabled(), torch.get_default_dtype(), torch.get_default_device(), torch.get_num_threads(),
        torch.get_float32_matmul_precision(),
    ]  # fmt: skip


@pytest.fixture(autouse=True)
def put_back(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(memory, "SAMPLES", 10)
    threads = torch.get_num_threads()
    yield
    torch.set_grad_enabled(True)
    torch.set_default_dtype(torch.float32)
    torch.set_default_device(None)
    torch.set_float32_matmul_precision("highest")
    torch.set_num_threads(threads)


def taught() -> dict[str, np.ndarray]:
    """A writer after a first task and two batches of the next, in numbers; and what it then remembers."""
    file = blank(FULL, 1, len(FACTORS), {})
    for task in ("first", "second"):
        writer = Writer(FULL, Training(batch=4), seed=2, factors=np.array(FACTORS), memory=file)
        for _ in range(2):
            rows = np.stack(writer.write(4))
            writer.learn(rows, [True] * 4, [float(len(set(row.tolist()))) for row in rows], 0.0)
        learned = Learned(task, FACTORS, "population 1\nreset_n(n=1)", 1.0, 100, 3)
        file = remembered(file, FULL, Training(batch=4), writer.state(), learned)
    return {**file.arrays, **writer.state().arrays, "likeliest": writer.infer()}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_a_design_learns_the_same_whatever_a_function_does_to_torch(change: Callable[[], object]) -> None:
    before = taught()
    change()
    changed = settings()
    after = taught()
    assert settings() == changed  # theirs again
    assert list(after) == list(before)
    for name, values in before.items():
        assert values.dtype == after[name].dtype, name
        assert values.tobytes() == after[name].tobytes(), name


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_settings_are_put_back_after_an_error_too(change: Callable[[], object]) -> None:
    ours = settings()
    change()
    changed = settings()
    assert changed != ours
    with own_settings():
        assert settings() == [True, torch.float32, torch.device("cpu"), 1, "highest"]
    assert settings() == changed
    with pytest.raises(KeyError):
        own_settings()(dict[str, int].__getitem__)({}, "nothing")
    assert settings() == changed
