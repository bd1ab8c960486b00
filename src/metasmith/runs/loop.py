"""The loop of a design, from its spec to the winner of the final race (paper III, figure 2)."""

import time
from collections.abc import Callable
from dataclasses import asdict, replace
from hashlib import blake2b
from statistics import fmean
from typing import Any

import numpy as np

from metasmith.designers import find_designer
from metasmith.designers.contract import Archive, Designer, Member, Proposal, Standing
from metasmith.designers.known import SOURCE as LIBRARY
from metasmith.designers.known import known
from metasmith.designers.ppo.writer_file import WriterFile
from metasmith.engine import Runner
from metasmith.landscapes import landscape
from metasmith.measuring import Cache, Rungs, Scores, final_race
from metasmith.measuring.final_race import shrunk
from metasmith.measuring.rungs import spare_runs
from metasmith.measuring.trials import Trials
from metasmith.problems import Task
from metasmith.runs.checkpoint import Checkpoint, remove
from metasmith.runs.checksums import checksum
from metasmith.runs.configuring import Configuring
from metasmith.runs.design import Design
from metasmith.runs.embedding import embedding, looked_at
from metasmith.runs.folder import Folder
from metasmith.runs.forecast import Plan, Progress, rate, seconds_for, seconds_left
from metasmith.runs.history import History, batch_fields, origins, proposals
from metasmith.runs.layout import RACE_SHARE
from metasmith.runs.spec import Spec
from metasmith.runs.task_code import code_digest
from metasmith.space import Space
from metasmith.version import VERSION, commit, digest

KNOWN_IN_RACE = 8
"""One of so many finalists is a known algorithm at least."""

PATIENCE = 20
"""Batches without a new run after which a designer is not asked for more: it has nothing else to say."""

Tell = Callable[[Plan | Progress], None]


def design(
    spec: Spec,
    task: Task,
    *,
    runner: Runner,
    memory: WriterFile | None = None,
    folder: Folder | None = None,
    tell: Tell = lambda event: None,
) -> Design:
    """Search for an algorithm for `task` until all that `spec` allows is spent; return the winner of the final race.

    memory: what the writer knows to begin with. tell: called with a Plan, then with how it goes.
    """
    run = Run(spec, task, memory, runner, folder)
    if folder is None:
        return run.go(tell)
    with folder.claimed():
        folder.create(spec, memory)
        return run.go(tell)


def resume(
    folder: Folder,
    task: Task,
    *,
    runner: Runner,
    early: bool = False,
    tell: Tell = lambda event: None,
    warn: Callable[[str], None] = lambda message: None,
) -> Design:
    """Go on with a run that was stopped, or killed, and end with the same design as if it had not been.

    early: end it instead, without another batch: race the best programs so far; the winner is the design.
    """
    folder.check_resumable()
    with folder.claimed():
        run = Run(folder.spec(), task, folder.memory(), runner, folder)
        run.recall(warn)
        if early:
            run.end_early()
        return run.go(tell)


class Run:
    """A design under way."""

    def __init__(
        self, spec: Spec, task: Task, memory: WriterFile | None, runner: Runner, folder: Folder | None
    ) -> None:
        self.spec = spec
        self.task = task
        self.declaration = find_designer(spec.designer)
        self.declaration.check()
        self.memory = memory
        self.folder = folder
        self.space = Space.named(spec.space).on(task.representation)
        self.costs = spec.costs(task)
        self.cache = Cache(self.costs.schedule.cases, seed=spec.seed, runner=runner)
        self.scores = Scores(self.cache, spec.quality)
        measures = Trials if self.declaration.configures else Rungs
        self.rungs = measures(self.scores, spec.measuring, self.costs.schedule)
        self.archive = Archive()
        self.history = History(self.cache, folder)
        self.checkpoint: Checkpoint | None = None
        self.race = spec.race
        self.last_batch: int | None = None
        """After which the run ends early, if somebody has said so."""

    def go(self, tell: Tell) -> Design:
        """Do what is left to do, and tell how it goes."""
        if not self.history.steps:
            tell(Plan(self.spec.spend, None))
            self._begin()
        designer = self._designer()
        tell(self._plan())
        if self.spec.training.known and not self.history.batches:
            tell(self._batch(designer, list(known(self.space, self.task.representation))))
        if isinstance(designer, Configuring):
            designer.go(tell)
            return self._final(designer, tell)
        while count := self._affordable():
            if len(self.history.batches) == self.last_batch:
                self._cut_short()
                break
            tell(self._batch(designer, self._proposed(designer, count)))
        return self._final(designer, tell)

    def _begin(self) -> None:
        """Look at the problems, if a writer with a memory will ask what they look like, and measure the references."""
        step: dict[str, Any] = {"step": "references", **self._identity()}
        self.cache.ledger.evaluations += self.spec.timing
        if self.memory is not None:
            begun = time.perf_counter()
            landscapes = [landscape(problem) for problem in looked_at(self.task)]
            step["factors"] = embedding(landscapes, self.memory.scaling).tolist()
            ledger = self.cache.ledger
            ledger.evaluations += sum(each.evaluations for each in landscapes)
            ledger.running_seconds += time.perf_counter() - begun
            ledger.measuring_seconds += time.perf_counter() - begun
        self.scores.prepare()
        self.history.note(step)

    def _designer(self) -> Designer:
        """The designer, as it was after the last checkpoint."""
        declaration, first = self.declaration, self.history.steps[0]
        others: dict[str, Any] = {}
        if declaration.learns:
            factors = np.array(first["factors"]) if "factors" in first else None
            others = {"memory": self.memory, "factors": factors}
        designer = declaration.make(self.space, self.spec.training, seed=self.spec.seed, **others)
        if declaration.configures:
            return Configuring(designer, self)
        if self.checkpoint is not None:
            designer.restore(self.checkpoint.state)
        return designer

    def _affordable(self) -> int:
        """How many programs the next batch has; none if what is left is for the final race, or nothing new
        was proposed for long.
        """
        if self._exhausted():
            return 0
        return self.costs.affordable(self._left() - self.costs.final, self.spec.training.batch)

    def _exhausted(self) -> bool:
        """Whether nothing new was proposed for long; a configurator says itself when it has nothing else to say."""
        if self.declaration.configures:
            return False
        spent = [step["ledger"]["evaluations"] for step in self.history.batches[-PATIENCE - 1 :]]
        return len(spent) > PATIENCE and spent[0] == spent[-1]

    def _left(self) -> int:
        return self.spec.spend - self.cache.ledger.evaluations

    def _progress(self) -> float:
        """The share of the evaluations for proposing that is spent."""
        start = 1 if self.spec.training.known else 0  # the references, and the known algorithms
        if len(self.history.steps) <= start:
            return 0.0
        before = self.history.steps[start]["ledger"]["evaluations"]
        total = self.spec.spend - self.costs.final - before
        return (self.cache.ledger.evaluations - before) / total if total > 0 else 1.0

    def _proposed(self, designer: Designer, count: int) -> list[Proposal]:
        """A batch of the designer's."""
        begun = time.perf_counter()
        self.archive.progress = self._progress()
        batch = self._kept_to(count, designer.propose(self.archive, count))
        self.cache.ledger.proposing_seconds += time.perf_counter() - begun
        return batch

    def _batch(self, designer: Designer, batch: list[Proposal]) -> Progress:
        """See how the programs of a batch do, and tell the designer."""
        result = self.rungs([proposal.program for proposal in batch])
        measured = time.perf_counter()
        said = designer.tell(Standing(batch, result.rewards, result.first, result.finishers))
        finishers = set(result.finishers)
        members = [
            Member(proposal, first, self.rungs.score(proposal.program) if proposal.program in finishers else None)
            for proposal, first in zip(batch, result.first, strict=True)
        ]
        self._archived(members)
        self._rank()
        self.cache.ledger.proposing_seconds += time.perf_counter() - measured
        best, number = self.archive.best[0].proposal.program, len(self.history.batches) + 1
        own = [member.first for member in members if member.proposal.source == batch[0].source]
        score, mean = self.rungs.score(best), fmean(own)
        self.history.note({
            "step": "batch", "batch": number, "mean": mean, "best": score, "leader": str(best), **said,
            "rewards": result.rewards, **batch_fields(members),
        })  # fmt: skip
        if self.folder is not None:
            self.folder.keep(Checkpoint(number, designer.state()))
        progress = self._progress()
        steps = max(number, round(number / progress)) if progress > 0 else number
        return self._going("batch", number, steps, score, mean, said.get("entropy"))

    def _kept_to(self, count: int, batch: list[Proposal]) -> list[Proposal]:
        """A batch, if it is what a designer may propose: more would cost more than there is."""
        different = len({proposal.program for proposal in batch})
        if not 1 <= different <= count:
            raise ValueError(
                f"expected 1 to {count} different programs of the designer '{self.spec.designer}', got {different}"
            )
        return batch

    def _archived(self, members: list[Member]) -> None:
        """Take the programs of a batch into the archive; those that are in it stay as they were first proposed."""
        for member in members:
            before = self.archive.members.get(member.proposal.program, member)
            score = before.score if member.score is None else member.score
            self.archive.members[member.proposal.program] = Member(before.proposal, member.first, score)

    def _rank(self) -> None:
        self.archive.best = [self.archive.members[program] for program in self.rungs.best()]

    def end_early(self) -> None:
        """Have no batch but those that are written down. Raises ValueError if there is none."""
        steps = [step["step"] for step in self.history.steps + self.history.replayed]
        if "race" in steps or "inference" in steps:
            return  # it has ended already, and needs only to go on
        if "batch" not in steps and self._affordable():
            assert self.folder is not None
            path = self.folder.path
            raise ValueError(f"the run in '{path}' has no batch yet to choose from; 'metasmith resume {path}' goes on")
        self.last_batch = steps.count("batch")

    def _cut_short(self) -> None:
        """Note that the run ends here, with a final race no larger than what was spent before it is good for."""
        if self.race.rounds:
            most = int(self.cache.ledger.evaluations * RACE_SHARE / (1 - RACE_SHARE))
            self.race = replace(shrunk(self.race, self.costs.schedule, most), rest=False)
        self.history.note({"step": "finish", "batches": self.last_batch, "race": asdict(self.race)})

    def _final(self, designer: Designer, tell: Tell) -> Design:
        """Race the finalists; the winner is the design."""
        checkpoint = Checkpoint(len(self.history.batches), designer.state())
        race, spend = self.race, None
        if race.rest and not self._exhausted():
            spend = self.spec.spend
            self.rungs.give_more(spare_runs(self.costs.schedule, self._left(), self.costs.final))
            self._rank()
        liked = self._kept_to(race.proposals, designer.finalists(race.proposals)) if race.proposals else []
        if race.rounds:
            # the archive last, as it says who was the first to propose a program
            finalists = [*liked, *self._best(race.finalists)]
            proposed = {proposal.program: proposal for proposal in finalists}
            rounds = final_race(self.scores, self.costs.schedule.race, list(proposed), race.rounds, spend)
            for number, standing in enumerate(rounds, start=1):
                self.history.note({
                    "step": "race", "round": number,
                    "standing": [(str(entry.program), entry.score, entry.runs) for entry in standing],
                    **origins([proposed[entry.program] for entry in standing]),
                })  # fmt: skip
                mean = fmean(entry.score for entry in standing)
                tell(self._going("round", number, len(race.rounds), standing[0].score, mean, None))
                winner, score = standing[0].program, standing[0].score
        else:
            winner = liked[0].program
            self.rungs([winner])
            score = self.rungs.score(winner)
            self.history.note({"step": "inference", "program": str(winner), "source": liked[0].source})
        design = Design(winner, score, self.task.representation, self.spec, self.history.steps, checkpoint, self.memory)
        if self.folder is not None:
            self.folder.finish(design.record())
        return design

    def _best(self, count: int) -> list[Proposal]:
        """The best so far for the final race, and among them some of the known algorithms."""
        best = [member.proposal for member in self.archive.best] if count else []
        safe = [proposal for proposal in best if proposal.source == LIBRARY][: max(1, count // KNOWN_IN_RACE)]
        others = [proposal for proposal in best if proposal not in safe][: count - len(safe)]
        return [*others, *safe]

    def recall(self, warn: Callable[[str], None]) -> None:
        """Go on from the newest good checkpoint in the folder; steps logged after it are replayed without a run."""
        assert self.folder is not None
        steps = self.folder.history(warn)
        if steps:
            self._check(steps[0], warn)
        for checkpoint in () if self.declaration.configures else self.folder.checkpoints():
            if isinstance(checkpoint, Checkpoint):
                self.checkpoint = checkpoint
                break
            warn(
                f"the checkpoint of batch {checkpoint.batch} is damaged ({checkpoint.reason}); "
                "going on from an earlier one"
            )
            remove(self.folder.path, checkpoint.batch)
        self.last_batch = next((step["batches"] for step in steps if step["step"] == "finish"), None)
        batch = self.checkpoint.batch if self.checkpoint else 0
        if len(steps) <= batch:
            if self.checkpoint:
                warn(f"the history ends before the checkpoint of batch {batch}: it is damaged; beginning again")
            self.checkpoint = None
        self.history.recall(steps, 1 + batch if len(steps) > batch else 0)
        self.rungs.recall()
        for step in self.history.batches:
            self._archived(list(proposals(step)))
        self._rank()

    def _check(self, first: dict[str, Any], warn: Callable[[str], None]) -> None:
        """Whether the run can go on with these problems, this space and this code. first: its first step."""
        assert self.folder is not None
        ours = self._identity()
        if first.get("spec") != ours["spec"]:
            raise ValueError(
                f"'{self.folder.typed / 'design.toml'}' is not the spec that the run was begun with; "
                "put that one there, or design anew"
            )
        if first.get("cases") != ours["cases"]:
            raise ValueError(
                f"the run in '{self.folder.typed}' was begun on other problems than these; it cannot go on with them"
            )
        if first.get("vocabulary") != ours["vocabulary"]:
            raise ValueError(
                f"the design space has changed since the run in '{self.folder.typed}' was begun; design anew"
            )
        if first.get("code") != ours["code"]:
            warn(
                "the code or the data of the task has changed since the run was begun: what was measured before is not "
                "measured again; design anew if values have changed"
            )
        made = first["made"]
        if made["digest"] != digest():
            warn(
                f"the run was begun with other code (metasmith {made['metasmith']}, commit {made['commit']}) than it "
                f"goes on with ({VERSION}, {commit()}): the design may differ from what it would have been"
            )

    def _identity(self) -> dict[str, Any]:
        """What tells the training problems, the space, the spec and the task's code of one design from another's."""
        cases = [[case.problem.name, case.problem.dimension, case.evaluations] for case in self.cache.cases]
        words = "\n".join(str(token) for token in self.space.tokens)
        spec = self.folder.checksum if self.folder else checksum(self.spec.toml().encode())
        vocabulary = blake2b(words.encode(), digest_size=8).hexdigest()
        return {"cases": cases, "vocabulary": vocabulary, "spec": spec, "code": code_digest(self.spec.task, self.task)}

    def _plan(self) -> Plan:
        left = self._left()
        batches = max(0, left - self.costs.final) / self.costs.batch(self.spec.training.batch)
        return Plan(left, seconds_for(self.cache, left, batches))

    def _going(self, what: str, step: int, steps: int, best: float, mean: float, entropy: float | None) -> Progress:
        ledger, timing = self.cache.ledger, self.spec.timing
        if what == "batch":
            left = seconds_left(ledger, timing, self._progress(), self.costs.final)
        else:
            left = self._left() / rate(ledger, timing) if self.race.rest and step < steps else 0.0
        return Progress(
            what, step, steps, best, mean, entropy, ledger.evaluations, self.spec.spend, rate(ledger, timing), left
        )
