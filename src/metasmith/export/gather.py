"""Gathers definitions from our own sources: those asked for, all that they use, and nothing else."""

import re
from collections.abc import Iterable, Sequence

from metasmith.export.source import Definition, Import, cannot_copy, imports_ours, source

TAKEN = ("optimize", "example", "kernel", "numba")
"""Names that every exported file gives to things of its own."""


def gathered(
    asked: Iterable[tuple[str, str]], representation: str, written: str
) -> tuple[list[Definition], set[Import]]:
    """All that is needed to use what modules mean by names, (module, name) each: definitions of ours, and imports from
    elsewhere.

    What was asked for comes first. written: a module whose definitions are left out, because the exporter writes them.
    """
    definitions: list[Definition] = []
    imports: set[Import] = set()
    waiting = list(asked)
    while waiting:
        origin = meant(*waiting.pop(0), representation)
        if not isinstance(origin, Definition):
            imports |= origin
        elif origin.module != written and origin not in definitions:
            if imports_ours(origin):
                raise cannot_copy(origin.names[0], origin.module, "a function that imports nothing itself")
            definitions.append(origin)
            waiting += origin.needs
    return definitions, imports


def meant(module: str, name: str, representation: str) -> Definition | frozenset[Import]:
    """What `module` means by `name`, wherever it was defined. Raises ValueError if that cannot be copied."""
    text = source(module, representation)
    if name in text.definitions:
        return text.definitions[name]
    if name in text.others:
        return text.others[name]
    if name in text.ours:
        return meant(text.ours[name], name, representation)
    raise cannot_copy(name, module)


def named_apart(
    definitions: Sequence[Definition], imports: Iterable[Import], representation: str, written: str
) -> dict[Definition, str]:
    """The text of each definition.

    Where modules give one name to different things, all but the first get the module's name before it. Raises
    ValueError where that name is one of different things that are imported.
    """
    names = {(written, name): name for name in source(written, representation).definitions}
    taken = {*names.values(), *TAKEN, *_imported(imports)}
    for definition in definitions:
        for name in definition.names:
            prefix = f"{definition.module.rpartition('.')[2]}_"
            free = name
            while free in taken:
                free = (prefix.upper() if name.isupper() else prefix) + free
            taken.add(free)
            names[definition.module, name] = free
    return {definition: _with(names, definition, representation) for definition in definitions}


def _imported(imports: Iterable[Import]) -> set[str]:
    """The names that imports give."""
    given: dict[str, Import] = {}
    for module, written in sorted(imports):
        name = written.rpartition(" as ")[2]
        origin = (module, written)
        if not module and name == written:  # `import os.path` gives `os`
            name = written.partition(".")[0]
            origin = ("", name)
        if given.setdefault(name, origin) != origin:
            raise cannot_copy(
                name, module or written, "another name, by `as`: a module that is copied too has this one"
            )
    return set(given)


def _with(names: dict[tuple[str, str], str], definition: Definition, representation: str) -> str:
    """The text of a definition with the names that things have in the exported file."""
    new = {}
    for module, name in [*((definition.module, name) for name in definition.names), *definition.needs]:
        origin = meant(module, name, representation)
        if isinstance(origin, Definition):
            new[name] = names.get((origin.module, name), name)
    return re.sub(r"(?<![\w.])[^\W\d]\w*", lambda word: new.get(word[0], word[0]), definition.text)


def in_order(definitions: Sequence[Definition], representation: str) -> list[Definition]:
    """The definitions module by module, every module after those it uses, and within a module as they stand there."""
    modules: list[str] = []
    seen: set[str] = set()

    def visit(module: str) -> None:
        if module not in seen:
            seen.add(module)
            for definition in definitions:
                for needed in definition.needs if definition.module == module else ():
                    origin = meant(*needed, representation)
                    if isinstance(origin, Definition) and origin in definitions and origin.module != module:
                        visit(origin.module)
            modules.append(module)

    for definition in definitions:
        visit(definition.module)
    return sorted(definitions, key=lambda definition: (modules.index(definition.module), definition.line))
