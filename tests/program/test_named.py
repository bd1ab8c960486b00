"""The library of known algorithms."""

import pytest

from metasmith.program import Program, blocks, canonical, named, names, pseudocode

EXPECTED = {
    "aldes-f1", "aldes-f13", "aldes-f15", "aldes-f20", "aldes-beamforming", "aldes-restoration",
    "tabu-search", "iterated-local-search", "genetic-algorithm",
    "rls", "ea", "fga", "umda", "ghc", "random",
}  # fmt: skip


def test_the_papers_and_the_reference_algorithms_are_there() -> None:
    assert set(names()) >= EXPECTED


@pytest.mark.parametrize("name", names())
def test_each_has_a_title_and_parses_and_prints(name: str) -> None:
    program = named(name)
    assert names()[name]
    assert not names()[name].startswith("population")
    assert Program.parse(str(program)) == program
    assert pseudocode(program).endswith("Output: best solution found")


@pytest.mark.parametrize("name", names())
def test_none_has_an_idle_line(name: str) -> None:
    program = named(name)
    explicit = [snippet for snippet in program.snippets if snippet.component != "traverse"]  # as the paper prints it
    assert len(canonical(program).snippets) == len(explicit)
    assert blocks(canonical(program)) == blocks(program)


def test_a_wrong_name_gets_a_suggestion() -> None:
    with pytest.raises(ValueError, match="there is no algorithm 'aldes-f2'; did you mean 'aldes-f20'"):
        named("aldes-f2")
    with pytest.raises(ValueError, match=r"there is no algorithm '\.\./secret'; there is aldes-beamforming, "):
        named("../secret")
