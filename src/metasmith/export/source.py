"""Modules as text: every definition as it shall stand in an exported file, and which names it uses.

The text is copied as it is, with its comments, except for three things. The decorator that marks what numba compiles
gets another name, and remarks to our tools go. Of the class of a component one kernel is taken, under the component's
name and without the arguments that it has no use for. Of the class of a representation what a run needs is taken.
"""

import ast
import builtins
import re
import symtable
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from importlib import import_module
from inspect import getdoc, getsource
from textwrap import dedent, indent

from metasmith.components import COMPONENTS
from metasmith.discovery import registered
from metasmith.representations import KINDS

INDENT = "    "
COMPILED = "register_jitable"
"""Our decorator of what numba compiles; it becomes `kernel`, which does nothing where there is no numba."""

PROVIDED = frozenset({"kernel", "numba", *dir(builtins)})
"""Names that every exported file has."""

WORDS = "metasmith.words"
TWINS = "metasmith.export.parts.compiled_words"
"""Has what some functions of WORDS are where numba is to compile them, because it cannot compile them as they stand."""

GROUPS = ("metasmith.components", "metasmith.representations")
"""Entry points by which definitions of other packages come into exported files."""

NEEDED_OF_VARIABLES = frozenset(
    {"__init__", "__post_init__", "name", "cell", "n", "cells", "width", "shape", "neighbours", "to_vectors"}
)
"""What a run needs of the class of a representation, beside its fields."""

REMARK = re.compile(r"  # (fmt:|noqa|type:).*")
"""A remark to our tools, of no interest elsewhere."""


@dataclass(frozen=True)
class Definition:
    """What defines `names` in a module. uses: names that it takes from the module. line: where it stands."""

    module: str
    names: tuple[str, ...]
    line: int
    text: str

    @cached_property
    def uses(self) -> frozenset[str]:
        return names_used(self.text) - set(self.names)


@dataclass(frozen=True)
class Source:
    """A module whose definitions are copied. ours: the modules that its names come from, of those that are copied too.

    others: the imports of those that are not.
    """

    definitions: Mapping[str, Definition]
    ours: Mapping[str, str]
    others: Mapping[str, tuple[str, str]]


@cache
def source(module: str, representation: str) -> Source:
    """The module called `module`, with the kernels for a representation."""
    text = getsource(import_module(module))
    lines = [REMARK.sub("", line) for line in text.splitlines()]
    components = _classes_of_kernels(representation)
    definitions: dict[str, Definition] = {}
    ours: dict[str, str] = {}
    others: dict[str, tuple[str, str]] = {}

    def define(name: str, node: ast.stmt, written: str) -> None:
        definitions[name] = Definition(module, (name,), node.lineno, written)

    statements = ast.parse(text).body
    for statement, following in zip(statements, [*statements[1:], None], strict=True):
        match statement:
            case ast.Import(names=[ast.alias(name, alias)]):
                others[alias or name] = ("", f"{name} as {alias}" if alias else name)
            case ast.ImportFrom(module=origin, names=names) if origin is not None:
                for imported in names:
                    if origin.partition(".")[0] in copied_packages():
                        ours[imported.name] = origin
                    else:
                        others[imported.name] = (origin, imported.name)
            case ast.FunctionDef(name=name):
                written = _function(statement, lines)
                twin = source(TWINS, representation).definitions.get(name) if module == WORDS else None
                define(name, statement, _either(written, twin.text) if twin else written)
            case ast.ClassDef(name=name) if (module, name) in components:
                component = components[module, name]
                define(component, statement, _kernel(component, _method(statement, component, representation), lines))
                for room in (
                    each for each in statement.body if isinstance(each, ast.FunctionDef) and each.name == "room"
                ):
                    define(room_of(component), room, _room(component, room, lines))
            case ast.ClassDef(name=name) if KINDS[representation].__name__ == name:
                define(name, statement, _variables(statement, lines))
            case ast.ClassDef(name=name):
                define(name, statement, _lines(statement, lines))
            case ast.Assign(targets=[ast.Name() | ast.Tuple(), *_]):
                targets = tuple(
                    node.id for target in statement.targets for node in ast.walk(target) if isinstance(node, ast.Name)
                )
                constant = _comment(following) + _lines(statement, lines)
                definitions |= dict.fromkeys(targets, Definition(module, targets, statement.lineno, constant))
    return Source(definitions, ours, others)


@cache
def copied_packages() -> frozenset[str]:
    """Packages whose definitions are copied: ours, and those that register components or representations."""
    return frozenset(
        {"metasmith", *(point.module.partition(".")[0] for group in GROUPS for point in registered(group))}
    )


@cache
def kernel_of(component: str, representation: str) -> ast.FunctionDef | None:
    """The kernel of a component for a representation, where it has one."""
    kernel = COMPONENTS[component].kernel(representation)
    if kernel is None:
        return None
    module = ast.parse(getsource(import_module(kernel.__module__)))
    within = kernel.__qualname__.partition(".")[0]
    (cls,) = (node for node in module.body if isinstance(node, ast.ClassDef) and node.name == within)
    return _method(cls, component, representation)


def module_of(component: str, representation: str) -> str:
    """The module that has the kernel of a component for a representation. Raises ValueError if there is none."""
    kernel = COMPONENTS[component].kernel(representation)
    if kernel is None:
        raise ValueError(f"{component} does not work on {representation}")
    return kernel.__module__


def room_of(component: str) -> str:
    """What the function that says how much a component remembers is called."""
    return f"{component}_room"


def needed(kernel: ast.FunctionDef) -> dict[str, bool]:
    """Of each argument of a kernel, in order, whether the kernel has a use for it."""
    mentioned = {node.id for statement in kernel.body for node in ast.walk(statement) if isinstance(node, ast.Name)}
    return {argument.arg: argument.arg in mentioned for argument in kernel.args.args}


def note(module: str) -> str:
    """What a module says of itself, as a comment."""
    return _commented(getdoc(import_module(module)) or "")


def names_used(text: str) -> frozenset[str]:
    """The names that a piece of source takes from outside."""
    names = set()
    for table in _tables(symtable.symtable(text, "text", "exec")):
        for symbol in table.get_symbols():
            at_top = table.get_type() == "module"
            outside = symbol.is_referenced() and not symbol.is_assigned() if at_top else symbol.is_global()
            if outside and symbol.get_name() not in PROVIDED:
                names.add(symbol.get_name())
    return frozenset(names)


def _tables(table: symtable.SymbolTable) -> Iterator[symtable.SymbolTable]:
    yield table
    for child in table.get_children():
        yield from _tables(child)


@cache
def _classes_of_kernels(representation: str) -> dict[tuple[str, str], str]:
    """By module and class, the component whose kernel for a representation is in it."""
    kernels = {name: component.kernel(representation) for name, component in COMPONENTS.items()}
    return {(each.__module__, each.__qualname__.partition(".")[0]): name for name, each in kernels.items() if each}


def _method(cls: ast.ClassDef, component: str, representation: str) -> ast.FunctionDef:
    kernel = COMPONENTS[component].kernel(representation)
    assert kernel is not None
    (method,) = (node for node in cls.body if isinstance(node, ast.FunctionDef) and node.name == kernel.__name__)
    return method


def _lines(node: ast.stmt, lines: list[str]) -> str:
    return "\n".join(lines[node.lineno - 1 : node.end_lineno])


def _function(node: ast.FunctionDef, lines: list[str]) -> str:
    compiled = any(isinstance(decorator, ast.Name) and decorator.id == COMPILED for decorator in node.decorator_list)
    return ("@kernel\n" if compiled else "") + _lines(node, lines)


def _either(plain: str, compiled: str) -> str:
    return f"if numba is None:\n\n{indent(plain, INDENT)}\n\nelse:\n\n{indent(compiled, INDENT)}"


def _kernel(component: str, kernel: ast.FunctionDef, lines: list[str]) -> str:
    arguments = ", ".join(ast.unparse(argument) for argument in kernel.args.args if needed(kernel)[argument.arg])
    body = dedent("\n".join(lines[kernel.body[0].lineno - 1 : kernel.end_lineno]))
    meaning = f'"""{COMPONENTS[component].meaning}"""'
    return f"@kernel\ndef {component}({arguments}) -> None:\n" + indent(f"{meaning}\n{body}", INDENT)


def _room(component: str, room: ast.FunctionDef, lines: list[str]) -> str:
    """The function that says how much a component remembers."""
    text = dedent(_lines(room, lines))
    return text.replace("def room(", f"def {room_of(component)}(", 1)


def _variables(cls: ast.ClassDef, lines: list[str]) -> str:
    """The class of a representation with NEEDED_OF_VARIABLES only, and with what its dataclass would have written.

    A file that is loaded by hand, without being put among the modules, cannot have dataclasses.
    """
    kept: list[str] = []
    fields: list[ast.AnnAssign] = []
    methods = {node.name for node in cls.body if isinstance(node, ast.FunctionDef)}
    for node in cls.body:
        match node:
            case ast.Expr(ast.Constant(str())):
                kept.append(_lines(node, lines) + "\n")
            case ast.AnnAssign(target=ast.Name(name)) if not _is_class_variable(node):
                fields.append(node)
            case ast.AnnAssign(target=ast.Name(name), value=value) if name in NEEDED_OF_VARIABLES and value is not None:
                kept.append(f"{INDENT}{name} = {ast.unparse(value)}")
            case ast.FunctionDef(name=name) if name in NEEDED_OF_VARIABLES:
                first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
                kept.append("\n" + "\n".join(lines[first - 1 : node.end_lineno]))
    if "__init__" not in methods:
        kept.append("\n" + indent("\n".join(_initialiser(fields, "__post_init__" in methods)), INDENT))
    return "\n".join([f"class {cls.name}:", *kept])


def _initialiser(fields: list[ast.AnnAssign], goes_on: bool) -> Iterator[str]:
    """The `__init__` that a dataclass has. goes_on: whether it calls `__post_init__`."""
    yield f"def __init__(self, {', '.join(map(ast.unparse, fields))}) -> None:"
    for field in fields:
        name = ast.unparse(field.target)
        yield f"{INDENT}self.{name} = {name}"
    if goes_on:
        yield f"{INDENT}self.__post_init__()"


def _is_class_variable(node: ast.AnnAssign) -> bool:
    return ast.unparse(node.annotation).startswith("ClassVar")


def _comment(statement: ast.stmt | None) -> str:
    """What is said of a constant in the string below it, as a comment above it."""
    match statement:
        case ast.Expr(ast.Constant(str(remark))):
            return _commented(remark.strip()) + "\n"
        case _:
            return ""


def _commented(remark: str) -> str:
    return "\n".join(f"# {line}".rstrip() for line in remark.splitlines())
