"""A program as a stand-alone Python file: the algorithm spelled out, and below it all that it needs, copied from our
own sources.
"""

from collections.abc import Iterable, Iterator, Sequence
from hashlib import blake2b
from itertools import groupby, pairwise

from metasmith.export.algorithm import PARTS, algorithm, origins
from metasmith.export.gather import gathered, in_order, named_apart
from metasmith.export.source import INDENT, Definition, Import, names_used, note
from metasmith.program import Program, canonical, pseudocode
from metasmith.representations import Kind
from metasmith.version import VERSION

WRITTEN = f"{PARTS}.algorithm"
"""The part that is not copied but written for the program at hand."""

SECTIONS = {
    "The run: who is in it, what was evaluated, when loops end": (
        f"{PARTS}.",
        "metasmith.engine.",
        "metasmith.problems.",
        "metasmith.components.roles",
    ),
    "Solutions": ("metasmith.arrays", "metasmith.words", "metasmith.representations."),
    "Random numbers": ("metasmith.chance",),
    "Components": ("",),
}
"""Where the definitions of a module go, by how its name begins; the first that fits counts.

Constants need only those further up.
"""

HEAD = '''"""An optimisation algorithm for {variables}, made with metasmith {version}.

Use: optimize({call}) returns x, fun and nfev.
It needs Python 3.10 and numpy 2, or later. Where numba is installed the kernels are compiled;
the results are the same without.

{pseudocode}

The same as a program of metasmith:

{program}
"""

from __future__ import annotations

{imports}

try:
    import numba
except ImportError:
    numba = None


def kernel(function):
    """Have numba compile a function when it is first called, and keep that; without numba it stays as it is."""
    if numba is None:
        return function
    try:
        return numba.njit(cache=True)(function)
    except RuntimeError:  # nowhere to keep it
        return numba.njit(function)'''

RULE = "# ----"
TOLD = ("Random numbers", "Components")
"""Sections where modules are introduced by what they say of themselves."""

WAY_IN = '''def optimize(
    function: Callable[..., Any], {parameters},
    evaluations: int, seed: int, direction: str = "max",
) -> Result:
    """Search for {meaning}

    direction: "max" or "min". Random numbers depend on the seed and on the name of the function: its attribute `name`,
    if it has one, or `__name__`.
    """
    return Run(function, {variables}, evaluations, seed, direction).result()


def example() -> None:
    """Find {said}."""

    def objective(x: Any) -> Any:
        return {objective}

    result = optimize(objective, {call}, evaluations=5000, seed=1)
    print(f"{said}: fun = {{result.fun:g}}, nfev = {{result.nfev}}")'''

CONSTANTS = '''POPULATION = {population}
# What the random numbers depend on, beside the function's name and the seed.
PROGRAM = """{program}"""'''

MAIN = f'if __name__ == "__main__":\n{INDENT}example()'


SIGNED = "# Exported by metasmith {version}; the digest of what follows is {digest}, until somebody edits it.\n"
"""The first line of a file."""

BEGINS = ("# Exported by metasmith ", '"""An optimisation algorithm for ')
"""How files of ours begin; those of versions that signed none, too."""


def exported(program: Program, representation: Kind) -> str:
    """The source of a Python file that does on its own what `program` does on such variables, bit for bit.

    Raises ValueError if one of its components does not work on them.
    """
    source = spelled_out(program, representation)
    return SIGNED.format(version=VERSION, digest=_digest(source)) + source


def overwritable(text: str) -> bool:
    """Whether a file is as it was exported, so that nobody's work is lost with it."""
    head, _, source = text.partition("\n")
    return head.startswith(BEGINS[0]) and f" is {_digest(source)}," in head


def _digest(source: str) -> str:
    return blake2b(source.encode(), digest_size=8).hexdigest()


def spelled_out(program: Program, representation: Kind) -> str:
    """The file below its first line."""
    program = canonical(program)
    written, entrance = algorithm(program, representation), way_in(representation)
    homes = dict.fromkeys(("Run", "Result", "Callable", "Any"), f"{PARTS}.run")
    asked = [(homes.get(name, representation.__module__), name) for name in sorted(names_used(entrance) - {"optimize"})]
    asked += origins(written, representation)
    definitions, imports = gathered(asked, representation.name, WRITTEN)
    texts = named_apart(definitions, imports, representation.name, WRITTEN)
    head = HEAD.format(
        variables=representation.name,
        version=VERSION,
        call=called(representation),
        pseudocode=pseudocode(program),
        program=program,
        imports="\n".join(statements(imports)),
    )
    constants = CONSTANTS.format(population=program.population, program=program)
    parts = [head, heading("The algorithm"), constants, written, heading("The way in"), entrance]
    for title, inside in by_section(in_order(definitions, representation.name)).items():
        parts.append(heading(title))
        for module, members in groupby(inside, key=lambda definition: definition.module):
            parts += [note(module)] if title in TOLD else []
            parts += [texts[definition] for definition in members]
    return spaced([*parts, MAIN])


def way_in(representation: Kind) -> str:
    """The functions that users call, as the representation says."""
    entry = representation.entry
    star = "" if "*" in entry.parameters else ", *"
    fields = entry._asdict() | {"parameters": entry.parameters + star, "meaning": indented(entry.meaning)}
    return WAY_IN.format(**fields)


def called(representation: Kind) -> str:
    """How `optimize` is called, for the first lines of the file."""
    names = [part.partition(":")[0].strip() for part in representation.entry.parameters.split(", ")]
    after = names.index("*") if "*" in names else len(names)
    named = [f"{name}={name}" for name in names[after + 1 :]]
    return ", ".join(["function", *names[:after], *named, "evaluations=50_000", "seed=1"])


def indented(text: str) -> str:
    """Lines as they stand in a docstring."""
    return text.replace("\n", f"\n{INDENT}")


def by_section(definitions: Iterable[Definition]) -> dict[str, list[Definition]]:
    """The definitions under the titles of their sections."""
    sections: dict[str, list[Definition]] = {title: [] for title in SECTIONS}
    for definition in definitions:
        title = next(title for title, beginnings in SECTIONS.items() if definition.module.startswith(beginnings))
        sections[title].append(definition)
    return sections


def statements(imports: Iterable[Import]) -> Iterator[str]:
    """Imports written down: of modules, then from modules, then what does not come with Python."""
    lines = sorted(f"import {name}" for module, name in imports if not module)
    for module in sorted({module for module, _ in imports if module}):
        names = sorted(name for origin, name in imports if origin == module)
        lines.append(f"from {module} import {', '.join(names)}")
    yield from (line for line in lines if "numpy" not in line)
    yield ""
    yield from (line for line in lines if "numpy" in line)


def heading(title: str) -> str:
    return f"{RULE} {title} {'-' * (80 - len(title))}"


def spaced(parts: Sequence[str]) -> str:
    """Parts of a file one below the other: functions, classes and sections apart, constants close together."""
    text = parts[0]
    for above, below in pairwise(parts):
        if above.startswith(RULE):
            gap = 1
        elif is_comment(above):
            gap = int(is_constant(below))
        elif below.startswith(RULE) or not (is_constant(above) and is_constant(below)):
            gap = 2
        else:
            gap = int(below.startswith("#"))
        text += "\n" * (gap + 1) + below
    return text + "\n"


def is_constant(part: str) -> bool:
    return not any(line.startswith(("def ", "class ", "if ")) for line in part.splitlines())


def is_comment(part: str) -> bool:
    return all(line.startswith("#") for line in part.splitlines())
