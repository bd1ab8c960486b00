"""Runs on an executor: the same bits as here, whatever is lost on the way, and what is no loss is raised."""

import random
import threading
import time
import warnings
from collections import Counter
from collections.abc import Callable
from concurrent.futures import BrokenExecutor, CancelledError, Executor, Future, ThreadPoolExecutor
from typing import Any

import cloudpickle
import pytest
from engine_helpers import program, rugged, same

from metasmith.engine import EvaluationError, Job, Local, OnExecutor, travel
from metasmith.engine.runners import calls, executor, worker
from metasmith.engine.runners.calls import WorkerWarning
from metasmith.engine.runners.fingerprint import differences, fingerprint
from metasmith.engine.travel import CannotTravelError, from_bytes, packed
from metasmith.problems import Problem, problem
from metasmith.representations import Bits, Integers

CLIMB = program("population 5; reset_n(n=1)")
PROBLEMS = [
    problem("pbo:F1@20#3"),
    problem("pbo:F18@40"),
    problem("beamforming@12"),
    Problem(rugged, Integers(4, 9)),
    Problem(lambda xs: xs.sum(axis=1), Bits(9), batch=True),
]


class KilledWorker(Exception):  # noqa: N818
    """Called like Dask's, and known by its name alone."""


class Remote(Executor):
    """Two threads that are sent bytes, as workers elsewhere are. fate: called with what a call is to do and its number,
    does it or not, and returns the answer or raises."""

    def __init__(self, fate: Callable[[Callable[[], Any], int], Any] = lambda do, number: do()) -> None:
        self.threads, self._max_workers, self.fate = ThreadPoolExecutor(2), 2, fate
        self.submitted: list[Future[Any]] = []

    def submit(self, function, /, *arguments, **named):
        body, number = cloudpickle.dumps((function, arguments, named)), len(self.submitted)

        def do():
            called, positional, by_name = cloudpickle.loads(body)
            return cloudpickle.loads(cloudpickle.dumps(called(*positional, **by_name)))

        self.submitted.append(self.threads.submit(self.fate, do, number))
        return self.submitted[-1]

    def shutdown(self, wait=True, *, cancel_futures=False):
        self.threads.shutdown(wait=wait, cancel_futures=cancel_futures)


@pytest.fixture(autouse=True)
def _fresh(monkeypatch):
    """Workers that have no problems yet, and do not wait before they refuse."""
    worker._problems.clear()
    monkeypatch.setattr(calls, "NAP", 0.0)


def work(count=24, evaluations=200):
    return [Job(CLIMB, PROBLEMS[i % len(PROBLEMS)], evaluations, i) for i in range(count)]


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("error", [KilledWorker("gone"), BrokenExecutor(), CancelledError()], ids=repr)
def test_lost_batches_cost_time_only(seed, error):
    """Some are lost before and some after their work, and some workers have forgotten all problems."""
    draw, lock = random.Random(seed), threading.Lock()

    def fate(do, number):
        with lock:
            before, after, forget = (draw.random() < share for share in (0.15, 0.15, 0.2))
        if forget:
            worker._problems.clear()
        if before:
            raise error
        answer = do()
        if after:
            raise error
        return answer

    jobs, reported, threads = work(), {}, set()

    def on_done(number, outcome):
        assert number not in reported
        reported[number] = outcome
        threads.add(threading.get_ident())

    with pytest.MonkeyPatch.context() as patch, Remote(fate) as remote:
        patch.setattr(executor, "LOSSES", 100)
        runner = OnExecutor(remote)
        outcomes = [*runner.run(jobs, on_done), *runner.run(jobs)]
    assert all(map(same, outcomes, Local().run(jobs) * 2))
    assert runner.lost > 0
    assert [reported[number] for number in range(len(jobs))] == outcomes[: len(jobs)]
    assert threads == {threading.get_ident()}


def test_starts_and_limits_travel():
    jobs = [Job(CLIMB, PROBLEMS[0], 50, 1, start=[[1] * 20]), Job(CLIMB, PROBLEMS[1], 10**9, 1, seconds=0.01)]
    with Remote() as remote:
        begun_at, cut_short = OnExecutor(remote).run(jobs)
    assert same(begun_at, *Local().run(jobs[:1]))
    assert not cut_short.success


def test_a_problem_is_sent_to_a_worker_that_lacks_it_and_to_no_other():
    answers = []

    def fate(do, number):
        answers.append(do())
        return answers[-1]

    jobs = [Job(CLIMB, PROBLEMS[3], 100, seed) for seed in range(20)]
    with Remote(fate) as remote:
        runner = OnExecutor(remote)
        runner.run(jobs)
        missing = [answer for answer in answers if isinstance(answer, worker.Missing)]
        assert 1 <= len(missing) <= 4  # as many as were under way before the first had it
        runner.run(jobs)
        assert missing == [answer for answer in answers if isinstance(answer, worker.Missing)]


def test_workers_let_problems_go(monkeypatch):
    monkeypatch.setattr(worker, "KEPT", 2)
    with Remote() as remote:
        OnExecutor(remote).run(work(10, 20))
    assert len(worker._problems) == 2


def test_batches_grow_with_fast_runs_and_shrink_towards_the_end():
    sizes = []

    def fate(do, number):
        answer = do()
        if isinstance(answer, worker.Done):
            sizes.append(len(answer.outcomes))
        return answer

    with Remote(fate) as remote:
        OnExecutor(remote, slots=1, most=1).run([Job(CLIMB, PROBLEMS[0], 20, seed) for seed in range(400)])
    assert sum(sizes) == 400
    assert sizes[0] == 1  # nothing is known of how long they take
    assert max(sizes) > 20
    assert sizes[-1] == 1


def test_no_more_batches_are_under_way_than_allowed():
    most = 0

    def fate(do, number):
        nonlocal most
        most = max(most, sum(not each.done() for each in list(remote.submitted)))
        return do()

    with Remote(fate) as remote:
        runner = OnExecutor(remote, most=1)
        runner.run(work(10))
        assert runner.at_once(PROBLEMS[0]) == 1
    assert most == 1


def test_slots_are_the_executors():
    with ThreadPoolExecutor(3) as threads:
        assert OnExecutor(threads).at_once(PROBLEMS[0]) == 3
        assert OnExecutor(threads, slots=7).at_once(PROBLEMS[0]) == 7


@pytest.mark.parametrize("error", [AttributeError("a mistake of ours"), TimeoutError(), RuntimeError("broken")])
def test_other_errors_are_raised(error):
    def fate(do, number):
        if number == 3:
            raise error
        return do()

    with Remote(fate) as remote, pytest.raises(type(error)) as raised:
        OnExecutor(remote).run(work())
    assert raised.value is error


def test_a_mistake_in_a_job_is_raised_as_here():
    with Remote() as remote, pytest.raises(ValueError, match="a run needs at least 1 evaluation"):
        OnExecutor(remote).run([*work(3), Job(CLIMB, PROBLEMS[0], 0, 1)])


def test_a_run_that_fails_gives_its_error_and_stops_no_other():
    def fails(x):
        raise ValueError("no")

    jobs = [*work(5), Job(CLIMB, Problem(fails, Bits(5), name="bad"), 400, 1), *work(5)]
    with Remote() as remote:
        outcomes = OnExecutor(remote).run(jobs)
    failed = outcomes.pop(5)
    assert isinstance(failed, EvaluationError)
    assert str(failed) == str(Local().run([jobs[5]])[0])
    assert all(map(same, outcomes, Local().run(work(5)) * 2))


def test_a_run_that_always_ends_its_worker_is_given_up_alone():
    jobs, deadly = work(30, 20), 17

    def fate(do, number):
        answer = do()
        if isinstance(answer, worker.Done) and any(outcome.seed == deadly for outcome in answer.outcomes):
            raise KilledWorker("on four\nworkers")
        return answer

    with Remote(fate) as remote:
        runner = OnExecutor(remote, slots=1)
        runner._pace = 1e-9  # so that it is among others at first
        outcomes = runner.run(jobs)
    lost = outcomes[deadly]
    assert isinstance(lost, EvaluationError)
    assert str(lost) == (
        f"{jobs[deadly].problem.name}: the worker of the run with seed 17 ended 3 times, the last time with "
        "KilledWorker: on four workers; is there enough memory?"
    )
    assert runner.lost > 3  # others were lost with it, and done again
    expected = Local().run(jobs)
    assert all(same(outcomes[i], expected[i]) for i in range(len(jobs)) if i != deadly)


def test_an_executor_that_stays_broken_is_one_line():
    class Pool(Remote):
        def submit(self, function, /, *arguments, **named):
            if self.submitted:
                raise BrokenExecutor("a child process terminated abruptly")
            return super().submit(function, *arguments, **named)

    with Pool() as remote, pytest.raises(RuntimeError) as raised:
        OnExecutor(remote, slots=1).run(work())
    assert str(raised.value) == (
        "the executor takes no more work (BrokenExecutor: a child process terminated abruptly); start a new one"
    )


def test_an_executor_that_was_shut_down_is_one_line():
    remote = Remote()
    remote.shutdown()
    with pytest.raises(RuntimeError, match=r"the executor takes no more work .*after shutdown.*; start a new one"):
        OnExecutor(remote).run(work(1))


def test_what_is_no_executor_is_refused():
    class Client:
        def get_executor(self): ...

    with pytest.raises(ValueError, match=r"got Client; use client\.get_executor\(pure=False, retries=0\)"):
        OnExecutor(Client())  # type: ignore[arg-type]
    with ThreadPoolExecutor(1) as threads:
        for wrong in ({"slots": 0}, {"most": 0}):
            with pytest.raises(ValueError, match="must be at least 1, got 0"):
                OnExecutor(threads, **wrong)


def test_what_cannot_travel_is_said_before_anything_is_sent():
    lock = threading.Lock()
    stays = Problem(lambda x: float(x.sum()) if lock else 0.0, Bits(5), name="stays")
    with Remote() as remote:
        with pytest.raises(CannotTravelError, match=r"stays: 'lock' .* cannot be sent to another process"):
            OnExecutor(remote).run([*work(2), Job(CLIMB, stays, 10, 1)])
        assert not remote.submitted


def test_a_worker_that_lacks_a_package_is_one_line(monkeypatch):
    def unpacked(body):
        raise ModuleNotFoundError("No module named 'simulator'")

    monkeypatch.setattr(worker, "unpacked", unpacked)
    with (
        Remote() as remote,
        pytest.raises(RuntimeError, match=r"a worker cannot load a problem .*'simulator'.*install"),
    ):
        OnExecutor(remote).run(work(1))


def test_a_worker_without_this_version_of_ours_is_one_line():
    """The error is raised by the call, as what is sent can be read without anything of ours."""

    def fate(do, number):
        raise ModuleNotFoundError("No module named 'metasmith.engine.runners.calls'")

    sent = []

    class Reading(Remote):
        def submit(self, function, /, *arguments, **named):
            sent.append((function, [type(each) for each in arguments], named))
            return super().submit(function, *arguments, **named)

    with Reading(fate) as remote, pytest.raises(RuntimeError, match=r"^a worker lacks this version of metasmith "):
        OnExecutor(remote).run(work(1))
    assert sent == [(from_bytes, [bytes], {})] * len(sent)
    assert sent
    assert from_bytes.__module__ == "_pickle"


@pytest.mark.parametrize("culprit", ["report", "interrupt"])
def test_an_interrupt_cancels_what_has_not_begun(culprit):
    one_done, go_on = threading.Event(), threading.Event()

    def fate(do, number):
        if one_done.is_set():
            go_on.wait(60)
        answer = do()
        if isinstance(answer, worker.Done):
            one_done.set()
        return answer

    def on_done(number, outcome):
        raise KeyboardInterrupt if culprit == "interrupt" else ZeroDivisionError

    with Remote(fate) as remote:
        runner = OnExecutor(remote, slots=10)
        with pytest.raises(KeyboardInterrupt if culprit == "interrupt" else ZeroDivisionError):
            runner.run(work(60), on_done)
        assert any(each.cancelled() for each in remote.submitted)
        go_on.set()
        remote.fate = lambda do, number: do()
        assert all(map(same, runner.run(work(6)), Local().run(work(6))))  # answers that come late disturb no other call


def unlike_in(name):
    """A fingerprint that differs in threads of this name."""

    def looked_at():
        other = {**fingerprint(), "numpy": "1.0", "arithmetic of numpy": "f00"}
        return other if threading.current_thread().name.startswith(name) else fingerprint()

    return looked_at


def test_unlike_workers_are_not_used(monkeypatch):
    """Whatever an unlike worker would have come to is not used, and one line says in what it differs."""
    monkeypatch.setattr(calls, "fingerprint", unlike_in("unlike"))
    done_by = set()

    def fate(do, number):
        name = "unlike" if number % 3 == 0 else "like"
        answers: list[Any] = []
        thread = threading.Thread(target=lambda: answers.append(do()), name=name)
        thread.start()
        thread.join()
        if isinstance(answers[0], worker.Done):
            done_by.add(name)
        return answers[0]

    with Remote(fate) as remote, pytest.warns(WorkerWarning) as warned:
        outcomes = OnExecutor(remote).run(work())
    assert all(map(same, outcomes, Local().run(work())))
    assert done_by == {"like"}
    assert [str(each.message) for each in warned] == [
        "a worker is not used, as its results might differ from those here; it has other "
        f"numpy (1.0 there, {fingerprint()['numpy']} here), "
        f"arithmetic of numpy (f00 there, {fingerprint()['arithmetic of numpy']} here)"
    ]


def test_unlike_workers_do_not_hide_a_like_one_that_is_busy(monkeypatch):
    """The only like worker is at one run until the others have refused theirs many times."""
    monkeypatch.setattr(calls, "fingerprint", unlike_in("unlike"))
    worker.do([], {})
    refusals, enough = [], threading.Event()

    class Unfair(Remote):
        """Everything but the first call goes to whoever is idle first."""

        def submit(self, function, /, *arguments, **named):
            like = len(self.submitted) in (0, 2) or enough.is_set()
            self.submitted.append(Future())
            future = self.submitted[-1]

            def serve():
                if like and len(self.submitted) > 2:
                    enough.wait(60)
                answer = function(*arguments, **named)
                if isinstance(answer, calls.Unlike):
                    refusals.append(answer)
                    if len(refusals) > 100:
                        enough.set()
                future.set_result(answer)

            threading.Thread(target=serve, name="like" if like else "unlike").start()
            return future

    with pytest.warns(WorkerWarning), Unfair() as remote:
        outcomes = OnExecutor(remote, slots=2).run(work(4))
    assert all(map(same, outcomes, Local().run(work(4))))
    assert len(refusals) > 100


def test_only_unlike_workers_are_one_line(monkeypatch):
    monkeypatch.setattr(calls, "fingerprint", unlike_in("ThreadPoolExecutor"))
    with (
        Remote() as remote,
        pytest.warns(WorkerWarning),
        pytest.raises(RuntimeError, match=r"^no worker is like this process, so none is used; they have other numpy"),
    ):
        OnExecutor(remote).run(work())
    assert not worker._problems


def test_fingerprints_are_compared_by_what_either_has():
    assert differences({"a": "1", "b": "2"}, {"a": "1", "b": "2"}) == ""
    assert differences({"a": "1"}, {"a": "2", "b": "3"}) == "a (1 there, 2 here), b (unknown there, 3 here)"
    assert differences({"old": "1"}, {}) == "old (1 there, unknown here)"


def test_workers_that_leave_are_missed_and_new_ones_are_seen(monkeypatch):
    monkeypatch.setattr(executor, "LOOK", 0.05)

    class Client:
        threads = 0

        def nthreads(self):
            return {"tcp://one": self.threads} if self.threads else {}

    def fate(do, number):
        while not remote._client.threads:
            time.sleep(0.01)
        return do()

    def come(warned, client):
        while not warned:
            time.sleep(0.01)
        client.threads = 6

    with Remote(fate) as remote:
        remote._client = Client()
        runner = OnExecutor(remote)
        assert runner.at_once(PROBLEMS[0]) == 1
        with warnings.catch_warnings(record=True) as warned:
            warnings.simplefilter("always")
            threading.Thread(target=come, args=(warned, remote._client), daemon=True).start()
            outcomes = runner.run(work(10))
        assert {str(each.message) for each in warned} == {"no workers are left; waiting for new ones"}
        assert all(map(same, outcomes, Local().run(work(10))))
        time.sleep(0.1)
        assert runner.at_once(PROBLEMS[0]) == 6


def test_a_problem_is_packed_once_and_unpacked_once_however_many_there_are(monkeypatch):
    """More than a design of many training problems has: those that come back every batch are all kept."""
    many = [Problem(lambda x, weight=weight: weight * float(x.sum()), Bits(9), isolate=False) for weight in range(40)]
    counts = Counter()
    monkeypatch.setattr(travel, "packed", lambda problem: counts.update(["packed"]) or packed(problem))
    monkeypatch.setattr(worker, "unpacked", lambda body: counts.update(["unpacked"]) or travel.unpacked(body))
    with Remote() as remote:
        runner = OnExecutor(remote, most=1)
        for seed in range(3):
            runner.run([Job(CLIMB, each, 20, seed) for each in many])
    assert counts == {"packed": 40, "unpacked": 40}
