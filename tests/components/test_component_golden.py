"""No component changes what it does unnoticed: see golden_components.py."""

import json

import pytest
from golden_components import FILE, results

from metasmith.components import COMPONENTS

GOLDEN = json.loads(FILE.read_text()) if FILE.exists() else {}


def test_no_component_lacks_a_golden_run_and_no_run_its_component():
    assert sorted(GOLDEN) == sorted(COMPONENTS)


@pytest.mark.parametrize("name", GOLDEN)
def test_the_run_is_the_same(name):
    assert results(name) == GOLDEN[name]


def test_no_two_components_do_the_same():
    runs = [json.dumps(run["integers"], sort_keys=True) for run in GOLDEN.values()]
    assert len(set(runs)) == len(runs)
