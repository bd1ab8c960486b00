"""Beamforming equals plain complex arithmetic, and files of channels are read, or refused in one line."""

import json
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.io import savemat

import metasmith as ms
from metasmith import cli
from metasmith.problems import Problem, problem, task
from metasmith.problems.beamforming import reading
from metasmith.problems.beamforming.channels import Channels
from metasmith.problems.beamforming.propagation import channels
from metasmith.problems.beamforming.sequential import sequential
from metasmith.problems.beamforming.sum_rate import beamforming
from metasmith.problems.compiled import evaluate_all


def rates(air: Channels, tau: np.ndarray) -> np.ndarray:
    """The users' rates in natural logarithms, as the specification writes them."""
    theta = np.exp(-2j * np.pi * tau / 2**air.bits)
    f = air.direct + air.surface_users @ np.diag(theta) @ air.station_surface
    w = f.conj().T @ np.linalg.inv(f @ f.conj().T)
    v = np.sum(np.abs(w) ** 2, axis=0)
    low, high = v.min(), v.max() + air.power  # bisection: slow, and nothing like what it checks
    for _ in range(200):
        level = (low + high) / 2
        low, high = (level, high) if np.maximum(level - v, 0).sum() < air.power else (low, level)
    return np.log(1 + np.maximum(level - v, 0) / v)


def value(air: Channels, tau: np.ndarray) -> float:
    return float(1 / (air.weights @ rates(air, tau)))


def some_channels(
    elements: int, antennas: int, users: int, *, bits: int = 2, power: float = 2.0, seed: int = 0
) -> Channels:
    rng = np.random.default_rng([elements, antennas, users, seed])

    def gaussian(*shape: int) -> np.ndarray:
        return rng.normal(size=shape) + 1j * rng.normal(size=shape)

    size = 10.0 ** rng.uniform(-2, 2, (users, 1))
    surface = gaussian(elements, antennas)
    return Channels(
        surface,
        size * gaussian(users, antennas),
        size * gaussian(users, elements),
        bits,
        power,
        rng.uniform(0.1, 3, users),
    )


@pytest.mark.parametrize("elements", [1, 7, 40, 120, 400])
def test_equals_complex_arithmetic(elements):
    for number in (1, 2, 7):
        surface, drawn = problem(f"beamforming@{elements}#{number}"), channels(elements, number)
        vectors = np.random.default_rng(number).integers(0, 4, (120, elements))  # enough for the compiled kernel
        np.testing.assert_allclose(surface.values(vectors), [value(drawn, tau) for tau in vectors], rtol=1e-9)


@pytest.mark.parametrize(
    ("antennas", "users", "bits"), [(4, 4, 1), (4, 4, 3), (6, 3, 2), (2, 1, 2), (1, 1, 8), (9, 9, 2)]
)
@pytest.mark.parametrize("power", [1e-6, 0.01, 1.0, 1e4])
def test_equals_complex_arithmetic_for_channels_of_any_kind(antennas, users, bits, power):
    air = some_channels(20, antennas, users, bits=bits, power=power)
    vectors = np.random.default_rng(0).integers(0, 2**bits, (10, 20))
    np.testing.assert_allclose(
        beamforming(air, "mine").values(vectors), [value(air, tau) for tau in vectors], rtol=1e-9
    )


def test_users_that_cost_too_much_get_no_power():
    air = some_channels(20, 4, 4, power=0.01)
    vectors = np.random.default_rng(0).integers(0, 4, (10, 20))
    dry = [int((rates(air, tau) < 1e-12).sum()) for tau in vectors]
    assert max(dry) > 0  # so the tests above had such users among them


changes = st.lists(st.dictionaries(st.integers(0, 29), st.integers(0, 3), max_size=30), min_size=1, max_size=12)


@settings(max_examples=60)
@given(changes, st.integers(0, 2**32))
def test_few_changes_and_a_new_start_give_the_same_bits(steps, seed):
    how = problem("beamforming@30#5").how
    x = np.random.default_rng(seed).integers(0, 4, 30)
    rows = []
    for step in steps:
        x = x.copy()
        x[list(step)] = list(step.values())
        rows.append(x.astype(np.int32))
    followed = evaluate_all(how.kernel, np.array(rows), how.tables, np.zeros(how.work, np.uint64))
    anew = [evaluate_all(how.kernel, row[None], how.tables, np.zeros(how.work, np.uint64))[0] for row in rows]
    assert followed.tolist() == anew


def test_plain_kernel_equals_compiled_kernel():
    for surface in (problem("beamforming@40#3"), beamforming(some_channels(17, 5, 3, bits=3), "mine")):
        how, rng = surface.how, np.random.default_rng(0)
        rows = rng.integers(0, max(surface.variables.arity), (12, surface.dimension), dtype=np.int32)
        rows[1:7] = rows[0]
        rows[np.arange(1, 7), rng.integers(0, surface.dimension, 6)] = 0
        compiled = evaluate_all(how.kernel, rows, how.tables, np.zeros(how.work, np.uint64))
        work = np.zeros(how.work, np.uint64)
        assert [how.kernel(row, how.tables, work) for row in rows] == compiled.tolist()


def test_users_that_cannot_be_told_apart_have_the_worst_value():
    air = some_channels(10, 4, 3)
    air.direct[1], air.surface_users[1] = 2j * air.direct[0], 2j * air.surface_users[0]
    surface = beamforming(air, "twins")
    assert surface([1] * 10) == np.inf
    assert surface.explain(np.ones(10, int)) == ["weighted sum rate 0.0000 bit/s/Hz"]
    assert ms.solve("genetic-algorithm", surface, evaluations=300).fun == np.inf


def test_names_say_elements_and_channels():
    assert problem("beamforming").name == "beamforming@120#1"
    assert problem("beamforming@40").name == "beamforming@40#1"
    surface = problem("Beamforming@40#7")
    assert (surface.name, surface.dimension, surface.direction, surface.optimum) == (
        "beamforming@40#7",
        40,
        "min",
        None,
    )
    assert set(surface.variables.arity) == {4}
    assert surface is problem("beamforming@40#7")
    assert surface([0] * 40) != problem("beamforming@40#8")([0] * 40)


@pytest.mark.parametrize("elements", [0, 10_001])
def test_elements_out_of_range(elements):
    with pytest.raises(ValueError, match=f"beamforming takes from 1 to 10000 elements, got {elements}"):
        problem(f"beamforming@{elements}")


def test_channels_are_drawn_as_the_specification_says():
    drawn = [channels(400, number) for number in range(40)]
    assert {(each.elements, each.antennas, each.users, each.bits) for each in drawn} == {(400, 4, 4, 2)}
    assert {each.power for each in drawn} == {10**0.2}
    assert np.mean([np.mean(np.abs(each.station_surface) ** 2) for each in drawn]) == pytest.approx(1, rel=0.02)
    # 20 to 40 m from the surface, 100 m from there: 60 dB and 46 to 52 dB above a noise of -117.4 dBm; directly 92 to
    # 119 m.
    reflected = np.mean([np.mean(np.abs(each.surface_users) ** 2, axis=1) for each in drawn], axis=1)
    direct = np.mean([np.mean(np.abs(each.direct) ** 2) for each in drawn])
    assert (reflected > 10**0.535 * 0.9).all()
    assert (reflected < 10**1.14 * 1.1).all()
    assert 6 < direct < 23
    powers = np.linalg.svd(drawn[0].station_surface, compute_uv=False) ** 2
    assert (
        powers[0] / powers.sum() > 0.85
    )  # a line of sight has rank one, and ten of eleven parts of the power; without one it is 0.3


def test_channels_stay_what_they_are():
    assert problem("beamforming@40#1")([0, 1, 2, 3] * 10) == pytest.approx(0.0839275325746, rel=1e-9)
    assert (channels(40, 1).direct == channels(40, 1).direct).all()


def test_the_task_has_the_papers_split():
    split = task("beamforming")
    assert [training.dimension for training in split.training] == [40, 80, 200, 240, 360]
    assert [test.dimension for test in split.test] == [120, 160, 280, 320, 400]
    assert split.evaluations == 50_000
    with pytest.raises(ValueError, match="ask for 'beamforming'"):
        task("beamforming@120")


def arrays(air: Channels) -> dict[str, object]:
    """As a practitioner saves them."""
    names = ("G", "Hd", "Hr", "b", "P_T", "omega")
    parts = (air.station_surface, air.direct, air.surface_users, air.bits, air.power, air.weights)
    return dict(zip(names, parts, strict=True))


def saved(folder, content: dict[str, object], suffix: str = ".npz") -> str:
    file = folder / f"my channels{suffix}"
    if suffix == ".npz":
        np.savez(file, **content)
    else:
        savemat(file, content)
    return f"beamforming:{file}"


@pytest.mark.parametrize("suffix", [".npz", ".mat"])
@pytest.mark.parametrize("shape", [(4, 4), (3, 2), (1, 1)])
def test_channels_of_a_file(tmp_path, suffix, shape):
    air = some_channels(15, *shape, bits=3)
    surface = problem(saved(tmp_path, arrays(air), suffix))
    assert surface.name == f"beamforming:my channels{suffix}"
    x = np.random.default_rng(0).integers(0, 8, 15)
    assert surface(x) == beamforming(air, "mine")(x) == pytest.approx(value(air, x), rel=1e-9)


@pytest.mark.parametrize("suffix", [".npz", ".mat"])
def test_what_a_file_does_not_say_is_as_in_the_paper(tmp_path, suffix):
    drawn = channels(30, 3)
    content = {name: part for name, part in arrays(drawn).items() if name in ("G", "Hd", "Hr")}
    assert problem(saved(tmp_path, content, suffix))([1] * 30) == problem("beamforming@30#3")([1] * 30)


def test_a_file_is_a_task_too(tmp_path):
    name = saved(tmp_path, arrays(channels(30, 3)))
    split = task(name)
    assert split.training == split.test
    assert (split.name, split.evaluations) == ("beamforming:my channels.npz", 50_000)


NAN = np.full((15, 4), np.nan)


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (
            {"G": None},
            r"there is no G in it; needed are G \(elements x antennas\), Hd \(users x antennas\), "
            r"Hr \(users x elements\)",
        ),
        ({"Hd": None, "Hr": None}, "there is no Hd and no Hr in it"),
        (
            {"G": np.ones((14, 4))},
            r"Hr must be 3 x 14 \(users x elements\), because G is 14 x 4 .* and Hd has 3 rows, the users; "
            r"it is 3 x 15",
        ),
        ({"Hr": np.ones((15, 3))}, "Hr must be 3 x 15 .*; it is 15 x 3"),
        ({"Hd": np.ones((4, 3))}, "Hd must be 4 x 4 .*; it is 4 x 3"),
        ({"G": np.array([["1", "2"]])}, "G must be a matrix of complex numbers; it is of shape"),
        ({"Hr": np.ones((0, 15))}, "Hr must be a matrix of complex numbers; it is of shape"),
        ({"G": NAN}, "G has nan.* in row 1, column 1; every channel must be a finite number"),
        (
            {"Hd": np.array([[1, 1, 1, 1], [1, 1, np.inf, 1], [1, 1, 1, 1]])},
            "Hd has inf in row 2, column 3; every channel",
        ),
        (
            {"Hd": np.ones((5, 4)), "Hr": np.ones((5, 15))},
            "4 antennas cannot serve 5 users without interference; leave out 1 of the users",
        ),
        (
            {"Hd": np.ones((3, 4)) * [[1], [0], [1]], "Hr": np.ones((3, 15)) * [[1], [0], [1]]},
            "user 2's rows of Hd and Hr are .* all zero",
        ),
        ({"Hr": np.full((3, 15), 1e308), "G": np.full((15, 4), 1e308)}, "user 1's rows of Hd and Hr are too large"),
        ({"Hd": np.full((3, 4), 1e200), "Hr": np.full((3, 15), 1e-3)}, "user 1's rows of Hd and Hr are too large"),
        (
            {"Hd": np.full((3, 4), 1e-170), "Hr": np.full((3, 15), 1e-170)},
            "user 1's rows of Hd and Hr are too large, too small",
        ),
        ({"Hd": np.ones((3, 4)), "Hr": np.ones((3, 15))}, "a user.s rows .* no phases can tell them apart"),
        ({"b": 0}, "b, the bits of a phase, must be a whole number from 1 to 8; it is 0"),
        ({"b": 2.5}, ".*whole number from 1 to 8; it is 2.5"),
        ({"b": [2, 2]}, "b must be one number; it is of shape"),
        ({"G": np.zeros((15, 4))}, "G is all zero, so nothing reaches the surface and no phase matters"),
        (
            {"Hd": np.zeros((3, 4)), "G": np.ones((15, 1)) @ np.ones((1, 4))},
            "Hd and G together have rank 1: too few ways to send for 3 users",
        ),
        ({"P_T": 0.0}, "P_T, the power of the station over that of the noise, must be from 1e-12 to 1e\\+12; it is 0"),
        ({"P_T": 1e308}, "P_T, .* it is 1e\\+308"),
        ({"omega": [1e308, 1.0, 1.0]}, "omega must be 3 weights of users"),
        ({"P_T": np.nan}, "P_T must be real and finite"),
        ({"P_T": 1j}, "P_T must be real and finite"),
        ({"omega": [1.0, 2.0]}, "omega must be 3 weights of users"),
        ({"omega": [1.0, -1.0, 1.0]}, "omega must be 3 weights of users, none below 0"),
        ({"omega": [0.0, 0.0, 0.0]}, ".*not all 0"),
    ],
)
@pytest.mark.parametrize("suffix", [".npz", ".mat"])
def test_channels_that_make_no_sense_are_one_line(tmp_path, change, says, suffix):
    content = {name: part for name, part in (arrays(some_channels(15, 4, 3)) | change).items() if part is not None}
    with pytest.raises(ValueError, match=f"channels of '.*my channels{suffix}': {says}") as caught:
        problem(saved(tmp_path, content, suffix))
    assert "\n" not in str(caught.value)


def test_a_vector_is_no_matrix(tmp_path):
    with pytest.raises(
        ValueError, match=r"G must be a matrix of complex numbers; it is of shape \(15,\) and type float64"
    ):
        problem(saved(tmp_path, arrays(some_channels(15, 4, 3)) | {"G": np.ones(15)}))


def test_a_damaged_file_is_one_line(tmp_path):
    np.savez_compressed(tmp_path / "a.npz", **arrays(some_channels(15, 4, 3)))
    content = bytearray((tmp_path / "a.npz").read_bytes())
    content[100:140] = bytes(40)
    (tmp_path / "a.npz").write_bytes(content)
    with pytest.raises(ValueError, match=r"it cannot be read as \.npz; write it with numpy\.savez"):
        problem(f"beamforming:{tmp_path / 'a.npz'}")


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        ("a.npz", b"not a zip", "it cannot be read as .npz; write it with numpy.savez"),
        ("a.npz", b"", "it cannot be read as .npz"),
        ("a.mat", b"not from MATLAB", "it cannot be read as .mat; write it in MATLAB with save"),
        ("a.mat", b"", "it cannot be read as .mat"),
        (
            "a.mat",
            b"MATLAB 7.3 MAT-file".ljust(124) + b"\x00\x02IM" + b"\x89HDF\r\n\x1a\n" * 9,
            r"a .mat of version 7\.3; .*'-v7'",
        ),
        ("a.csv", b"1,2", "ends in .npz or .mat, not in '.csv'"),
    ],
)
def test_files_of_another_kind_are_one_line(tmp_path, name, content, says):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(ValueError, match=says) as caught:
        problem(f"beamforming:{tmp_path / name}")
    assert "\n" not in str(caught.value)


def test_files_that_are_not_there(tmp_path):
    with pytest.raises(
        ValueError, match=r"there is no file '.*nowhere.npz'; beamforming: is followed by a file of channels"
    ):
        problem(f"beamforming:{tmp_path / 'nowhere.npz'}")
    with pytest.raises(ValueError, match=r"there is no problem 'pbo:channels.npz'"):
        problem("pbo:channels.npz")


def test_sequential_beamforming_ends_where_no_element_has_a_better_phase():
    surface = problem("beamforming@40#2")
    result = sequential(surface, evaluations=50_000, seed=1)
    assert result.fun == surface(result.x)
    assert result.nfev < 50_000
    others = np.array([np.where(np.arange(40) == n, phase, result.x) for n in range(40) for phase in range(4)])
    assert surface.values(others).min() == result.fun
    again = sequential(surface, evaluations=50_000, seed=1)
    assert (again.x.tolist(), again.fun, again.nfev) == (result.x.tolist(), result.fun, result.nfev)
    assert sequential(surface, evaluations=50_000, seed=2).x.tolist() != result.x.tolist()


@pytest.mark.parametrize("evaluations", [1, 2, 3, 4, 5, 100])
def test_sequential_beamforming_spends_its_evaluations(evaluations):
    surface = problem("beamforming@40#2")
    result = sequential(surface, evaluations=evaluations, seed=1)
    assert result.nfev == evaluations
    assert result.fun == surface(result.x)
    assert result.fun <= sequential(surface, evaluations=1, seed=1).fun


@pytest.mark.parametrize("name", ["random", "ils", "sa", "ga-beamforming", "aldes-beamforming"])
def test_the_papers_algorithms_run(name):
    result = ms.solve(name, "beamforming@40", evaluations=2000, seed=1)
    assert result.nfev == 2000
    assert result.fun == problem("beamforming@40")(result.x)
    assert result.fun < ms.solve("random", "beamforming@40", evaluations=50, seed=1).fun


def solved(capsys, *words: str) -> str:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "argv", ["metasmith", "solve", *words])
        with pytest.raises(SystemExit) as ended:
            cli.main()
    assert not ended.value.code
    return capsys.readouterr().out


def test_solve_says_the_sum_rate_of_the_best_run(capsys):
    words = ("beamforming@40", "--evaluations", "500", "--runs", "3")
    best = min(run["best"] for run in json.loads(solved(capsys, *words, "--json"))["runs"])
    assert solved(capsys, *words).splitlines()[-1] == f"sum rate {1 / best / np.log(2):.4f} bit/s/Hz"


def test_the_sum_rate_is_that_of_the_users():
    x = np.random.default_rng(0).integers(0, 4, 40)
    expected = rates(channels(40, 1), x).sum() / np.log(2)
    assert problem("beamforming@40").explain(x) == [f"sum rate {expected:.4f} bit/s/Hz"]


def test_a_users_problem_may_explain_itself_too():
    own = Problem(sum, ms.Bits(3), explain=lambda x: [f"{x.sum()} ones", "of 3"])
    assert own.explain(np.array([1, 0, 1])) == ["2 ones", "of 3"]
    assert Problem(sum, ms.Bits(3)).explain is None


@pytest.mark.parametrize("suffix", [".npz", ".mat"])
def test_a_file_that_would_fill_the_memory_is_refused_before_it_is_unpacked(suffix, tmp_path, monkeypatch):
    monkeypatch.setattr(reading, "MOST_BYTES", 2**20)
    name = saved(tmp_path, {**arrays(some_channels(15, 4, 3)), "omega": np.zeros(2**18)}, suffix)
    for loader in ("numpy.load", "scipy.io.loadmat"):
        monkeypatch.setattr(loader, lambda *given, **options: pytest.fail("it was unpacked"))
    with pytest.raises(
        ValueError, match=r"would take [24] MB, and 1 MB is the most; write a file with only the"
    ) as said:
        problem(name)
    assert "\n" not in str(said.value)
