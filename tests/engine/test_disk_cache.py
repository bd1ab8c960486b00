"""Compiled code is kept under a fingerprint of the sources; what is damaged is compiled again, and nothing fails."""

import errno
import os
import resource
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from numba.core import types

import metasmith
from metasmith.engine import disk_cache
from metasmith.engine.compile import compiled
from metasmith.engine.disk_cache import DIGEST, NEEDED, cache_folder, digest, dumps

SOURCE = Path(metasmith.__file__).parent


def folder_of(source: Path, cache: Path) -> str:
    """Where a copy of the package keeps its compiled code; and what it says."""
    code = "from metasmith.engine.disk_cache import cache_folder; print(cache_folder())"
    environment = {"PYTHONPATH": str(source), "METASMITH_CACHE": str(cache), "PATH": ""}
    found = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    return found.stdout.strip()


def test_the_cache_follows_the_sources(tmp_path):
    for copy in ("one", "two"):
        shutil.copytree(SOURCE, tmp_path / copy / "metasmith", ignore=shutil.ignore_patterns("__pycache__"))
    first = folder_of(tmp_path / "one", tmp_path)
    assert Path(first).parent == tmp_path
    assert folder_of(tmp_path / "two", tmp_path) == first
    with (tmp_path / "two" / "metasmith" / "components" / "shared" / "coins.py").open("a") as file:
        file.write("# changed\n")
    assert folder_of(tmp_path / "two", tmp_path) != first


def test_the_first_compilation_says_why_it_takes_so_long(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("METASMITH_CACHE", str(tmp_path / "cache"))
    for says in ("compiling the engine, once", ""):
        assert cache_folder.__wrapped__().is_dir()
        assert says in capsys.readouterr().err
    assert capsys.readouterr().err == ""


def test_the_cache_removes_old_folders_of_its_own_and_nothing_else(tmp_path, monkeypatch, capsys):
    foreign = [tmp_path / f"thesis{number}" for number in range(20)]
    old = [tmp_path / f"compiled-{number:02}" for number in range(20)]
    for age, folder in enumerate([*foreign, *old]):
        folder.mkdir()
        os.utime(folder, (1000 + age, 1000 + age))
    monkeypatch.setenv("METASMITH_CACHE", str(tmp_path))
    now = cache_folder.__wrapped__()
    assert all(folder.is_dir() for folder in foreign)
    assert [folder.is_dir() for folder in old] == [False] * 12 + [True] * 8
    assert now.is_dir()


def test_the_cache_keeps_folders_that_others_used_today(tmp_path, monkeypatch, capsys):
    used = [tmp_path / f"compiled-{number:02}" for number in range(20)]
    for folder in used:
        folder.mkdir()
    monkeypatch.setenv("METASMITH_CACHE", str(tmp_path))
    cache_folder.__wrapped__()
    assert all(folder.is_dir() for folder in used)


def test_a_folder_that_is_used_again_is_as_new(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("METASMITH_CACHE", str(tmp_path))
    folder = cache_folder.__wrapped__()
    os.utime(folder, (1000, 1000))
    assert cache_folder.__wrapped__() == folder
    assert folder.stat().st_mtime > 1000


def test_a_cache_that_cannot_be_written_is_told_and_done_without(tmp_path, monkeypatch, capsys):
    blocked = tmp_path / "file"
    blocked.write_text("not a folder")
    monkeypatch.setenv("METASMITH_CACHE", str(blocked))
    folder = cache_folder.__wrapped__()
    assert folder.is_dir()
    assert tmp_path not in folder.parents
    assert "compiled code cannot be kept in" in capsys.readouterr().err


def test_a_full_disk_is_told_and_done_without(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("METASMITH_CACHE", str(tmp_path))
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (NEEDED // 2, before[1]))
    try:
        folder = cache_folder.__wrapped__()
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert tmp_path not in folder.parents
    assert f"compiled code cannot be kept in '{tmp_path}': File too large; METASMITH_CACHE" in capsys.readouterr().err


@pytest.mark.parametrize("where", [".", "folder"])
def test_a_folder_that_others_can_write_to_is_not_used(where, tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("METASMITH_CACHE", str(tmp_path))
    folder = cache_folder.__wrapped__()
    assert folder.stat().st_mode & 0o777 == 0o700
    (tmp_path if where == "." else folder).chmod(0o777)
    capsys.readouterr()
    assert tmp_path not in cache_folder.__wrapped__().parents
    said = capsys.readouterr().err
    assert "others can write to it, and their code would be run; METASMITH_CACHE names another folder" in said
    assert said.count("\n") == 1


def test_a_common_folder_for_temporary_files_is_fine(tmp_path, monkeypatch, capsys):
    tmp_path.chmod(0o1777)
    monkeypatch.setenv("METASMITH_CACHE", str(tmp_path))
    assert cache_folder.__wrapped__().parent == tmp_path


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a folder away")
def test_a_folder_of_another_user_is_not_used(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("METASMITH_CACHE", str(tmp_path))
    os.chown(cache_folder.__wrapped__(), 12345, -1)
    assert tmp_path not in cache_folder.__wrapped__().parents
    assert "it belongs to another user, whose code would be run" in capsys.readouterr().err


def half(x):
    return 0.5 * x


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """An empty folder for compiled code."""
    monkeypatch.setattr(disk_cache, "cache_folder", lambda: tmp_path)
    disk_cache.say_once.cache_clear()
    return tmp_path


def version_of_half() -> tuple[bool, float]:
    """Whether a compiled function came from the disk, and what it says of 3."""
    function = compiled.__wrapped__(half, types.float64(types.float64))
    return bool(sum(function.stats.cache_hits.values())), function(3.0)


def test_compiled_code_is_found_again(folder, capsys):
    assert [version_of_half() for _ in range(3)] == [(False, 1.5), (True, 1.5), (True, 1.5)]
    assert len(list(folder.iterdir())) == 1
    assert capsys.readouterr().err == ""


def flipped(content: bytes, position: int) -> bytes:
    return content[:position] + bytes([content[position] ^ 64]) + content[position + 1 :]


def sealed(content: bytes) -> bytes:
    """A file whose digest is right."""
    return digest(content) + content


DAMAGES = {
    "empty": lambda content: b"",
    "digest only": lambda content: content[:DIGEST],
    "cut": lambda content: content[: len(content) // 2],
    "one byte short": lambda content: content[:-1],
    "longer": lambda content: content + b"\0",
    "digest flipped": lambda content: flipped(content, 3),
    "head flipped": lambda content: flipped(content, DIGEST + 1),
    "code flipped": lambda content: flipped(content, len(content) * 3 // 4),
    "zeros": lambda content: bytes(len(content)),
    "not a pickle": lambda content: sealed(b"something else"),
    "ends early": lambda content: sealed(content[DIGEST : len(content) // 2]),
    "another thing": lambda content: sealed(dumps(3)),
}


@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES)
def test_damaged_code_is_compiled_again(damage, folder, capsys):
    version_of_half()
    (file,) = folder.iterdir()
    whole = file.read_bytes()
    file.write_bytes(damage(whole))
    assert version_of_half() == (False, 1.5)
    assert capsys.readouterr().err == f"metasmith: compiled code in '{folder}' is damaged; it is compiled again\n"
    assert version_of_half() == (True, 1.5)
    assert capsys.readouterr().err == ""


def test_code_of_another_version_is_not_taken_for_it(folder, capsys):
    version_of_half()
    (file,) = folder.iterdir()
    file.write_bytes(sealed(dumps(("another key", ()))))
    assert version_of_half() == (False, 1.5)


def test_code_that_cannot_be_written_is_used_all_the_same(folder, monkeypatch, capsys):
    def full(path: Path, content: bytes) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(disk_cache, "write_whole", full)
    assert [version_of_half() for _ in range(2)] == [(False, 1.5), (False, 1.5)]
    said = f"metasmith: compiled code cannot be kept in '{folder}': No space left on device\n"
    assert capsys.readouterr().err == said


def test_a_function_that_is_in_no_file_is_compiled_all_the_same(folder):
    space: dict[str, object] = {}
    exec("def third(x):\n    return x / 3.0", space)
    assert compiled.__wrapped__(space["third"], types.float64(types.float64))(6.0) == 2.0
    assert list(folder.iterdir()) == []


def test_a_folder_that_vanishes_is_made_again(folder):
    folder.rmdir()
    assert [version_of_half() for _ in range(2)] == [(False, 1.5), (True, 1.5)]


def solved(cache: Path, most: int | None = None) -> subprocess.CompletedProcess[str]:
    """A command with a cache of its own. most: bytes of a file that it may write."""
    command = [sys.executable, "-m", "metasmith", "solve", "pbo:F1@30", "--evaluations", "200", "--seed", "4"]
    limit = None if most is None else lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))
    environment = {**os.environ, "METASMITH_CACHE": str(cache)}
    return subprocess.run(command, capture_output=True, text=True, env=environment, preexec_fn=limit, check=False)


@pytest.mark.slow
def test_a_command_heals_its_cache(tmp_path):
    first = solved(tmp_path)
    assert first.returncode == 0
    files = [file for file in tmp_path.rglob("*") if file.is_file()]
    assert len(files) > 3
    for number, file in enumerate(files):
        content = file.read_bytes()
        file.write_bytes(flipped(content, len(content) // 2) if number % 2 else content[: len(content) // 3])
    second, third = solved(tmp_path), solved(tmp_path)
    assert (second.returncode, second.stdout) == (third.returncode, third.stdout) == (0, first.stdout)
    (said,) = second.stderr.splitlines()
    assert said.endswith("is damaged; it is compiled again")
    assert third.stderr == ""


@pytest.mark.slow
def test_a_command_does_without_a_cache_on_a_full_disk(tmp_path):
    done = solved(tmp_path, most=20_000)
    assert (done.returncode, "mean 30" in done.stdout) == (0, True)
    assert [line.partition(" in '")[0] for line in done.stderr.splitlines()] == [
        "metasmith: compiling the engine, once; this takes a few seconds",
        "metasmith: compiled code cannot be kept",
        "metasmith: compiled code cannot be kept",
    ]
