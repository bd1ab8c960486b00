"""The design of an algorithm, from what was asked to the winner of the final race (paper III, figure 2)."""

import math
import os
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import fmean, median
from typing import Any, NamedTuple

import numpy as np

from metasmith.arrays import Indices
from metasmith.designers.ppo.checkpoint import Checkpoint, checkpoints, keep, remove
from metasmith.designers.ppo.writer_file import WriterFile
from metasmith.designers.random import RandomDesigner
from metasmith.designers.ppo.writer import Writer
from metasmith.runs.spec import Spec
from metasmith.runs.embedding import embedding, looked_at
from metasmith.runs.folder import Folder
from metasmith.export import exported
from metasmith.landscapes import landscape, sample_size
from metasmith.problems import Problem, Task
from metasmith.program import Program, ProgramError, canonical, program_of, pseudocode, tokens_of
from metasmith.representations import KINDS
from metasmith.measuring import FIRST, Schedule, Ledger, Measurement, Cache, Place, Rungs, Request, Scores, by_evaluations, by_size, final_race
from metasmith.space import END, Space
from metasmith.version import VERSION, commit

SLOWER = 1.5
"""How much longer an evaluation takes in programs as they are written than in the yardsticks, on average."""

WRITING_SECONDS = 0.06
"""Of the network, an epoch."""


ELITE = 24
"""How many of the best programs so far are varied."""


class Plan(NamedTuple):
    """What a design will yet spend at most, and about how long that takes, once it is known how fast the problems are."""

    evaluations: int
    seconds: float | None


class Progress(NamedTuple):
    """Where a design stands. left: seconds.

    In training, best: the best worth so far on all problems; mean: that of what the writer wrote itself in the last
    batch, on the first rung. In the final race, of those left in it: the best and the mean.
    """

    what: str
    step: int
    steps: int
    best: float
    mean: float
    entropy: float
    evaluations: int
    rate: float
    left: float


@dataclass(frozen=True, eq=False)
class Design:
    """An algorithm that was designed. score: its worth in the final race, 0 is random search and 1 the optimum, where
    that is known.

    history: a dictionary a step, as in the folder's `history.jsonl`. ledger: what it cost. memory: what the writer knew
    before.
    """

    program: Program
    score: float
    representation: str
    asked: Spec
    history: list[dict[str, Any]]
    checkpoint: Checkpoint
    memory: WriterFile | None = None

    @property
    def ledger(self) -> dict[str, Any]:
        """What it cost: runs, evaluations, seconds."""
        return dict(self.history[-1]["ledger"])

    def record(self) -> dict[str, Any]:
        """What `design.json` says."""
        finalists = [] if self.history[-1]["step"] != "race" else self.history[-1]["standing"]
        return {
            "task": self.asked.task,
            "evaluations": self.asked.evaluations,
            "seed": self.asked.seed,
            "representation": self.representation,
            "program": str(self.program),
            "pseudocode": pseudocode(self.program),
            "score": self.score,
            "finalists": finalists,
            "ledger": self.ledger,
            "metasmith": VERSION,
            "commit": commit(),
        }

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the design as the folder of a run, which `metasmith show` and all other commands take."""
        folder = Folder(os.fspath(path))
        folder.create(self.asked, self.memory)
        folder.rewind(self.history)
        keep(folder.path, self.checkpoint)
        folder.finish(self.record())

    def export(self, path: str | os.PathLike[str]) -> None:
        """Write the algorithm as a stand-alone Python file that needs numpy only."""
        export(self.program, self.representation, path)

    def __repr__(self) -> str:
        return f"Design(score={self.score:.4g}, program={self.program!s})"


class Designing:
    """A design under way.

    Every step is written down before the next begins, in `history` and, if there is one, in the folder.
    """

    def __init__(
        self, asked: Spec, task: Task, *, memory: WriterFile | None = None, workers: int | None = None, folder: Folder | None = None
    ) -> None:
        self.asked = asked
        self.task = task
        self.memory = memory
        self.folder = folder
        self.space = Space.named(asked.space).on(task.representation)
        self.course = course(asked, task)
        self.measures = Cache(self.course.places, seed=asked.seed, workers=workers)
        self.worth = Scores(self.measures, asked.quality)
        self.racing = Rungs(self.worth, asked.measuring, self.course)
        self.writer: Writer | RandomDesigner
        if asked.designer == "random":
            self.writer = RandomDesigner(self.space, asked.training, seed=asked.seed)
        else:
            self.writer = Writer(self.space, asked.training, seed=asked.seed, memory=memory)
        self.elite: list[Program] = []
        self.read: dict[tuple[int, ...], Program] = {}
        self.future: list[dict[str, Any]] = []
        """Steps that a process before us wrote down beyond where we went on: kept until they are done again."""
        self.history: list[dict[str, Any]] = []

    def go(self, tell: Callable[[Plan | Progress], None]) -> Design:
        """Do what is left to do, and say how it goes."""
        if not self.history:
            looking = sum(map(sample_size, self._looked_at()))
            tell(Plan(self._evaluations() + looking + 2 * sum(place.evaluations for place in self.measures.places), None))
            factors = self._look()
            self.worth.prepare()
            self._note({"step": "yardsticks", "places": self._places(), **factors})
        tell(Plan(self._evaluations(), self._seconds()))
        while self.writer.epoch < self.asked.training.epochs:
            tell(self._epoch())
        return self._final(tell)

    def _looked_at(self) -> list[Problem]:
        """The problems that a writer with a memory looks at first."""
        return [] if self.memory is None else looked_at(self.task)

    def _look(self) -> dict[str, list[float]]:
        """Show the writer what the problems look like; it counts as measuring."""
        if self.memory is None:
            return {}
        begun = time.perf_counter()
        landscapes = [landscape(problem) for problem in self._looked_at()]
        factors = embedding(landscapes, self.memory.scaling)
        self._see(factors.tolist())
        ledger = self.measures.ledger
        ledger.evaluations += sum(each.evaluations for each in landscapes)
        ledger.running_seconds += time.perf_counter() - begun
        ledger.measuring_seconds += time.perf_counter() - begun
        return {"factors": factors.tolist()}

    def _see(self, factors: list[float]) -> None:
        assert isinstance(self.writer, Writer)
        self.writer.see(np.array(factors))

    def _epoch(self) -> Progress:
        """Write a batch of programs, see how they do, learn from it."""
        begun = time.perf_counter()
        written = self.writer.write(self._elite_tokens(), self._program)
        between = time.perf_counter()
        standing = self.racing([self._program(row) for row in written.tokens])
        after = time.perf_counter()
        lesson = self.writer.learn(written, standing.rewards)
        self.measures.ledger.writing_seconds += between - begun + time.perf_counter() - after
        self.elite = self.racing.sorted(list(dict.fromkeys([*self.elite, *standing.finishers])))[-ELITE:]
        best = self.elite[-1]
        score, mean = self.racing.score(best), fmean(standing.first[: written.own])
        self._note({
            "step": "epoch", "epoch": self.writer.epoch, "mean": mean, "best": score,
            "elite": [str(program) for program in self.elite],
            "entropy": lesson.entropy, "loss": lesson.loss, "rewards": standing.rewards,
            "programs": [str(self._program(row)) for row in written.tokens],
        })  # fmt: skip
        if self.folder is not None:
            keep(self.folder.path, Checkpoint(*self.writer.state()))
        return self._progress("epoch", self.writer.epoch, self.asked.training.epochs, score, mean, lesson.entropy)

    def _final(self, tell: Callable[[Plan | Progress], None]) -> Design:
        """Race the finalists; the winner is the design."""
        checkpoint = Checkpoint(*self.writer.state())
        last = [self._program(row) for row in self.writer.final(self.asked.race.samples)]
        rounds = self.asked.race.rounds
        if rounds:
            finalists = list(dict.fromkeys([*last, *self.racing.best(self.asked.race.finalists)]))
            race = final_race(self.worth, self.course.grounds, finalists, rounds)
            for number, standing in enumerate(race, start=1):
                self._note({"step": "race", "round": number, "standing": [(str(each.program), each.score, each.runs) for each in standing]})
                mean = fmean(each.score for each in standing)
                tell(self._progress("round", number, len(rounds), standing[0].score, mean, 0.0))
            winner, score = standing[0].program, standing[0].score
        else:
            self.racing(last[:1])
            winner, score = last[0], self.racing.score(last[0])
            self._note({"step": "inference"})
        design = Design(winner, score, self.task.representation, self.asked, self.history, checkpoint, self.memory)
        if self.folder is not None:
            self.folder.finish(design.record())
        return design

    def recall(self, tell: Callable[[str], None]) -> None:
        """Go on from the newest good checkpoint in the folder.

        Steps written down after it are done again, without running anything.
        """
        assert self.folder is not None
        found = None
        for candidate in checkpoints(self.folder.path):
            if isinstance(candidate, Checkpoint):
                found = candidate
                break
            tell(f"the checkpoint of epoch {candidate.epoch} is damaged ({candidate.reason}); going on from an earlier one")
            remove(self.folder.path, candidate.epoch)
        lines = self.folder.history()
        if lines and lines[0].get("places") != self._places():
            raise ValueError(f"the run in '{self.folder.path}' was begun on other problems than these; it cannot go on with them")
        if lines and "factors" in lines[0]:
            self._see(lines[0]["factors"])
        epoch = found.facts["epoch"] if found else 0
        known = 1 + epoch if len(lines) > epoch else 0
        if found and not known:
            tell(f"the history ends before the checkpoint of epoch {epoch}: it is damaged; beginning again")
        if found and known:
            self.writer.restore(found.tensors, found.facts)
        self.history = lines[:known]
        for line in self.history:
            self.measures.recall(_measured(line))
        self.racing.recall(self.measures)
        self.future = lines[known:]
        for line in self.future:
            self.measures.expected.update(_measured(line))
        if self.history:
            self.measures.ledger = Ledger(**self.history[-1]["ledger"])
            self.elite = [Program.parse(text) for text in self.history[-1].get("elite", [])]
        self.folder.rewind(lines)

    def _note(self, line: dict[str, Any]) -> None:
        """Write down a step, with all that was measured in it and the ledger after it."""
        fresh = self.measures.take()
        number = {program: i for i, program in enumerate(dict.fromkeys(request.program for request, _ in fresh))}
        rows = [(number[request.program], request.place, request.run, *found) for request, found in fresh]
        line = {**line, "names": [str(program) for program in number], "measured": rows, "ledger": asdict(self.measures.ledger)}
        self.history.append(line)
        if self.folder is None:
            return
        if self.future:  # done again, instead of what is there
            self.future.pop(0)
            self.folder.rewind(self.history + self.future)
        else:
            self.folder.append(line)

    def _program(self, row: Indices) -> Program:
        """What a row of tokens does, in its shortest form: programs that do the same are the same."""
        numbers = tuple(row[row != self.space.number[END]].tolist())
        if numbers not in self.read:
            self.read[numbers] = meaning(numbers, self.space)
        return self.read[numbers]

    def _elite_tokens(self) -> list[list[int]]:
        """The best programs so far as token numbers; without those whose shortest form spells out more than the space
        can write.
        """
        found = []
        for program in self.elite:
            with suppress(ProgramError):
                found.append([self.space.number[token] for token in tokens_of(program, self.space)])
        return found

    def _places(self) -> list[list[Any]]:
        """What tells the training problems of one design from those of another."""
        return [[place.problem.name, place.problem.dimension, place.evaluations] for place in self.measures.places]

    def _evaluations(self) -> int:
        """What is left to spend at most."""
        return self._epoch_evaluations() * (self.asked.training.epochs - self.writer.epoch) + self._race_evaluations()

    def _seconds(self) -> float:
        """About how long that takes."""
        ledger = self.measures.ledger
        together = 1 if self.measures.in_python else self.measures.workers or os.cpu_count() or 1
        rate = median(self.measures.rates or [ledger.evaluations / max(1e-9, ledger.running_seconds)]) * together
        return SLOWER * self._evaluations() / rate + WRITING_SECONDS * (self.asked.training.epochs - self.writer.epoch)

    def _progress(self, what: str, step: int, steps: int, best: float, mean: float, entropy: float) -> Progress:
        ledger, rate = self.measures.ledger, self._rate()
        left = self._race_evaluations() / rate if what == "epoch" else 0.0
        if what == "epoch":
            left += (ledger.measuring_seconds + ledger.writing_seconds) / step * (steps - step)
        return Progress(what, step, steps, best, mean, entropy, ledger.evaluations, rate, left)

    def _rate(self) -> float:
        """Evaluations a second of all workers together, so far."""
        ledger = self.measures.ledger
        return ledger.evaluations / max(1e-9, ledger.measuring_seconds)

    def _epoch_evaluations(self) -> int:
        """What an epoch can cost at most."""
        batch, measuring, total = self.asked.training.batch, self.asked.measuring, 0
        for number, rung in enumerate(self.course.rungs):
            count = batch if number == FIRST else math.ceil(measuring.keep * batch)
            total += count * measuring.runs * self._dearest(rung)
        return total

    def _race_evaluations(self) -> int:
        """What the final race can cost at most."""
        race, total = self.asked.race, 0
        count = race.finalists + race.samples + 1
        for runs in race.rounds:
            total += count * runs * self._dearest(self.course.grounds)
            count = max(2, count // 2)
        return total

    def _dearest(self, rung: Sequence[int]) -> int:
        return max(self.measures.places[place].evaluations for place in rung)


def meaning(numbers: Sequence[int], space: Space) -> Program:
    """What token numbers without `end` do, in its shortest form."""
    return canonical(program_of([space.tokens[number] for number in (*numbers, space.number[END])], space))


def design(
    asked: Spec,
    task: Task,
    *,
    memory: WriterFile | None = None,
    workers: int | None = None,
    folder: Folder | None = None,
    tell: Callable[[Plan | Progress], None] = lambda event: None,
) -> Design:
    """Learn to write an algorithm for `task`, and return the best one written. tell: called with a Plan, then with how
    it goes.
    """
    under_way = Designing(asked, task, memory=memory, workers=workers, folder=folder)
    if folder is None:
        return under_way.go(tell)
    folder.create(asked, memory)
    with folder.claimed():
        return under_way.go(tell)


def resume(
    folder: Folder,
    task: Task,
    *,
    workers: int | None = None,
    tell: Callable[[Plan | Progress], None] = lambda event: None,
    warn: Callable[[str], None] = lambda message: None,
) -> Design:
    """Go on with a run that was stopped, or killed, and end with the same design as if it had not been."""
    with folder.claimed():
        under_way = Designing(folder.asked(), task, memory=folder.memory(), workers=workers, folder=folder)
        under_way.recall(warn)
        return under_way.go(tell)


def export(program: Program, representation: str, path: str | os.PathLike[str]) -> None:
    """Write a program as a stand-alone Python file."""
    text, file = exported(program, KINDS[representation]), Path(path)
    try:
        if file.exists() and not file.read_bytes().startswith(text[:30].encode()):
            raise ValueError(f"'{path}' is there already, and is not an exported algorithm; choose another name")
        file.write_text(text, encoding="utf-8")
    except OSError as error:
        raise ValueError(f"cannot write '{path}': {error.strerror}") from error


def course(asked: Spec, task: Task) -> Schedule:
    """The training problems that programs are measured on, with their evaluations."""
    chosen: list[Place] = []
    for problem in task.training:
        alike = sum(place.problem.dimension == problem.dimension for place in chosen)
        if asked.measuring.instances is None or alike < asked.measuring.instances:
            chosen.append(Place(problem, asked.measuring.evaluations or task.training_evaluations(problem)))
    one_size = len({place.problem.dimension for place in chosen}) == 1
    if one_size and asked.measuring.evaluations is None:
        return by_evaluations(chosen)
    return by_size(chosen, [problem.dimension for problem in task.test])


def _measured(line: dict[str, Any]) -> Iterator[tuple[Request, Measurement]]:
    """What was measured in a step that was written down."""
    programs = [Program.parse(name) for name in line["names"]]
    for number, place, run, *found in line["measured"]:
        yield Request(programs[number], place, run), Measurement(*found)
