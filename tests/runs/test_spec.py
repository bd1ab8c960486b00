"""A spec goes to TOML and back, mistakes in it are told in one line, and efforts stand for what is spent."""

import re
import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

import metasmith as ms
from metasmith.api import find_task
from metasmith.designers.known import known
from metasmith.designers.training import PAPER, Training
from metasmith.measuring import Measuring, Race, schedule
from metasmith.runs.efforts import EFFORTS
from metasmith.runs.folder import Folder
from metasmith.runs.spec import Spec, specify
from metasmith.space import Space

COUNTS = st.integers(1, 10**9)
NUMBERS = st.floats(0, 1e9, allow_nan=False)
SPECS = st.builds(
    Spec,
    task=st.text(st.characters(exclude_categories=["Cs"])),
    evaluations=st.integers(1, 10**12),
    spend=st.integers(1, 10**15),
    minutes=st.none() | st.floats(0.1, 1e4),
    timing=st.integers(0, 10**9),
    seed=st.integers(0, 2**63 - 1),
    space=st.sampled_from(["full", "paper"]),
    designer=st.sampled_from(["mixture", "guided", "ppo", "random"]),
    quality=st.sampled_from(["final", "anytime"]),
    training=st.builds(
        Training, batch=COUNTS, rate=NUMBERS, entropy=NUMBERS, advantage=st.sampled_from(["rank", "raw"])
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


@given(SPECS)
def test_toml_and_back(spec):
    assert Spec.parse(spec.toml()) == spec


def test_every_number_is_in_the_file():
    fields = tomllib.loads(Spec("pbo:F1", 100, 1000).toml())
    assert set(fields) == {
        "task",
        "evaluations",
        "spend",
        "seed",
        "space",
        "designer",
        "quality",
        "writer",
        "timing",
        "training",
        "measuring",
        "race",
    }
    assert set(fields["training"]) == set(Training.__dataclass_fields__)
    assert set(fields["race"]) == {"finalists", "samples", "rounds", "favourite", "rest"}
    assert tomllib.loads(Spec("pbo:F1", 100, 1000, minutes=30).toml())["minutes"] == 30


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
        ({"spend": 0}, "spend must be at least 1, got 0"),
        ({"spend": 1999}, "1,999 evaluations are too few for a design whose runs have 100 each; give at least 2,000"),
        ({"quality": "anytim"}, "there is no quality 'anytim'; did you mean 'anytime'?"),
        ({"seed": -1}, "a design's seed is a whole number from 0 to 2**63 - 1, got -1"),
        ({"seed": 2**63}, "a design's seed is a whole number from 0"),
        ({"evaluations": 0}, "task pbo:F1 needs at least 1 evaluation, got 0"),
    ],
)
def test_a_mistake_is_one_line(others, said):
    with pytest.raises(ValueError, match=f"^{re.escape(said)}.*$"):
        specify(**{"task": find_task("pbo:F1", others.pop("evaluations", 100)), **others})


def test_something_that_nobody_can_ask_for_is_refused():
    with pytest.raises(TypeError, match="bananas"):
        specify(find_task("pbo:F1", 100), bananas=3)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("bananas = 3", "spec has no 'bananas'"),
        ("[training]\nbatches = 3", "training has no 'batches'; did you mean 'batch'?"),
        ("[race]\nround = [3]", "race has no 'round'; did you mean 'rounds'?"),
        ('designer = "ppp"', "there is no designer 'ppp'"),
        ("seed = -4", "got -4"),
        ('seed = "four"', "'<='"),
        ("seed = = 4", "Invalid value"),
    ],
)
def test_a_file_that_cannot_be_understood_is_one_line(text, said, tmp_path):
    base = [] if "designer" in text or "seed" in text else ['task = "pbo:F1"\nevaluations = 100\nspend = 9']
    (tmp_path / "design.toml").write_text(
        "\n".join([*base, text, *([] if base else ['task = "pbo:F1"\nevaluations = 100\nspend = 9'])])
    )
    with pytest.raises(ValueError, match="cannot be understood: ") as caught:
        Folder(tmp_path).spec()
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_file_without_a_task_or_of_noise_is_told_too(tmp_path):
    for data in (b"evaluations = 3", b"\xff\xfe\x00", b""):
        (tmp_path / "design.toml").write_bytes(data)
        with pytest.raises(ValueError, match=r"design\.toml' cannot be understood"):
            Folder(tmp_path).spec()


def test_efforts_differ_and_what_is_given_counts_more():
    task = find_task("pbo:F1", 100)
    spends = [specify(task, effort=effort).spend for effort in ("quick", "default", "thorough")]
    assert spends == sorted(set(spends))
    own = Training(batch=2)
    assert specify(task, effort="quick", training=own).training == own
    assert specify(task, effort="quick", training=own).race == EFFORTS["quick"].race
    assert specify(task) == Spec("pbo:F1", 100, spends[1])
    assert specify(task, name="mine", spend=10**9).spend == 10**9


@pytest.mark.parametrize(
    ("effort", "batches", "batch"), [("quick", 20, 16), ("default", 62, 24), ("thorough", 200, 40)]
)
def test_what_an_effort_spends_is_for_so_many_batches(effort, batches, batch):
    """Computed by hand: PBO has three sizes, 100, 225 and 400 of 625 variables, with as many evaluations each."""
    spec = specify(ms.task("pbo:F5"), effort=effort)
    small, middle, large = (50_000 * size // 625 for size in (100, 225, 400))
    references = 2 * sum(case.evaluations for case in schedule(ms.task("pbo:F5"), spec.measuring).cases)
    race, left = 0, spec.race.finalists + spec.race.samples + 1
    for runs in spec.race.rounds:
        race, left = race + left * runs * large, max(2, left // 2)
    count = len(known(Space.named("full").on("bits"), "bits"))
    each, first = (spec.measuring.runs * (n * middle + (n + 1) // 2 * (small + large)) for n in (batch, count))
    assert (spec.training.batch, spec.spend) == (batch, references + first + batches * each + race)


def test_numbers_of_one_s_own_are_kept_to_and_take_half_a_batch_at_least():
    task, own = find_task("pbo:F1", 100), {"training": Training(), "measuring": Measuring(), "race": Race()}
    with pytest.raises(ValueError, match="give at least ") as caught:
        specify(task, spend=10, **own)
    least = int(str(caught.value).rpartition(" ")[2].replace(",", ""))
    spec = specify(task, spend=least, **own)
    assert (spec.spend, spec.training, spec.measuring, spec.race) == (least, *own.values())
    costs = spec.costs(task)
    assert least == costs.start + costs.batch(12) + costs.final
    with pytest.raises(ValueError, match="are too few"):
        specify(task, spend=least - 1, **own)


def test_the_paper_s_numbers():
    """Section IV-A.

    100 batches of 16 programs, each 5 runs of 5,000 evaluations on one instance of each size, population 50.
    """
    spec = specify(ms.task("pbo:F5"), preset="paper")
    assert spec.training == PAPER
    numbers = {
        "batch": 16,
        "updates": 5,
        "rate": 5e-5,
        "clip": 0.2,
        "entropy": 0.0,
        "advantage": "raw",
        "mutants": 0,
        "immigrants": 0,
    }
    assert {name: getattr(PAPER, name) for name in numbers} == numbers
    assert spec.measuring == Measuring(keep=1.0, runs=5, again=1, evaluations=5000, instances=1)
    assert spec.race.rounds == ()
    assert (spec.race.finalists, spec.race.samples) == (0, 0)
    assert (spec.space, spec.designer, spec.quality) == ("paper", "ppo", "final")
    assert Space.named("paper").populations == (50,)
    cases = schedule(ms.task("pbo:F5"), spec.measuring).cases
    assert [(case.problem.dimension, case.evaluations) for case in cases] == [(100, 5000), (225, 5000), (400, 5000)]
    assert spec.spend == 5000 * (2 * 3 + 100 * 16 * 5 * 3 + 5 * 3)  # references, batches, the greedy program


def test_how_much_a_size_counts_depends_on_the_sizes_of_use():
    large, among = (schedule(ms.task(name), Measuring()) for name in ("pbo:F5", "beamforming"))
    assert large.weights == (1, 2, 4)
    assert {large.cases[number].problem.dimension for number in large.race} == {400}
    assert among.weights == (1, 1, 1)
    assert [among.cases[number].problem.dimension for number in among.race] == [80, 200, 240, 360]


def test_by_default_training_has_the_evaluations_per_variable_of_use():
    task = ms.task("pbo:F5")
    largest = max(problem.dimension for problem in task.test)
    cases = schedule(task, Measuring()).cases
    assert {case.problem for case in cases} <= set(task.training)
    assert all(case.evaluations == task.evaluations * case.problem.dimension // largest for case in cases)
