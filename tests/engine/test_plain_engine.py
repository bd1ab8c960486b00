"""The whole engine is plain Python that happens to be compiled: without numba's compiler it gives the same bits."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from plain_engine import as_text, jobs

from metasmith.engine import run
from metasmith.program import canonical

SCRIPT = Path(__file__).with_name("plain_engine.py")


@pytest.mark.slow
def test_the_plain_engine_gives_the_same_bits_as_the_compiled_one(tmp_path):
    environment = os.environ | {
        "NUMBA_DISABLE_JIT": "1",
        "METASMITH_CACHE": str(tmp_path / "cache"),
        "PYTHONPATH": os.pathsep.join(sys.path),
    }
    plain = subprocess.run([sys.executable, SCRIPT], env=environment, capture_output=True, text=True, check=True)
    assert plain.stdout.splitlines() == [as_text(run(job)) for job in jobs()]
    assert plain.stderr == ""
    assert not (tmp_path / "cache").exists()  # nothing was compiled


def test_the_programs_compared_use_most_components():
    used = {snippet.component for job in jobs() for snippet in canonical(job.program).snippets}
    assert len(used) > 18
