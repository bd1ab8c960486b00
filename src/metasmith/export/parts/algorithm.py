"""The algorithm.

The exporter writes this part anew for each program; here is the least of them, so that the others have one to call.
"""

from typing import Any

POPULATION = 1
PROGRAM = "population 1\nreinitialize"


def algorithm(run: Any) -> None:
    """Random search."""
    while True:
        run.evaluate_all()
