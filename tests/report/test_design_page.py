"""The page: every section, the right numbers in it, and nothing from elsewhere."""

import re
from base64 import b64encode
from html.parser import HTMLParser
from xml.etree import ElementTree

import pytest
from report_helpers import NAMES, case, of_class, part, record, texts

from metasmith.report.design_page import SECTIONS, page
from metasmith.report.findings import headline, hits, is_best, quartiles, shown, targets, way

VOID = {"meta", "link", "br"}


class Whole(HTMLParser):
    """Notes which elements are open, and the ids."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.ids: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.ids += [value for name, value in attrs if name == "id" and value]
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        pass

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def edges(bar: ElementTree.Element) -> tuple[float, float]:
    """Where a bar begins and ends."""
    xs = [float(x) for each in bar.iter() for x in re.findall(r"[ML](-?[\d.]+) ", each.get("d", ""))]
    return min(xs), max(xs)


def section(text: str, name: str) -> str:
    return text.split(f'<section id="{name}"')[1].split("</section>")[0]


def test_the_page_is_whole_and_has_every_section_once():
    reader = Whole()
    reader.feed(page(record()))
    assert reader.open == []
    own = [
        name for name in reader.ids if not name.endswith("-heading") and not re.fullmatch("p[0-9a-f]{6}[0-9]+", name)
    ]
    assert own == list(SECTIONS)
    assert len(set(reader.ids)) == len(reader.ids)  # those in pictures too


def test_the_page_needs_nothing_from_elsewhere():
    text = page(record())
    assert "<script" not in text
    assert not re.search(r"""(src|href)=["'](?!#|data:)|url\((?!#)|@import""", text)
    assert re.findall(r"https?://[^\"]*", text.replace("http://www.w3.org/2000/svg", "")) == []
    assert len(text.encode()) < 2_000_000


def test_what_users_write_is_text():
    text = page(record())
    assert "two <b>" not in text
    assert "two &lt;b&gt;" in section(text, "values")
    assert "depot 1 serves &lt;nobody&gt;\ndepot 2 serves all" in section(text, "values")


def test_a_solution_that_was_drawn_is_in_the_page():
    plan = {"problem": "one", "value": 1.0, "seed": 0, "lines": [], "picture": "<svg>é</svg>"}
    assert f'src="data:image/svg+xml;base64,{b64encode("<svg>é</svg>".encode()).decode()}"' in page(
        record(plans=[plan])
    )


def test_sections_say_what_was_found():
    text = page(record())
    assert "while local_optimum not met" in section(text, "algorithm")
    assert "simulated_annealing_select" in section(text, "components")
    assert "Here p = 0.7." in section(text, "components")
    assert "3 batches. The best reward went from 0.20 to 0.60" in section(text, "training")
    assert "proposed by: mutant (batch 3), 2 generations after library (batch 1)." in section(text, "training")
    ancestors = re.findall(r"<dt>(.*)</dt>\n<dd><code>(.*)</code></dd>", section(text, "training"))
    assert ancestors == [
        ("mutant (batch 2)", "population 2; reset_n(n=1)"),
        ("library (batch 1)", "population 1; reset_n(n=1)"),
    ]
    assert "<dt>proposed by</dt><dd>mutant</dd>" in text
    assert section(text, "convergence").count("<svg xmlns") == 2
    assert "95 ± 5" in section(text, "values")
    mean, loss = re.findall(r'<td class="number">(.*?)</td>', section(text, "ablation"))[-2:]
    assert mean == '1<br><span class="setting">\N{MINUS SIGN}1 to 2</span>'
    assert loss == "\N{MINUS SIGN}1.23"
    rows = re.findall(r"<tr><th>(one.*?)</th>.*?>([a-z ]*)</td></tr>", section(text, "generalisation"), re.DOTALL)
    assert rows[:2] == [("one at 50", "judged on"), ("one at 80", "learned from")]
    assert "20,000" in section(text, "cost")
    assert "as 20 runs of the algorithm in use" in section(text, "cost")
    for fact in ("abc1234", "numpy 2.4.6", "4 of the design; 7 to 9 of the runs", "metasmith report runs/small"):
        assert fact in section(text, "provenance")


def test_a_design_without_learning_parts_or_sizes_has_a_page():
    bare = record(
        "population 1\nreset_n(n=1)", [case("one", [5.0, 6.0], [3.0, 4.0], optimum=None)], ablation=[], plans=[]
    )
    bare["history"] = []
    bare["design"]["descent"] = [{"program": "population 1\nreset_n(n=1)", "source": "network", "batch": None}]
    for each in bare["evidence"]["generalisation"]:
        each["dimension"] = 50
    text = page(bare)
    assert "it was written at once" in section(text, "training")
    assert "proposed by: network (for the final race)." in section(text, "training")
    assert "Line of descent" not in section(text, "training")
    assert "nothing to take away" in section(text, "ablation")
    assert "<svg" not in section(text, "generalisation")


def test_runs_without_anything_feasible_are_said_to_be():
    test = case("one", [5.0, 6.0], [3.0, 4.0])
    test["values"]["rls"], test["curves"]["rls"] = [None, None], [[None] * 4, [None] * 4]
    test["values"]["ea"] = [None, 4.0]
    text = page(record(test=[test]))
    assert "4 ± 0, 1 of 2 infeasible" in section(text, "values")
    assert section(text, "values").count("infeasible") >= 3
    assert headline("t", record(test=[test])["evidence"]) == (
        "An algorithm for t: has the best mean on the test problem beside 5 known algorithms"
    )


@pytest.mark.parametrize(
    ("design", "others", "optimum", "ours", "theirs"),
    [
        ([100.0, 100.0], [60.0, 62.0], 100.0, "the optimum, 100, in every run on the test problem", "61"),
        ([90.0, 100.0], [60.0, 62.0], 100.0, "95 of 100 on average on the test problem", "61"),
        ([50.0, 50.0], [60.0, 62.0], None, "50 on average on the test problem", "61, which is better"),
        ([60.0, 62.0], [60.0, 62.0], None, "61 on average on the test problem", "the same"),
    ],
)
def test_the_headline_is_honest(design, others, optimum, ours, theirs):
    said = headline("t", record(test=[case("one", design, others, optimum=optimum)])["evidence"])
    assert said == f"An algorithm for t: reaches {ours}; the best known algorithm beside it, rls, reaches {theirs}"


def test_runs_that_found_nothing_are_in_the_headline():
    test = case("one", [90.0, 95.0], [60.0, 62.0])
    test["values"]["design"][0] = None
    said = headline("t", record(test=[test])["evidence"])
    assert (
        "reaches 95 of 100 on average on the test problem (without 1 of 2 runs that found nothing feasible); the best"
        in said
    )
    test["values"]["design"][1] = None
    assert (
        headline("t", record(test=[test])["evidence"])
        == "An algorithm for t: finds nothing feasible on the test problem"
    )


def test_where_less_is_better_less_is_best():
    less = case("one", [1.0, 2.0], [7.0, 8.0], optimum=0.0, direction="min")
    assert is_best(less, "design")
    assert not is_best(less, "rls")
    assert "reaches 1.5 on average on the test problem, where less is better and 0 the best;" in headline(
        "t", record(test=[less])["evidence"]
    )
    assert way({**less, "values": {**less["values"], "random": [10.0]}}, "design", "random") == pytest.approx(0.85)


def test_problems_of_several_sizes_are_counted_not_averaged():
    test = [case("one", [90.0, 91.0], [60.0, 61.0]), case("two", [10.0, 11.0], [60.0, 61.0], dimension=99)]
    assert headline("t", record(test=test)["evidence"]).endswith(
        ": has the best mean on 1 of the 2 test problems beside 5 known algorithms"
    )


def test_a_problem_that_was_learned_from_is_no_test():
    one = [case("one", [90.0, 92.0], [60.0, 62.0], learned=True)]
    said = headline("t", record(test=one)["evidence"])
    assert said.startswith(
        "An algorithm for t: reaches 91 of 100 on average on the problem it was learned from; the best"
    )
    text = page(record(test=one))
    assert "test problem" not in text
    assert "this is the problem that the\nalgorithm was learned from" in section(text, "convergence")
    assert "learned from, with" not in page(record())
    several = [case("one", [90.0], [60.0], learned=True), case("two", [10.0], [60.0], learned=True, dimension=99)]
    assert "on 1 of the 2 problems it was learned from beside" in headline("t", record(test=several)["evidence"])
    several[1]["learned"] = False
    assert "on 1 of the 2 test problems (1 of them learned from) beside" in headline(
        "t", record(test=several)["evidence"]
    )


def penalising(**facts):
    """Like the N-Queens: good values are from 20 to 30, random search and one known algorithm are penalised."""
    found = case("queens", [30.0, 28.0], [26.0, 24.0], optimum=None, **facts)
    for name, values in (("random", [-128_000.0, -127_000.0]), ("ghc", [-9_000.0, -8_000.0])):
        found["values"][name], found["hits"][name] = values, [1, 1]
        found["curves"][name] = [[value * 2, value * 2, value, value] for value in values]
    for name in ("design", *NAMES[:-1]):
        for run in found["curves"][name]:
            run[:2] = -200_000.0, -500.0
    return found


def test_penalties_stretch_no_scale():
    """All but random search and ghc are between 21 and 30, and that is what can be seen."""
    test = penalising()
    assert [way(test, name, "random") for name in ("design", "rls", "umda", "ghc", "random")] == pytest.approx(
        [1, 3 / 7, 0, 0, 0]
    )
    assert targets(test)[0] == pytest.approx(22 + (30 - 22) / 51)
    assert targets(test)[-1] == 30
    assert hits([test], "rls")[1][-1] == pytest.approx((25 + 12) / 102)  # from 22 up to 26 and 24, in steps of 8 / 51
    assert shown(test, ["design", "rls"]) == (24.5, 29.5)  # what is below 22 - (29 - 22) is left out
    less = {**test, "direction": "min", "values": {"design": [300.0], "rls": [400.0], "random": [90_000.0]}}
    assert [way(less, name, "random") for name in less["values"]] == [1, 0, 0]


def test_scales_without_penalties_begin_at_random_search():
    test = case("one", [90.0, 92.0], [60.0, 62.0])
    test["values"]["random"] = [11.0, 11.0]
    assert way(test, "rls", "random") == pytest.approx((61 - 11) / (100 - 11))
    test["values"]["random"] = [None, None]
    assert way(test, "rls", "random") == pytest.approx((61 - 57) / (100 - 57))  # nothing feasible: from the worst, ghc


def test_a_page_with_penalties_says_where_its_scales_begin():
    parts = [part("nich", (0.9, 0.8, 1.0), -120_000.0, (-120_029.0, -130_000.0, -110_000.0)),
             part("reset_sweep", (0.00007, 0.00005, 0.00009), 20.0, (-9.0, -11.0, -7.0))]  # fmt: skip
    given = record(test=[penalising()], ranking=[*NAMES, "random"], ablation=parts)
    for size, each in zip((50, 80), given["evidence"]["generalisation"], strict=True):
        each |= penalising(dimension=size)
    text = page(given)
    for name in ("targets", "generalisation"):
        assert "from the worst mean" in section(text, name)
    (chart,) = re.findall("<svg.*?</svg>", section(text, "values"), re.DOTALL)
    assert "far off: \N{MINUS SIGN}127,500 on average" in texts(chart)
    (chart,) = re.findall("<svg.*?</svg>", section(text, "ablation"), re.DOTALL)
    far, near = (right - left for left, right in map(edges, of_class(chart, "bar")))
    assert far < 2 * near
    assert {"removed: 120,029", "how much worse the mean value is"} <= set(texts(chart))
    assert '<td class="number">0.007</td>' in section(text, "ablation")
    assert "\N{MINUS SIGN}9<br>" in section(text, "ablation")
    assert "from the worst mean" not in page(record())
    assert "at the edge" not in section(text, "values")  # all runs of random search and ghc are left out
    given["evidence"]["test"][0]["values"]["rls"][0] = -50_000.0
    assert "at the edge" in section(page(given), "values")


def test_losses_on_problems_of_several_sizes_are_shares():
    test = [case("one", [90.0, 91.0], [60.0, 61.0]), case("two", [10.0, 11.0], [60.0, 61.0], dimension=99)]
    text = section(page(record(test=test)), "ablation")
    assert "loss, percent of the way" in text
    assert '\N{MINUS SIGN}1.23<br><span class="setting">\N{MINUS SIGN}2 to 1</span>' in text


def test_quartiles_take_runs_without_a_value_for_the_worst():
    test = case("one", [8.0, 16.0, 24.0], [1.0, 1.0, 1.0])
    assert [column[-1] for column in quartiles(test, "design")] == [12.0, 16.0, 20.0]
    test["curves"]["design"][0] = [None] * 4
    low, middle, high = (column[-1] for column in quartiles(test, "design"))
    assert (low, middle, high) == (None, 16.0, 20.0)


def test_targets_are_reached_in_time_and_all_at_the_optimum():
    test = [case("one", [100.0, 100.0], [50.0, 50.0])]
    shares, found = hits(test, "design")
    assert (shares, found[-1]) == ([0.001, 0.01, 0.1, 1.0], 1.0)
    assert found == sorted(found)
    others = [hits(test, name)[1][-1] for name in NAMES]
    assert others == sorted(others, reverse=True)
    assert 0.4 < others[0] < 0.5  # half of the way, from a start above zero
