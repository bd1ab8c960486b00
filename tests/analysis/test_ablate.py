"""Ablation: which changes there are, and what they are said to lose."""

import json
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

from metasmith import Bits, Problem, problem
from metasmith.analysis import ablate
from metasmith.analysis.ablate import Ablation, Part, ablated, changes, meant, wanted
from metasmith.analysis.statistics import mean_interval
from metasmith.cli import app
from metasmith.program import Program, canonical, named, one_line, random_program
from metasmith.report.analyses import ablation_table
from metasmith.space import Space

GENETIC = Program.parse("population 20; tournament; cross_n(n=1); reset_n(n=1); greedy_select")


def ablation(*given: Any, **options: Any) -> list[Part]:
    return ablated(*given, **options).parts


def changed(text: str) -> dict[tuple[int, str], str]:
    """The variants of a program by line and change, each on one line, without the population, which stays."""
    found, _ = changes(Program.parse(f"population 5; {text}"))
    return {
        (variant.line, variant.change): one_line(str(variant.program)).removeprefix("population 5; ")
        for variant in found
        if variant.line > 1
    }


def left_out(text: str) -> list[str]:
    return changes(Program.parse(f"population 5; {text}"))[1]


def test_every_line_is_changed_in_every_way():
    then = "reset_sweep; tabu"
    assert changed(f"tournament; cross_n(n=1); reset_n(n=1); greedy_select iterate until 5%; {then}") == {
        (2, "replaced by traverse"): f"cross_n(n=1); reset_n(n=1); greedy_select iterate until 5%; {then}",
        (3, "removed"): f"tournament; reset_n(n=1); greedy_select iterate until 5%; {then}",
        (4, "removed"): f"tournament; cross_n(n=1); greedy_select iterate until 5%; {then}",
        (5, "iterate removed"): f"tournament; cross_n(n=1); reset_n(n=1); greedy_select; {then}",
        (5, "replaced by pairwise_select"): "tournament; cross_n(n=1); reset_n(n=1); pairwise_select iterate until 5%; "
        + then,
        (6, "removed"): "tournament; cross_n(n=1); reset_n(n=1); greedy_select",
        (7, "replaced by pairwise_select"): "tournament; cross_n(n=1); reset_n(n=1); greedy_select iterate until 5%; "
        "reset_sweep; pairwise_select",
    }


def test_several_solutions_are_a_part():
    alone, *_ = changes(GENETIC)[0]
    assert (alone.line, alone.snippet, alone.change) == (1, "population 20", "down to 1")
    assert alone.program == canonical(Program.parse("population 1; reset_n(n=1)"))


def test_lines_are_those_of_the_canonical_program():
    (found,) = changes(Program.parse("population 5; best; nich; reset_sweep; tabu"))[0][1:2]
    assert (found.line, found.snippet) == (2, "nich")


def test_forks_still_lead_where_they_led():
    found = changed("best fork 3; reset_n(n=1); reset_sweep; tabu")
    assert found[3, "removed"] == "best fork 2; reset_sweep; tabu"
    assert found[2, "fork removed"] == "best; reset_n(n=1); reset_sweep; tabu"
    assert found[2, "replaced by traverse"] == "traverse fork 3; reset_n(n=1); reset_sweep; tabu"
    assert (
        changed("reset_n(n=1) fork 2; reset_sweep; reset_adaptive; tabu")[3, "removed"]
        == "reset_n(n=1); reset_adaptive; tabu"
    )
    found = changed("reset_n(n=1) fork 2; reset_sweep; reset_adaptive; tabu")
    assert (
        found[4, "removed"] == "reset_n(n=1) fork 2; reset_sweep; tabu"
    )  # it led to what is gone, and leads to what comes after


def test_the_loop_of_a_chain_outlives_its_last_line():
    found = changed("reset_n(n=1); reset_sweep iterate until 5%; reset_adaptive; tabu")
    assert found[3, "removed"] == "reset_n(n=1) iterate until 5%; reset_adaptive; tabu"
    assert found[3, "iterate removed"] == "reset_n(n=1); reset_sweep; reset_adaptive; tabu"
    found = changed("reset_n(n=1) iterate until 10%; reset_sweep iterate until 5%; tabu; swap; tabu")
    assert found[3, "removed"] == "reset_n(n=1) iterate until 10%; tabu; swap; tabu"


def test_what_is_neutral_already_is_removed():
    assert changed("reset_sweep; traverse; reset_n(n=1); tabu")[3, "removed"] == "reset_sweep; reset_n(n=1); tabu"
    assert (
        changed("reset_sweep; pairwise_select; reset_n(n=1); tabu")[3, "removed"] == "reset_sweep; reset_n(n=1); tabu"
    )


def test_what_is_left_out_is_told():
    assert left_out("reset_n(n=1)") == [
        "line 2, reset_n(n=1), removed: nothing else searches",
        "line 3, pairwise_select, removed: the program is the same",
    ]
    assert (
        left_out("reset_sweep; pairwise_select iterate until 5%; reset_n(n=1) iterate until 5%; tabu; swap; tabu") == []
    )
    assert left_out("reset_sweep; tabu; reset_n(n=1); pairwise_select iterate until 5%") == [
        "line 5, pairwise_select iterate until 5%, removed: the same as iterate removed"
    ]


@settings(max_examples=300)
@given(st.integers(0, 2**32))
def test_variants_are_other_programs_and_no_line_is_passed_over(seed):
    program = random_program(Space.named("full").on("bits"), seed)
    found, missing = changes(program)
    form = canonical(program)
    text = str(form).splitlines()
    for variant in found:
        assert variant.program == canonical(variant.program) != form
        assert variant.program.population == (form.population if variant.line > 1 else 1)
        assert variant.snippet.split() == text[variant.line - 1].split()
    lines = {variant.line for variant in found} | {
        int(line.removeprefix("line ").partition(",")[0]) for line in missing
    }
    assert lines == set(range(1 if form.population > 1 else 2, len(text) + 1))
    assert not any("nothing else searches" in line for line in missing) or len(missing) < len(text)


def tell(monkeypatch, values):
    """Runs that end as told: by what is in the program's text, and the problem's name; else as the original does."""

    def reached(program, problem, evaluations, seeds, workers):
        text = str(program)
        key = next((key for key in values if key in text), "original")
        return np.array(values[key][problem.name], float)[list(seeds)]

    monkeypatch.setattr(ablate, "reached", reached)


def cells(found: Ablation) -> dict[str, str]:
    """The first part as it is shown."""
    table = ablation_table(found)
    return dict(zip(table.head, table.rows[0], strict=True))


def given_problem(name: str, direction: str = "max") -> Problem:
    return Problem(lambda x: 0.0, Bits(3), name=name, direction=direction)


def test_losses_are_shares_of_the_way_from_random_search(monkeypatch):
    """Up: from 0 to 10, the variant at 8 and 6; down: from 100 to 50, the variant at 60 and 80."""
    tell(
        monkeypatch,
        {
            "reinitialize": {"up": [-1, 1], "down": [110, 90]},
            "pairwise_select": {"up": [8, 6], "down": [60, 80]},
            "original": {"up": [9, 11], "down": [50, 50]},
        },
    )
    done = []
    program = Program.parse("population 1; reset_n(n=1); tabu")
    problems = [given_problem("up"), given_problem("down", "min")]
    found = ablated(program, problems, evaluations=7, runs=2, on_done=lambda: done.append(1))
    (part,) = found.parts
    assert (part.line, part.snippet, part.change) == (3, "tabu", "replaced by pairwise_select")
    assert part.program == "population 1\nreset_n(n=1)\npairwise_select"
    assert part.loss == pytest.approx(
        ((0.1 + 0.2) / 2 + (0.5 + 0.6) / 2) / 2
    )  # seed 0: 1/10, 10/50; seed 1: 5/10, 30/50
    assert (part.low, part.high) == pytest.approx((0.15, 0.55))  # both runs the first, or both the second
    assert part.mean == (7 + 70) / 2
    assert cells(found)["loss (95 % interval)"] == "35% (15 to 55)"
    assert (part.difference, part.difference_low, part.difference_high) == pytest.approx(
        (8.5, 4.5, 12.5)
    )  # seed 0: -1, 10; seed 1: -5, 30
    assert cells(found)["difference (95 % interval)"] == "8.5 (4.5 to 12.5)"
    assert (found.mean, found.random) == ((10 + 50) / 2, (0 + 100) / 2)
    assert found.left_out == ["line 2, reset_n(n=1), removed: nothing else searches"]
    assert len(done) == len(wanted(program)) == 3


def test_runs_without_anything_feasible_count_as_the_worst(monkeypatch):
    program, up = Program.parse("population 1; reset_n(n=1); tabu"), [given_problem("up")]
    values = {"reinitialize": {"up": [np.nan] * 2}, "pairwise_select": {"up": [8, np.nan]}, "original": {"up": [10, 6]}}
    tell(monkeypatch, values)
    (part,) = ablation(program, up, evaluations=7, runs=2)  # the worst is 6, so the way is 2
    assert part.loss == pytest.approx((2 / 2 + 0 / 2) / 2)
    tell(monkeypatch, {key: {"up": [np.nan] * 2} for key in values})
    with pytest.raises(ValueError, match="no run finds anything feasible on up"):
        ablation(program, up, evaluations=7, runs=2)


def test_where_random_search_is_as_good_there_is_no_share(monkeypatch):
    program, up = Program.parse("population 1; reset_n(n=1); tabu"), [given_problem("up")]
    tell(monkeypatch, {"reinitialize": {"up": [9, 9]}, "pairwise_select": {"up": [8, 8]}, "original": {"up": [9, 9]}})
    with pytest.raises(ValueError, match="no better than random search on up"):
        ablation(program, up, evaluations=7, runs=2)
    tell(monkeypatch, {"original": {"up": [9, 9]}})  # all alike: nothing is lost
    (part,) = ablation(program, up, evaluations=7, runs=2)
    assert (part.loss, part.low, part.high) == (0, 0, 0)


def test_differences_are_told_where_random_search_is_penalised_and_where_values_are_small(monkeypatch):
    program, problems = Program.parse("population 1; reset_n(n=1); tabu"), [given_problem("up")]
    tell(
        monkeypatch,
        {"reinitialize": {"up": [-128e3] * 2}, "pairwise_select": {"up": [270, 272]}, "original": {"up": [302, 302]}},
    )
    row = cells(ablated(program, problems, evaluations=7, runs=2))
    assert row["loss (95 % interval)"] == "0.0242% (0.0234 to 0.0249)"
    assert row["difference (95 % interval)"] == "-31 (-32 to -30)"
    tell(
        monkeypatch,
        {
            "reinitialize": {"up": [0.01] * 2},
            "pairwise_select": {"up": [0.031, 0.033]},
            "original": {"up": [0.034, 0.034]},
        },
    )
    row = cells(ablated(program, problems, evaluations=7, runs=2))
    assert (row["mean"], row["difference (95 % interval)"]) == ("0.032", "-0.002 (-0.003 to -0.001)")


def test_the_most_important_comes_first(monkeypatch):
    tell(
        monkeypatch,
        {
            "reinitialize": {"up": [0, 0]},
            "pairwise_select": {"up": [9, 9]},
            "tournament": {"up": [10, 10]},
            "original": {"up": [5, 5]},
        },
    )
    found = ablation(replace(GENETIC, population=3), [given_problem("up")], evaluations=7, runs=2)
    assert found[0].change == "replaced by traverse"
    assert {part.change for part in found[1:3]} == {"down to 1", "replaced by pairwise_select"}
    assert [part.loss for part in found] == pytest.approx([0.5, 0.1, 0.1, 0, 0])


def test_onemax_tells_what_helps_from_what_harms():
    """Taking every child makes a random walk of a local search, and much mutation harms it."""
    one_max, program = problem("pbo:F1@60"), Program.parse("population 4; reset_n(n=1); reset_rand(p=0.3); tabu")
    found = {(part.line, part.change): part for part in ablation(program, [one_max], evaluations=400, runs=5, seed=3)}
    assert set(found) == {(1, "down to 1"), (2, "removed"), (3, "removed"), (4, "replaced by pairwise_select")}
    assert found[4, "replaced by pairwise_select"].high < 0  # better without
    assert found[4, "replaced by pairwise_select"].mean > found[3, "removed"].mean
    assert all(part.low <= part.loss <= part.high for part in found.values())
    again = ablation(program, [one_max], evaluations=lambda each: 400, runs=5, seed=3, workers=1)
    assert again == list(found.values())


def test_the_problems_are_those_of_the_run_or_those_asked_for():
    program, problems, evaluations = meant("rls", "pbo:F2@30", None)
    assert (program, [each.name for each in problems], evaluations) == (named("rls"), ["pbo:F2@30#1"], 50_000)
    assert meant("population 1; reset_sweep", "pbo:F2@30", 70)[2] == 70


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["rls"], "'rls' was not designed for a task; say on which problem"),
        (["rsl", "--problem", "pbo:F1@30"], "did you mean 'rls'?"),
        (["population 1; reset_n(n=0)", "--problem", "pbo:F1@30"], "line 2:"),
        (["rls", "--problem", "pbo:F24"], "there is no problem 'pbo:F24'"),
        (["rls", "--problem", "pbo:F1@30", "--runs", "1"], "an interval needs at least 2 runs of each, got 1"),
        (["rls", "--problem", "pbo:F1@30", "--evaluations", "0"], "at least 1 evaluation"),
        (["rls", "--problem", "pbo:F1@30", "--workers", "0"], "workers must be at least 1"),
    ],
)
def test_mistakes_are_told(words, said):
    done = CliRunner().invoke(app, ["ablate", *words])
    assert isinstance(done.exception, ValueError)
    assert said in str(done.exception)


def test_the_command_prints_json_and_a_table():
    words = ["ablate", "genetic-algorithm", "--problem", "pbo:F1@30", "--evaluations", "300", "--runs", "3"]
    found = json.loads(CliRunner().invoke(app, [*words, "--json"]).stdout)
    assert list(found) == ["problems", "program", "mean", "random", "parts", "left_out"]
    assert found["problems"] == ["pbo:F1@30#1"]
    assert list(found["parts"][0]) == [
        "line", "snippet", "change", "program", "loss", "low", "high", "mean", "difference", "difference_low",
        "difference_high",
    ]  # fmt: skip
    assert {part["line"] for part in found["parts"]} == {1, 2, 3, 4, 5}
    printed = CliRunner().invoke(app, words).stdout
    assert printed.startswith("population 50\ntournament\n")
    assert "random search " in printed
    nothing = CliRunner().invoke(app, ["ablate", "rls", "--problem", "pbo:F1@30", "--evaluations", "300"]).stdout
    assert "left out: line 2, reset_n(n=1), removed: nothing else searches" in nothing


def test_intervals_are_wider_where_there_are_more():
    """Of 20 intervals at 95 % one misses; together they are to hold."""
    values = np.random.default_rng(1).normal(size=50)
    (mean, low, high), (same, lower, higher) = mean_interval(values), mean_interval(values, 10)
    assert mean == same
    assert lower < low < high < higher
    assert higher - lower == pytest.approx(2.81 / 1.96 * (high - low), rel=0.1)  # of a normal distribution
