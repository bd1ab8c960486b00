"""What was asked goes to TOML and back, and mistakes in it are told in one line."""

import re
import tomllib
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

import metasmith as ms
from metasmith.designers.training import PAPER, Training
from metasmith.measuring import Measuring
from metasmith.runs.folder import Folder
from metasmith.runs.loop import course
from metasmith.runs.spec import EFFORTS, Race, Spec, ask
from metasmith.space import Space

COUNTS = st.integers(1, 10**9)
NUMBERS = st.floats(0, 1e9, allow_nan=False)
ASKED = st.builds(
    Spec,
    task=st.text(st.characters(exclude_categories=["Cs"])),
    evaluations=st.integers(1, 10**12),
    seed=st.integers(0, 2**63 - 1),
    space=st.sampled_from(["full", "paper"]),
    designer=st.sampled_from(["ppo", "random"]),
    quality=st.sampled_from(["final", "anytime"]),
    training=st.builds(
        Training, epochs=COUNTS, batch=COUNTS, rate=NUMBERS, entropy=NUMBERS, advantage=st.sampled_from(["rank", "raw"])
    ),
    measuring=st.builds(
        Measuring,
        keep=st.floats(0, 1, exclude_min=True),
        runs=COUNTS,
        evaluations=st.none() | COUNTS,
        instances=st.none() | COUNTS,
    ),
    race=st.builds(Race, finalists=COUNTS, samples=COUNTS, rounds=st.lists(COUNTS, max_size=5).map(tuple)),
)


@given(ASKED)
def test_toml_and_back(asked):
    assert Spec.parse(asked.toml()) == asked


def test_every_number_is_in_the_file():
    found = tomllib.loads(Spec("pbo:F1", 100).toml())
    assert set(found) == {
        "task",
        "evaluations",
        "seed",
        "space",
        "designer",
        "quality",
        "writer",
        "training",
        "measuring",
        "race",
    }
    assert set(found["training"]) == set(Training.__dataclass_fields__)
    assert set(found["race"]) == {"finalists", "samples", "rounds"}


@pytest.mark.parametrize(
    ("others", "said"),
    [
        ({"race": Race(rounds=(4, 0))}, "round must be at least 1, got 0"),
        ({"measuring": Measuring(keep=0.0)}, "keep is a share above 0, 1 at most, got 0.0"),
        ({"training": Training(batch=0)}, "batch must be at least 1, got 0"),
        ({"effort": "quik"}, "there is no effort 'quik'; did you mean 'quick'?"),
        ({"preset": "papers"}, "there is no preset 'papers'; did you mean 'paper'?"),
        ({"preset": "paper", "effort": "quick"}, "the preset 'paper' has its own effort"),
        ({"space": "ful"}, "there is no space 'ful'; did you mean 'full'?"),
        ({"designer": "pop"}, "there is no designer 'pop'; did you mean 'ppo'?"),
        ({"quality": "anytim"}, "there is no quality 'anytim'; did you mean 'anytime'?"),
        ({"seed": -1}, "a design's seed is a whole number from 0 to 2**63 - 1, got -1"),
        ({"seed": 2**63}, "a design's seed is a whole number from 0"),
        ({"evaluations": 0}, "an algorithm needs at least 1 evaluation, got 0"),
    ],
)
def test_a_mistake_is_one_line(others, said):
    with pytest.raises(ValueError, match=f"^{re.escape(said)}.*$"):
        ask(**{"task": "pbo:F1", "evaluations": 100, **others})


def test_something_that_nobody_can_ask_for_is_refused():
    with pytest.raises(TypeError, match="bananas"):
        ask("pbo:F1", 100, bananas=3)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("bananas = 3", "asked has no 'bananas'"),
        ("[training]\nepoch = 3", "training has no 'epoch'; did you mean 'epochs'?"),
        ("[race]\nround = [3]", "race has no 'round'; did you mean 'rounds'?"),
        ('designer = "ppp"', "there is no designer 'ppp'"),
        ("seed = -4", "got -4"),
        ('seed = "four"', "'<='"),
        ("seed = = 4", "Invalid value"),
    ],
)
def test_a_file_that_cannot_be_understood_is_one_line(text, said, tmp_path):
    base = [] if "designer" in text or "seed" in text else ['task = "pbo:F1"\nevaluations = 100']
    (tmp_path / "design.toml").write_text(
        "\n".join([*base, text, *([] if base else ['task = "pbo:F1"\nevaluations = 100'])])
    )
    with pytest.raises(ValueError, match="cannot be understood: ") as caught:
        Folder(tmp_path).spec()
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_file_without_a_task_or_of_noise_is_told_too(tmp_path):
    for data in (b"evaluations = 3", b"\xff\xfe\x00", b""):
        (tmp_path / "design.toml").write_bytes(data)
        with pytest.raises(ValueError, match=r"asked\.toml' cannot be understood"):
            Folder(tmp_path).spec()


def test_efforts_differ_and_what_is_given_counts_more():
    quick, default, thorough = (ask("pbo:F1", 100, effort=effort) for effort in ("quick", "default", "thorough"))
    spent = [asked.training.epochs * asked.training.batch for asked in (quick, default, thorough)]
    assert spent == sorted(set(spent))
    own = Training(epochs=2)
    assert ask("pbo:F1", 100, effort="quick", training=own).training == own
    assert ask("pbo:F1", 100, effort="quick", training=own).race == EFFORTS["quick"]["race"]
    assert default == Spec("pbo:F1", 100)


def test_the_paper_s_numbers():
    """Section IV-A:

    100 epochs of 16 programs, each 5 runs of 5,000 evaluations on one instance of each size, population 50.
    """
    asked = ask("pbo:F5", 50_000, preset="paper")
    assert asked.training == PAPER
    numbers = {
        "epochs": 100,
        "batch": 16,
        "updates": 5,
        "rate": 5e-5,
        "clip": 0.2,
        "entropy": 0.0,
        "advantage": "raw",
        "varied": 0,
        "drawn": 0,
    }
    assert {name: getattr(PAPER, name) for name in numbers} == numbers
    assert asked.measuring == Measuring(keep=1.0, runs=5, again=1, evaluations=5000, instances=1)
    assert asked.race.rounds == ()
    assert (asked.race.finalists, asked.race.samples) == (0, 0)
    assert (asked.space, asked.designer, asked.quality) == ("paper", "ppo", "final")
    assert Space.named("paper").populations == (50,)
    found = course(asked, ms.task("pbo:F5")).places
    assert [(place.problem.dimension, place.evaluations) for place in found] == [(100, 5000), (225, 5000), (400, 5000)]
    assert replace(asked, task="") == replace(ask("", 50_000, preset="paper"))


def test_how_much_a_size_counts_depends_on_the_sizes_of_use():
    large, among = (course(ask(name, 50_000), ms.task(name)) for name in ("pbo:F5", "beamforming"))
    assert large.weights == (1, 2, 4)
    assert {large.places[number].problem.dimension for number in large.grounds} == {400}
    assert among.weights == (1, 1, 1)
    assert [among.places[number].problem.dimension for number in among.grounds] == [80, 200, 240, 360]


def test_by_default_training_has_the_evaluations_per_variable_of_use():
    task = ms.task("pbo:F5")
    largest = max(problem.dimension for problem in task.test)
    found = course(ask("pbo:F5", task.evaluations), task).places
    assert {place.problem for place in found} <= set(task.training)
    assert all(place.evaluations == task.evaluations * place.problem.dimension // largest for place in found)
