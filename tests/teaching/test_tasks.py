"""Tasks to teach with: random, always the same, and none that a table uses."""

import pytest

from metasmith.problems import problem
from metasmith.problems.practice import halves
from metasmith.teaching.tasks import random_task

MANY = [random_task(number) for number in range(60)]


def test_a_number_is_always_the_same_task():
    for number in (0, 7):
        one, other = random_task(number), MANY[number]
        assert (one.family, one.task.evaluations) == (other.family, other.task.evaluations)
        assert [each.name for each in one.task.training] == [each.name for each in other.task.training]


def test_no_kind_that_is_reported_and_no_function_of_the_suite():
    families = {taught.family for taught in MANY}
    assert not families & set(halves("reported"))
    suite = {problem(f"pbo:F{number}").name.split("@")[0] for number in range(1, 24)}
    assert not {each.name.split("@")[0] for taught in MANY for each in taught.task.training} & suite
    plain = {f"{kernel}-smooth" for kernel in ("onemax", "leading_ones")}
    assert not families & plain
    assert len(families) > 15


@pytest.mark.parametrize("taught", MANY[:10], ids=lambda taught: taught.task.name)
def test_three_sizes_that_grow_and_a_larger_one_for_use(taught):
    sizes = [each.dimension for each in taught.task.training]
    assert sizes == sorted(sizes)
    assert len(set(sizes)) == 3
    assert taught.task.test[0].dimension > sizes[-1]
    assert 20 <= taught.task.evaluations / taught.task.test[0].dimension <= 300
