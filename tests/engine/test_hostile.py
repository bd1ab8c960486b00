"""Functions that crash, hang, eat memory: the error names the input, other runs are unharmed, nothing is left over."""

import importlib
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import hostile
import numba
import numpy as np
import pytest
from engine_helpers import Recorder, program, rugged, same
from hostile import DEEDS, N, bad, problem

import metasmith as ms
from metasmith import loading
from metasmith.api import find_problem
from metasmith.engine import EvaluationError, Job, Local, Result, run
from metasmith.engine.isolation import child, children
from metasmith.problems import Problem
from metasmith.representations import Bits

CLIMB = program("population 4; reset_n(n=1)")
FILE = Path(hostile.__file__)

SAYS = {
    "segfault": "ended the process with signal SIGSEGV",
    "exits": "ended the process with exit code 3",
    "killed": "ended the process with signal SIGKILL",
    "loops": "took longer than 0.4 s",
    "holds_the_lock": "took longer than 0.4 s",
    "bomb": "raised MemoryError",
    "odd": "raised OddError: 1 2",
    "recursion": "took longer than 0.4 s|raised MemoryError|ended the process with signal SIGSEGV",
    "interrupts": "raised KeyboardInterrupt",
    "cancels": "raised GeneratorExit: no Exception",
    "raises": "raised ArithmeticError: as one should",
}
"""What is said of each; where memory or the stack gives out first depends on the machine."""

each_deed = pytest.mark.parametrize("deed", DEEDS, ids=lambda deed: deed.__name__)


def jobs(*problems: Problem, evaluations: int = 60) -> list[Job]:
    return [Job(CLIMB, each, evaluations, seed) for seed, each in enumerate(problems)]


def named_input(message: str) -> np.ndarray:
    """The x that a message names; bits are few enough to be named whole."""
    match = re.search(r"x = \[([01, ]+)\]", message)
    assert match, message
    return np.array([int(bit) for bit in match[1].split(",")])


@each_deed
def test_the_error_names_the_input_and_other_runs_are_unharmed(deed):
    good = Problem(rugged, Bits(N), name="good")
    outcomes = Local(2).run(jobs(good, problem(deed), good, good))
    alone = [run(Job(CLIMB, good, 60, seed)) for seed in (0, 2, 3)]
    assert all(map(same, [outcome for i, outcome in enumerate(outcomes) if i != 1], alone))
    assert isinstance(outcomes[1], EvaluationError)
    message = str(outcomes[1])
    assert re.search(SAYS[deed.__name__], message)
    assert bad(named_input(message))
    assert "on_error='worst'" in message
    assert "\n" not in message


@pytest.fixture(scope="module")
def raising() -> list[Result]:
    """What comes of runs whose function just raises, in this process."""
    return [run(Job(CLIMB, problem(hostile.raises, "worst"), 60, seed)) for seed in range(3)]


@each_deed
def test_counted_as_worst_it_gives_the_bits_of_a_function_that_raises(deed, raising):
    outcomes = Local(2).run([Job(CLIMB, problem(deed, "worst"), 60, seed) for seed in range(3)])
    assert all(map(same, outcomes, raising))


def test_bad_inputs_are_met_in_each_of_these_runs():
    for seed in range(3):
        recorder = Recorder(lambda x: float(x.sum()) if not bad(x) else np.nan)
        run(Job(CLIMB, Problem(recorder, Bits(N), name="hostile", on_error="worst"), 60, seed))
        assert 0 < sum(map(bad, recorder.xs)) < 15


def test_a_function_that_leaks_gets_fresh_processes_and_all_runs_are_right():
    outcomes = Local(1).run([Job(CLIMB, hostile.leak, 300, seed) for seed in range(4)])
    quiet = Problem(lambda x: float(x.sum()), Bits(N), name="leak")
    assert all(map(same, outcomes, [run(Job(CLIMB, quiet, 300, seed)) for seed in range(4)]))


def test_a_leak_within_a_run_is_not_blamed_on_the_input_it_met_last():
    outcomes = Local(1).run([Job(CLIMB, hostile.leak, 1500, 0)])  # 1.2 GB in all, 400 MB at a time
    quiet = Problem(lambda x: float(x.sum()), Bits(N), name="leak")
    assert same(outcomes[0], run(Job(CLIMB, quiet, 1500, 0)))


@pytest.mark.parametrize("deed", [hostile.forks, hostile.forks_and_exits])
def test_a_function_that_forks_is_evaluated_once(deed):
    outcomes = Local(2).run(jobs(problem(deed, "worst"), problem(deed, "worst")))
    free = Problem(lambda x: float(x.sum()), Bits(N), name="hostile")
    assert all(map(same, outcomes, [run(job) for job in jobs(free, free)]))


def test_a_lack_of_memory_that_earlier_runs_caused_is_blamed_on_no_input():
    """Each run leaks more than half of what is left, so that some begin without room for their first evaluation."""
    greedy = Problem(hostile.leaks_much, Bits(N), name="leak", memory="400 MB")
    outcomes = Local(1).run([Job(CLIMB, greedy, 2, seed) for seed in range(6)])
    assert all(isinstance(outcome, Result) for outcome in outcomes)


def test_a_function_may_do_runs_of_its_own():
    def outer(x):
        inner = Problem(lambda y: float(y.sum()), Bits(5), name="inner", isolate=False)
        return float(x.sum()) + ms.solve("ea", inner, evaluations=30).fun

    (outcome,) = Local(1).run([Job(CLIMB, Problem(outer, Bits(N), name="outer"), 50, 0)])
    assert same(outcome, run(Job(CLIMB, Problem(outer, Bits(N), name="outer", isolate=False), 50, 0)))


def test_code_that_cannot_be_loaded_says_why_every_time():
    class Unlicensed:
        def __reduce__(self):
            return importlib.import_module, ("no_such_licence",)

    licence = Unlicensed()
    bad_load = Problem(lambda x: float(x.sum()) if licence else 0.0, Bits(N), name="unlicensed")
    for _ in range(2):
        with pytest.raises(RuntimeError, match="unlicensed: ModuleNotFoundError: No module named 'no_such_licence'"):
            Local(1).run(jobs(bad_load))


def test_a_real_time_signal_is_named_by_its_number():
    problem_of_signals = problem(lambda: os.kill(os.getpid(), 40))
    (outcome,) = Local(1).run(jobs(problem_of_signals))
    assert "ended the process with signal 40" in str(outcome)


def test_the_time_limit_of_a_run_holds_over_its_crashes():
    def slow(x):
        time.sleep(0.01)
        return hostile.doing(hostile.exits)(x)

    crashing = Problem(slow, Bits(N), name="hostile", on_error="worst")
    (outcome,) = Local(1).run([Job(CLIMB, crashing, 10_000, 0, seconds=0.5)])
    assert not outcome.success
    assert outcome.nfev < 10_000


@numba.njit
def loops_compiled(x):
    while x[0] and x[1] and not x[3] and x.sum() > 6:
        x[0] = 1
    return float(x.sum())


@numba.njit
def raises_compiled(x):
    if x[0] and x[1] and not x[3] and x.sum() > 6:
        raise ValueError
    return float(x.sum())


@pytest.mark.parametrize("on_error", ["stop", "worst"])
def test_a_compiled_function_that_never_ends(on_error):
    def made(function):
        limit = {"seconds": 0.4} if function is loops_compiled else {}
        return Problem(function, Bits(N), compiled=True, name="hostile", on_error=on_error, **limit)

    (outcome,) = Local(1).run(jobs(made(loops_compiled)))
    if on_error == "stop":
        assert "took longer than 0.4 s" in str(outcome)
        assert bad(named_input(str(outcome)))
    else:
        assert same(outcome, run(*jobs(made(raises_compiled))))


@pytest.mark.parametrize("on_error", ["stop", "worst"])
def test_a_batch_function_that_crashes_loses_its_batch_as_if_it_had_raised(on_error):
    def batch(deed):
        def function(xs):
            if any(map(bad, xs)):
                deed()
            return xs.sum(axis=1)

        return Problem(function, Bits(N), batch=True, name="hostile", on_error=on_error)

    (outcome,) = Local(1).run(jobs(batch(hostile.exits)))
    if on_error == "stop":
        assert "(the first of a batch of 4) ended the process with exit code 3" in str(outcome)
    else:
        assert same(outcome, run(*jobs(batch(hostile.raises))))


def test_a_run_with_a_time_limit_ends_with_the_best_so_far_though_an_evaluation_hangs():
    endless = Problem(hostile.doing(hostile.loops), Bits(N), name="hostile")
    (outcome,) = Local(1).run([Job(CLIMB, endless, 10_000, 0, seconds=0.2)])
    assert isinstance(outcome, Result)
    assert not outcome.success
    assert outcome.message == f"time limit of 0.2 s reached after {outcome.nfev} evaluations"
    raising = Problem(hostile.doing(hostile.raises), Bits(N), name="hostile")
    with pytest.raises(EvaluationError) as failed:
        run(Job(CLIMB, raising, 10_000, 0))
    assert bad(named_input(str(failed.value)))
    assert outcome.fun == outcome.x.sum()
    free = Problem(lambda x: float(x.sum()), Bits(N), name="hostile")
    until = run(Job(CLIMB, free, 10_000, 0)).history
    before = until.evaluations <= outcome.nfev
    assert outcome.history.values.tolist() == until.values[before].tolist()


def small_design(deed, on_error, **others):
    from metasmith.designers.training import Training
    from metasmith.measuring import Measuring, Race

    settings = {
        "training": Training(batch=4, mutants=2, immigrants=1, known=False), "measuring": Measuring(keep=0.5, runs=1),
        "race": Race(finalists=2, samples=1, rounds=(1, 1)),
    }  # fmt: skip
    return ms.design(
        problem(deed, on_error, **others), evaluations=50, designer="evolution", spend=1400, workers=2, **settings
    )


@pytest.mark.slow
@each_deed
def test_a_design_stops_with_the_input(deed):
    with pytest.raises(EvaluationError, match=SAYS[deed.__name__]) as caught:
        small_design(deed, "stop")
    assert bad(named_input(str(caught.value)))


@pytest.mark.slow
def test_a_design_goes_on_where_the_problem_says_worst():
    as_it_should = small_design(hostile.raises, "worst")
    for deed in set(DEEDS) - {hostile.raises}:
        design = small_design(deed, "worst", **({"seconds": 0.1} if deed in hostile.ENDLESS else {}))
        assert (design.program, design.score) == (as_it_should.program, as_it_should.score)
        assert design.ledger["evaluations"] == as_it_should.ledger["evaluations"]


COMMANDS = {
    "solve": ("solve", "--evaluations", "200", "--runs", "2"),
    "design": ("design", "--evaluations", "50", "--spend", "1000", "--designer", "evolution"),
}


@pytest.mark.parametrize("command", COMMANDS)
@each_deed
def test_the_command_line_says_it_in_one_line(deed, command, capsys, monkeypatch, tmp_path):
    from metasmith import cli

    words, where = COMMANDS[command], f"{FILE}:{deed.__name__}_stop"
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", ["metasmith", words[0], where, *words[1:]])
    with pytest.raises(SystemExit) as ended:
        cli.main()
    assert ended.value.code == 2
    (line,) = [line for line in capsys.readouterr().err.splitlines() if line.startswith("metasmith: ")]
    assert re.search(f"hostile: the value at x = .*{SAYS[deed.__name__]}", line)
    assert ("2 of 2 runs failed" if command == "solve" else "'metasmith resume ") in line


@pytest.mark.slow
def test_a_design_for_a_function_that_leaks():
    quiet = Problem(lambda x: float(x.sum()), Bits(N), name="leak")
    designs = [ms.design(each, evaluations=50, designer="evolution", spend=1000) for each in (hostile.leak, quiet)]
    assert designs[0].program == designs[1].program
    assert designs[0].score == designs[1].score


def processes_of(session: int) -> list[int]:
    """The processes whose parents lead up to a process."""
    listed = subprocess.run(["ps", "-eo", "pid=,ppid="], capture_output=True, text=True, check=True).stdout
    parents = {int(pid): int(parent) for pid, parent in map(str.split, listed.splitlines())}
    below, more = {session}, True
    while more:
        more = {pid for pid, parent in parents.items() if parent in below} - below
        below |= more
    return sorted(below - {session})


@pytest.mark.slow
@pytest.mark.parametrize("way", ["killed", "terminated", "interrupted"])
def test_nothing_is_left_when_the_driver_is_gone(way, tmp_path):
    """The function holds Python's lock for ever, and has started a process of its own."""
    script = tmp_path / "mine.py"
    script.write_text(
        "import subprocess, itertools, collections, metasmith as ms\n"
        "def f(x):\n"
        "    subprocess.Popen(['sleep', '600'])\n"
        "    print('hanging', flush=True)\n"
        "    collections.deque(itertools.repeat(0), maxlen=0)\n"
        "ms.solve('ea', ms.Problem(f, ms.Bits(9)), evaluations=10)\n"
    )  # no `if __name__ == '__main__'`
    driver = subprocess.Popen([sys.executable, str(script)], stderr=subprocess.PIPE, text=True)
    assert driver.stderr is not None
    for line in driver.stderr:
        if "hanging" in line:  # what functions print is no output of ours
            break
    below = processes_of(driver.pid)
    assert len(below) == 3  # the zygote, the worker, and what that one started
    if way == "killed":
        driver.kill()
    else:
        driver.send_signal(signal.SIGTERM if way == "terminated" else signal.SIGINT)
    driver.wait(timeout=30)
    driver.stderr.close()
    deadline = time.monotonic() + 30
    while any(Path(f"/proc/{pid}").exists() for pid in below) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert [pid for pid in below if Path(f"/proc/{pid}").exists()] == []


def test_a_zygote_that_is_killed_is_replaced():
    from metasmith.engine.isolation.children import _idle

    good = Problem(rugged, Bits(N), name="good")
    before = Local(1).run(jobs(good, good))
    assert _idle.children
    for each in _idle.children:
        os.kill(each._zygote.pid, signal.SIGKILL)
    assert all(map(same, Local(1).run(jobs(good, good)), before))


def test_the_time_of_a_run_is_not_spent_on_starting_its_process(monkeypatch):
    """With one that takes two seconds to start, a run of a second still has its second."""
    monkeypatch.setattr(child, "START", f"import time; time.sleep(2); {child.START}")
    idle = children._Idle()
    monkeypatch.setattr(children, "_idle", idle)

    def slow(x):
        time.sleep(0.1)
        return float(x.sum())

    result = ms.solve("ea", Problem(slow, Bits(N)), evaluations=100, seconds=1)
    idle.close()
    assert result.nfev >= 5


def test_paths_may_be_where_modules_are_looked_for(monkeypatch):
    monkeypatch.setattr(sys, "path", [*sys.path, Path.cwd()])
    assert ms.solve("ea", Problem(rugged, Bits(N)), evaluations=20).nfev == 20


def test_the_modules_of_users_are_imported_once_for_many_runs(tmp_path, monkeypatch):
    """Also if another file was loaded since, whose folder now comes first."""
    log = tmp_path / "imports"
    for folder in ("one", "two"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / f"helper_{folder}.py").write_text(f"open({str(log)!r}, 'a').write('x')")
        (tmp_path / folder / "mine.py").write_text(
            f"import metasmith as ms\ndef f(x):\n    import helper_{folder}\n    return float(x.sum())\n"
            f"problem = ms.Problem(f, ms.Bits({N}))\n"
        )
    idle = children._Idle()  # of processes that know no other files
    monkeypatch.setattr(children, "_idle", idle)
    monkeypatch.setattr(sys, "meta_path", [each for each in sys.meta_path if not isinstance(each, loading.Beside)])
    first, _ = (find_problem(f"{tmp_path}/{folder}/mine.py:problem") for folder in ("one", "two"))
    ms.solve_all("ea", first, evaluations=10, seeds=range(6), workers=1)
    idle.close()
    assert log.read_text() == "x"
