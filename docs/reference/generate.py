"""Write the reference pages of commands, components, spaces, problems, algorithms and the Python interface.

Run `python docs/reference/generate.py` after a change; a test fails while a page is out of date. json.md is written by
hand.
"""

import ast
import inspect
import re
import textwrap
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path
from typing import Any

import typer

import metasmith as ms
from metasmith.cli import app
from metasmith.components import COMPONENTS, Role
from metasmith.problems import catalogue
from metasmith.problems import problem as problem_named
from metasmith.problems.practice import EVALUATIONS, LARGEST, SMALLEST, TEST, TRAINING
from metasmith.problems.practice import KINDS as PRACTICE_KINDS
from metasmith.program import named, names, pseudocode
from metasmith.program.program import DOES
from metasmith.report.tables import Table
from metasmith.representations import KINDS
from metasmith.space import Pointer, Space
from metasmith.space.pointers import POINTERS
from metasmith.space.space import names as spaces

HERE = Path(__file__).parent
MADE = "<!-- written by docs/reference/generate.py -->\n"


def sizes(numbers: Any) -> str:
    """Of training or test problems, in words."""
    *others, last = map(str, numbers)
    return f"{', '.join(others)} and {last}"


COMMANDS = """# Commands

Arguments are in capitals. A mistake is one line and exit code 2. [json.md](json.md) says what `--json` prints;
`metasmith COMMAND --help` shows what is here."""

PARTS = """# Components

What programs are made of, one file each in `src/metasmith/components/`. N is the size of the population, d the number
of variables. [How a program runs](../design/0001-how-a-program-runs.md) says how they work together,
[add-a-component.md](../guides/add-a-component.md) how to add one."""

SETTINGS = """## Hyperparameters

A program may have any value that is allowed; a designer writes those of the grid, unless its [space](spaces.md) has its
own. `5%` is a share of the variables, `1/d` a rate per variable."""

SPACES = """# Design spaces

What a designer may write, as data: a file each in `src/metasmith/space/`. `metasmith design --space NAME` chooses one;
the default is `full`, that of the preset `paper` is `paper`. Components that do not work on a task's variables are left
out; [components.md](components.md) has what each works on. A program that you write yourself is bound by neither."""

PROBLEMS = """# Problems

`pbo:F18@100#7` is dimension 100, instance 7; the default is 625 and 1, of beamforming 120 and 1, of practice 200 and 1.
`beamforming:FILE` has the channels of a file, `FILE.py:NAME` is a problem of your own:
[your-data.md](../guides/your-data.md), [add-a-problem.md](../guides/add-a-problem.md). `metasmith design` takes the
same names without dimension and instance; a task has its own training and test problems."""

PRACTICE = f"""## Practice

Kinds of problems that practitioners bring, a file each in `src/metasmith/problems/practice/`, which is scanned.
Instances are drawn at random in any size from {SMALLEST} to {LARGEST} variables, as many as there are numbers, and the
same for ever. A task learns on three instances each of {sizes(TRAINING)} variables and is judged on others of
{sizes(TEST)}, with {EVALUATIONS:,} evaluations; training problems have as many per variable as at {min(TEST)}.

Half of the kinds are for tuning: settings of designers may be chosen by what designs reach on them. The others are
reported by `metasmith reproduce users`, and nobody looks at designs for them before these settings are final. The
halves were fixed before the first run, with as many kinds on bits and on integers, with and without constraints, in
each. A solution that violates constraints is worse than all that do not; the smaller violation is the better."""

LIBRARY = """# Known algorithms

For `--with NAME`; a text file each in `src/metasmith/program/library/`, which is scanned. Remarks say where they come
from and where they differ. First as a program, then as pseudocode."""

PYTHON = """# Python

What `import metasmith as ms` offers; all else may change. `Algorithm` is a program, or its name (`ea`), its file, its
text, or the folder of a run; `Variables` are `Bits` or `Integers`."""


def pages() -> dict[str, str]:
    """Every page, by its file's name."""
    made = {
        "commands.md": commands(), "components.md": components(), "spaces.md": design_spaces(),
        "problems.md": problems(), "algorithms.md": algorithms(), "python.md": python(),
    }  # fmt: skip
    return {name: f"{MADE}{text}\n" for name, text in made.items()}


def commands() -> str:
    parts = [COMMANDS]
    parts += [described(words, command) for words, command in leaves(["metasmith"], typer.main.get_command(app))]
    return "\n\n".join(parts)


def leaves(words: list[str], command: Any) -> Iterator[tuple[list[str], Any]]:
    """Every command that does something, with the words that it is called by."""
    if not hasattr(command, "commands"):
        yield words, command
    for name, inner in sorted(getattr(command, "commands", {}).items()):
        yield from leaves([*words, name], inner)


def described(words: list[str], command: Any) -> str:
    arguments = [parameter for parameter in command.params if parameter.param_type_name == "argument"]
    usage = [shown(parameter) for parameter in arguments] + [
        f"{parameter.opts[0]} ..." for parameter in command.params if is_needed_option(parameter)
    ]
    rows = [(f"`{shown(parameter)}`", "", parameter.help or "") for parameter in arguments]
    rows += [
        (
            ", ".join(f"`{name}`" for name in [*parameter.opts, *parameter.secondary_opts]),
            default(parameter),
            parameter.help or "",
        )
        for parameter in command.params
        if parameter not in arguments and parameter.name != "help"
    ]
    options = table("", "default", "meaning", rows=rows)
    return f"## {' '.join(words[1:])}\n\n    {' '.join([*words, *usage])}\n\n{command.help}\n\n{options}"


def shown(argument: Any) -> str:
    name = argument.name.upper() + (" ..." if argument.nargs == -1 else "")
    return name if argument.required else f"[{name}]"


def is_needed_option(parameter: Any) -> bool:
    return parameter.param_type_name == "option" and parameter.required


def default(parameter: Any) -> str:
    if parameter.required:
        return "needed"
    if parameter.default is None or parameter.default is False or parameter.default == "":
        return ""
    return "yes" if parameter.default is True else f"`{parameter.default}`"


def components() -> str:
    rows = [
        (f"`{each.name}`", str(role), settings(each.settings), kinds(each.kernels), each.meaning)
        for role in Role
        for each in COMPONENTS.values()
        if each.role is role
    ]
    grids = {name: allowed for each in COMPONENTS.values() for name, allowed in each.settings.items()}
    ranges = [(f"`{name}`", allowed.words, amounts(allowed.grid)) for name, allowed in sorted(grids.items())]
    pointers = [(DOES[role], ", ".join(f"`{pointer}`" for pointer in POINTERS[role])) for role in Role]
    return "\n\n".join([
        PARTS, table("component", "role", "hyperparameter", "works on", "meaning", rows=rows),
        SETTINGS, table("", "allowed", "grid", rows=ranges),
        "## Where the flow may go", table("after a component that", "pointers", rows=pointers),
    ])  # fmt: skip


def settings(names: Any) -> str:
    return ", ".join(f"`{name}`" for name in names)


def kinds(kernels: Any) -> str:
    return ", ".join(KINDS) if "any" in kernels else ", ".join(kernels)


def amounts(values: Any) -> str:
    return ", ".join(map(str, values))


def design_spaces() -> str:
    parts = [SPACES]
    for name in spaces():
        space = Space.named(name)
        ranges = {setting: each for name in space.components for setting, each in COMPONENTS[name].settings.items()}
        rows = [
            ("population", amounts(space.populations)),
            *((f"components that {role}", members(space, role)) for role in Role),
            *(
                (f"`{setting}`", amounts(space.grids.get(setting, each.grid)))
                for setting, each in sorted(ranges.items())
            ),
            ("pointers", ", ".join(f"`{pointer}`" for pointer in Pointer)),
            ("conditions of `iterate`", amounts(space.conditions)),
            ("targets of `fork`", amounts(space.targets)),
            ("components at most", str(space.longest)),
            ("tokens", str(len(space.tokens))),
        ]
        remark = re.match(r"((?:# .*\n)*)", (files("metasmith.space") / f"{name}.toml").read_text(encoding="utf-8"))
        said = remark[1].replace("# ", "").strip() if remark else ""
        parts.append(f"## {name}\n\n{said}\n\n{table('', 'may be written', rows=rows)}")
    return "\n\n".join(parts)


def members(space: Space, role: Role) -> str:
    return ", ".join(f"`{name}`" for name in space.components if COMPONENTS[name].role is role)


def problems() -> str:
    rows = [
        (
            f"`{entry.name}`",
            entry.title,
            entry.meaning,
            variables(entry.name),
            "" if entry.optimum is None else f"{entry.optimum:.10g}",
        )
        for entry in catalogue()
    ]
    kinds = [
        (f"`{name}`", kind.half, constrained(name), kind.varies)
        for name, kind in sorted(PRACTICE_KINDS.items(), key=lambda item: item[1].half)
    ]
    return "\n\n".join([
        PROBLEMS, table("name", "title", "meaning", "variables", "optimum", rows=rows),
        PRACTICE, table("kind", "half", "variables", "what instances draw beside their data", rows=kinds),
    ])  # fmt: skip


def constrained(kind: str) -> str:
    made = problem_named(f"practice:{kind}")
    return made.variables.name if made.violation is None else f"{made.variables.name}, constraints"


def variables(name: str) -> str:
    return str(problem_named(name).variables)


def algorithms() -> str:
    parts = [LIBRARY]
    for name in names():
        text = (files("metasmith.program") / "library" / f"{name}.txt").read_text(encoding="utf-8").strip()
        parts.append(f"## {name}\n\n```text\n{text}\n```\n\n```text\n{pseudocode(named(name))}\n```")
    return "\n\n".join(parts)


def python() -> str:
    parts = [PYTHON]
    parts += [
        of_class(name) if isinstance(getattr(ms, name), type) else of_function(name)
        for name in sorted(ms.__all__, key=str.lower)
    ]
    return "\n\n".join(parts)


def of_function(name: str) -> str:
    function = getattr(ms, name)
    tree = parsed(function)
    return f"## ms.{name}\n\n{code(called(f'ms.{name}', arguments(tree), tree.returns))}\n\n{words(function)}"


def of_class(name: str) -> str:
    """A class: how one is made, what it says of itself, and what it has and can do."""
    kind = getattr(ms, name)
    body = parsed(kind).body
    fields = [
        each for each in body if isinstance(each, ast.AnnAssign) and "ClassVar" not in ast.unparse(each.annotation)
    ]
    methods = [each for each in body if isinstance(each, ast.FunctionDef)]
    made = [called(f"ms.{name}", arguments(each)) for each in methods if each.name == "__init__"]
    if fields and not made:
        made = [called(f"ms.{name}", [argument(each.target, each.annotation, each.value) for each in fields])]
    parts = [f"## ms.{name}", *map(code, made), words(kind), "\n".join(map(method, methods_of(name, methods)))]
    return "\n\n".join(part for part in parts if part)


def methods_of(name: str, methods: list[ast.FunctionDef]) -> Iterator[tuple[str, ast.FunctionDef]]:
    """Those that are described, each with the words that it is called by."""
    for each in methods:
        if ast.get_docstring(each) is not None and (each.name == "__call__" or not each.name.startswith("_")):
            owner = f"ms.{name}" if decorated(each, "classmethod") else name.lower()
            yield owner if each.name == "__call__" else f"{owner}.{each.name}", each


def method(called: tuple[str, ast.FunctionDef]) -> str:
    name, tree = called
    said = " ".join((ast.get_docstring(tree) or "").split())
    how = "" if decorated(tree, "property", "cached_property") else f"({', '.join(arguments(tree))})"
    return f"- `{name}{how} -> {annotation(tree.returns)}`: {said}"


def decorated(tree: ast.FunctionDef, *marks: str) -> bool:
    return any(ast.unparse(each) in marks for each in tree.decorator_list)


def parsed(source: Any) -> Any:
    return ast.parse(textwrap.dedent(inspect.getsource(source))).body[0]


def called(name: str, parameters: list[str], returns: ast.expr | None = None) -> str:
    """A signature, on one line or with an argument a line."""
    end = ")" if returns is None else f") -> {annotation(returns)}"
    whole = f"{name}({', '.join(parameters)}{end}"
    return whole if len(whole) <= 100 else "\n".join([f"{name}(", *(f"    {each}," for each in parameters), end])


def arguments(tree: ast.FunctionDef) -> list[str]:
    """Of a function, without `self`."""
    declared = tree.args
    missing: list[ast.expr | None] = [None] * (len(declared.args) - len(declared.defaults))
    placed = [
        argument(*each)
        for each in zip(declared.args, (None for _ in declared.args), [*missing, *declared.defaults], strict=True)
    ]
    named_only = [
        argument(*each)
        for each in zip(declared.kwonlyargs, (None for _ in declared.kwonlyargs), declared.kw_defaults, strict=True)
    ]
    others = [f"**{argument(declared.kwarg)}"] if declared.kwarg else []
    return [
        *(each for each in placed if each not in ("self", "cls")),
        *(["*"] if named_only else []),
        *named_only,
        *others,
    ]


def argument(name: ast.arg | ast.expr, kind: ast.expr | None = None, value: ast.expr | None = None) -> str:
    """One argument, with its annotation and its default."""
    kind = name.annotation if isinstance(name, ast.arg) else kind
    word = name.arg if isinstance(name, ast.arg) else ast.unparse(name)
    shown = word if kind is None else f"{word}: {annotation(kind)}"
    return shown if value is None else f"{shown} = {ast.unparse(value)}".replace("'", '"')


def annotation(tree: ast.expr | None) -> str:
    """Without the quotes around what is imported late."""
    return (
        str(tree.value)
        if isinstance(tree, ast.Constant) and isinstance(tree.value, str)
        else ast.unparse(tree)
        if tree
        else "None"
    )


def code(text: str) -> str:
    return f"```python\n{text}\n```"


def words(described: Any) -> str:
    """A docstring: its paragraphs as they are."""
    return inspect.cleandoc(described.__doc__ or "")


def table(*head: str, rows: list[Any]) -> str:
    return Table(head, [[str(cell).replace("\n", " ") for cell in row] for row in rows]).markdown()


if __name__ == "__main__":
    for name, text in pages().items():
        (HERE / name).write_text(text, encoding="utf-8")
