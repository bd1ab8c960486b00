"""What the tests of the page share."""

from collections.abc import Callable
from typing import Any

from metasmith.runs.folder import Folder

NAME = "<script>document.title = 'owned'</script><img src=x onerror=\"document.title = 'owned'\"> & co"
"""What a task may be called by somebody who means ill."""

SPEND = 40_000
"""The evaluations of the design."""

Told = Callable[[list[dict[str, Any]]], Folder]
"""Makes a folder of a run with these steps."""
