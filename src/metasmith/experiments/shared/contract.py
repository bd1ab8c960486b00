"""What an experiment declares, so that `metasmith reproduce` has a command for it, and what it is then asked."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, Self

from metasmith.experiments.shared.published import chosen
from metasmith.experiments.shared.scales import Scale, scale_named
from metasmith.report.sheet import Sheet

Tick = Callable[[], None]
"""To be called after each step."""


@dataclass(frozen=True)
class Option:
    """An option of a command. name: as typed, without the dashes. type: of its value."""

    name: str
    type: Any
    default: Any
    help: str
    metavar: str | None = None

    def but(self, **changes: Any) -> Self:
        """The same with another default or help."""
        return replace(self, **changes)


SCALE = Option("scale", str, "paper", "How much to spend: small, paper or full.")
TRIALS = Option("trials", int | None, None, "Designs of each kind, with seeds from 0 on; by default the scale's.")
ONLY = Option("only", str, "", "Only these functions, such as F2,F18.")
LOG = Option("log-ioh", Path | None, None, "Also log the runs in this folder, in IOHprofiler's format.", metavar="DIR")
OUT = Option("out", Path | None, None, "Folder of what is kept, which is not done again. By default one in runs/.")
WRITE = Option("write", Path | None, None, "Also write the page to this file, and the pictures beside it.")
ON = Option(
    "on",
    str | None,
    None,
    "Make the designs on a Dask cluster, dask://HOST:8786 or dask:SCHEDULER_FILE; --out must be in a file system that "
    "its workers share with this machine.",
    metavar="ADDRESS",
)


@dataclass(frozen=True)
class Request:
    """What is asked of an experiment. options: their values, by name. default_folder: where it keeps what it makes if
    --out does not say.
    """

    options: Mapping[str, Any]
    default_folder: "Callable[[Request], Path]"

    @cached_property
    def scale(self) -> Scale:
        scale, trials = scale_named(self.options["scale"]), self.options.get("trials")
        if trials is not None and trials < 1:
            raise ValueError(f"at least 1 design of each kind is needed, got --trials {trials}")
        return scale if trials is None else replace(scale, trials=trials)

    @cached_property
    def functions(self) -> tuple[str, ...]:
        """The PBO functions that --only names."""
        return chosen(self.options["only"])

    @cached_property
    def folder(self) -> Path:
        return self.options.get("out") or self.default_folder(self)

    @property
    def log(self) -> Path | None:
        return self.options.get("log-ioh")

    def typed(self) -> dict[str, Any]:
        """The options that decide results, as they are typed to make the same again."""
        trials = {"trials": self.scale.trials} if {"scale", "trials"} <= self.options.keys() else {}
        others = [option.name for option in (LOG, OUT, WRITE, ON)]
        decisive = {name: value for name, value in self.options.items() if name not in others}
        return {**decisive, **trials, "out": self.folder}


@dataclass(frozen=True)
class Experiment:
    """A table or a figure that `metasmith reproduce NAME` makes.

    order: of the names in lists. options: beside --out, --write and --json, which all have. folder: where it keeps what
    it makes. steps: what its bar counts, and how many. sheet: does the work, calling `tick` after each step. needs:
    packages that must be installed, and the extra that each is in. spreads: whether it makes designs side by side, so
    that it has --on as well.
    """

    name: str
    help: str
    order: int
    options: tuple[Option, ...]
    folder: Callable[[Request], Path]
    steps: Callable[[Request], tuple[str, int]]
    sheet: Callable[[Request, Tick], Sheet]
    needs: Mapping[str, str] = field(default_factory=dict)
    spreads: bool = True


def by_scale(name: str) -> Callable[[Request], Path]:
    """A folder for each scale."""
    return lambda request: Path(f"runs/{name}-{request.options['scale']}")


def by_effort(name: str) -> Callable[[Request], Path]:
    """A folder for each effort; scales with the same effort share their designs."""
    return lambda request: effort_folder(name, request.scale.effort)


def effort_folder(name: str, effort: str) -> Path:
    return Path(f"runs/{name}" if effort == "default" else f"runs/{name}-{effort}")
