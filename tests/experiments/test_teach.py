"""Teaching the network, from archives to the file and its card."""

import json

import pytest

from metasmith.designers.guided.network import read
from metasmith.experiments import teach
from metasmith.program import named
from metasmith.teaching import archives

TASKS, STEPS = 3, 2


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Small archives of three tasks."""
    folder = tmp_path_factory.mktemp("teach")
    (folder / "archives").mkdir()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(archives, "BATCHES", 3)
        for number in range(TASKS):
            teach.make_archive(folder / "archives", number)
    return folder


@pytest.mark.slow
def test_an_archive_has_all_that_was_proposed_with_its_scores(folder):
    archive = json.loads((folder / "archives" / "1.json").read_bytes())
    columns = [archive[name] for name in ("batches", "programs", "sources", "first", "scores")]
    assert len(set(map(len, columns))) == 1
    assert len(set(archive["programs"])) == len(archive["programs"]) > 60
    assert {"library", "mutant", "immigrant"} <= set(archive["sources"])
    assert archive["batches"] == sorted(archive["batches"])
    finished = [score for score in archive["scores"] if score is not None]
    assert 0.3 < len(finished) / len(archive["scores"]) < 0.7


@pytest.mark.slow
def test_the_file_is_a_network_and_teaching_again_is_the_same(folder):
    learned = [teach.teach(folder, TASKS, STEPS, fold) for fold in (-1, 0)]
    before = (folder / teach.FILE).read_bytes()
    (folder / f"known-{TASKS}-{STEPS}--1.json").unlink()
    assert teach.teach(folder, TASKS, STEPS, -1) == learned[0]
    assert (folder / teach.FILE).read_bytes() == before
    assert len(before) < 5_000_000
    assert read(folder / teach.FILE).features([named("ea"), named("rls")]).shape == (2, 49)
    assert learned[0]["families"] == []
    assert learned[1]["families"]


@pytest.mark.slow
def test_the_card_says_with_what_and_how_well(folder):
    learned = [teach.teach(folder, TASKS, STEPS, fold) for fold in range(-1, teach.FOLDS)]
    text = teach.card(folder, TASKS, STEPS, learned).text
    assert f"in {TASKS} random\ntasks" in text
    assert all(family in text for each in learned for family in each["families"])


@pytest.mark.parametrize("options", [{"tasks": 2, "steps": 5}, {"tasks": 5, "steps": 0}])
def test_too_few_are_one_line(options, tmp_path):
    request = teach.Request({**options, "out": tmp_path}, teach.EXPERIMENT.folder)
    with pytest.raises(ValueError, match="expected --tasks of at least 3 and --steps of at least 1"):
        teach.sheet(request, lambda: None)
