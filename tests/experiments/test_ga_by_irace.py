"""The genetic algorithm that irace configures: what is kept is not done again, and what is shipped can be run."""

import json

import pytest
from typer.testing import CliRunner

from metasmith.api import find_task
from metasmith.cli import app
from metasmith.designers.irace import racing
from metasmith.experiments import pbo_table
from metasmith.experiments.ga_by_irace import Wanted, find, in_turns, program
from metasmith.experiments.shared import tuned as data
from metasmith.experiments.shared.published import FUNCTIONS
from metasmith.experiments.shared.tuned import tuned
from metasmith.program import Program, named

try:
    racing.installed()
    missing = ""
except ValueError as error:
    missing = str(error)

needs_irace = pytest.mark.skipif(bool(missing), reason=missing)


def test_a_configuration_is_the_paper_s_algorithm_with_its_settings():
    share = program({"crossover": "0.05", "mutation": "share", "share": "0.05"})
    assert share == named("ga")  # with the settings of F13
    bits = program({"crossover": "0.7", "mutation": "bits", "bits": "1.5"})
    assert str(bits) == "population 50\ncross_uniform(p=0.7)\nreset_rand(p=1.5/d)\npairwise_select"


def test_every_size_has_its_turn():
    task = find_task("pbo:F1")
    problems = in_turns(task)
    assert sorted(problem.name for problem in problems) == sorted(problem.name for problem in task.training)
    assert [problem.dimension for problem in problems[:4]] == [100, 225, 400, 100]


def test_what_is_shipped_is_the_algorithm_for_every_function():
    assert list(tuned()) == list(FUNCTIONS)
    heads = {tuple(line.partition("(")[0] for line in text.split("\n")) for text in tuned().values()}
    assert heads == {("population 50", "cross_uniform", "reset_rand", "pairwise_select")}
    assert len({str(Program.parse(text)) for text in tuned().values()}) > 15  # for each function its own
    assert list(pbo_table.COLUMNS)[3:5] == ["GA", pbo_table.TUNED]


def test_without_data_for_all_functions_there_is_no_column(monkeypatch, tmp_path):
    (tmp_path / "data").mkdir()
    monkeypatch.setattr(data, "files", lambda package: tmp_path)
    for text in (None, '{"found": {"F1": {"program": "population 1"}}}'):
        tuned.cache_clear()
        if text is not None:
            (tmp_path / "data" / "ga_by_irace.json").write_text(text)
        assert tuned() == {}
    tuned.cache_clear()


@pytest.mark.slow
@needs_irace
def test_killed_and_called_again_gives_the_same(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    words = ["reproduce", "ga-by-irace", "--only", "F1,F2", "--runs", "60", "--json"]
    first = json.loads(CliRunner().invoke(app, words, catch_exceptions=False).stdout)
    assert list(first["found"]) == ["F1", "F2"]
    assert first["command"] == "metasmith reproduce ga-by-irace --runs 60 --only F1,F2"
    assert 30 < first["found"]["F1"]["runs"] <= 60
    assert first["found"]["F1"]["program"] != first["found"]["F2"]["program"]
    kept = tmp_path / "runs" / "ga-by-irace" / "F1-60.json"
    before = kept.stat().st_mtime_ns
    (kept.parent / "F2-60.json").unlink()  # as if it had been killed before
    again = json.loads(CliRunner().invoke(app, words, catch_exceptions=False).stdout)
    assert kept.stat().st_mtime_ns == before
    programs = [{name: found["program"] for name, found in each["found"].items()} for each in (first, again)]
    assert programs[0] == programs[1]


@needs_irace
def test_what_is_there_is_not_done_again(tmp_path, monkeypatch):
    (tmp_path / "F1-60.json").write_text("{}")
    monkeypatch.setattr(racing, "irace", None)
    find(Wanted("F1", 60, tmp_path / "F1-60.json"))
    assert (tmp_path / "F1-60.json").read_text() == "{}"


def test_one_line_says_what_to_install(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(racing, "_version", lambda: None)
    with pytest.raises(ValueError, match="the designer irace needs R and its package irace"):
        CliRunner().invoke(app, ["reproduce", "ga-by-irace", "--only", "F1"], catch_exceptions=False)
