"""What says the version says the same one, and what the package needs is packed."""

import re
import tomllib
from pathlib import Path

import metasmith as ms

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "src" / "metasmith"
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def test_the_citation_and_the_changelog_are_of_this_version():
    citation, changelog = ((ROOT / name).read_text(encoding="utf-8") for name in ("CITATION.cff", "CHANGELOG.md"))
    assert re.findall(r"^version: (\S+)$", citation, re.MULTILINE) == [ms.__version__]
    assert re.findall(r"^## (\S+)", changelog, re.MULTILINE)[0] == ms.__version__


def test_every_file_of_the_package_is_packed():
    patterns = PROJECT["tool"]["setuptools"]["package-data"]["metasmith"]
    packed = {file for pattern in ("**/*.py", *patterns) for file in PACKAGE.glob(pattern)}
    there = {file for file in PACKAGE.rglob("*") if file.is_file() and file.suffix != ".pyc"}
    assert there - packed == set()
    assert all((folder / "__init__.py").is_file() for folder in {file.parent for file in there if file.suffix == ".py"})


def test_the_licence_is_the_one_that_is_named():
    assert PROJECT["project"]["license"] == "Apache-2.0"
    words = (ROOT / "LICENSE").read_text(encoding="utf-8").split()
    assert words[:5] == ["Apache", "License", "Version", "2.0,", "January"]
