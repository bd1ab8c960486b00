"""How tests type commands, and a design that takes a moment."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import metasmith as ms
from metasmith import cli
from metasmith.designers.training import Training
from metasmith.measuring import Race
from metasmith.runs.efforts import EFFORTS, Settings


def metasmith(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    """Exit code, output and errors of a command, run in this process."""
    listener = signal.getsignal(signal.SIGINT)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "argv", ["metasmith", *words])
        with pytest.raises(SystemExit) as ended:
            cli.main()
    signal.signal(signal.SIGINT, listener)  # a command that was interrupted ends at the next interruption
    printed = capsys.readouterr()
    return int(ended.value.code or 0), printed.out, printed.err


def typed(*words: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """A command in a process of its own."""
    command = [sys.executable, "-m", "metasmith", *words]
    return subprocess.run(command, capture_output=True, text=True, env={**os.environ, **environment}, check=False)


def written(folder: Path, text: str) -> Path:
    """A user's file."""
    file = folder / "mine.py"
    file.write_text(f"import metasmith as ms\n{text}")
    return file


SOURCE = """
import metasmith as ms
from metasmith.problems import problem as p

learned_from = (p("pbo:F1@30"), p("pbo:F2@40"), p("pbo:F1@40#2"))
small = ms.Task("small", training=learned_from, test=(p("pbo:F2@40#3"),), evaluations=400)
single = p("pbo:F2@30")
bowl = ms.Problem(lambda x: float(((x - 3) ** 2).sum()), ms.Integers(7, 6), direction="min", optimum=0, name="bowl")
odd = ms.Problem(lambda x: float("nan"), ms.Bits(9), name="odd")
number = 3
"""


SMALL = Settings(2, Training(batch=4, known=False), race=Race(finalists=2, samples=1, rounds=(1, 1)))


def small_design(task: str, **others: object) -> ms.Design:
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(EFFORTS, "quick", SMALL)
        return ms.design(task, effort="quick", **others)
