"""Whether the landscape factors tell functions apart."""

import pytest

from metasmith.experiments.identification import Record, accuracies, identify, merged


def test_functions_that_are_the_same_on_random_points_count_as_one():
    assert merged("F2") == merged("F11") == merged("F12") != merged("F13")
    assert Record("F11", 100, 0, 100, "F2").right
    assert not Record("F20", 100, 0, 100, "F21").right


def test_accuracies_are_by_dimension():
    records = [Record("F1", 100, 0, 225, "F1"), Record("F3", 100, 0, 225, "F1"), Record("F1", 100, 0, 100, "F1")]
    assert accuracies(records) == {(100, 225): 0.5, (100, 100): 1.0}
    assert records[1].record() == {"function": "F3", "dimension": 100, "seed": 0, "among": 225, "nearest": "F1", "right": False}


def test_one_seed_is_too_few():
    with pytest.raises(ValueError, match="give at least 2, got 1"):
        identify(seeds=[1])


def test_two_functions_are_told_apart():
    ticks = []
    records = identify(["F1", "F18"], [36], [0, 1], lambda: ticks.append(0))
    assert len(records) == len(ticks) == 4
    assert accuracies(records) == {(36, 36): 1.0}


@pytest.mark.slow
def test_functions_are_recognised_within_and_across_dimensions():
    found = accuracies(identify())
    assert min(found[100, 100], found[225, 225]) >= 0.95
    assert min(found[100, 225], found[225, 100]) >= 0.8
