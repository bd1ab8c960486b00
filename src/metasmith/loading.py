"""Loading a user's own Python file, under a name of its own and with the files beside it within reach."""

import re
import sys
from hashlib import blake2b
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any

FILE = re.compile(r"(?P<file>.*\.py)(:(?P<name>.*))?", re.DOTALL)
"""A Python file, and what it calls a problem or a task in it; folders on the way may have `.py` in their names."""


def load_file(path: Path) -> ModuleType:
    """The module in a file, executed anew.

    It has a private name, so that a file called like any other module (`statistics.py`) hides none and is hidden by
    none. Raises ValueError, in one line, if there is no such file or it fails.
    """
    file = path.resolve()
    name = f"metasmith_user_file_{blake2b(str(file).encode(), digest_size=8).hexdigest()}"
    specification = spec_from_file_location(name, file)
    if not file.is_file() or specification is None or specification.loader is None:
        raise ValueError(f"there is no file '{path}'")
    module = module_from_spec(specification)
    sys.modules[name] = module  # as an import would; dataclasses look there
    Beside.of(file.parent)
    try:
        specification.loader.exec_module(module)
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # others than Exception too: SystemExit, asyncio.CancelledError, one of their own
        raise ValueError(f"'{path}' cannot be loaded: {type(error).__name__}: {error}") from error
    return module


def folders_of_users() -> list[str]:
    """The folders of the files that were loaded, whose modules nobody else can import by name."""
    return [folder for each in sys.meta_path if isinstance(each, Beside) for folder in each.folders]


class Beside(MetaPathFinder):
    """Finds the files beside users' files, whenever they are imported, and only where nobody else has such a module.

    The folder of the last file that was loaded comes first, and modules from other folders are then imported anew.
    """

    def __init__(self) -> None:
        self.folders: list[str] = []
        self.loaded: dict[str, str] = {}
        """The modules that were imported so, with their folders."""

    @staticmethod
    def of(folder: Path) -> None:
        """From now on, files in `folder` can be imported."""
        if (finder := next((each for each in sys.meta_path if isinstance(each, Beside)), None)) is None:
            finder = Beside()
            sys.meta_path.append(finder)  # last, so that it hides nothing
        finder.folders = [str(folder), *(each for each in finder.folders if each != str(folder))]
        for name, home in list(finder.loaded.items()):
            if home != str(folder):
                sys.modules.pop(name, None)
                del finder.loaded[name]

    def find_spec(self, name: str, path: Any = None, target: ModuleType | None = None) -> ModuleSpec | None:
        for folder in self.folders if path is None else ():
            if specification := PathFinder.find_spec(name, [folder]):
                self.loaded[name] = folder
                return specification
        return None
