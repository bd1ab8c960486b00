"""Suggestions for misspelled names in error messages."""

from collections.abc import Iterable
from difflib import get_close_matches


def suggestion(word: str, names: Iterable[str]) -> str:
    """The end of an error message: the name that is spelled most like `word`, or all names if none is."""
    options = list(names)
    close = get_close_matches(word, options, n=1)
    return f"did you mean '{close[0]}'?" if close else f"there is {', '.join(options)}"
