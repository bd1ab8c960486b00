"""The contract suites that every member of an open set goes through, ours and those of other packages.

Each `check_...` raises AssertionError where a member breaks its contract, and says how. In the tests of a package:

from metasmith.testing import check_component

def test_my_component():
    check_component("my_component")
"""

from metasmith.testing.components import check_component
from metasmith.testing.configurators import check_configurator
from metasmith.testing.designers import check_designer
from metasmith.testing.problems import check_problem
from metasmith.testing.representations import check_representation

__all__ = ["check_component", "check_configurator", "check_designer", "check_problem", "check_representation"]
