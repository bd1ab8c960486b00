"""Programs: their text, structure, canonical form and pseudocode, and the library of known algorithms."""

from metasmith.program.canonical import canonical
from metasmith.program.named import named, names, works_on
from metasmith.program.program import Program, ProgramError, Snippet
from metasmith.program.pseudocode import one_line, pseudocode
from metasmith.program.random_program import random_program
from metasmith.program.sequence import program_of, tokens_of
from metasmith.program.stages import Block, Stage, Step, blocks
from metasmith.space import Condition, Event, Pointer

__all__ = [
    "Block",
    "Condition",
    "Event",
    "Pointer",
    "Program",
    "ProgramError",
    "Snippet",
    "Stage",
    "Step",
    "blocks",
    "canonical",
    "named",
    "names",
    "one_line",
    "program_of",
    "pseudocode",
    "random_program",
    "tokens_of",
    "works_on",
]
