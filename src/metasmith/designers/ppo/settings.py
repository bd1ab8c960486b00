"""torch's settings while the network works: ours, whatever a user's function has changed in the same process."""

from collections.abc import Iterator
from contextlib import contextmanager

import torch

PRECISION = "highest"
"""Products of matrices in float32 throughout; some processors are faster with fewer digits, and give other bits."""


@contextmanager
def own_settings() -> Iterator[None]:
    """Meanwhile torch computes gradients, in float32, on the processor and on one thread.

    Networks this small are fastest on one thread, and the same bits everywhere.
    """
    threads, dtype, precision = torch.get_num_threads(), torch.get_default_dtype(), torch.get_float32_matmul_precision()
    device = torch.get_default_device()
    try:
        torch.set_num_threads(1)
        torch.set_default_dtype(torch.float32)
        torch.set_float32_matmul_precision(PRECISION)
        if device.type != "cpu":
            torch.set_default_device("cpu")
        with torch.inference_mode(False), torch.enable_grad():
            yield
    finally:
        torch.set_num_threads(threads)
        torch.set_default_dtype(dtype)
        torch.set_float32_matmul_precision(precision)
        if device.type != "cpu":
            torch.set_default_device(device)
