"""The flow diagram: everything that a program does is in it, and nothing is over anything else."""

import sys
from itertools import combinations, pairwise
from pathlib import Path

from hypothesis import given
from report_helpers import FORKED, of_class, parsed, texts

from metasmith.program import Program, blocks
from metasmith.report.diagram import EDGE, Layout, diagram, laid_out

sys.path.append(str(Path(__file__).parents[1] / "program"))
from program_strategies import programs


@given(programs)
def test_any_program_has_a_whole_diagram_with_every_step(program: Program):
    picture = diagram(program)
    parsed(picture)
    said = texts(picture)
    for block in blocks(program):
        for stage in block.stages:
            assert all(any(word.startswith(step.component) for word in said) for step in stage.chain)
            assert stage.restarts or {stage.chooser, block.selector, "evaluate"} <= set(said)
    stages = [stage for block in blocks(program) for stage in block.stages]
    assert (
        len(of_class(picture, "select"))
        == len(of_class(picture, "choose"))
        == sum(not stage.restarts for stage in stages)
    )
    loops = (
        1 + sum(block.until is not None for block in blocks(program)) + sum(stage.until is not None for stage in stages)
    )
    assert len(of_class(picture, "test")) == len(of_class(picture, "loop")) == said.count("no") == loops
    forks = sum((stage.entry is not None) + sum(step.target is not None for step in stage.chain) for stage in stages)
    assert len(of_class(picture, "fork")) == said.count("½") == forks


@given(programs)
def test_boxes_are_apart_and_words_fit(program: Program):
    layout = laid_out(program)
    assert all(upper.bottom < lower.y for upper, lower in pairwise(layout.boxes))
    assert layout.boxes[-1].bottom <= layout.height
    rects = [
        tuple(float(each.get(name, "")) for name in ("x", "y", "width", "height"))
        for each in of_class(diagram(program), "step")
    ]
    assert len(rects) == len(layout.boxes)
    assert all(x >= 0 and x + wide <= layout.width and y + high <= layout.height for x, y, wide, high in rects)
    assert all(len(box.words) * 7 < layout.wide for box in layout.boxes)


@given(programs)
def test_loops_are_within_one_another_or_apart(program: Program):
    layout = laid_out(program)
    for one, other in combinations(layout.loops, 2):
        outer, inner = sorted((one, other), key=lambda loop: loop.depth)
        inside = outer.depth < inner.depth and outer.top < inner.top and inner.bottom < outer.bottom
        assert inside or one.bottom <= other.top or other.bottom <= one.top
    assert all(EDGE <= loop.top < loop.back < loop.bottom <= layout.height for loop in layout.loops)


@given(programs)
def test_forks_go_down_and_share_no_lane(program: Program):
    layout = laid_out(program)
    assert all(fork.source.bottom <= fork.target.y for fork in layout.forks)
    for one, other in combinations(layout.forks, 2):
        assert one.lane != other.lane or one.target.bottom <= other.source.y or other.target.bottom <= one.source.y


def test_a_fork_leads_where_it_says():
    layout: Layout = laid_out(Program.parse(FORKED))
    ways = {fork.source.words: fork.target.words for fork in layout.forks}
    assert ways == {"nich": "reset_rand(p=1/d)", "cross_uniform(p=0.7)": "reset_rand(p=1/d)"}
    tests = [box.words for box in layout.boxes if box.kind == "test"]
    assert tests == ["5% of evaluations spent?", "local optimum?", "1% of evaluations spent?", "evaluations spent?"]
    assert layout.width < 420  # so that letters can be read on a phone
