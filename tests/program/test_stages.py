"""What a round does: chains, choosers in force, selectors that govern, forks, restarts."""

from metasmith.components.settings import Amount
from metasmith.program import Block, Condition, Program, Stage, Step, blocks

FIVE = Condition(share=Amount(5, "%"))


def stages_of(text: str) -> list[Stage]:
    return [stage for block in blocks(Program.parse(text)) for stage in block.stages]


def chains(text: str) -> list[list[str]]:
    return [[step.component for step in stage.chain] for stage in stages_of(text)]


def targets(text: str) -> list[list[int | None]]:
    return [[step.target for step in stage.chain] for stage in stages_of(text)]


def test_the_example_of_the_paper() -> None:
    program = Program.parse(
        "population 50; roulette_wheel; reset_n(n=1) iterate until 5%; cross_uniform(p=0.7); "
        "reset_rand(p=0.1) iterate until 5%; pairwise_select"
    )
    first = Stage("roulette_wheel", None, (Step("reset_n", (Amount(1),), None),), FIVE)
    chain = (Step("cross_uniform", (Amount(0.7),), None), Step("reset_rand", (Amount(0.1),), None))
    assert blocks(program) == (Block((first, Stage("roulette_wheel", None, chain, FIVE)), "pairwise_select", None),)


def test_a_chain_ends_at_an_iterate_and_before_a_chooser_or_a_selector() -> None:
    first = "population 5; reset_sweep; cross_n(n=1) iterate until 5%"
    text = f"{first}; reset_n(n=1); traverse; reset_n(n=2); tabu; reset_n(n=3)"
    assert chains(text) == [["reset_sweep", "cross_n"], ["reset_n"], ["reset_n"], ["reset_n"]]
    assert [stage.until for stage in stages_of(text)] == [FIVE, None, None, None]


def test_a_chooser_is_in_force_until_the_next_across_selectors() -> None:
    text = "population 5; reset_sweep; tournament; reset_sweep; tabu; reset_sweep; best; nich; reset_sweep"
    assert [stage.chooser for stage in stages_of(text)] == ["traverse", "tournament", "tournament", "nich"]


def test_a_selector_governs_the_stages_since_the_previous_one() -> None:
    first = "population 5; tabu; reset_sweep iterate until 5%; reset_sweep; greedy_select iterate until 5%"
    text = f"{first}; tabu; reset_sweep"
    governed = [(len(block.stages), block.selector, block.until) for block in blocks(Program.parse(text))]
    assert governed == [(2, "greedy_select", FIVE), (1, "pairwise_select", None)]


def test_a_fork_jumps_within_its_chain_or_to_evaluation() -> None:
    chain = "reset_n(n=1) fork 2; reset_n(n=2) fork 2; reset_n(n=3)"
    assert targets(f"population 5; {chain}; tabu") == [[2, 3, None]]
    assert targets("population 5; reset_n(n=1) fork 9; reset_n(n=2); reset_n(n=3)") == [[3, None, None]]


def test_a_fork_never_reaches_the_next_chain() -> None:
    assert targets("population 5; reset_n(n=1) fork 2; reset_n(n=2) iterate until 5%; reset_n(n=3)") == [
        [2, None],
        [None],
    ]
    assert targets("population 5; reset_n(n=1) fork 3; reset_n(n=2); tabu; reset_n(n=3)") == [[2, None], [None]]


def test_a_fork_at_the_end_of_a_chain_is_no_fork() -> None:
    assert targets("population 5; reset_n(n=1); reset_n(n=2) fork 2; tabu; reset_n(n=3)") == [[None, None], [None]]


def test_a_choosers_fork_enters_the_chain_that_follows_later() -> None:
    text = "population 5; tournament fork {}; reset_n(n=1); reset_n(n=2); tabu; reset_n(n=3)"
    assert [stage.entry for stage in stages_of(text.format(2))] == [1, None]
    assert [stage.entry for stage in stages_of(text.format(3))] == [2, None]
    assert [stage.entry for stage in stages_of(text.format(9))] == [2, None]


def test_a_choosers_fork_needs_its_chain_directly_after_it() -> None:
    assert [
        stage.entry for stage in stages_of("population 5; tournament fork 3; tabu; reset_n(n=1); reset_n(n=2)")
    ] == [None]
    assert [
        stage.entry for stage in stages_of("population 5; tournament fork 3; nich; reset_n(n=1); reset_n(n=2)")
    ] == [None]


def test_a_restart_heeds_neither_chooser_nor_selector() -> None:
    (block,) = blocks(Program.parse("population 5; tournament fork 2; reinitialize iterate until 5%; greedy_select"))
    assert block == Block((Stage("traverse", None, (Step("reinitialize", (), None),), FIVE),), "pairwise_select", None)
    assert block.stages[0].restarts


def test_a_selector_stays_where_one_stage_heeds_it() -> None:
    (block,) = blocks(Program.parse("population 5; reset_sweep iterate until 5%; reinitialize; greedy_select"))
    assert block.selector == "greedy_select"
    assert [stage.restarts for stage in block.stages] == [False, True]


def test_reinitialize_in_a_longer_chain_is_an_ordinary_step() -> None:
    (stage,) = stages_of("population 5; tournament; reset_sweep; reinitialize; greedy_select")
    assert not stage.restarts
    assert stage.chooser == "tournament"
