"""What may be written: tokens, design spaces, and the grammar that says which token may follow."""

from metasmith.space.conditions import Condition, Event
from metasmith.space.grammar import Grammar, allowed, grammar
from metasmith.space.pointers import POINTERS, Pointer
from metasmith.space.sample import sample
from metasmith.space.space import Space
from metasmith.space.tokens import BEGIN, END, ONCE, Kind, Token

__all__ = [
    "BEGIN",
    "END",
    "ONCE",
    "POINTERS",
    "Condition",
    "Event",
    "Grammar",
    "Kind",
    "Pointer",
    "Space",
    "Token",
    "allowed",
    "grammar",
    "sample",
]
