"""The genetic algorithm with the settings that irace found for each PBO function: `metasmith reproduce ga-by-irace`.

`data/ga_by_irace.json` is what that command saved, with the command.
"""

import json
from functools import lru_cache
from importlib.resources import files

from metasmith.experiments.shared.published import FUNCTIONS


@lru_cache
def tuned() -> dict[str, str]:
    """The program for each function; none if irace has not been asked for all of them."""
    file = files("metasmith.experiments.shared") / "data" / "ga_by_irace.json"
    found = json.loads(file.read_text(encoding="utf-8"))["found"] if file.is_file() else {}
    return {name: found[name]["program"] for name in FUNCTIONS} if set(FUNCTIONS) <= set(found) else {}
