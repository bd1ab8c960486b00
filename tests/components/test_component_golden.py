"""No component changes what it does unnoticed: see golden_components.py."""

import json
from collections import Counter

import pytest
from golden_components import FOLDER, file_of, golden_run, pairs


def test_no_component_lacks_a_golden_run_and_no_run_its_component():
    assert sorted(FOLDER.iterdir()) == sorted(file_of(*pair) for pair in pairs())


@pytest.mark.parametrize(("name", "representation"), pairs())
def test_the_run_is_the_same(name, representation):
    assert golden_run(name, representation) == json.loads(file_of(name, representation).read_text())


def test_no_two_components_do_the_same():
    """On bits some do, such as a creep and a reset; on integers none."""
    runs = Counter(file_of(name, kind).read_text() for name, kind in pairs() if kind == "integers")
    assert max(runs.values()) == 1
