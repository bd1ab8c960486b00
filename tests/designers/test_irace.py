"""Real irace: as R has it, and nothing of it is left whatever happens."""

import math
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest
from designer_helpers import FULL, if_installed

from metasmith.designers import find_designer
from metasmith.designers.contract import SpentError
from metasmith.designers.irace import line, racing
from metasmith.designers.irace.racing import Size, installed, irace, size
from metasmith.designers.shared import talking
from metasmith.designers.shared.talking import Run
from metasmith.designers.training import Training
from metasmith.space.vector import Parameter, parameters
from metasmith.testing.configurators import Toy

needs_irace = pytest.mark.parametrize("name", [if_installed("irace")])
PARAMETERS = ['x "" r (-5, 5)', 'kind "" c (good, "very bad")', 'y "" i (1, 9) | kind == "very bad"']


def parabola(runs: list[Run]) -> list[float]:
    values = [run.configuration for run in runs]
    return [float(each["x"]) ** 2 + 30 * (each["kind"] == "very bad") + run.seed % 7 / 100 + run.instance
            for run, each in zip(runs, values, strict=True)]  # fmt: skip


def tuned(answer=parabola, runs: int = 200, seed: int = 0) -> list[dict[str, str]]:
    return irace(PARAMETERS, instances=3, runs=runs, seed=seed, answer=answer)


@pytest.fixture
def temporary(tmp_path, monkeypatch) -> Path:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path


def processes(parent: int) -> set[int]:
    """Those of R that work for another process."""
    words = ["ps", "-ww", "-o", "pid=,args=", "--ppid", str(parent)]
    lines = subprocess.run(words, capture_output=True, text=True, check=False).stdout.splitlines()
    return {int(text.split()[0]) for text in lines if "tune.R" in text}


def gone(these: set[int]) -> bool:
    until = time.monotonic() + 30
    while any(Path(f"/proc/{process}").exists() for process in these) and time.monotonic() < until:
        time.sleep(0.05)
    return not any(Path(f"/proc/{process}").exists() for process in these)


@pytest.mark.slow
@needs_irace
def test_it_finds_what_is_good(name, temporary):
    seen: list[Run] = []
    first = tuned(lambda runs: seen.extend(runs) or parabola(runs), runs=600)
    assert abs(float(first[0]["x"])) < 0.5
    assert first[0]["kind"] == "good"
    assert "y" not in first[0]  # it has no value there
    assert {run.instance for run in seen[:1]} == {0}  # in their order
    assert {run.instance for run in seen} == {0, 1, 2}
    assert 400 < len(seen) <= 600
    assert {run.configuration["y"] for run in seen if "y" in run.configuration} <= set(map(str, range(1, 10)))
    assert first == tuned(runs=600) != tuned(runs=600, seed=1)
    assert list(temporary.iterdir()) == []


@needs_irace
def test_what_must_not_run_is_dropped(name):
    def answer(runs):
        return [math.inf if float(run.configuration["x"]) < 0 else cost
                for run, cost in zip(runs, parabola(runs), strict=True)]  # fmt: skip

    assert all(float(each["x"]) >= 0 for each in tuned(answer, runs=60))


@pytest.mark.slow
@needs_irace
def test_sizes_are_irace_s_own_minimum(name):
    """irace says itself how many runs it needs."""
    sizes = [Size(*each) for each in ((8, 8, 5), (6, 6, 5), (5, 5, 5), (3, 3, 2), (2, 1, 2))]
    code = (
        "library(irace); for (i in list({})) cat(irace:::computeMinimumBudget(list(eachTest=1, elitistNewInstances=1, "
    )
    code += "mu=i[3], firstTest=i[3], elitist=TRUE), i[2], i[1], 0), '')"
    given = ", ".join(f"c({','.join(map(str, each))})" for each in sizes)
    done = subprocess.run(
        ["Rscript", "--vanilla", "-e", code.format(given)], capture_output=True, text=True, check=True
    )
    assert [int(number) for number in done.stdout.split()] == [each.least for each in sizes]


def test_fewer_runs_are_divided_among_fewer_iterations():
    assert size(85, 2000) == Size(8, 8, 5)
    assert [size(85, runs).iterations for runs in (1008, 1007, 504, 180, 100)] == [8, 7, 6, 4, 3]
    assert size(85, 24) == Size(2, 2, 2)
    assert size(85, 16) == Size(2, 1, 2)
    with pytest.raises(ValueError, match="irace needs at least 16 runs, and there are evaluations for 15; give more"):
        size(85, 15)


def test_parameters_are_lines_of_irace_s_file():
    assert line(Parameter("a", ("1/d", "5%"), ordered=True)) == 'a "" o ("1/d", "5%")'
    assert line(Parameter("b", ("x", "y"), False, "a", ("5%",))) == 'b "" c ("x", "y") | a %in% c("5%")'
    assert len({line(each).split()[0] for each in parameters(FULL)}) == len(parameters(FULL))


@pytest.mark.parametrize("where", ["no R", "no irace"])
def test_one_line_says_what_to_install(where, monkeypatch, tmp_path):
    racing._version.cache_clear()
    (tmp_path / "Rscript").write_text("#!/bin/sh\nexit 1\n")
    (tmp_path / "Rscript").chmod(0o755)
    monkeypatch.setattr(shutil, "which", lambda name: None if where == "no R" else name)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(
        ValueError, match=r"the designer irace needs R and its package irace: .*'apt install r-cran-irace'"
    ):
        find_designer("irace").check()
    racing._version.cache_clear()


@needs_irace
def test_an_error_of_r_is_one_line(name, temporary):
    with pytest.raises(ValueError, match=r"^irace ended: .*x") as error:
        irace(['x "" r (5, 1)', 'y "" r (0, 1)'], instances=1, runs=100, seed=0, answer=parabola)
    assert "\n" not in str(error.value)
    assert list(temporary.iterdir()) == []


@needs_irace
def test_r_that_is_killed_is_one_line_too(name, temporary):
    def answer(runs):
        for process in processes(os.getpid()):
            os.kill(process, signal.SIGKILL)
        return parabola(runs)

    with pytest.raises(ValueError, match=r"^irace ended: exit code"):
        tuned(answer)
    assert list(temporary.iterdir()) == []


@needs_irace
@pytest.mark.parametrize("error", [SpentError, KeyboardInterrupt, EOFError])
def test_what_ends_us_ends_r(name, error, temporary):
    ours = set()

    def answer(runs):
        ours.update(processes(os.getpid()))
        raise error

    with pytest.raises(error):
        tuned(answer)
    assert ours
    assert gone(ours)
    assert list(temporary.iterdir()) == []


@pytest.mark.slow
@needs_irace
def test_r_ends_with_a_process_that_is_killed(name, tmp_path):
    code = f"""
import tempfile, time
tempfile.tempdir = {str(tmp_path)!r}
from metasmith.designers.irace.racing import irace
irace({PARAMETERS!r}, instances=3, runs=100, seed=0, answer=lambda runs: print("asked", flush=True) or time.sleep(100))
"""
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "asked\n"
        ours = processes(process.pid)
        process.kill()
    assert ours
    assert gone(ours)


@needs_irace
def test_it_listens_here_only_to_the_one_that_knows_the_word_and_then_no_more(name, monkeypatch):
    servers, original = [], socket.create_server

    def listening(address):
        server = original(address)
        servers.append(server.getsockname())
        with socket.create_connection(servers[-1]) as stranger:
            stranger.sendall(b"elites 0\n" + b"x" * 40)
        return server

    monkeypatch.setattr(talking.socket, "create_server", listening)
    refused = []

    def answer(runs):
        with pytest.raises(ConnectionRefusedError):
            socket.create_connection(servers[-1])
        refused.append(True)
        return parabola(runs)

    assert tuned(answer, runs=40)
    assert refused
    assert {host for host, _ in servers} == {"127.0.0.1"}


@pytest.mark.slow
@needs_irace
def test_programs_get_better(name):
    toy = Toy(300)
    finalists = find_designer(name).make(FULL, Training(), seed=0).configure(toy, toy.budget)
    assert len(finalists[0].program.snippets) <= 2  # short programs are good there
    assert installed()[0].isdigit()


@pytest.mark.parametrize("left", [0.5, 0.05])
def test_it_begins_again_where_much_is_left(left, monkeypatch):
    """As runs that it asked for were done before."""
    toy, asked = Toy(100), []
    (first, second) = (random_configuration(seed) for seed in (1, 2))

    def stand_in(lines, *, instances, runs, seed, answer):
        asked.append((runs, seed))
        count = round(runs * (1 - left)) if len(asked) == 1 else runs + 50
        answer([Run(k % instances, seed + k, first) for k in range(count)])
        return [first if len(asked) == 1 else second]

    monkeypatch.setattr("metasmith.designers.irace.irace", stand_in)
    finalists = find_designer("irace").make(FULL, Training(), seed=4).configure(toy, toy.budget)
    assert [seed for _, seed in asked] == ([4] if left < 0.1 else [4, 4 + 1_000_003])
    assert len(finalists) == 1  # the second was ended: it wanted more than was left
    assert asked[-1][0] == (100 if left < 0.1 else pytest.approx(50, abs=1))


def random_configuration(seed: int) -> dict[str, str]:
    return {"population": "population 5", "length": "1", "line1": "reset_n", "line1.n": f"n={seed}",
            "line1.search.to": "forward"}  # fmt: skip
