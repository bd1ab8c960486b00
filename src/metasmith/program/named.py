"""The library of known algorithms: each is a text file in `library/`, with its title in the first line.

The folder is scanned, so that adding an algorithm adds a file and changes none.
"""

from importlib.resources import files
from importlib.resources.abc import Traversable

from metasmith.program.program import Program
from metasmith.space.spelling import suggestion


def named(name: str) -> Program:
    """The program of the library called `name`."""
    library = _library()
    if name not in library:
        raise ValueError(f"there is no algorithm '{name}'; {suggestion(name, library)}")
    return Program.parse(library[name].read_text(encoding="utf-8"))


def names() -> dict[str, str]:
    """The title of every algorithm of the library, by name."""
    return {name: _title(file.read_text(encoding="utf-8")) for name, file in _library().items()}


def _title(text: str) -> str:
    return text.partition("\n")[0].removeprefix("#").strip()


def _library() -> dict[str, Traversable]:
    texts = [file for file in (files("metasmith.program") / "library").iterdir() if file.name.endswith(".txt")]
    return {file.name.removesuffix(".txt"): file for file in sorted(texts, key=lambda file: file.name)}
