"""A hundred processes that are killed at random moments lose nothing: what goes on ends with the same bits."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow
KILLS = {"bits": 40, "constrained": 20, "isolated": 10, "learn": 20, "experiment": 10}


def test_there_are_a_hundred():
    assert sum(KILLS.values()) == 100


@pytest.mark.skipif(not Path("/proc/self/task").is_dir(), reason="needs /proc to know that it is safe to fork")
@pytest.mark.parametrize("kind", KILLS)
def test_what_is_killed_again_and_again_ends_with_the_same_bits(kind, tmp_path):
    command = [sys.executable, Path(__file__).with_name("storm_driver.py"), kind, str(KILLS[kind]), tmp_path]
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    said = [line for line in done.stderr.splitlines() if "compiling the engine, once" not in line]
    assert (done.returncode, said) == (0, [])
    told = json.loads(done.stdout.splitlines()[-1])
    assert told["kills"] == KILLS[kind]
    assert set(told["same"]) == {True}
    assert len(told["moments"]) > 2  # they were killed early and late
