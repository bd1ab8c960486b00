"""A program spelled out as a Python function: its blocks, stages, forks and loops, with the kernels called by name."""

from collections.abc import Iterable, Sequence

from metasmith.components import COMPONENTS
from metasmith.components.settings import Amount
from metasmith.export.gather import gathered
from metasmith.export.source import INDENT, kernel_of, names_used, needed
from metasmith.program import Block, Condition, Event, Program, Stage, Step, blocks
from metasmith.representations import Bits, Integers

Representation = type[Bits] | type[Integers]

PARTS = "metasmith.export.parts"
TOOLS = {
    "Run": f"{PARTS}.run",
    "np": f"{PARTS}.run",
    "tell": f"{PARTS}.run",
    "until_spent": f"{PARTS}.loops",
    "until_stagnation": f"{PARTS}.loops",
    "until_local_optimum": f"{PARTS}.loops",
    "enter": f"{PARTS}.forks",
    "leave": f"{PARTS}.forks",
    "leave_or_skip": f"{PARTS}.forks",
}
"""What a written function may use beside kernels, and where it is."""

ARRAYS = (("pool", "fitness", "rng"), ("population", "parents", "children", "kept"))
"""What a written function may take from the run, line by line."""

SHAPES = {
    "bits": "length = run.shape  # how many bits",
    "integers": "arity = run.shape  # how many values each position has",
}


def algorithm(program: Program, representation: Representation) -> str:
    """The source of a function `algorithm(run)` that does what a canonical program says."""
    return Writer(program, representation).text()


def origins(text: str, representation: Representation) -> list[tuple[str, str]]:
    """What a written function uses: (module, name) each."""
    fresh = representation.fresh
    known = TOOLS | {name: f"metasmith.components.{name}" for name in COMPONENTS} | {fresh.__name__: fresh.__module__}
    return [(known[name], name) for name in sorted(names_used(text))]


class Writer:
    """Writes a program down, and collects on the way the memories and hyperparameters that have to be made ready first."""

    def __init__(self, program: Program, representation: Representation) -> None:
        self.program = program
        self.representation = representation
        self.shape = SHAPES[representation.name].split()[0]
        self.memories: list[str] = []
        self.settings: dict[tuple[str, Amount], str] = {}

    def text(self) -> str:
        parts = blocks(self.program)
        turn = [
            line
            for number, block in enumerate(parts, 1)
            for line in self._block(block, number if len(parts) > 1 else None)
        ]
        body = [
            f"{self.representation.fresh.__name__}(pool, children, {self.shape}, rng)",
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
        lines.append(SHAPES[self.representation.name])
        if "at" in mentioned:
            lines.append(
                "at, moving = np.zeros_like(children), np.zeros_like(children)  # the step each child waits for; who takes it"
            )
        lines += [f"{name} = {_at(amount)}  # {amount}" for (_, amount), name in self.settings.items()]
        return lines + [f"{name} = run.new_memory()" for name in self.memories]

    def _block(self, block: Block, number: int | None) -> list[str]:
        heeded = any(not stage.restarts for stage in block.stages)
        memory = self._memory(block.selector) if heeded else ""
        lines = [line for stage in block.stages for line in self._stage(stage, block.selector, memory)]
        title = [] if number is None else [f"# Block {number}"]
        return title + _repeated(block.until, lines)

    def _stage(self, stage: Stage, selector: str, memory: str) -> list[str]:
        if stage.restarts:
            restart = self._call("reinitialize", "pool", "children", self.shape, "0.0", "", "rng")
            return _repeated(stage.until, [restart, "run.evaluate_all()", "run.replace_population(children)"])
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
        return self._call(stage.chooser, "pool", "population", "fitness", self.shape, "parents", memory, "rng")

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
            call = self._call(step.component, "pool", who, self.shape, self._setting(step), memory, "rng")
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
        kernel = kernel_of(component, self.representation.name)
        if kernel is None:
            raise ValueError(f"{component} does not work on {self.representation.name}")
        given = [argument for argument, kept in zip(arguments, needed(kernel).values(), strict=True) if kept]
        return f"{component}({', '.join(given)})"

    def _memory(self, component: str) -> str:
        """The name of a memory of its own for a component; none if it remembers nothing."""
        kernel = kernel_of(component, self.representation.name)
        if kernel is None or not needed(kernel)["memory"]:
            return ""
        self.memories.append(_unused(f"{component}_memory", self.memories))
        return self.memories[-1]

    def _learns(self, component: str) -> bool:
        """Whether a search component asks how its children did."""
        definitions, _ = gathered([(f"metasmith.components.{component}", component)], self.representation.name, "")
        return any("TRIED" in definition.uses for definition in definitions)

    def _setting(self, step: Step) -> str:
        """A hyperparameter: a number, or the name of one that depends on how many variables there are."""
        if step.amount is None:
            return "0.0"
        if not step.amount.unit:
            return repr(step.amount.number)
        (setting,) = COMPONENTS[step.component].settings
        known = (step.component, step.amount)
        if known not in self.settings:
            self.settings[known] = _unused(f"{step.component}_{setting}", self.settings.values())
        return self.settings[known]


def _at(amount: Amount) -> str:
    """What `Amount.at` computes, written down."""
    if amount.unit == "%":
        return f"float(max(1, round({amount.number!r} * run.dimension / 100)))"
    return f"min(1.0, {amount.number!r} / run.dimension)"


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
    number = 1
    found = name
    while found in taken:
        number += 1
        found = f"{name}_{number}"
    return found
