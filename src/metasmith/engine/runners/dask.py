"""Dask clusters by their addresses, as users type them. Dask is imported only here, once somebody asks for it."""

import time
import warnings
from collections.abc import Iterator
from concurrent.futures import Executor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from metasmith.engine.runners.calls import WorkerWarning

SETTINGS = {
    "distributed.comm.timeouts.connect": "10s",
    "distributed.comm.timeouts.tcp": "15s",  # after which a link that was cut counts as lost
    "distributed.scheduler.worker-ttl": "60s",
    "distributed.worker.profile.enabled": False,
}
"""Dask's settings, for this process and the workers that it starts; the guide has them for those of others."""

PATIENCE = 60.0
"""Seconds to wait for a scheduler's file, and for its first worker."""


@contextmanager
def executor_at(on: str) -> Iterator[Executor]:
    """An executor on a Dask cluster; the connection is closed in the end, the cluster goes on.

    on: `dask://HOST:PORT`, or `dask:` and the file that a scheduler wrote. Raises ValueError for anything else and
    where there is no Dask, RuntimeError if no scheduler or no worker answers.
    """
    kind, _, address = on.partition(":")
    if kind != "dask" or not address.strip("/"):
        raise ValueError(f"a cluster is dask://HOST:PORT or dask:SCHEDULER_FILE, got '{on}'")
    try:
        import dask
        from distributed import Client
    except ImportError:
        raise ValueError("Dask must be installed for this: pip install 'metasmith[cluster]'") from None
    with dask.config.set(SETTINGS):
        where: dict[str, Any]
        if address.startswith("//"):
            where = {"address": f"tcp:{address}"}
        elif address.startswith(("tcp://", "tls://")):
            where = {"address": address}
        else:
            where = {"scheduler_file": str(_appeared(Path(address)))}
        try:
            client = Client(**where, set_as_default=False)
        except (OSError, ValueError) as error:  # the latter for a port that is no number
            why = " ".join(str(error).split()) or type(error).__name__
            raise RuntimeError(
                f"no Dask scheduler answers at '{address.removeprefix('//')}' ({why:.200}); start one with 'dask "
                "scheduler', or look whether it still runs"
            ) from error
        with client:
            try:
                client.wait_for_workers(1, timeout=PATIENCE)
            except TimeoutError as error:
                scheduler = client.scheduler.address
                raise RuntimeError(
                    f"no worker came to the Dask scheduler {scheduler} within {PATIENCE:g} s; start some with "
                    f"'dask worker {scheduler}', or look why those that were asked for do not run"
                ) from error
            yield client.get_executor(pure=False, retries=0)


def _appeared(file: Path) -> Path:
    """The file of a scheduler, which may have been started a moment ago; waiting for it is said."""
    begun, said = time.monotonic(), False
    while not file.is_file():
        waited = time.monotonic() - begun
        if waited > 1 and not said:
            warnings.warn(f"waiting up to {PATIENCE:g} s for '{file}', which a scheduler makes", WorkerWarning, 3)
            said = True
        if waited > PATIENCE:
            raise RuntimeError(f"there is no file '{file}'; 'dask scheduler --scheduler-file {file}' makes it")
        time.sleep(0.1)
    return file
