"""A program as a flow diagram: a round from top to bottom, loops as frames with an arrow back on their left, forks on
the right.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

from markupsafe import Markup

from metasmith.components import COMPONENTS
from metasmith.program import Block, Condition, Program, Stage, Step, blocks
from metasmith.report.svg import path, picture, tag, text

Kind = Literal["start", "choose", "search", "evaluate", "select", "test", "end"]

LETTER = 7.4
"""The width of a letter in a box."""

WIDE, TALL, LOW = 190.0, 40.0, 26.0
"""Boxes: how wide at least, how tall with a note, and without."""

GAP = 18.0
"""Between boxes, for an arrow."""

BACK, LANE = 22.0, 16.0
"""Room for an arrow back, and for a fork."""

EDGE = 8.0
"""Between frames, and around the whole."""


@dataclass(frozen=True)
class Box:
    """A step of the flow. note: what it is, in small letters."""

    kind: Kind
    words: str
    note: str
    y: float
    tall: float

    @property
    def bottom(self) -> float:
        return self.y + self.tall


@dataclass(frozen=True)
class Loop:
    """A part that is done again: from the box at `top` to the test at its end, so many loops within others."""

    depth: int
    top: float
    bottom: float
    back: float
    """Where the test is, from which the arrow goes back."""


@dataclass(frozen=True)
class Fork:
    """A way past some boxes, from one to another."""

    source: Box
    target: Box
    lane: int


@dataclass
class Layout:
    """Where everything is. One column: boxes differ in their height only. y: how far down the next box begins."""

    boxes: list[Box] = field(default_factory=list)
    loops: list[Loop] = field(default_factory=list)
    forks: list[Fork] = field(default_factory=list)
    y: float = EDGE

    def add(self, kind: Kind, words: str, note: str = "") -> Box:
        box = Box(kind, words, note, self.y, TALL if note else LOW)
        self.boxes.append(box)
        self.y = box.bottom + GAP
        return box

    def fork(self, source: Box, target: Box) -> None:
        """In the first lane that is free all the way."""
        taken = {fork.lane for fork in self.forks if fork.source.y < target.bottom and source.y < fork.target.bottom}
        self.forks.append(Fork(source, target, next(lane for lane in range(len(taken) + 1) if lane not in taken)))

    @property
    def depth(self) -> int:
        return max(loop.depth for loop in self.loops) + 1

    @property
    def wide(self) -> float:
        """Of the boxes: as the longest words need."""
        return max(WIDE, *(len(box.words) * LETTER + 20 for box in self.boxes))

    @property
    def left(self) -> float:
        """Of the boxes: right of all arrows back."""
        return EDGE + self.depth * (BACK + EDGE)

    @property
    def lanes(self) -> int:
        return max((fork.lane + 1 for fork in self.forks), default=0)

    @property
    def width(self) -> float:
        return self.left + self.wide + self.lanes * LANE + (self.depth + 1) * EDGE

    @property
    def height(self) -> float:
        return self.boxes[-1].bottom + EDGE


def diagram(program: Program) -> Markup:
    """The picture of a program."""
    layout = laid_out(program)
    middle, left, right = layout.left + layout.wide / 2, layout.left, layout.left + layout.wide
    parts = []
    for loop in sorted(layout.loops, key=lambda loop: loop.depth):  # inner frames over outer ones
        x = EDGE + loop.depth * (BACK + EDGE)
        wide = layout.width - EDGE - x - loop.depth * EDGE
        parts.append(tag("rect", x=x, y=loop.top, width=wide, height=loop.bottom - loop.top, rx=8, class_="loop"))
    for box, following in zip(layout.boxes, layout.boxes[1:], strict=False):
        parts.append(_arrow([(middle, box.bottom), (middle, following.y)]))
    for loop in layout.loops:
        lane, entry = EDGE + loop.depth * (BACK + EDGE) + 8, loop.top + GAP / 2 - 2
        parts.append(_arrow([(left, loop.back), (lane, loop.back), (lane, entry), (middle - 1, entry)]))
        parts.append(text(left - 5, loop.back - 5, "no", text_anchor="end", class_="note"))
    for fork in layout.forks:
        lane = right + (fork.lane + 0.8) * LANE
        start, end = fork.source.y + fork.source.tall * 0.7, fork.target.y + fork.target.tall * 0.3
        parts.append(_arrow([(right, start), (lane, start), (lane, end), (right, end)], "arrow fork"))
        parts.append(text(right + 3, start - 4, "½", class_="note"))
    for box in layout.boxes:
        parts += _box(box, left, layout.wide)
    parts += [text(middle + 6, box.bottom + 13, "yes", class_="note") for box in layout.boxes if box.kind == "test"]
    title = f"Flow diagram: {', then '.join(box.words for box in layout.boxes)}"
    return picture(layout.width, layout.height, title, *parts, class_="diagram")


def laid_out(program: Program) -> Layout:
    """Where the parts of a program's picture are."""
    layout = Layout()
    layout.add("start", f"{program.population} random solution{'s' if program.population > 1 else ''}", "evaluated")
    top = _begun(layout)
    for block in blocks(program):
        _block(layout, block, 1)
    _until(layout, "evaluations spent", 0, top)
    layout.add("end", "the best solution found")
    return layout


def _block(layout: Layout, block: Block, depth: int) -> None:
    top = _begun(layout) if block.until else 0.0
    for stage in block.stages:
        _stage(layout, stage, block.selector, depth + (block.until is not None))
    if block.until:
        _until(layout, _condition(block.until), depth, top)


def _stage(layout: Layout, stage: Stage, selector: str, depth: int) -> None:
    top = _begun(layout) if stage.until else 0.0
    if stage.restarts:
        layout.add("search", "reinitialize", "search: all solutions anew")
    else:
        chooser = layout.add("choose", stage.chooser, "choose")
        steps = [layout.add("search", _call(step), "search") for step in stage.chain]
        ways = [*steps, layout.add("evaluate", "evaluate")]
        if stage.entry is not None:
            layout.fork(chooser, ways[stage.entry])
        for step, box in zip(stage.chain, steps, strict=True):
            if step.target is not None:
                layout.fork(box, ways[step.target])
        layout.add("select", selector, "select")
    if stage.until:
        _until(layout, _condition(stage.until), depth, top)


def _begun(layout: Layout) -> float:
    """The top of a loop that begins here; the arrow back comes in between it and the first box."""
    top = layout.y - GAP / 2
    layout.y += GAP / 2
    return top


def _until(layout: Layout, words: str, depth: int, top: float) -> None:
    test = layout.add("test", f"{words}?")
    layout.loops.append(Loop(depth, top, test.bottom + GAP / 2, test.y + test.tall / 2))
    layout.y += GAP / 2


def _call(step: Step) -> str:
    names = COMPONENTS[step.component].settings
    settings = ", ".join(f"{name}={amount}" for name, amount in zip(names, step.amounts, strict=True))
    return f"{step.component}({settings})" if settings else step.component


def _condition(condition: Condition) -> str:
    return f"{condition.share} of evaluations spent" if condition.share else str(condition).replace("_", " ")


def _box(box: Box, x: float, wide: float) -> list[str]:
    round_ = box.tall / 2 if box.kind in ("start", "test", "end") else 6
    shape = tag("rect", x=x, y=box.y, width=wide, height=box.tall, rx=round_, class_=f"step {box.kind}")
    middle = x + wide / 2
    words = text(middle, box.y + (17 if box.note else 17.5), box.words, text_anchor="middle", class_="words")
    note = [text(middle, box.y + 31, box.note, text_anchor="middle", class_="note")] if box.note else []
    return [shape, words, *note]


def _arrow(points: Sequence[tuple[float, float]], look: str = "arrow") -> str:
    """A line with a tip at its end."""
    (x0, y0), (x, y) = points[-2:]
    across, down = (x > x0) - (x < x0), (y > y0) - (y < y0)
    back = x - 6 * across, y - 6 * down
    tip = [(x, y), (back[0] + 3.5 * down, back[1] + 3.5 * across), (back[0] - 3.5 * down, back[1] - 3.5 * across)]
    return path([*points[:-1], back], class_=look) + path([*tip, tip[0]], class_="tip")
