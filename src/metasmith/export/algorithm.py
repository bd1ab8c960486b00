"""A program spelled out as a Python function: its blocks, stages, forks and loops, with the kernels called by name."""

from collections.abc import Callable, Iterable, Sequence

from metasmith.components import COMPONENTS
from metasmith.components.roles import asks_for, no_room
from metasmith.components.settings import Amount
from metasmith.export.gather import gathered
from metasmith.export.source import INDENT, kernel_of, module_of, names_used, needed, room_of
from metasmith.program import Block, Condition, Event, Program, Stage, Step, blocks
from metasmith.representations import Kind

PARTS = "metasmith.export.parts"
TOOLS = {
    "Run": f"{PARTS}.run",
    "np": f"{PARTS}.run",
    "tell": f"{PARTS}.run",
    "POPULATION": f"{PARTS}.algorithm",
    "until_spent": f"{PARTS}.loops",
    "until_stagnation": f"{PARTS}.loops",
    "until_local_optimum": f"{PARTS}.loops",
    "enter": f"{PARTS}.forks",
    "leave": f"{PARTS}.forks",
    "leave_or_skip": f"{PARTS}.forks",
}
"""What a written function may use beside kernels, and the module that has it."""

ARRAYS = (("pool", "fitness", "rng"), ("population", "parents", "children", "kept"))
"""What a written function may take from the run, line by line."""


def algorithm(program: Program, representation: Kind) -> str:
    """The source of a function `algorithm(run)` that does what a canonical program says."""
    return Writer(program, representation).text()


def origins(text: str, representation: Kind) -> list[tuple[str, str]]:
    """What a written function uses: (module, name) each."""
    modules = dict(TOOLS)
    for kernel in (representation.fresh, representation.step, representation.distance):
        modules[kernel.__name__] = kernel.__module__
    for name, component in COMPONENTS.items():
        if component.kernel(representation.name):
            modules[name] = module_of(name, representation.name)
            modules[room_of(name)] = component.room.__module__
    return [(modules[name], name) for name in sorted(names_used(text))]


class Writer:
    """Writes a program down, and collects the memories and hyperparameters that have to be made ready first."""

    def __init__(self, program: Program, representation: Kind) -> None:
        self.program = program
        self.representation = representation
        self.memories: dict[str, str] = {}
        self.settings: dict[tuple[str, tuple[Amount, ...]], str] = {}

    def text(self) -> str:
        parts = blocks(self.program)
        turn = [
            line
            for number, block in enumerate(parts, 1)
            for line in self._block(block, number if len(parts) > 1 else None)
        ]
        body = [
            f"{self.representation.fresh.__name__}(pool, children, shape, rng)",
            *("run.evaluate_all()", "run.replace_population(children)"),
            *_inside("while True:  # round after round", turn),
        ]
        said = '"""What the program says. The run ends it, wherever it is, when the evaluations are spent."""'
        return "\n".join(_inside("def algorithm(run: Run) -> None:", [said, *self._ready(body), *body]))

    def _ready(self, body: Sequence[str]) -> list[str]:
        """What has to be there before the first solution."""
        mentioned = names_used("\n".join(body))
        lines = []
        for group in ARRAYS:
            names = [name for name in group if name in mentioned]
            lines.append(f"{', '.join(names)} = {', '.join(f'run.{name}' for name in names)}")
        lines.append("shape = run.shape  # what kernels are told of the variables")
        if "at" in mentioned:
            waits = "the step each child waits for; who takes it"
            lines.append(f"at, moving = np.zeros_like(children), np.zeros_like(children)  # {waits}")
        for (component, amounts), name in self.settings.items():
            remark = ", ".join(
                f"{setting}={amount}" for setting, amount in zip(COMPONENTS[component].settings, amounts, strict=True)
            )
            lines.append(f"{name} = np.array([{', '.join(map(_at, amounts))}])  # {remark}")
        return lines + [f"{name} = run.new_memory({room})" for name, room in self.memories.items()]

    def _block(self, block: Block, number: int | None) -> list[str]:
        heeded = any(not stage.restarts for stage in block.stages)
        memory = self._memory(block.selector) if heeded else ""
        lines = [line for stage in block.stages for line in self._stage(stage, block.selector, memory)]
        title = [] if number is None else [f"# Block {number}"]
        return title + _repeated(block.until, lines)

    def _stage(self, stage: Stage, selector: str, memory: str) -> list[str]:
        if stage.restarts:
            fresh = f"{self.representation.fresh.__name__}(pool, children, shape, rng)  # reinitialize"
            lines = [fresh, "run.evaluate_all()", "run.replace_population(children)"]
            return _repeated(stage.until, [*lines, *(["run.note_restart()"] if self._restarts_matter() else [])])
        after = [
            self._call(
                *(selector, "pool", "population", "children", "parents", "fitness", "kept"),
                *("run.dimension", "run.spent / run.evaluations", memory, "rng"),
            ),
            "run.replace_population(kept)",
        ]
        chain, told = self._chain(stage)
        evaluate = ["run.evaluate_changed()", *told, *after]
        if self.program.population == 1:
            evaluate = _inside(
                "if run.evaluate_changed():  # else the child is its parent, and there is nothing to select",
                [*told, *after],
            )
        return _repeated(stage.until, [self._choose(stage), "run.copy_parents()", *chain, *evaluate])

    def _choose(self, stage: Stage) -> str:
        if self.program.population == 1:
            return "parents[0] = population[0]  # one solution is all there is to choose"
        memory = self._memory(stage.chooser)
        return self._call(stage.chooser, "pool", "population", "fitness", "shape", "parents", memory, "rng")

    def _chain(self, stage: Stage) -> tuple[list[str], list[str]]:
        """The search components of a stage, and what they are told after the evaluation."""
        forks = stage.entry is not None or any(step.target is not None for step in stage.chain)
        lines, told = [], []
        if stage.entry is not None:
            lines.append(f"enter(at, {stage.entry}, rng)  # {_skips(stage.chain[: stage.entry])}")
        elif forks:
            lines.append("at[:] = 0")
        for number, step in enumerate(stage.chain):
            memory = self._memory(step.component)
            who = "moving[:count]" if forks else "children"
            arguments = ("pool", who, "shape", self._settings(step), f"run.others({who})", memory, "rng")
            call = self._call(step.component, *arguments)
            if step.target is not None:
                skipped = _skips(stage.chain[number + 1 : step.target])
                lines.append(f"count = leave_or_skip(at, {number}, {step.target}, children, moving, rng)  # {skipped}")
            elif forks:
                lines.append(f"count = leave(at, {number}, children, moving)")
            lines += _inside("if count > 0:", [call]) if forks else [call]
            if memory and self._learns(step.component):
                told.append(f"tell(run, {memory})")
        return lines, told

    def _call(self, component: str, *arguments: str) -> str:
        """The call of a kernel, with those of its arguments that it has a use for."""
        kernel, plain = kernel_of(component, self.representation.name), self._plain(component)
        assert kernel is not None
        extra = asks_for(plain, COMPONENTS[component].role)
        every = (*arguments, getattr(self.representation, extra).__name__) if extra else arguments
        used = [argument for argument, kept in zip(every, needed(kernel).values(), strict=True) if kept]
        return f"{component}({', '.join(used)})"

    def _plain(self, component: str) -> Callable[..., None]:
        """The kernel of a component. Raises ValueError if it has none for these variables."""
        module_of(component, self.representation.name)
        kernel = COMPONENTS[component].kernel(self.representation.name)
        assert kernel is not None
        return kernel

    def _memory(self, component: str) -> str:
        """The name of a memory of its own for a component; none if it remembers nothing."""
        self._plain(component)
        kernel = kernel_of(component, self.representation.name)
        if kernel is None or not needed(kernel)["memory"]:
            return ""
        name = _unused(f"{component}_memory", self.memories)
        silent = COMPONENTS[component].room is no_room
        self.memories[name] = "0" if silent else f"{room_of(component)}(POPULATION, run.dimension)"
        return name

    def _learns(self, component: str) -> bool:
        """Whether a search component asks how its children did."""
        return "TRIED" in self._uses(component)

    def _restarts_matter(self) -> bool:
        """Whether a component of the program asks for restarts."""
        return any("RESTARTS" in self._uses(snippet.component) for snippet in self.program.snippets)

    def _uses(self, component: str) -> set[str]:
        """All names that the kernel of a component uses, itself or through others."""
        asked = [(module_of(component, self.representation.name), component)]
        definitions, _ = gathered(asked, self.representation.name, "")
        return {name for definition in definitions for name in definition.uses}

    def _settings(self, step: Step) -> str:
        """The name of the array with the hyperparameters of a step; its kernel has no use for it if there are none."""
        key = (step.component, step.amounts)
        if step.amounts and key not in self.settings:
            self.settings[key] = _unused(f"{step.component}_settings", self.settings.values())
        return self.settings.get(key, "")


def _at(amount: Amount) -> str:
    """What `Amount.at` computes, written down."""
    match amount.unit:
        case "%":
            return f"float(max(1, round({amount.number!r} * run.dimension / 100)))"
        case "/d":
            return f"min(1.0, {amount.number!r} / run.dimension)"
        case _:
            return repr(amount.number)


def _repeated(until: Condition | None, lines: list[str]) -> list[str]:
    """Lines in the loop that a condition asks for."""
    match until:
        case None:
            return lines
        case Condition(event=Event.LOCAL_OPTIMUM):
            return _inside("for _ in until_local_optimum(run):", lines)
        case Condition(event=Event.STAGNATION):
            return _inside("for _ in until_stagnation(run):", lines)
        case Condition(share=share):
            assert share is not None
            return _inside(f"for _ in until_spent(run, percent={share.number!r}):", lines)


def _skips(steps: Iterable[Step]) -> str:
    return f"with probability 1/2, each child skips {', '.join(step.component for step in steps)}"


def _inside(head: str, lines: Iterable[str]) -> list[str]:
    return [head, *(INDENT + line for line in lines)]


def _unused(name: str, taken: Iterable[str]) -> str:
    """`name`, or `name_2`, `name_3`, ... where it is taken."""
    taken = set(taken)
    number, free = 1, name
    while free in taken:
        number += 1
        free = f"{name}_{number}"
    return free
