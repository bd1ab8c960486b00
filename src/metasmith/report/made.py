"""How pages say what made them, and what that cost."""

from collections.abc import Iterable, Mapping

from metasmith.provenance import circumstances
from metasmith.report.numbers import decimals
from metasmith.version import UNKNOWN, commit

MARK = b"Made by `metasmith"
"""In every page of Markdown that a command writes."""


def made_by(command: str) -> str:
    """One line: the command, the day, the commit, the versions and the kind of machine."""
    facts = circumstances()
    packages = ", ".join(f"{name} {number}" for name, number in facts["packages"].items())
    return f"Made by `{command}` on {facts['day']}, commit {facts['commit']}, {packages}; {facts['machine']}."


def took(seconds: float) -> str:
    """A line for an experiment that can be gone on with."""
    return f"This call took {seconds / 60:.0f} minutes, beside what was kept of earlier ones."


def spent(seconds: Mapping[str, float], *, designs: Iterable[str] = (), runs: Iterable[str] = ()) -> str:
    """A line for what all calls together cost. seconds: of one core, by what they were spent on. designs, runs: the
    commits of both.
    """
    parts = " and ".join(f"{decimals(each / 60)} for {what}" for what, each in seconds.items())
    together = f"All calls together took {decimals(sum(seconds.values()) / 60)} core-minutes: {parts}."
    return f"{together}{made_with('designs were made', designs)}{made_with('runs were done', runs)}"


def made_with(what: str, commits: Iterable[str]) -> str:
    """Which commits it was; nothing if they are not known, or are the present one."""
    names = sorted(set(commits))
    if not names or names in ([UNKNOWN], [commit()]):
        return ""
    return f" The {what} with the commit{'s' if len(names) > 1 else ''} {', '.join(names)}."
