"""The digest of what decides results changes with the sources and the packages that do, and with nothing else."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import metasmith
from metasmith import version

CODE = "from metasmith.version import digest; print(digest())"


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """A copy of the package, without what was compiled."""
    home = tmp_path / "metasmith"
    return Path(shutil.copytree(Path(metasmith.__file__).parent, home, ignore=shutil.ignore_patterns("__pycache__")))


def digest_of(package: Path) -> str:
    done = subprocess.run(
        [sys.executable, "-c", CODE],
        env={"PYTHONPATH": str(package.parent)},
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.strip()


def test_it_is_that_of_the_sources_wherever_they_are(copy):
    assert digest_of(copy) == version.digest()


@pytest.mark.parametrize(
    ("file", "decides"),
    [
        ("components/reset_n.py", True),
        ("space/full.toml", True),
        ("chance.py", True),
        ("designers/ppo/loss.py", True),
        ("runs/loop.py", True),
        ("cli.py", False),
        ("report/design_page.py", False),
        ("version.py", False),
    ],
)
def test_a_change_shows_where_it_decides_results(file, decides, copy):
    with (copy / file).open("a") as source:
        source.write("\n# changed\n")
    assert (digest_of(copy) != version.digest()) == decides


def test_new_files_and_other_packages_show(copy, monkeypatch):
    (copy / "designers" / "mine.py").write_text("")
    assert digest_of(copy) != version.digest()
    before = version.digest.__wrapped__()
    monkeypatch.setattr(version, "_version", lambda package: "9.9" if package == "torch" else "1.0")
    assert version.digest.__wrapped__() != before
