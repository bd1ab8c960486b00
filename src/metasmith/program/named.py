"""The library of known algorithms: each is a text file in `library/`, with its title in the first line.

The folder is scanned, so that adding an algorithm adds a file and changes none. Other packages register a folder of
such files, a package of theirs, as an entry point of the group `metasmith.algorithms`.
"""

from importlib.resources import files
from importlib.resources.abc import Traversable

from metasmith.components import COMPONENTS
from metasmith.discovery import by_name, outside
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


def works_on(program: Program, representation: str) -> bool:
    """Whether all components of a program have kernels for a representation."""
    return all(COMPONENTS[snippet.component].kernel(representation) for snippet in program.snippets)


def _title(text: str) -> str:
    return text.partition("\n")[0].removeprefix("#").strip()


def _library() -> dict[str, Traversable]:
    folders = [files("metasmith.program") / "library", *map(files, outside("metasmith.algorithms"))]
    texts = [file for folder in folders for file in folder.iterdir() if file.name.endswith(".txt")]
    named = by_name(texts, lambda file: file.name.removesuffix(".txt"))
    return dict(sorted(named.items()))
