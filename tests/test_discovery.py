"""Members of open sets come from our folders and from the packages of others; what is broken there breaks nothing."""

import sys
from pathlib import Path

import pytest

from metasmith.discovery import discovered

OURS = {"one.py": "MEMBER = 1\n", "two.py": "MEMBER = 2\n", "helper.py": "OTHER = 3\n"}


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of packages, one of them ours."""
    (tmp_path / "ours_of_a_test").mkdir()
    for name, text in {"__init__.py": "", **OURS}.items():
        (tmp_path / "ours_of_a_test" / name).write_text(text)
    monkeypatch.syspath_prepend(tmp_path)
    yield tmp_path
    for name in [name for name in sys.modules if name.endswith("_of_a_test") or "_of_a_test." in name]:
        del sys.modules[name]


def installed(path: Path, name: str, text: str, points: str) -> None:
    """A package of somebody else, with entry points."""
    (path / f"{name}.py").write_text(text)
    about = path / f"{name}-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text(f"[group.of.a.test]\n{points}\n")


def members() -> list[object]:
    return discovered("ours_of_a_test", "MEMBER", "group.of.a.test")


def test_our_modules_are_scanned_and_those_without_a_declaration_left_out(path):
    assert members() == [1, 2]


def test_a_package_of_others_is_found_by_its_entry_point_after_ours(path):
    installed(
        path, "theirs_of_a_test", "seven = 7\neight = 8\n", "b = theirs_of_a_test:seven\na = theirs_of_a_test:eight"
    )
    assert members() == [1, 2, 8, 7]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("raise ArithmeticError('the bridge\\nis closed')", "ArithmeticError: the bridge is closed"),
        ("import nothing_of_this_name", "ModuleNotFoundError"),
        ("OTHER = 7", "AttributeError"),
    ],
)
def test_what_is_broken_elsewhere_is_one_line_of_warning(text, said, path, capsys):
    installed(path, "broken_of_a_test", text, "seven = broken_of_a_test:MEMBER")
    assert members() == [1, 2]
    (line,) = capsys.readouterr().err.splitlines()
    assert said in line
    assert "broken_of_a_test" in line


def test_our_own_mistakes_are_not_hidden(path):
    (path / "ours_of_a_test" / "three.py").write_text("raise ArithmeticError('ours')")
    with pytest.raises(ArithmeticError, match="ours"):
        members()
