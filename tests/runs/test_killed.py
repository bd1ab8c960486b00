"""The real thing: processes that are killed, or interrupted, and others that go on with their runs."""

import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from design_helpers import SOURCE, kept

from metasmith.designers.ppo.writer_file import WriterFile
from metasmith.runs.folder import Folder

pytestmark = pytest.mark.slow
RUNS, KILLS = 2, 5
"""Killed so often, from start to end, each run."""


@pytest.fixture(scope="module")
def task(tmp_path_factory: pytest.TempPathFactory) -> str:
    file = tmp_path_factory.mktemp("task") / "mine.py"
    file.write_text(SOURCE)
    return f"{file}:small"


@pytest.fixture(scope="module")
def whole(task: str, tmp_path_factory: pytest.TempPathFactory) -> tuple[dict[str, Any], float]:
    """What a run leaves that was not killed, and how long it took from its first file on."""
    run = tmp_path_factory.mktemp("whole") / "run"
    process = started(task, run)
    begun = time.monotonic()
    ended(process)
    return kept(run), time.monotonic() - begun


def metasmith(*words: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "metasmith", *words]
    return subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, preexec_fn=heeding_interrupts
    )


def heeding_interrupts() -> None:
    """Whoever runs the tests may ignore interrupts, which is inherited."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def started(task: str, run: Path) -> subprocess.Popen[str]:
    """A design that has begun to write down what it does."""
    process = metasmith("design", task, "--effort", "quick", "--seed", "3", "--out", str(run), "--json")
    wait_for(lambda: (run / "design.toml").exists(), process)
    return process


def resumed(run: Path) -> subprocess.Popen[str]:
    """A design that has begun to go on, which it does by writing down anew what it goes on from."""
    history = run / "history.jsonl"
    before = history.stat().st_ino if history.exists() else None
    process = metasmith("resume", str(run), "--json")
    wait_for(lambda: history.exists() and history.stat().st_ino != before, process)
    return process


def wait_for(happened: Callable[[], bool], process: subprocess.Popen[str]) -> None:
    until = time.monotonic() + 200
    while not happened() and process.poll() is None:
        assert time.monotonic() < until
        time.sleep(0.002)


def ended(process: subprocess.Popen[str]) -> None:
    """Wait for a process that shall end well, and in silence."""
    _, errors = process.communicate(timeout=200)
    assert (process.returncode, errors) == (0, "")


@pytest.mark.parametrize("seed", range(RUNS))
def test_a_run_that_is_killed_and_resumed_ends_with_the_same_bits(seed, whole, task, tmp_path):
    wanted, length = whole
    moments = random.Random(seed)
    process = started(task, tmp_path / "run")
    for _ in range(KILLS):
        time.sleep(moments.random() * 2 * length / KILLS)
        process.kill()
        process.communicate()
        process = resumed(tmp_path / "run")
    ended(process)
    assert kept(tmp_path / "run") == wanted


def test_a_run_that_is_interrupted_says_how_to_go_on(whole, task, tmp_path):
    run = tmp_path / "run"
    process = started(task, run)
    wait_for(lambda: len(Folder(run).history()) > 5, process)
    assert process.poll() is None
    os.kill(process.pid, signal.SIGINT)
    out, errors = process.communicate(timeout=100)
    assert process.returncode == 130
    assert out == ""
    assert errors == f"metasmith: interrupted; 'metasmith resume {run}' goes on\n"
    assert not (run / "design.json").exists()
    ended(resumed(run))
    assert kept(run) == whole[0]


def test_learning_that_is_killed_ends_with_the_same_writer(task, tmp_path):
    words = ("learn", task, f"{task.rpartition(':')[0]}:single", "--effort", "quick", "--json", "--writer")
    begun = time.monotonic()
    ended(metasmith(*words, str(tmp_path / "whole")))
    lasted, draw = time.monotonic() - begun, random.Random(5)
    for _ in range(3):
        process = metasmith(*words, str(tmp_path / "killed"))
        time.sleep(draw.uniform(0.2, 0.8) * lasted)
        process.kill()
        process.communicate()
    ended(metasmith(*words, str(tmp_path / "killed")))
    assert WriterFile.load(tmp_path / "killed").digest == WriterFile.load(tmp_path / "whole").digest
