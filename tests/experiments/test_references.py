"""The comparison of the known algorithms with published numbers."""

import json
import math
import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

from metasmith.analysis.statistics import Sample, errors_apart
from metasmith.cli import app
from metasmith.experiments import references
from metasmith.experiments.references import ALGORITHMS, REASONS, Row
from metasmith.experiments.shared import published
from metasmith.experiments.shared.published import FUNCTIONS, PAPER, REFERENCE
from metasmith.files import save
from metasmith.program import names

PAGE = Path(__file__).parents[2] / "docs" / "results" / "references.md"


@pytest.mark.parametrize("function", ["F1", "F2", "F10", "F20"])
def test_the_reference_algorithms_agree(function):
    algorithms = [name for name in REFERENCE if (name, function) != ("ghc", "F20")]
    verdicts = {row.algorithm: row.verdict for row in references.rows([function], runs=6, algorithms=algorithms)}
    assert all(verdict.startswith("agrees") for verdict in verdicts.values()), verdicts


def test_the_baselines_come_near_the_paper_where_its_text_says_enough():
    rows = [
        *references.rows(["F2", "F13"], 6, ["ga"]),
        *references.rows(["F9", "F18"], 6, ["ils"]),
        *references.rows(["F2"], 6, ["ts"]),
    ]
    assert {row.verdict for row in rows} == {"near"}


def test_ties_make_the_greedy_hill_climber_differ_where_we_say_so():
    (row,) = references.rows(["F13"], runs=5, algorithms=["ghc"])
    assert row.verdict == "differs"
    assert "takes ties" in references.reason(row)


def test_the_statistics_by_hand():
    ours, theirs = Sample(10.0, 3.0, 9), Sample(7.0, 4.0, 16)  # standard errors 1 and 1
    assert errors_apart(ours, theirs) == pytest.approx(3 / math.sqrt(2))
    assert pytest.approx(0.0026998, abs=1e-7) == references.LEVEL


def test_without_spread_only_equals_agree():
    same, other = Sample(625.0, 0.0, 30), Sample(624.8, 0.0, 5)
    assert verdict(same, Sample(625.0, 0.0, 5)) == "agrees"
    assert verdict(same, other) == "differs"
    assert errors_apart(same, other) == math.inf
    assert errors_apart(other, same) == -math.inf
    json.dumps(Row("F1", "rls", same, other, "reference").record(), allow_nan=False)


def test_few_runs_are_allowed_for():
    assert verdict(Sample(90.6, 17.1, 30), Sample(117.8, 17.4, 5)) == "agrees for so few runs"
    assert verdict(Sample(90.6, 17.1, 30), Sample(117.8, 17.4, 30)) == "differs"
    assert verdict(Sample(99.0, 10.0, 25), Sample(104.0, 6.0, 9)) == "agrees"


@pytest.mark.parametrize(
    ("ours", "theirs", "expected"), [(95, 100, "near"), (89, 100, "large difference"), (-3, 20, "large difference")]
)
def test_a_tenth_is_large(ours, theirs, expected):
    assert Row("F1", "ts", Sample(ours, 1, 5), Sample(theirs, 1, 30), "paper").verdict == expected


def test_the_published_numbers():
    for function in FUNCTIONS:
        for algorithm in ALGORITHMS:
            theirs, source = published.published(function, algorithm)
            assert source == ("reference" if algorithm in REFERENCE else "paper" if algorithm in PAPER else "")
            assert (theirs is None) == (algorithm == "random")
    assert published.published("F2", "ea")[0] == Sample(231.2, 28.2082, 5)
    assert published.published("F1", "sa")[0] == Sample(371.9, math.sqrt(32.4), 30)


def test_what_is_known_of_the_papers_designs_and_of_the_mark():
    assert published.alg_sample("F2") == Sample(158.67, math.sqrt(22.9), 30)
    assert published.mark_sample("F2") == Sample(231.2, 28.2082, 5)  # EA
    assert published.mark_sample("F7") == published.alg_sample("F7") == Sample(510.57, math.sqrt(22.9), 30)
    assert published.mark_sample("F1") == Sample(625.0, 0.0, 30)  # of equals the paper's
    for function in FUNCTIONS:
        assert (published.alg_of(function), published.mark_of(function)) == (
            published.alg_sample(function).mean, published.mark_sample(function).mean,
        )  # fmt: skip


def test_a_sample_of_values():
    assert Sample.of([1.0, 3.0]) == Sample(2.0, math.sqrt(2), 2)


def test_reasons_are_about_what_is_compared():
    for reason in REASONS:
        assert reason.algorithm in names()
        assert set(reason.functions.split()) <= set(FUNCTIONS)
        assert reason.sentence.endswith(".")


def test_functions_can_be_picked():
    assert published.chosen("") == FUNCTIONS
    assert published.chosen(" f18,F2,") == ("F2", "F18")
    with pytest.raises(ValueError, match="there is no function 'F2 F3'; separate them by commas"):
        published.chosen("F2 F3")
    with pytest.raises(ValueError, match="there is no function 'F24'; did you mean 'F"):
        published.chosen("F2,F24")
    with pytest.raises(ValueError, match="name functions such as F2,F18, got ','"):
        published.chosen(",")  # which is not the same as none
    with pytest.raises(ValueError, match="at least 2 runs, got 1"):
        next(references.rows(["F1"], runs=1))


def test_the_page():
    rows = [
        Row("F2", "ea", Sample(213.0, 20.0, 30), Sample(231.2, 28.2, 5), "reference"),
        Row("F13", "ghc", Sample(208.0, 0.0, 30), Sample(14.2, 12.1, 5), "reference"),
        Row("F15", "ghc", Sample(306.0, 16.0, 30), Sample(11.6, 9.3, 5), "reference"),
        Row("F2", "ga", Sample(54.0, 2.0, 30), Sample(54.4, 1.8, 30), "paper"),
        Row("F2", "random", Sample(15.5, 2.0, 30)),
    ]
    text = references.page(rows, "metasmith references --only F2", 12.3)
    assert text.startswith("# ")
    assert text.endswith("\n")
    assert "`metasmith references --only F2`" in text
    assert "seeds 0 to 29" in text
    assert "213 ± 20 (231.2 ± 28.2)" in text
    assert "208 ± 0 (14.2 ± 12.1) !" in text
    assert "Of 3 comparisons 1 agree, 0 more (~) for so few runs, and 2 differ (!)." in text
    assert text.count("- **ghc** on F13, F15: The reference takes only strict improvements") == 1
    assert "Of 1 means 1 are within 10% of the paper's" in text
    for block in re.findall(r"(?:^\|.*\n)+", text, re.MULTILINE):
        assert len({(line.count("|"), len(line)) for line in block.splitlines()}) == 1


def test_the_command(tmp_path):
    page = tmp_path / "deep" / "page.md"
    result = CliRunner().invoke(
        app,
        [
            "references",
            "--runs",
            "2",
            "--only",
            "F1",
            "--json",
            "--write",
            str(page),
            "--log-ioh",
            str(tmp_path / "logs"),
        ],
    )
    assert result.exit_code == 0, result.output
    assert len(list((tmp_path / "logs").glob("*/*.json"))) == len(ALGORITHMS)
    rows = json.loads(result.stdout)
    assert [row["algorithm"] for row in rows] == list(ALGORITHMS)
    assert rows[0]["mean"] == rows[0]["their_mean"] == 625
    assert rows[0]["verdict"] == "agrees"
    assert "F1 OneMax" in page.read_text(encoding="utf-8")
    with pytest.raises(ValueError, match="cannot write"):
        save(page / "below", "")


def test_every_large_difference_of_the_page_is_explained():
    text = PAGE.read_text(encoding="utf-8")
    assert all(f"| {function} " in text for function in FUNCTIONS)
    assert "Not explained yet" not in text


def verdict(ours: Sample, theirs: Sample) -> str:
    return Row("F1", "rls", ours, theirs, "reference").verdict


def test_a_reference_whose_few_runs_lie_close_together_is_explained_by_that():
    row = Row("F17", "fga", Sample(64.8, 13.3, 30), Sample(75.8, 2.49, 5), "reference")
    assert row.verdict == "differs"
    assert "with our spread for both, the means are 1.7 standard errors apart" in references.reason(
        row
    )  # 11 / (13.3 sqrt(1/30 + 1/5))
    far_off = Row("F17", "fga", Sample(34.8, 13.3, 30), Sample(75.8, 2.49, 5), "reference")
    assert references.reason(far_off) == "Not explained yet."
