"""Gathers definitions from our own sources: those asked for, all that they use, and nothing else."""

import re
from collections.abc import Iterable, Sequence

from metasmith.export.source import Definition, source

Import = tuple[str, str]
"""A name from a module that is not ours; the module is empty where the name is the module."""


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
        if isinstance(origin, tuple):
            imports.add(origin)
        elif origin.module != written and origin not in definitions:
            definitions.append(origin)
            waiting += [(origin.module, used) for used in sorted(origin.uses)]
    return definitions, imports


def meant(module: str, name: str, representation: str) -> Definition | Import:
    """What `module` means by `name`, wherever it was defined."""
    text = source(module, representation)
    if name in text.ours:
        return meant(text.ours[name], name, representation)
    return text.others.get(name) or text.definitions[name]


def named_apart(definitions: Sequence[Definition], representation: str, written: str) -> dict[Definition, str]:
    """The text of each definition.

    Where modules give one name to different things, all but the first get the module's name before it.
    """
    names = {(written, name): name for name in source(written, representation).definitions}
    for definition in definitions:
        for name in definition.names:
            prefix = f"{definition.module.rpartition('.')[2]}_"
            fresh = name not in names.values()
            names[definition.module, name] = name if fresh else (prefix.upper() if name.isupper() else prefix) + name
    return {definition: _with(names, definition, representation) for definition in definitions}


def _with(names: dict[tuple[str, str], str], definition: Definition, representation: str) -> str:
    text = definition.text
    for name in {*definition.names, *definition.uses}:
        origin = meant(definition.module, name, representation)
        if isinstance(origin, Definition):
            text = re.sub(rf"\b{name}\b", names.get((origin.module, name), name), text)
    return text


def in_order(definitions: Sequence[Definition], representation: str) -> list[Definition]:
    """The definitions module by module, every module after those it uses, and within a module as they stand there."""
    modules: list[str] = []

    def visit(module: str) -> None:
        if module not in modules:
            for definition in definitions:
                for used in sorted(definition.uses) if definition.module == module else ():
                    origin = meant(module, used, representation)
                    if isinstance(origin, Definition) and origin in definitions and origin.module != module:
                        visit(origin.module)
            modules.append(module)

    for definition in definitions:
        visit(definition.module)
    return sorted(definitions, key=lambda definition: (modules.index(definition.module), definition.line))
