"""A designer beside its rivals, pair by pair."""

import numpy as np
import pytest
from scipy import stats

from metasmith.analysis.pairs import paired, rivalries

PROBLEMS, SEEDS = ("F7", "F14", "F16", "F17"), range(8)


def drawn(centre: float, seed: int) -> dict[tuple[str, int], float]:
    """Qualities of designs, problems far apart."""
    rng = np.random.default_rng(seed)
    return {(name, seed): 10 * i + centre + rng.normal() for i, name in enumerate(PROBLEMS) for seed in SEEDS}


def test_pairs_are_of_the_same_problem_and_seed():
    ours = {("F7", 0): 1.0, ("F7", 1): 2.0, ("F14", 0): 3.0, ("F14", 1): 4.0}
    theirs = {("F14", 1): 3.5, ("F7", 1): 2.0 + 1e-12, ("F14", 0): 5.0, ("F22", 0): 9.0}
    assert paired(ours, theirs) == {"F7": [0.0], "F14": [-2.0, 0.5]}


def test_a_rivalry_says_what_scipy_says():
    ours, theirs = drawn(0.6, 0), drawn(0.0, 1)
    (each,) = rivalries(ours, {"random": theirs}, declared=1)
    differences = [ours[key] - theirs[key] for key in ours]
    record = each.record()
    expected = stats.wilcoxon(differences)
    assert record["p_value"] == record["corrected"] == expected.pvalue
    wins = sum(difference > 0 for difference in differences)
    assert (record["pairs"], record["wins"], record["ties"], record["losses"]) == (32, wins, 0, 32 - wins)
    assert record["sign_p_value"] == stats.binomtest(wins, 32).pvalue
    assert record["median"] == np.median(differences)
    assert record["low"] < record["median"] < record["high"]
    # the smaller rank sum of scipy, as a share of all 32 * 33 / 2
    assert abs(record["rank_biserial"]) == pytest.approx(1 - 2 * expected.statistic / 528)


def test_the_verdict_is_by_the_corrected_p_value():
    ours = drawn(0.0, 0)
    far = {name: {key: value + shift for key, value in ours.items()} for name, shift in (("behind", -1), ("ahead", 1))}
    rivals = {**far, "like it": drawn(0.0, 3)}
    assert [each.verdict for each in rivalries(ours, rivals, declared=3)] == ["better", "worse", "not told apart"]
    assert rivalries(ours, {"the same": ours}, declared=1)[0].verdict == "not told apart"


def test_looking_at_one_rival_after_the_other_gains_nothing():
    ours, rivals = drawn(0.55, 0), {name: drawn(0.0, seed) for seed, name in enumerate("abcdefgh", start=1)}
    together = {each.rival: each.corrected for each in rivalries(ours, rivals, declared=8)}
    for name, theirs in rivals.items():
        (alone,) = rivalries(ours, {name: theirs}, declared=8)
        assert alone.corrected >= together[name]
        assert alone.corrected == min(1.0, 8 * alone.record()["p_value"])
