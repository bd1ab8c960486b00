"""Work in several processes: none is left when the one that asked is gone."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from metasmith.experiments.side_by_side import side_by_side

ASKS = """
import os, sys, time
from pathlib import Path
from metasmith.experiments.side_by_side import side_by_side

def work(name):
    Path(name).write_text(str(os.getpid()))
    time.sleep(600)

if __name__ == "__main__":
    side_by_side(work, sys.argv[1:], lambda: None)
"""


def test_results_are_in_the_order_of_the_items():
    assert side_by_side(abs, [-3, 2, -1], lambda: None) == [3, 2, 1]


def test_what_one_raises_ends_all():
    with pytest.raises(ValueError, match="invalid literal"):
        side_by_side(int, ["1", "one", "2"], lambda: None)


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGKILL])
def test_a_process_ends_with_the_one_that_asked(tmp_path, how):
    (tmp_path / "asks.py").write_text(ASKS)
    note = tmp_path / "pid"
    asks = subprocess.Popen([sys.executable, str(tmp_path / "asks.py"), str(note)])
    worker = int(soon(lambda: note.is_file() and note.read_text()))
    assert alive(worker)
    asks.send_signal(how)
    asks.wait()
    assert soon(lambda: not alive(worker))


def soon(found, seconds: float = 60.0):
    """What is found, as soon as it is."""
    until = time.monotonic() + seconds
    while not (answer := found()) and time.monotonic() < until:
        time.sleep(0.1)
    return answer


def alive(process: int) -> bool:
    """Whether a process is there and has not ended; one that nobody has waited for still has a number."""
    try:
        os.kill(process, 0)
        status = Path(f"/proc/{process}/stat")
        return not status.is_file() or status.read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except (ProcessLookupError, FileNotFoundError):
        return False
