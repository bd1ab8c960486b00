"""Which PBO functions a problem looks like."""

import json

import numpy as np
import pytest

from metasmith.landscapes import NAMES, landscape, nearest
from metasmith.landscapes.neighbours import DIMENSIONS, FILE, SEEDS, average, pbo_landscapes, write
from metasmith.problems import Problem, problem
from metasmith.representations import Bits


def test_all_pbo_functions_are_measured():
    names, points = pbo_landscapes()
    assert names == tuple(f"pbo:F{number}@{dimension}" for dimension in DIMENSIONS for number in range(1, 24))
    assert points.shape == (len(names), 32)
    assert len(set(map(tuple, points.tolist()))) == len(names)


@pytest.mark.parametrize("name", ["pbo:F1@100", "pbo:F18@225", "pbo:F22@100"])
def test_the_file_is_what_the_factors_are_now(name):
    names, points = pbo_landscapes()
    np.testing.assert_allclose(points[names.index(name)], average(name, SEEDS), atol=2e-4)


def test_the_file_is_written_by_the_function(tmp_path):
    write(tmp_path / "pbo_landscapes.json", dimensions=[100], seeds=[0])
    written, kept = (json.loads(path.read_text()) for path in (tmp_path / "pbo_landscapes.json", FILE))
    assert written["factors"] == kept["factors"] == list(NAMES)
    assert list(written["problems"]) == [name for name in kept["problems"] if name.endswith("@100")]
    assert written["problems"]["pbo:F5@100"] == [
        round(value, 4) for value in landscape(problem("pbo:F5@100")).scaled.tolist()
    ]


@pytest.mark.parametrize("function", ["F1", "F3", "F18", "F22", "F23"])
def test_a_fresh_sample_is_nearest_to_its_own_function(function):
    neighbours = nearest(landscape(problem(f"pbo:{function}@144"), seed=50), count=4)
    assert neighbours[0].problem == f"pbo:{function}"
    assert [near.distance for near in neighbours] == sorted(near.distance for near in neighbours)
    assert len({near.problem for near in neighbours}) == len(neighbours) == 4


def test_a_users_problem_has_neighbours_too():
    looks = landscape(Problem(lambda m: (m[:, 1:] * m[:, :-1]).sum(axis=1), Bits(60), batch=True, name="my own"))
    assert nearest(looks) == nearest(looks.scaled)
    assert len(nearest(looks)) == 3
