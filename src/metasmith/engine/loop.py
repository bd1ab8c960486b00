"""How a lowered program runs: propose children, have them evaluated, accept them, again and again.

The loop keeps everything it knows in a `Run`, so it can stop between any two generations and go on later: that is how
time limits, interruptions and evaluation outside compiled code work, all with the same kernels and the same random
numbers.

Solutions live in a pool of rows. The population is a list of slots (rows); children are written to free rows; a
selection only decides which slots stay, so survivors are never copied. A row is not changed once it has been evaluated.
"""

from typing import Any, NamedTuple

import numpy as np
from numba.extending import register_jitable

from metasmith.arrays import Floats, Indices, Solutions, State, Words
from metasmith.chance import heads
from metasmith.components.roles import SUCCEEDED, TRIED
from metasmith.engine.call import call, call_back, call_float, call_quietly

inlined = register_jitable(forceinline=True)
"""Into the loop as one piece: handing on a `Run` costs more than most of these functions do."""

PATIENCE = 200
"""Children in a row that come out unchanged before they are evaluated all the same, so that every run ends."""

NO_LOOP, COUNT, IMPROVEMENT = 0, 1, 2
"""What ends a loop: nothing to loop; so many evaluations since it was entered; so many since its last improvement."""

STAGE = np.dtype([(name, np.int64) for name in (
    "chooser", "chooser_memory", "entry", "first", "end", "forks", "restarts", "selector", "selector_memory", "loop", "amount",
    "block_first", "block_last", "block_loop", "block_amount",
)], align=True)  # fmt: skip
"""One stage of a lowered program.

Lines first..end-1 are its chain; entry: the line where a chooser's fork enters, or -1.
"""

LINE = np.dtype([("search", np.int64), ("target", np.int64), ("setting", np.float64)], align=True)
"""One search component of a lowered program. target: the line where its fork goes on, or -1."""

CLOCK = np.dtype(
    [(name, np.int64) for name in (
        "evaluations", "variables", "spent", "hit", "improvements", "stage", "todo", "idle", "failed", "moved", "stamp", "proposed", "done",
        "succeeded", "entered", "gained", "block_entered", "block_gained",
    )]
    + [(name, np.float64) for name in ("best", "stage_best", "block_best")],
    align=True,
)  # fmt: skip
"""Where a run stands. hit: evaluation of the last improvement; entered, gained: when the present loop began and last
improved; moved: whether the population has changed since the children were given their rows; proposed, done: whether a
generation is under way, and how many of its children have been evaluated.
"""


class Code(NamedTuple):
    """A lowered program."""

    stages: Any  # (stages,) of STAGE
    lines: Any  # (lines,) of LINE


class Kernels(NamedTuple):
    """What to `call` for each component of a role, by number, and for random solutions: addresses of compiled kernels."""

    choose: Indices
    search: Indices
    select: Indices
    fresh: int


class Run(NamedTuple):
    """Everything that changes while a program runs. N: population size."""

    clock: Any  # (1,) of CLOCK
    pool: Solutions  # (2 N + SCRATCH, width)
    fitness: Floats  # (2 N,) by slot, larger is better
    population: Indices  # (N,) slots
    children: Indices  # (N,) slots
    parents: Indices  # (N,) slots, of each child
    todo: Indices  # (N,) children to evaluate, by place in `children`
    moving: Indices  # (N,) slots in hand at one line
    at: Indices  # (N,) line at which each child goes on
    kept: Indices  # (N,) slots
    used: Indices  # (2 N,) stamps of the rows in use
    memory: Floats  # (snippets, room)
    best: Solutions  # (width,)
    when: Indices  # (capacity,) evaluation of each improvement
    what: Floats  # (capacity,) fitness of each improvement
    rng: State


WORST = -1e300
"""Fitness of an evaluation that failed and counts as the worst; no fitness is beyond it on either side."""

INFEASIBLE = -1e200
"""Fitness of solutions that violate constraints starts here, below that of every other, and falls with the violation."""


@register_jitable
def advance(
    run: Run,
    code: Code,
    kernels: Kernels,
    shape: Any,
    objective: int,
    tables: Any,
    work: Words,
    sign: float,
    until: int,
) -> None:
    """Run a program on a built-in problem until `until` evaluations are spent, or the history is full, or a value is
    not a number.
    """
    clock = run.clock[0]
    while clock.spent < min(until, clock.evaluations) and has_room(run):
        if not clock.proposed:
            propose(run, code, kernels, shape)
        for k in range(clock.done, min(clock.todo, until - clock.spent)):
            slot = run.children[run.todo[k]]
            value = call_float(objective, run.pool[slot], tables, work)
            if value != value:
                clock.failed = slot
                return
            run.fitness[slot] = sign * value
            clock.done = k + 1
        if clock.done < clock.todo:
            return  # enough for now
        accept(run, code, kernels)


@register_jitable
def value_of(objective: int, row: Solutions, tables: Any, work: Words) -> float:
    """The value of one solution of a built-in problem."""
    return call_float(objective, row, tables, work)


@register_jitable
def advance_vectors(
    run: Run, code: Code, kernels: Kernels, shape: Any, unpack: int, objective: int, violation: int, tolerant: bool,
    vector: Indices, sign: float, until: int,
) -> None:  # fmt: skip
    """The same on a user's compiled function of a vector. violation:

    0 without constraints. tolerant: failures count as the worst.
    """
    clock = run.clock[0]
    while clock.spent < min(until, clock.evaluations) and has_room(run):
        if not clock.proposed:
            propose(run, code, kernels, shape)
        for k in range(clock.done, min(clock.todo, until - clock.spent)):
            slot = run.children[run.todo[k]]
            clock.failed = slot  # until shown otherwise: the function may raise
            call(unpack, run.pool[slot], vector)
            value = sign * (call_quietly(objective, vector) if tolerant else call_float(objective, vector))
            violated = 0.0
            if violation:
                call(unpack, run.pool[slot], vector)  # again, because functions may write to what they are given
                violated = call_quietly(violation, vector) if tolerant else call_float(violation, vector)
            fitness = as_fitness(value, violated)
            if fitness != fitness:
                if not tolerant:
                    return
                fitness = WORST
            run.fitness[slot] = fitness
            clock.failed = -1
            clock.done = k + 1
        if clock.done < clock.todo:
            return
        accept(run, code, kernels)


@register_jitable
def advance_python(
    run: Run, code: Code, kernels: Kernels, shape: Any, unpack: int, evaluate: int, vector: Indices, found: Floats, until: int
) -> None:  # fmt: skip
    """The same on a user's Python function. evaluate: called back, puts the fitness of `vector` into `found`; if it
    does not, we stop.
    """
    clock = run.clock[0]
    while clock.spent < min(until, clock.evaluations) and has_room(run):
        if not clock.proposed:
            propose(run, code, kernels, shape)
        for k in range(clock.done, min(clock.todo, until - clock.spent)):
            slot = run.children[run.todo[k]]
            call(unpack, run.pool[slot], vector)
            found[0] = np.nan
            call_back(evaluate)
            if found[0] != found[0]:
                return
            run.fitness[slot] = found[0]
            clock.done = k + 1
        if clock.done < clock.todo:
            return
        accept(run, code, kernels)


@register_jitable
def as_fitness(value: float, violation: float) -> float:
    """One number to compare by: feasible before infeasible, then the better value, or the smaller violation.

    NaN stays NaN.
    """
    if value != value or violation != violation:
        return np.nan
    if violation > 0.0:
        return INFEASIBLE * (1.0 + violation / (1.0 + violation) if violation < 1e15 else 2.0)
    return min(max(value, INFEASIBLE), -WORST)


@inlined
def has_room(run: Run) -> bool:
    """Whether the history can take a generation of improvements."""
    return run.clock[0].improvements + len(run.population) <= len(run.when)


@inlined
def propose(run: Run, code: Code, kernels: Kernels, shape: Any) -> None:
    """Make the children of the next generation; `todo` lists those that need an evaluation, within the budget."""
    clock = run.clock[0]
    stage = code.stages[clock.stage]
    if clock.moved:
        take_free_slots(run)
    if clock.spent == 0 or stage.restarts:
        call(kernels.fresh, run.pool, run.children, shape, run.rng)
        evaluate_all(run)
    else:
        if len(run.population) > 1:  # one solution is all there is to choose
            memory = run.memory[stage.chooser_memory]
            call(
                kernels.choose[stage.chooser],
                run.pool,
                run.population,
                run.fitness,
                shape,
                run.parents,
                memory,
                run.rng,
            )
        else:
            run.parents[0] = run.population[0]
        for i in range(len(run.children)):
            copy_row(run.pool[run.children[i]], run.pool[run.parents[i]])
        if stage.forks:
            search_with_forks(run, code, kernels, shape)
        else:
            for j in range(stage.first, stage.end):
                line = code.lines[j]
                call(kernels.search[line.search], run.pool, run.children, shape, line.setting, run.memory[j], run.rng)
        evaluate_changed(run)
    clock.todo = min(clock.todo, clock.evaluations - clock.spent)
    clock.proposed = 1
    clock.done = 0


@inlined
def search_with_forks(run: Run, code: Code, kernels: Kernels, shape: Any) -> None:
    """Run a chain in which solutions may skip lines: each waits for the line it goes on with."""
    stage = code.stages[run.clock[0].stage]
    for i in range(len(run.children)):
        jumps = stage.entry >= 0 and heads(run.rng)
        run.at[i] = stage.entry if jumps else stage.first
    for j in range(stage.first, stage.end):
        line = code.lines[j]
        count = 0
        for i in range(len(run.children)):
            if run.at[i] == j:
                run.moving[count] = run.children[i]
                count += 1
                run.at[i] = line.target if line.target >= 0 and heads(run.rng) else j + 1
        if count > 0:
            call(kernels.search[line.search], run.pool, run.moving[:count], shape, line.setting, run.memory[j], run.rng)


@inlined
def copy_row(target: Solutions, source: Solutions) -> None:
    for w in range(len(target)):
        target[w] = source[w]


@inlined
def differs(a: Solutions, b: Solutions) -> bool:
    difference = a[0] ^ b[0]
    for w in range(1, len(a)):
        difference |= a[w] ^ b[w]
    return difference != 0


@inlined
def take_free_slots(run: Run) -> None:
    """Give the children rows that the population does not use."""
    clock = run.clock[0]
    clock.stamp += 1
    for i in range(len(run.population)):
        run.used[run.population[i]] = clock.stamp
    filled = 0
    slot = 0
    while filled < len(run.children):  # no branch to guess wrong: a used slot is overwritten by the next
        run.children[filled] = slot
        filled += run.used[slot] != clock.stamp
        slot += 1
    clock.moved = 0


@inlined
def evaluate_all(run: Run) -> None:
    for i in range(len(run.children)):
        run.todo[i] = i
    run.clock[0].todo = len(run.children)


@inlined
def evaluate_changed(run: Run) -> None:
    """A child equal to its parent keeps its fitness and costs nothing, unless nothing else has happened for long."""
    clock = run.clock[0]
    count = 0
    for i in range(len(run.children)):
        run.fitness[run.children[i]] = run.fitness[run.parents[i]]
        run.todo[count] = i
        count += differs(run.pool[run.children[i]], run.pool[run.parents[i]])
    clock.todo = count
    clock.idle = 0 if count > 0 else clock.idle + len(run.children)
    if clock.idle > PATIENCE:
        evaluate_all(run)


@inlined
def accept(run: Run, code: Code, kernels: Kernels) -> None:
    """Take in the fitness of the evaluated children, select who survives, and go on to the next stage."""
    clock = run.clock[0]
    clock.proposed = 0
    if clock.todo == 0 and len(run.population) == 1:  # the child is its parent: nothing to select
        go_on(run, code)
        return
    first = clock.spent == 0
    top = record(run)
    if clock.spent >= clock.evaluations:
        return
    stage = code.stages[clock.stage]
    if first or stage.restarts:
        replace_population(run, run.children)
        if first:
            enter_block(run, code, 0)
            return
    else:
        note_success(run, code)
        memory = run.memory[stage.selector_memory]
        progress = clock.spent / clock.evaluations
        call(
            kernels.select[stage.selector],
            run.pool, run.population, run.children, run.parents, run.fitness, run.kept, clock.variables, progress, memory, run.rng,
        )  # fmt: skip
        replace_population(run, run.kept)
    if top > clock.stage_best:
        clock.stage_best = top
        clock.gained = clock.spent
    if top > clock.block_best:
        clock.block_best = top
        clock.block_gained = clock.spent
    go_on(run, code)


@inlined
def replace_population(run: Run, slots: Indices) -> None:
    moved = False
    for i in range(len(slots)):
        moved |= run.population[i] != slots[i]
        run.population[i] = slots[i]
    run.clock[0].moved |= moved


@inlined
def record(run: Run) -> float:
    """Count the evaluations, keep the best ever and the history of improvements; return the best of this generation."""
    clock = run.clock[0]
    top = -np.inf
    succeeded = 0
    for k in range(clock.todo):
        i = run.todo[k]
        slot = run.children[i]
        succeeded += run.fitness[slot] >= run.fitness[run.parents[i]]
        clock.spent += 1
        top = max(top, run.fitness[slot])
        if clock.spent == 1 or run.fitness[slot] > clock.best:
            clock.best = run.fitness[slot]
            clock.hit = clock.spent
            copy_row(run.best, run.pool[slot])
            run.when[clock.improvements] = clock.spent
            run.what[clock.improvements] = clock.best
            clock.improvements += 1
    clock.succeeded = succeeded
    return top


@inlined
def note_success(run: Run, code: Code) -> None:
    """Tell the search components of the stage how their children did."""
    clock = run.clock[0]
    stage = code.stages[clock.stage]
    for j in range(stage.first, stage.end):
        run.memory[j, TRIED] = clock.todo
        run.memory[j, SUCCEEDED] = clock.succeeded


@inlined
def go_on(run: Run, code: Code) -> None:
    """Stay in the stage's loop, or go to the next stage, or repeat the block, or go to the next block, or begin a new
    round.
    """
    clock = run.clock[0]
    stage = code.stages[clock.stage]
    if goes_on(stage.loop, stage.amount, clock.spent, clock.entered, clock.gained):
        return
    if clock.stage < stage.block_last:
        enter_stage(run, code, clock.stage + 1)
    elif goes_on(stage.block_loop, stage.block_amount, clock.spent, clock.block_entered, clock.block_gained):
        enter_stage(run, code, stage.block_first)
    else:
        enter_block(run, code, (stage.block_last + 1) % len(code.stages))


@inlined
def goes_on(loop: int, amount: int, spent: int, entered: int, gained: int) -> bool:
    """Whether a loop has another turn."""
    return (loop == COUNT and spent - entered < amount) or (loop == IMPROVEMENT and spent - gained < amount)


@inlined
def enter_block(run: Run, code: Code, number: int) -> None:
    """Begin the block whose first stage is `number`: its loop counts from here."""
    clock = run.clock[0]
    clock.block_entered = clock.spent
    clock.block_gained = clock.spent
    if code.stages[number].block_loop == IMPROVEMENT:
        clock.block_best = best_of_population(run)
    enter_stage(run, code, number)


@inlined
def enter_stage(run: Run, code: Code, number: int) -> None:
    """Begin a stage: its loop counts from here."""
    clock = run.clock[0]
    clock.stage = number
    clock.entered = clock.spent
    clock.gained = clock.spent
    if code.stages[number].loop == IMPROVEMENT:
        clock.stage_best = best_of_population(run)


@inlined
def best_of_population(run: Run) -> float:
    top = run.fitness[run.population[0]]
    for i in range(1, len(run.population)):
        top = max(top, run.fitness[run.population[i]])
    return top
