"""Compiled code is kept under a fingerprint of the sources, and kernels are compiled when they are first needed."""

import gc
import os
import shutil
import subprocess
import sys
import threading
import weakref
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numba
import pytest
from engine_helpers import program, same

import metasmith
from metasmith.components import COMPONENTS, Role
from metasmith.engine import Job, run
from metasmith.engine.compile import cache_folder, compiled, kernels, usable
from metasmith.problems import Problem, problem
from metasmith.program import named
from metasmith.representations import Bits, Integers

SOURCE = Path(metasmith.__file__).parent


def folder_of(source: Path, cache: Path) -> str:
    """Where a copy of the package keeps its compiled code; and what it says."""
    code = "from metasmith.engine.compile import cache_folder; print(cache_folder())"
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


def working(representation: str) -> list[str]:
    """The components that work on a representation."""
    return [name for name, component in COMPONENTS.items() if component.kernel(representation)]


def test_components_have_a_number_in_their_role():
    for representation in ("bits", "integers"):
        every = [component for role in Role for component in usable(role, representation)]
        assert sorted(component.name for component in every) == working(representation)
        assert all(component.role is role for role in Role for component in usable(role, representation))


@pytest.mark.parametrize("representation", [Bits, Integers])
def test_every_kernel_has_an_address_of_its_own(representation):
    found = kernels(representation, working(representation.name))
    addresses = [*found.choose, *found.search, *found.select, found.fresh]
    assert 0 not in addresses
    assert len(set(addresses)) == len(addresses) == len(working(representation.name)) + 1


def test_compiling_leaves_numbas_settings_alone():
    before = numba.config.CACHE_DIR
    compiled.__wrapped__(lambda x: x)
    assert before == numba.config.CACHE_DIR


@pytest.mark.slow
def test_a_users_function_may_be_compiled_by_many_threads_at_once():
    gate = threading.Barrier(4)

    def one(seed, function):
        gate.wait()
        return run(
            Job(
                program("population 3; reset_n(n=1)"),
                Problem(function, Bits(12), compiled=True, name="pbo:F1@12#1"),
                300,
                seed,
            )
        )

    before = numba.config.CACHE_DIR
    for _ in range(3):
        function = numba.njit(lambda x: x.sum())
        with ThreadPoolExecutor(4) as threads:
            results = list(threads.map(one, range(4), [function] * 4))
        for seed, result in enumerate(results):
            assert same(result, run(Job(program("population 3; reset_n(n=1)"), problem("pbo:F1@12"), 300, seed)))
    assert before == numba.config.CACHE_DIR


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


def test_a_cache_that_cannot_be_written_is_told_and_done_without(tmp_path, monkeypatch, capsys):
    blocked = tmp_path / "file"
    blocked.write_text("not a folder")
    monkeypatch.setenv("METASMITH_CACHE", str(blocked))
    folder = cache_folder.__wrapped__()
    assert folder.is_dir()
    assert tmp_path not in folder.parents
    assert "compiled code cannot be kept in" in capsys.readouterr().err


def test_a_compiled_function_is_let_go_with_its_problem():
    def solved() -> weakref.ref:
        function = numba.njit(lambda x: 1.0 * x.sum())
        run(Job(named("ea"), Problem(function, Bits(9), compiled=True), 20, 0))
        return weakref.ref(function)

    function = solved()
    gc.collect()
    assert function() is None
