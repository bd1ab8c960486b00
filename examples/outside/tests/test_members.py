"""What the package adds keeps to metasmith's contracts."""

import numpy as np
from metasmith_example.learn_best import learn_best

import metasmith as ms
from metasmith.testing import check_component, check_problem


def test_the_component():
    assert learn_best.name == "learn_best"
    check_component("learn_best")


def test_the_problem():
    problem = ms.problem("partition@31#2")
    check_problem(problem)
    numbers = problem.how.tables.numbers
    x = np.arange(31) % 2
    assert problem(x) == abs(numbers[x == 1].sum() - numbers[x == 0].sum())
