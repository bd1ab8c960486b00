"""What was asked of a design: everything that its result depends on, as a value and as TOML."""

import json
import tomllib
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields, is_dataclass, replace
from typing import Any, Literal, Self, get_args

from metasmith.designers.ppo.training import PAPER, Training
from metasmith.measuring import Measuring, Quality
from metasmith.space import Space
from metasmith.space.spelling import suggestion

Method = Literal["ppo", "random"]


@dataclass(frozen=True)
class Race:
    """The final race. finalists: the best programs seen; samples: fresh ones; the greedy one is always there.

    rounds: runs of everybody left, after each of which the better half goes on. If there are none, the greedy program
    is the design.
    """

    finalists: int = 24
    samples: int = 8
    rounds: tuple[int, ...] = (6, 6, 12, 24)


@dataclass(frozen=True)
class Spec:
    """evaluations: those of use, on a test problem. writer: the file it begins from, and its digest."""

    task: str
    evaluations: int
    seed: int = 0
    space: str = "full"
    designer: Method = "ppo"
    quality: Quality = "final"
    writer: str = ""
    training: Training = field(default_factory=Training)
    measuring: Measuring = field(default_factory=Measuring)
    race: Race = field(default_factory=Race)

    def __post_init__(self) -> None:
        Space.named(self.space)
        for name, allowed in (("designer", Method), ("quality", Quality)):
            if getattr(self, name) not in get_args(allowed):
                raise ValueError(f"there is no {name} '{getattr(self, name)}'; {suggestion(getattr(self, name), get_args(allowed))}")
        if not 0 <= self.seed < 2**63:
            raise ValueError(f"a design's seed is a whole number from 0 to 2**63 - 1, got {self.seed}")
        if self.evaluations < 1:
            raise ValueError(f"an algorithm needs at least 1 evaluation, got {self.evaluations}")
        if self.writer and self.designer != "ppo":
            raise ValueError(f"a writer file is for the designer ppo, not for '{self.designer}'")
        if self.training.epochs < (0 if self.writer or self.designer == "random" else 1):
            raise ValueError(f"epochs must be at least 1 without a writer that has learned before, got {self.training.epochs}")
        numbers = {"batch": self.training.batch, "updates": self.training.updates}
        numbers |= {"runs": self.measuring.runs, "again": self.measuring.again, "round": min(self.race.rounds, default=1)}
        for name, value in numbers.items():
            if value < 1:
                raise ValueError(f"{name} must be at least 1, got {value}")
        if not 0 < self.measuring.keep <= 1:
            raise ValueError(f"keep is a share above 0, 1 at most, got {self.measuring.keep}")

    def toml(self) -> str:
        """As TOML, one line a number."""
        tables = {name: value for name, value in asdict(self).items() if isinstance(value, dict)}
        lines = [_line(name, value) for name, value in asdict(self).items() if name not in tables]
        for name, table in tables.items():
            lines += ["", f"[{name}]", *(_line(key, value) for key, value in table.items() if value is not None)]
        return "\n".join(lines) + "\n"

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read what `toml` wrote."""
        return _made(cls, tomllib.loads(text))


EFFORTS: Mapping[str, Mapping[str, Any]] = {
    "none": {"training": Training(epochs=0), "race": Race(finalists=0, samples=23, rounds=(2, 2, 4))},
    "quick": {
        "training": Training(epochs=20, batch=16, varied=4, drawn=4),
        "measuring": Measuring(runs=1),
        "race": Race(finalists=10, samples=4, rounds=(4, 4, 8)),
    },
    "default": {},
    "thorough": {
        "training": Training(epochs=200, batch=40, varied=10, drawn=10),
        "race": Race(finalists=60, samples=20, rounds=(6, 6, 12, 24, 48)),
    },
}
"""How much is spent: nothing on learning, about a fifteenth of the default, and five times as much."""

PRESETS: Mapping[str, Mapping[str, Any]] = {
    "default": {},
    "paper": {
        "space": "paper",
        "training": PAPER,
        "measuring": Measuring(keep=1.0, runs=5, again=1, evaluations=5000, instances=1),
        "race": Race(finalists=0, samples=0, rounds=()),
    },
}
"""The paper's section IV-A: every program runs 5 times on one instance of each size, and the greedy program is the
design.
"""


def ask(task: str, evaluations: int, *, effort: str = "default", preset: str = "default", **others: Any) -> Spec:
    """What is asked by an effort, a preset, and whatever is given beside them."""
    for what, given, known in (("effort", effort, EFFORTS), ("preset", preset, PRESETS)):
        if given not in known:
            raise ValueError(f"there is no {what} '{given}'; {suggestion(given, known)}")
    if preset == "paper" and effort != "default":
        raise ValueError("the preset 'paper' has its own effort; leave out the one or the other")
    if effort == "none" and not others.get("writer"):
        raise ValueError("the effort 'none' needs a writer that has learned before; give one with --writer, or more effort")
    return replace(Spec(task, evaluations), **{**EFFORTS[effort], **PRESETS[preset], **others})


def _line(name: str, value: Any) -> str:
    # TOML has no surrogates, and escapes delete
    text = json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    return f"{name} = {text}"


def _made(kind: type[Any], data: Mapping[str, Any]) -> Any:
    """A dataclass from a table; lists become tuples, tables become the dataclasses of their fields."""
    known = {each.name: each for each in fields(kind)}
    unknown = set(data) - set(known)
    if unknown:
        raise ValueError(f"{kind.__name__.lower()} has no '{min(unknown)}'; {suggestion(min(unknown), known)}")
    made = {}
    for name, value in data.items():
        inner = known[name].default_factory
        if isinstance(value, dict) and isinstance(inner, type) and is_dataclass(inner):
            made[name] = _made(inner, value)
        else:
            made[name] = tuple(value) if isinstance(value, list) else value
    return kind(**made)
