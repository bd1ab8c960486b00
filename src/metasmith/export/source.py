"""Our own modules as text: every definition as it shall stand in an exported file, and which names it uses.

The text is copied as it is, with its comments. Changed are only the decorator that marks what numba compiles, remarks
to our tools, and
components: of the class one kernel is taken, under the component's name and without the arguments that it has no use
for.
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

INDENT = "    "
COMPILED = "register_jitable"
"""Our decorator of what numba compiles; it becomes `kernel`, which does nothing where there is no numba."""

PROVIDED = frozenset({"kernel", "numba", *dir(builtins)})
"""Names that every exported file has."""

WORDS = "metasmith.words"
TWINS = "metasmith.export.parts.compiled_words"
"""Has what some functions of WORDS are where numba is to compile them, because it cannot compile them as they stand."""

REMARK = re.compile(r"  # (fmt:|noqa|type:).*")
"""To our tools, of no interest elsewhere."""


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
    """One of our modules. ours: the modules that its names come from, of those we wrote; others: the imports of those
    we did not write.
    """

    definitions: Mapping[str, Definition]
    ours: Mapping[str, str]
    others: Mapping[str, tuple[str, str]]


@cache
def source(module: str, representation: str) -> Source:
    """The module called `module`, with the kernels for a representation."""
    text = getsource(import_module(module))
    lines = [REMARK.sub("", line) for line in text.splitlines()]
    definitions: dict[str, Definition] = {}
    ours: dict[str, str] = {}
    others: dict[str, tuple[str, str]] = {}
    statements = ast.parse(text).body
    for statement, following in zip(statements, [*statements[1:], None], strict=True):
        match statement:
            case ast.Import(names=[ast.alias(name, alias)]):
                others[alias or name] = ("", f"{name} as {alias}" if alias else name)
            case ast.ImportFrom(module=origin, names=names) if origin is not None:
                for imported in names:
                    if origin.startswith("metasmith"):
                        ours[imported.name] = origin
                    else:
                        others[imported.name] = (origin, imported.name)
            case ast.FunctionDef(name=name):
                written = _function(statement, lines)
                twin = source(TWINS, representation).definitions.get(name) if module == WORDS else None
                definitions[name] = Definition(
                    module, (name,), statement.lineno, _either(written, twin.text) if twin else written
                )
            case ast.ClassDef(name=name) if name in COMPONENTS:
                kernel = kernel_of(name, representation)
                if kernel is not None:
                    definitions[name] = Definition(module, (name,), statement.lineno, _kernel(name, kernel, lines))
            case ast.ClassDef(name=name):
                definitions[name] = Definition(module, (name,), statement.lineno, _lines(statement, lines))
            case ast.Assign():
                targets = tuple(
                    node.id for target in statement.targets for node in ast.walk(target) if isinstance(node, ast.Name)
                )
                definition = Definition(
                    module, targets, statement.lineno, _comment(following) + _lines(statement, lines)
                )
                definitions |= dict.fromkeys(targets, definition)
    return Source(definitions, ours, others)


@cache
def kernel_of(component: str, representation: str) -> ast.FunctionDef | None:
    """The kernel of a component for a representation, where it has one."""
    found = COMPONENTS[component].kernel(representation)
    if found is None:
        return None
    module = ast.parse(getsource(import_module(found.__module__)))
    (cls,) = (node for node in module.body if isinstance(node, ast.ClassDef) and node.name == component)
    (kernel,) = (node for node in cls.body if isinstance(node, ast.FunctionDef) and node.name == found.__name__)
    return kernel


def needed(kernel: ast.FunctionDef) -> dict[str, bool]:
    """Of each argument of a kernel, in order, whether the kernel has a use for it."""
    mentioned = {node.id for statement in kernel.body for node in ast.walk(statement) if isinstance(node, ast.Name)}
    return {argument.arg: argument.arg in mentioned for argument in kernel.args.args}


def note(module: str) -> str:
    """What a module says of itself, as a comment."""
    return _commented(getdoc(import_module(module)) or "")


def names_used(text: str) -> frozenset[str]:
    """The names that a piece of source takes from outside."""
    found = set()
    for table in _tables(symtable.symtable(text, "text", "exec")):
        for symbol in table.get_symbols():
            outside = (
                symbol.is_referenced() and not symbol.is_assigned()
                if table.get_type() == "module"
                else symbol.is_global()
            )
            if outside and symbol.get_name() not in PROVIDED:
                found.add(symbol.get_name())
    return frozenset(found)


def _tables(table: symtable.SymbolTable) -> Iterator[symtable.SymbolTable]:
    yield table
    for child in table.get_children():
        yield from _tables(child)


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
    told = f'"""{COMPONENTS[component].meaning}"""'
    return f"@kernel\ndef {component}({arguments}) -> None:\n" + indent(f"{told}\n{body}", INDENT)


def _comment(statement: ast.stmt | None) -> str:
    """What is said of a constant in the string below it, as a comment above it."""
    match statement:
        case ast.Expr(ast.Constant(str(said))):
            return _commented(said) + "\n"
        case _:
            return ""


def _commented(said: str) -> str:
    return "\n".join(f"# {line}".rstrip() for line in said.splitlines())
