"""The spec of a design: everything that its result depends on, as a value and as TOML."""

import json
import tomllib
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields, is_dataclass, replace
from typing import Any, Self, get_args

from metasmith.checks import whole_number
from metasmith.designers import find_designer
from metasmith.designers.known import known
from metasmith.designers.training import Training
from metasmith.measuring import Measuring, Quality, Race
from metasmith.problems import Task
from metasmith.runs.costs import Costs
from metasmith.runs.efforts import DESIGNER, EFFORTS, PRESETS
from metasmith.runs.layout import FEWEST_RUNS, laid_out
from metasmith.space import Space
from metasmith.space.spelling import suggestion


@dataclass(frozen=True)
class Spec:
    """What was asked of a design.

    evaluations: those of use, on a test problem. spend: those of the design, all together. writer: the file it begins
    from, and its digest. minutes: what `spend` was computed from, if it was; timing: those of `spend` that measured for
    this how fast runs are.
    """

    task: str
    evaluations: int
    spend: int
    seed: int = 0
    space: str = "full"
    designer: str = DESIGNER
    quality: Quality = "final"
    writer: str = ""
    minutes: float | None = None
    timing: int = 0
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
        whole_number("spend", self.spend, 1)
        for part in (self.training, self.measuring, self.race):
            part.check()

    def costs(self, task: Task) -> Costs:
        """What the parts of the design cost at most."""
        begins_with = count_known(self.space, task) if self.training.known else 0
        return Costs.of(task, self.measuring, self.race, looks=bool(self.writer), timing=self.timing, known=begins_with)

    def toml(self) -> str:
        """The spec as TOML, one line a number."""
        tables = {name: value for name, value in asdict(self).items() if isinstance(value, dict)}
        lines = [_line(*each) for each in asdict(self).items() if each[0] not in tables and each[1] is not None]
        for name, table in tables.items():
            lines += ["", f"[{name}]", *(_line(key, value) for key, value in table.items() if value is not None)]
        return "\n".join(lines) + "\n"

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read what `toml` wrote."""
        return _made(cls, tomllib.loads(text))


def specify(
    task: Task,
    *,
    name: str | None = None,
    effort: str = "default",
    preset: str = "default",
    spend: int | None = None,
    minutes: float | None = None,
    timing: int = 0,
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

    name: by which the task is found again; its own by default. spend: all evaluations of the design, for which its
    rungs and races are laid out; by default what the batches of the effort cost at most, with the references before
    them and the final race after them. minutes: what `spend` was computed from, and timing: evaluations that were
    spent on that. training, measuring, race: kept to as they are, whatever may be spent.
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
    if spend is not None:
        begins_with = count_known(space or settings.space, task) if (training or settings.training).known else 0
        settings = laid_out(settings, task, spend - timing, looks=bool(writer), known=begins_with)
    spec = Spec(
        name or task.name, task.evaluations, 1 if spend is None else spend, seed, space or settings.space, designer,
        quality, writer, minutes, timing, training or settings.training, measuring or settings.measuring,
        race or settings.race,
    )  # fmt: skip
    costs = spec.costs(task)
    if spend is None:
        return replace(spec, spend=costs.total(settings.batches, spec.training.batch))
    least = costs.least(settings.batches, spec.training.batch)
    if training is None and measuring is None and race is None:
        least = max(least, FEWEST_RUNS * task.evaluations)
    if spend < least:
        raise TooFewError(spend, task.evaluations, least)
    return spec


def count_known(space: str, task: Task) -> int:
    """How many known algorithms a design for `task` begins with."""
    return len(known(Space.named(space).on(task.representation), task.representation))


class TooFewError(ValueError):
    """No design can be made for so few evaluations. least: for how many one can."""

    def __init__(self, spend: int, evaluations: int, least: int) -> None:
        said = f"{spend:,} evaluations are too few for a design whose runs have {evaluations:,} each"
        super().__init__(f"{said}; give at least {least:,}")
        self.least = least


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
