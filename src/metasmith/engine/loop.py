"""How a lowered program runs: propose children, have them evaluated, accept them, again and again.

The loop keeps everything it knows in a `Run`, so it can stop at any child and go on later: that is how time limits,
interruptions and evaluation outside compiled code work, all with the same kernels and the same random numbers.

Solutions live in a pool of rows. The population is a list of slots (rows); children are written to free rows; a
selection only decides which slots stay, so survivors are never copied. A row is not changed once it has been evaluated.
"""

from typing import Any, NamedTuple

import numpy as np
from numba.extending import register_jitable

from metasmith.arrays import Floats, Indices, Solutions, State, Words
from metasmith.chance import heads
from metasmith.components.roles import RESTARTS, SUCCEEDED, TRIED
from metasmith.engine.call import call, call_float

inlined = register_jitable(forceinline=True)
"""Into the loop as one piece: handing on a `Run` costs more than most of these functions do."""

PATIENCE = 200
"""Children in a row that come out unchanged before they are evaluated all the same, so that every run ends."""

NO_LOOP, COUNT, IMPROVEMENT = 0, 1, 2
"""What ends a loop: nothing to loop; so many evaluations since it was entered; so many since its last improvement."""

STAGE = np.dtype([(name, np.int64) for name in (
    "chooser", "chooser_memory", "entry", "first", "end", "forks", "restarts", "selector", "selector_memory", "loop",
    "amount", "block_first", "block_last", "block_loop", "block_amount",
)], align=True)  # fmt: skip
"""One stage of a lowered program.

Lines first..end-1 are its chain; entry: the line where a chooser's fork enters, or -1.
"""

LINE = np.dtype([("search", np.int64), ("target", np.int64)], align=True)
"""One search component of a lowered program. target: the line where its fork goes on, or -1."""

CLOCK = np.dtype(
    [(name, np.int64) for name in (
        "evaluations", "variables", "spent", "hit", "improvements", "stage", "todo", "idle", "failed", "moved", "stamp",
        "proposed", "related", "done", "succeeded", "entered", "gained", "block_entered", "block_gained",
    )]
    + [(name, np.float64) for name in ("best", "stage_best", "block_best")],
    align=True,
)  # fmt: skip
"""Where a run stands.

hit: evaluation of the last improvement. entered, gained: when the present loop began and last improved.
moved: whether the population has changed since the children were given their rows. proposed, done: whether a generation
is under way, and how many of its children have been evaluated. related: whether these children were made from parents
whose fitness is known. failed: whether the value of the next child is not a number.
"""


class Code(NamedTuple):
    """A lowered program."""

    stages: Any  # (stages,) of STAGE
    lines: Any  # (lines,) of LINE
    settings: Any  # (lines,) where the hyperparameters of each line are: addresses, or in plain Python arrays
    held: Floats  # (lines, most) the hyperparameters themselves


class Kernels(NamedTuple):
    """What to `call` for each component of a role, by number, and for random solutions: addresses of kernels."""

    choose: Indices
    search: Indices
    select: Indices
    fresh: int


class Evaluation(NamedTuple):
    """How the loop evaluates children: value(row, tables, work), and fitness is sign times that value.

    value: an address. update: that of a kernel update(row, parent_row, parent_value, tables, work) that gives the same
    bits as `value`, or 0. tables: a reference. work: scratch of both. cells: those of a row that are not padding.
    """

    value: int
    update: int
    tables: Any
    work: Words
    sign: float
    cells: int


class Run(NamedTuple):
    """Everything that changes while a program runs. N: population size."""

    clock: Any  # (1,) of CLOCK
    pool: Solutions  # (2 N + SCRATCH, width)
    raw: Words  # the same memory as 64-bit words, by which rows are compared and copied whatever their cells are
    fitness: Floats  # (2 N,) by slot, larger is better
    population: Indices  # (N,) slots
    children: Indices  # (N,) slots
    parents: Indices  # (N,) slots, of each child
    todo: Indices  # (N,) children to evaluate, by position in `children`
    moving: Indices  # (N,) slots in hand at one line, where children go different ways
    moving_parents: Indices  # (N,) slots, of each of those
    at: Indices  # (N,) line at which each child goes on
    kept: Indices  # (N,) slots
    used: Indices  # (2 N,) stamps of the rows in use
    memory: Floats  # (snippets, room)
    best: Words  # the words of one row
    when: Indices  # (capacity,) evaluation of each improvement
    what: Floats  # (capacity,) fitness of each improvement
    rng: State
    others: Any  # a reference to parents, population and fitness, for search kernels that have all children in hand
    others_moving: Any  # the same to moving_parents, population and fitness, for those that have some


WORST = -1e300
"""The fitness of an evaluation that failed and counts as the worst. Every fitness is between this and its opposite."""

INFEASIBLE = -1e200
"""Solutions that violate constraints have a fitness below this, falling with the violation; all others are above."""


@register_jitable
def advance(run: Run, code: Code, kernels: Kernels, shape: Any, evaluation: Evaluation, until: int) -> None:
    """Run a program, from where it stopped, until `until` evaluations are spent, the history is full, or one fails."""
    clock = run.clock[0]
    padded = evaluation.cells < run.pool.shape[1]
    while clock.spent < min(until, clock.evaluations) and has_room(run):
        if not clock.proposed:
            propose(run, code, kernels, shape)
        if evaluation.update and clock.related:
            evaluate(run, evaluation, until, True, True)
        elif padded:
            evaluate(run, evaluation, until, True, False)
        else:
            evaluate(run, evaluation, until, False, False)
        if clock.done < clock.todo:
            return  # enough for now, or a failure
        accept(run, code, kernels)


@inlined
def evaluate(run: Run, evaluation: Evaluation, until: int, padded: bool, related: bool) -> None:
    """Evaluate children up to `until`, or to the first whose value is not a number. related: from the parents' values.

    padded: rows have cells that objectives must not see. Both are constants where this is inlined, and cost no branch.
    """
    clock = run.clock[0]
    for k in range(clock.done, min(clock.todo, until - clock.spent)):
        slot = run.children[run.todo[k]]
        row = run.pool[slot, : evaluation.cells] if padded else run.pool[slot]
        if related:
            parent = run.parents[run.todo[k]]
            before = evaluation.sign * run.fitness[parent]
            parent_row = run.pool[parent, : evaluation.cells]
            value = call_float(evaluation.update, row, parent_row, before, evaluation.tables, evaluation.work)
        else:
            value = call_float(evaluation.value, row, evaluation.tables, evaluation.work)
        if value != value:
            clock.failed = 1
            return
        run.fitness[slot] = evaluation.sign * value
        clock.done = k + 1


@register_jitable
def evaluate_rows(rows: Solutions, evaluation: Evaluation, fitness: Floats) -> None:
    """Write the fitness of each row; not a number where the evaluation fails."""
    for i in range(len(rows)):
        row = rows[i, : evaluation.cells]
        fitness[i] = evaluation.sign * call_float(evaluation.value, row, evaluation.tables, evaluation.work)


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
        clock.related = 0
    else:
        clock.related = 1
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
            copy_row(run.raw[run.children[i]], run.raw[run.parents[i]])
        if stage.forks:
            search_with_forks(run, code, kernels, shape)
        else:
            for j in range(stage.first, stage.end):
                line = code.lines[j]
                call(
                    kernels.search[line.search],
                    run.pool, run.children, shape, code.settings[j], run.others, run.memory[j], run.rng,
                )  # fmt: skip
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
                run.moving_parents[count] = run.parents[i]
                count += 1
                run.at[i] = line.target if line.target >= 0 and heads(run.rng) else j + 1
        if count > 0:
            call(
                kernels.search[line.search],
                run.pool, run.moving[:count], shape, code.settings[j], run.others_moving, run.memory[j], run.rng,
            )  # fmt: skip


@inlined
def copy_row(target: Words, source: Words) -> None:
    for w in range(len(target)):
        target[w] = source[w]


@inlined
def differs(a: Words, b: Words) -> bool:
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
        count += differs(run.raw[run.children[i]], run.raw[run.parents[i]])
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
        note_restart(run)
    else:
        note_success(run, code)
        memory = run.memory[stage.selector_memory]
        progress = clock.spent / clock.evaluations
        call(
            kernels.select[stage.selector],
            run.pool, run.population, run.children, run.parents, run.fitness, run.kept,
            clock.variables, progress, memory, run.rng,
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
            copy_row(run.best, run.raw[slot])
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
def note_restart(run: Run) -> None:
    """Tell every snippet that the population is new."""
    for j in range(run.memory.shape[0]):
        run.memory[j, RESTARTS] += 1.0


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
