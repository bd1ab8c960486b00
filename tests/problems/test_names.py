"""Problems and tasks by name."""

import pytest

from metasmith.problems import Task, catalogue, problem, task


def test_names_say_dimension_and_instance():
    assert problem("pbo:F18").name == "pbo:F18@625#1"
    assert problem("pbo:F18@100").dimension == 100
    assert problem("pbo:F18#7").name == "pbo:F18@625#7"
    assert problem("PBO:f18@100#7").name == "pbo:F18@100#7"
    assert problem("pbo:F18@100#7") is problem("pbo:f18@100#7")
    assert problem("pbo:F18").maximise


@pytest.mark.parametrize(
    ("name", "hint"),
    {
        "pbo:F24": r"did you mean 'pbo:F\d+'\?",
        "pbo:F": r"did you mean 'pbo:F\d+'\?",
        "bpo:F18": r"did you mean 'pbo:F18'\?",
        "restoration:tset": r"did you mean 'restoration:test'\?",
        "pbo": r"pbo is a family of problems; did you mean 'pbo:F1'\?",
        "pbo:F18@100.5": "pbo reads no files; write a name such as 'pbo:F1'",
        "quadratic": "`metasmith problems` lists them",
        "foo:bar": "`metasmith problems` lists them",
        "nosuch:data.xyz": "`metasmith problems` lists them",
    }.items(),
)
def test_unknown_names_come_with_a_hint(name, hint):
    with pytest.raises(ValueError, match=f"^there is no problem '{name}'; {hint}"):
        problem(name)


def test_the_hint_is_near():
    with pytest.raises(ValueError, match="did you mean 'pbo:F18'"):
        problem("pbi:F18@100")


@pytest.mark.parametrize(
    "name", ["", "pbo:F18@", "pbo:F18@ten", "pbo:F18#7@100", "pbo:F18@-5", "beamforming:/no/ending"]
)
def test_names_that_are_none(name):
    with pytest.raises(ValueError, match=r"is not a problem's name; write one like 'pbo:F18'"):
        problem(name)


@pytest.mark.parametrize("name", ["beamforming:120", "beamforming:channels"])
def test_sizes_and_files_that_are_written_wrong(name):
    with pytest.raises(
        ValueError,
        match=f"no problem '{name}'; write 'beamforming@120' for a size, or 'beamforming:FILE' with the ending",
    ):
        problem(name)


def test_the_catalogue_has_every_function_in_order():
    rows = [row for row in catalogue() if row.name.startswith("pbo:")]
    assert [row.name for row in rows] == [f"pbo:F{number}" for number in range(1, 24)]
    for row in rows:
        assert row.title
        assert row.meaning
        assert problem(row.name).optimum == row.optimum


def test_pbo_tasks_learn_small_and_reordered_and_are_judged_large():
    split = task("pbo:f2")
    assert split.name == "pbo:F2"
    assert [training.dimension for training in split.training] == [100] * 3 + [225] * 3 + [400] * 3
    assert [int(training.name.split("#")[1]) for training in split.training] == [61, 11, 62, 63, 12, 64, 65, 13, 66]
    assert [test.name for test in split.test] == ["pbo:F2@625#1", "pbo:F2@625#51", "pbo:F2@625#52"]
    assert split.evaluations == 50_000


def test_training_evaluations_are_those_of_use_per_variable():
    split = task("pbo:F2")
    assert [split.training_evaluations(training) for training in split.training[::3]] == [8_000, 18_000, 32_000]
    several = Task("several", split.training, (problem("pbo:F1@200"), problem("pbo:F1@400")), evaluations=10_000)
    evaluations = {size: several.training_evaluations(problem(f"pbo:F1@{size}")) for size in (50, 200, 300, 400, 800)}
    assert evaluations == {50: 2_500, 200: 10_000, 300: 10_000, 400: 10_000, 800: 20_000}
    assert (
        Task("tiny", (problem("pbo:F1@2"),), split.test, evaluations=3).training_evaluations(problem("pbo:F1@2")) == 1
    )


def test_a_task_has_its_own_dimensions():
    with pytest.raises(ValueError, match="ask for 'pbo:F2'"):
        task("pbo:F2@100")


def test_a_task_needs_problems_and_evaluations():
    one = (problem("pbo:F1@2"),)
    with pytest.raises(ValueError, match="at least one training and one test problem"):
        Task("empty", (), one, 10)
    with pytest.raises(ValueError, match="at least 1 evaluation, got 0"):
        Task("idle", one, one, 0)
    with pytest.raises(
        ValueError, match="task mixed has problems of bits and integers; one algorithm works on one kind"
    ):
        Task("mixed", one, (problem("beamforming@6"),), 10)
