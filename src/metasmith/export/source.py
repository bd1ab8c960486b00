"""Modules as text: every definition as it shall stand in an exported file, and which names it uses.

The text is copied as it is, with its comments, except for three things. The decorator that marks what numba compiles
gets another name, and remarks to our tools go. Of the class of a component one kernel is taken, under the component's
name and without the arguments that it has no use for. Of the class of a representation what a run needs is taken.

Modules of other packages are written as people write Python. What cannot be copied definition by definition is left out
here, and asking for it is an error.
"""

import ast
import builtins
import re
import symtable
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from importlib import import_module
from importlib.util import resolve_name
from inspect import getdoc, getsource
from textwrap import dedent, indent

from metasmith.components import COMPONENTS
from metasmith.discovery import registered
from metasmith.representations import KINDS

INDENT = "    "
COMPILED = frozenset({"register_jitable", "njit", "jit"})
"""Decorators of what numba compiles; they become `kernel`, which does nothing where there is no numba."""

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

BASES = frozenset({"Representation", "Protocol", "object"})
"""Classes that a representation may be derived from: they have nothing that a run needs."""

REMARK = re.compile(r"  # (fmt:|noqa|type:).*")
"""A remark to our tools, of no interest elsewhere."""


Import = tuple[str, str]
"""A name from a module that is not copied, "floor as down" under another name; the module is empty where the name is
the module.
"""


@dataclass(frozen=True)
class Definition:
    """What defines `names` in a module. uses: names that it takes from the module. line: where it stands.

    stands_for: where it is another name for something, the module and the name of that.
    """

    module: str
    names: tuple[str, ...]
    line: int
    text: str
    stands_for: tuple[str, str] | None = None

    @cached_property
    def uses(self) -> frozenset[str]:
        return names_used(self.text) - set(self.names)

    @property
    def needs(self) -> list[tuple[str, str]]:
        """What it uses: (module, name) each."""
        return [self.stands_for] if self.stands_for else [(self.module, used) for used in sorted(self.uses)]


@dataclass(frozen=True)
class Source:
    """A module whose definitions are copied. ours: the modules that its names come from, of those that are copied too.

    others: the imports of those that are not, by the name that they give.
    """

    definitions: Mapping[str, Definition]
    ours: Mapping[str, str]
    others: Mapping[str, frozenset[Import]]


@cache
def source(module: str, representation: str) -> Source:
    """The module called `module`, with the kernels for a representation."""
    text = _text(module)
    lines = [REMARK.sub("", line) for line in text.splitlines()]
    components = _classes_of_kernels(representation)
    definitions: dict[str, Definition] = {}
    ours: dict[str, str] = {}
    others: dict[str, frozenset[Import]] = {}
    unclear: set[str] = set()  # names whose value depends on more than one statement

    def define(name: str, node: ast.stmt, written: str) -> None:
        definitions[name] = Definition(module, (name,), node.lineno, written)

    def elsewhere(name: str, origin: str, imported: str, alias: str | None) -> None:
        written = imported if alias in (None, imported) else f"{imported} as {alias}"
        others[name] = others.get(name, frozenset()) | {(origin, written)}

    statements = list(_statements(ast.parse(text).body))
    for statement, following in zip(statements, [*statements[1:], None], strict=False):
        match statement:
            case ast.Import(names=names):
                for imported in names:
                    if not _is_copied(imported.name):  # whole modules cannot be copied
                        name = imported.asname or imported.name.partition(".")[0]
                        elsewhere(name, "", imported.name, imported.asname)
            case ast.ImportFrom(names=names):
                origin = _origin(statement, module)
                for imported in names:
                    name = imported.asname or imported.name
                    if not _is_copied(origin):
                        elsewhere(name, origin, imported.name, imported.asname)
                    elif name == imported.name:
                        ours[name] = origin
                    else:
                        same, line = f"{name} = {imported.name}", statement.lineno
                        definitions[name] = Definition(module, (name,), line, same, (origin, imported.name))
            case ast.FunctionDef(name=name):
                written = _function(statement, lines, others)
                twin = source(TWINS, representation).definitions.get(name) if module == WORDS else None
                define(name, statement, _either(written, twin.text) if twin else written)
            case ast.ClassDef(name=name) if (module, name) in components:
                component = components[module, name]
                define(component, statement, _kernel(component, _method(statement, component, representation), lines))
                for room in (
                    each for each in statement.body if isinstance(each, ast.FunctionDef) and each.name == "room"
                ):
                    define(room_of(component), room, _room(component, room, lines))
            case ast.ClassDef(name=name) if _name_of(KINDS[representation]) == (module, name):
                define(name, statement, _variables(statement, module, lines))
            case ast.ClassDef(name=name):
                define(name, statement, _decorated(statement, lines))
            case ast.Assign(targets=[ast.Name() | ast.Tuple(), *_]):
                targets = tuple(
                    node.id for target in statement.targets for node in ast.walk(target) if isinstance(node, ast.Name)
                )
                constant = _comment(following) + _constant(statement, lines, others)
                definitions |= dict.fromkeys(targets, Definition(module, targets, statement.lineno, constant))
            case ast.AnnAssign(target=ast.Name(name), value=ast.expr()):
                define(name, statement, _comment(following) + _lines(statement, lines))
            case _:
                unclear |= _assigned(statement)
    for name in unclear:
        for known in (definitions, ours, others):
            known.pop(name, None)
    return Source(definitions, ours, others)


def cannot_copy(name: str, module: str, instead: str = "a function or a constant of its own") -> ValueError:
    """The error of a definition that cannot be copied."""
    return ValueError(f"export cannot copy '{name}' of module '{module}': write it as {instead}")


def imports_ours(definition: Definition) -> bool:
    """Whether a definition imports, when it is called, from modules that an exported file does not have."""
    nodes = list(ast.walk(ast.parse(definition.text)))
    origins = [each.name for node in nodes if isinstance(node, ast.Import) for each in node.names]
    origins += [_origin(node, definition.module) for node in nodes if isinstance(node, ast.ImportFrom)]
    return any(map(_is_copied, origins))


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


def _text(module: str) -> str:
    """The source of a module; nothing where there is none, as in an empty file."""
    try:
        return getsource(import_module(module))
    except (OSError, TypeError):
        return ""


def _statements(body: Iterable[ast.stmt]) -> Iterator[ast.stmt]:
    """Statements, and the imports that only type checkers see, since annotations are copied."""
    for statement in body:
        match statement:
            case ast.If(test=ast.Name("TYPE_CHECKING") | ast.Attribute(attr="TYPE_CHECKING"), orelse=[]):
                yield from statement.body
            case _:
                yield statement


def _assigned(statement: ast.stmt) -> set[str]:
    """The names that a statement gives a value to, perhaps."""
    symbols = symtable.symtable(ast.unparse(statement), "text", "exec").get_symbols()
    return {symbol.get_name() for symbol in symbols if symbol.is_assigned() or symbol.is_imported()}


def _is_copied(module: str) -> bool:
    return module.partition(".")[0] in copied_packages()


def _origin(statement: ast.ImportFrom, module: str) -> str:
    """The module that a statement of `module` imports from."""
    relative = "." * statement.level + (statement.module or "")
    return resolve_name(relative, import_module(module).__package__ or "")


def _name_of(cls: type) -> tuple[str, str]:
    return cls.__module__, cls.__name__


def _lines(node: ast.stmt, lines: list[str]) -> str:
    return "\n".join(lines[node.lineno - 1 : node.end_lineno])


def _decorated(node: ast.FunctionDef | ast.ClassDef, lines: list[str]) -> str:
    first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
    return "\n".join(lines[first - 1 : node.end_lineno])


def _function(node: ast.FunctionDef, lines: list[str], others: Mapping[str, frozenset[Import]]) -> str:
    compiled = any(_compiles(decorator, others) for decorator in node.decorator_list)
    kept = [f"@{ast.unparse(each)}\n" for each in node.decorator_list if not _compiles(each, others)]
    return "".join([*kept, "@kernel\n" if compiled else "", _lines(node, lines)])


def _constant(node: ast.Assign, lines: list[str], others: Mapping[str, frozenset[Import]]) -> str:
    """A constant; one that is a compiled function, as in `one = njit(plain_one)`, is compiled as kernels are."""
    match node.value:
        case ast.Call(func=func, args=[function]) if _compiles(func, others):
            return f"{' = '.join(map(ast.unparse, node.targets))} = kernel({ast.unparse(function)})"
        case _:
            return _lines(node, lines)


def _compiles(decorator: ast.expr, others: Mapping[str, frozenset[Import]]) -> bool:
    """Whether a decorator, with options or without, marks what numba compiles."""
    match decorator:
        case ast.Call(func=func):
            return _compiles(func, others)
        case ast.Name(name):
            return any(
                (origin.partition(".")[0], imported.partition(" as ")[0]) in {("numba", known) for known in COMPILED}
                for origin, imported in others.get(name, ())
            ) or (name in COMPILED and name not in others)
        case ast.Attribute(attr=name):
            return name in COMPILED
        case _:
            return False


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


def _variables(cls: ast.ClassDef, module: str, lines: list[str]) -> str:
    """The class of a representation with NEEDED_OF_VARIABLES and what these use, and with what its dataclass would have
    written.

    A file that is loaded by hand, without being put among the modules, cannot have dataclasses.
    """
    if any(ast.unparse(base).rpartition(".")[2] not in BASES for base in cls.bases):
        raise cannot_copy(cls.name, module, "a class without bases")
    by_dataclass = any("dataclass" in ast.unparse(decorator) for decorator in cls.decorator_list)
    needed = _needed_members(cls)
    kept: list[str] = []
    fields: list[ast.AnnAssign] = []
    methods = {node.name for node in cls.body if isinstance(node, ast.FunctionDef)}
    for node in cls.body:
        match node:
            case ast.Expr(ast.Constant(str())):
                kept.append(_lines(node, lines) + "\n")
            case ast.AnnAssign(target=ast.Name(name)) if by_dataclass and not _is_class_variable(node):
                fields.append(node)
            case ast.AnnAssign(target=ast.Name(name), value=ast.expr() as value) if name in needed:
                kept.append(f"{INDENT}{name} = {ast.unparse(value)}")
            case ast.Assign() | ast.FunctionDef() if not needed.isdisjoint(_members(node)):
                kept.append(
                    "\n" + _decorated(node, lines) if isinstance(node, ast.FunctionDef) else _lines(node, lines)
                )
    if by_dataclass and "__init__" not in methods:
        if any("field(" in ast.unparse(field) for field in fields):
            raise cannot_copy(cls.name, module, "a class with an `__init__`")
        kept.append("\n" + indent("\n".join(_initialiser(fields, "__post_init__" in methods)), INDENT))
    return "\n".join([f"class {cls.name}:", *kept])


def _needed_members(cls: ast.ClassDef) -> set[str]:
    """NEEDED_OF_VARIABLES, and the members of the class that these use, themselves or through others."""
    needed: set[str] = set()
    waiting = set(NEEDED_OF_VARIABLES)
    while waiting:
        needed |= waiting
        used = (_used_members(node, cls.name) for node in cls.body if not waiting.isdisjoint(_members(node)))
        waiting = set().union(*used) - needed
    return needed


def _members(node: ast.stmt) -> set[str]:
    """The names that a statement in a class defines."""
    match node:
        case ast.FunctionDef(name=name) | ast.AnnAssign(target=ast.Name(name)):
            return {name}
        case ast.Assign(targets=targets):
            return {each.id for target in targets for each in ast.walk(target) if isinstance(each, ast.Name)}
        case _:
            return set()


def _used_members(node: ast.stmt, cls: str) -> set[str]:
    """The names that a member of a class takes from the class: `X` where it is made, `self.X` where it is called."""
    if not isinstance(node, ast.FunctionDef):
        return {each.id for each in ast.walk(node) if isinstance(each, ast.Name)}
    made = [*node.decorator_list, *node.args.defaults, *filter(None, node.args.kw_defaults)]
    names = {each.id for part in made for each in ast.walk(part) if isinstance(each, ast.Name)}
    owners = {cls, *(argument.arg for argument in [*node.args.posonlyargs, *node.args.args][:1])}
    for each in ast.walk(node):
        match each:
            case ast.Attribute(value=ast.Name(owner), attr=name) if owner in owners:
                names.add(name)
            case ast.Attribute(value=ast.Call(func=ast.Name("type")), attr=name):
                names.add(name)
    return names


def _initialiser(fields: list[ast.AnnAssign], goes_on: bool) -> Iterator[str]:
    """The `__init__` that a dataclass has. goes_on: whether it calls `__post_init__`."""
    yield f"def __init__(self, {', '.join(map(ast.unparse, fields))}) -> None:"
    for field in fields:
        name = ast.unparse(field.target)
        yield f"{INDENT}self.{name} = {name}"
    if goes_on:
        yield f"{INDENT}self.__post_init__()"


def _is_class_variable(node: ast.AnnAssign) -> bool:
    return "ClassVar" in ast.unparse(node.annotation)


def _comment(statement: ast.stmt | None) -> str:
    """What is said of a constant in the string below it, as a comment above it."""
    match statement:
        case ast.Expr(ast.Constant(str(remark))):
            return _commented(remark.strip()) + "\n"
        case _:
            return ""


def _commented(remark: str) -> str:
    return "\n".join(f"# {line}".rstrip() for line in remark.splitlines())
