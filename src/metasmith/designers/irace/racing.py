"""Real irace, by a process of R."""

import math
import shutil
import subprocess
from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from metasmith.designers.shared.talking import Answer, Configuration, configured

INSTALL = "on Debian and Ubuntu, 'apt install r-cran-irace' installs both; others are at https://cran.r-project.org"

TEST, SMALLEST_TEST = 5, 2
"""Runs of every configuration before the first are dropped: as irace has it, and at least."""

LARGEST_SEED = 2**31 - 1


class Size(NamedTuple):
    """How irace divides its runs."""

    iterations: int
    survivors: int
    first_test: int

    @property
    def least(self) -> int:
        """The fewest runs that irace does this with."""
        instances = self.first_test + self.iterations + (self.iterations > 5)
        return (self.survivors + 1) * self.iterations * instances


SMALLEST = Size(2, 1, SMALLEST_TEST)
LEAST = SMALLEST.least


def irace(parameters: Sequence[str], *, instances: int, runs: int, seed: int, answer: Answer) -> list[Configuration]:
    """The configurations that irace ends with, the best first.

    parameters: lines as in irace's parameter files. instances: how many there are; configurations run on them in their
    order, again and again. runs: at most; often it ends some before. answer: an infinite cost says that a configuration
    must not be run.
    """
    numbers = [instances, runs, *size(len(parameters), runs), seed % LARGEST_SEED]
    with TemporaryDirectory(prefix="metasmith-irace-") as folder:
        (Path(folder) / "parameters.txt").write_text("\n".join(parameters) + "\n", encoding="utf-8")
        script = str(files(__package__) / "tune.R")
        return configured("irace", ["Rscript", "--vanilla", script, *map(str, numbers)], Path(folder), answer)


def size(parameters: int, runs: int) -> Size:
    """irace's own size for so many parameters, or the next smaller that so many runs are enough for.

    Raises ValueError if none is.
    """
    usual = int(2 + math.log2(parameters))
    sizes = [Size(each, each, TEST) for each in range(usual, 1, -1)]
    sizes += [Size(3, 3, SMALLEST_TEST), Size(2, 2, SMALLEST_TEST), SMALLEST]
    for each in sizes:
        if each.least <= runs:
            return each
    raise ValueError(f"irace needs at least {LEAST} runs, and there are evaluations for {runs}; give more")


def installed() -> str:
    """The version of irace. Raises ValueError, saying what to install, if there is none."""
    if (version := _version()) is None:
        raise ValueError(f"the designer irace needs R and its package irace: {INSTALL}")
    return version


@cache
def _version() -> str | None:
    if shutil.which("Rscript") is None:
        return None
    code = 'cat(as.character(packageVersion("irace")))'
    done = subprocess.run(["Rscript", "--vanilla", "-e", code], capture_output=True, text=True, check=False)
    return done.stdout if done.returncode == 0 else None
