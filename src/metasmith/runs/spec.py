"""The spec of a design: everything that its result depends on, as a value and as TOML."""

import json
import tomllib
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields, is_dataclass, replace
from typing import Any, Self, get_args

from metasmith.checks import whole_number
from metasmith.designers import find_designer
from metasmith.designers.training import PAPER, Training
from metasmith.measuring import Measuring, Quality, Race
from metasmith.problems import Task
from metasmith.runs.costs import Costs
from metasmith.space import Space
from metasmith.space.spelling import suggestion


@dataclass(frozen=True)
class Spec:
    """What was asked of a design.

    evaluations: those of use, on a test problem. budget: those of the design, all together. writer: the file it begins
    from, and its digest.
    """

    task: str
    evaluations: int
    budget: int
    seed: int = 0
    space: str = "full"
    designer: str = "mixture"
    quality: Quality = "final"
    writer: str = ""
    training: Training = field(default_factory=Training)
    measuring: Measuring = field(default_factory=Measuring)
    race: Race = field(default_factory=Race)

    def __post_init__(self) -> None:
        Space.named(self.space)
        learns = find_designer(self.designer).learns
        if self.quality not in get_args(Quality):
            raise ValueError(f"there is no quality '{self.quality}'; {suggestion(self.quality, get_args(Quality))}")
        if not 0 <= self.seed < 2**63:
            raise ValueError(f"a design's seed is a whole number from 0 to 2**63 - 1, got {self.seed}")
        if self.evaluations < 1:
            raise ValueError(f"an algorithm needs at least 1 evaluation, got {self.evaluations}")
        if self.writer and not learns:
            raise ValueError(f"a writer file is for designers with a network, not for '{self.designer}'")
        whole_number("budget", self.budget, 1)
        for part in (self.training, self.measuring, self.race):
            part.check()

    def costs(self, task: Task) -> Costs:
        """What the parts of the design cost at most."""
        return Costs.of(task, self.measuring, self.race, looks=bool(self.writer))

    def toml(self) -> str:
        """The spec as TOML, one line a number."""
        tables = {name: value for name, value in asdict(self).items() if isinstance(value, dict)}
        lines = [_line(name, value) for name, value in asdict(self).items() if name not in tables]
        for name, table in tables.items():
            lines += ["", f"[{name}]", *(_line(key, value) for key, value in table.items() if value is not None)]
        return "\n".join(lines) + "\n"

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read what `toml` wrote."""
        return _made(cls, tomllib.loads(text))


@dataclass(frozen=True)
class Settings:
    """What an effort or a preset stands for. batches: how many the budget is for at least."""

    batches: int
    training: Training = field(default_factory=Training)
    measuring: Measuring = field(default_factory=Measuring)
    race: Race = field(default_factory=Race)
    space: str = "full"
    designer: str = "mixture"


EFFORTS: Mapping[str, Settings] = {
    "none": Settings(0, race=Race(finalists=0, samples=23, rounds=(2, 2, 4))),
    "quick": Settings(
        20,
        Training(batch=16, mutants=4, immigrants=4),
        Measuring(runs=1),
        Race(finalists=10, samples=4, rounds=(4, 4, 8)),
    ),
    "default": Settings(62),
    "thorough": Settings(
        200,
        Training(batch=40, mutants=10, immigrants=10),
        race=Race(finalists=60, samples=20, rounds=(6, 6, 12, 24, 48)),
    ),
}
"""How much is spent: nothing on learning, about a tenth of the default, the default, and five times as much."""

PRESETS: Mapping[str, Settings | None] = {
    "default": None,
    "paper": Settings(
        100,
        PAPER,
        Measuring(keep=1.0, runs=5, again=1, evaluations=5000, instances=1),
        Race(finalists=0, samples=0, rounds=()),
        space="paper",
        designer="ppo",
    ),
}
"""The paper's section IV-A: every program runs 5 times on one instance of each size, and the greedy program is the
design. By default an effort decides.
"""


def specify(
    task: Task,
    *,
    name: str | None = None,
    effort: str = "default",
    preset: str = "default",
    budget: int | None = None,
    seed: int = 0,
    space: str | None = None,
    designer: str | None = None,
    quality: Quality = "final",
    writer: str = "",
    training: Training | None = None,
    measuring: Measuring | None = None,
    race: Race | None = None,
) -> Spec:
    """The spec of a design for `task` by an effort or a preset, and by whatever is given beside them.

    name: by which the task is found again; its own by default. budget: all evaluations of the design; by default what
    the batches of the effort cost at most, with the references before them and the final race after them.
    """
    for what, word, words in (("effort", effort, EFFORTS), ("preset", preset, PRESETS)):
        if word not in words:
            raise ValueError(f"there is no {what} '{word}'; {suggestion(word, words)}")
    settings = PRESETS[preset]
    if settings is None:
        settings = EFFORTS[effort]
    elif effort != "default":
        raise ValueError(f"the preset '{preset}' has its own effort; leave out the one or the other")
    designer = designer or settings.designer
    if effort == "none" and not writer and find_designer(designer).learns:
        raise ValueError(
            "the effort 'none' needs a writer that has learned before; give one with --writer, or more effort"
        )
    training, measuring, race = training or settings.training, measuring or settings.measuring, race or settings.race
    spec = Spec(
        name or task.name, task.evaluations, 1 if budget is None else budget, seed, space or settings.space, designer,
        quality, writer, training, measuring, race,
    )  # fmt: skip
    costs, batch = spec.costs(task), training.batch
    if budget is None:
        return replace(spec, budget=costs.start + settings.batches * costs.batch(batch) + costs.final)
    least = costs.start + costs.final + (costs.batch((batch + 1) // 2) if settings.batches else 0)
    if budget < least:
        raise ValueError(
            f"the budget of {budget:,} evaluations is too small: the start takes {costs.start:,}, a batch up to "
            f"{costs.batch(batch):,}, the final race up to {costs.final:,}; give at least {least:,}"
        )
    return spec


def _line(name: str, value: Any) -> str:
    # TOML has no surrogates, and escapes delete
    text = json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    return f"{name} = {text}"


def _made(kind: type[Any], data: Mapping[str, Any]) -> Any:
    """A dataclass from a table; lists become tuples, tables become the dataclasses of their fields."""
    allowed = {each.name: each for each in fields(kind)}
    unknown = set(data) - set(allowed)
    if unknown:
        raise ValueError(f"{kind.__name__.lower()} has no '{min(unknown)}'; {suggestion(min(unknown), allowed)}")
    values = {}
    for name, value in data.items():
        inner = allowed[name].default_factory
        if isinstance(value, dict) and isinstance(inner, type) and is_dataclass(inner):
            values[name] = _made(inner, value)
        else:
            values[name] = tuple(value) if isinstance(value, list) else value
    return kind(**values)
