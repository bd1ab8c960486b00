"""What to say when a name is not known."""

from collections.abc import Iterable
from difflib import get_close_matches


def suggestion(word: str, known: Iterable[str]) -> str:
    """The end of an error message: the known name that `word` may have meant, or all of them."""
    names = list(known)
    close = get_close_matches(word, names, n=1)
    return f"did you mean '{close[0]}'?" if close else f"there is {', '.join(names)}"
