"""Whoever opens a run runs nothing that its folder brings along: nothing is unpickled."""

import ast
import json
from pathlib import Path

import pytest
import torch
from design_helpers import designed, tiny

import metasmith as ms

SOURCES = sorted(Path(ms.__file__).parent.rglob("*.py"))
UNSAFE = {"pickle", "_pickle", "cPickle", "dill", "cloudpickle", "joblib", "shelve", "marshal"}
ALLOWED = {"travel.py": {"cloudpickle"}, "disk_cache.py": {"pickle"}}
"""What no run brings along: problems for processes that we started ourselves, and compiled code as numba keeps it, in a
folder that only the user can write to.
"""


def imports(source: Path) -> set[str]:
    names = set()
    for node in ast.walk(ast.parse(source.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            names |= {node.module.partition(".")[0], *(alias.name for alias in node.names if node.module == "torch")}
    return names


def test_no_source_can_unpickle():
    assert len(SOURCES) > 50
    for source in SOURCES:
        assert imports(source) & UNSAFE == ALLOWED.get(source.name, set()), source
        calls = {
            f"{node.value.id}.{node.attr}"
            for node in ast.walk(ast.parse(source.read_text(encoding="utf-8")))
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name)
        }
        assert not calls & {"torch.load", "torch.save"}, source
        assert "load" not in imports(source) or "safetensors" in imports(source), source
        assert "allow_pickle" not in source.read_text(encoding="utf-8").replace("allow_pickle=False", ""), source


def test_a_design_and_its_resumption_never_call_torch_load(tmp_path, monkeypatch):
    monkeypatch.setattr(torch, "load", lambda *given, **options: pytest.fail("torch.load was called"))
    monkeypatch.setattr(torch, "save", lambda *given, **options: pytest.fail("torch.save was called"))
    design = designed(out=tmp_path / "run")
    (tmp_path / "run" / "design.json").unlink()
    assert ms.resume(tmp_path / "run", tiny()).program == design.program


def test_a_run_is_text_and_safetensors(tmp_path):
    designed(out=tmp_path / "run")
    for file in (tmp_path / "run").iterdir():
        data = file.read_bytes()
        if file.suffix == ".safetensors":
            size = int.from_bytes(data[:8], "little")
            assert "network.embed.weight" in json.loads(data[8 : 8 + size])
        else:
            data.decode("utf-8")
