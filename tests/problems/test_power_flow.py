"""The power flow agrees with pandapower's, stage by stage."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from metasmith.problems.restoration.elimination import elimination
from metasmith.problems.restoration.instance import Instance
from metasmith.problems.restoration.kernels import (
    FIRST_VOLTAGE,
    VOLTAGE_SET,
    crank_units,
    energised,
    restoration_integers,
    serve_loads,
)
from metasmith.problems.restoration.layout import (
    ANGLE,
    DEAD,
    DEMAND_P,
    DEMAND_Q,
    IMAGINARY,
    KIND,
    MAGNITUDE,
    NET_P,
    NETWORK,
    REAL,
    REGULATES,
    SLACK,
    WORK,
    P,
    Q,
)  # fmt: skip
from metasmith.problems.restoration.power_flow import SMALL, find_voltages, solved
from metasmith.problems.restoration.system import BASE, BUSES, system

GOLDEN = json.loads((Path(__file__).parents[1] / "golden" / "restoration" / "evaluations.json").read_text())
CASES = [
    (scenario, number, stage) for scenario in ("train", "test") for number in (0, 3, 14, 28) for stage in (0, 1, 2)
]
KILOVOLTS = 345.0
RANK = elimination().rank
"""Of a bus, by its name."""


def stage_of(scenario: str, number: int, stage: int) -> tuple[bool, np.ndarray]:
    """Whether a stage of a golden solution has a power flow, and the scratch afterwards."""
    tables = Instance.of((33, 37) if scenario == "train" else (30, 35)).tables(0)
    work = np.zeros(WORK, np.uint64)
    ints, reals = work.view(np.int64), work.view(np.float64)
    restoration_integers(np.array(GOLDEN[scenario][number]["x"], np.int32), tables, work)
    crank_units(tables, work, ints, reals)
    serve_loads(tables, work, ints, reals)
    assert energised(stage, tables, work, ints, reals)
    return solved(work[NETWORK + stage], tables, work), work


def rebuilt(power: Any, work: np.ndarray, stage: int) -> Any:
    """The network of a stage, made of pandapower's own lines, transformers, units and loads."""
    ints, reals = work.view(np.int64), work.view(np.float64)
    voltage, ohms, hertz = VOLTAGE_SET if stage else FIRST_VOLTAGE, KILOVOLTS**2 / BASE, 50.0
    network = power.create_empty_network(sn_mva=BASE, f_hz=hertz)
    for bus, rank in RANK.items():
        kind = ints[KIND + rank]
        if kind != DEAD:
            power.create_bus(network, KILOVOLTS, index=bus)
            power.create_load(network, bus, BASE * reals[DEMAND_P + rank], BASE * reals[DEMAND_Q + rank])
        if kind == SLACK:
            power.create_ext_grid(network, bus, vm_pu=voltage)
        if kind == REGULATES:
            power.create_gen(network, bus, BASE * (reals[NET_P + rank] + reals[DEMAND_P + rank]), vm_pu=voltage)
    for k, branch in enumerate(system().branches):
        if not int(work[NETWORK + stage]) >> k & 1:
            continue
        if branch.tap == 1.0:
            nanofarads = branch.b / ohms / (2 * np.pi * hertz) * 1e9
            power.create_line_from_parameters(
                network, branch.start, branch.end, 1, branch.r * ohms, branch.x * ohms, nanofarads, 99
            )
        else:
            percent = 100 * abs(complex(branch.r, branch.x))
            power.create_transformer_from_parameters(
                network,
                branch.start,
                branch.end,
                BASE,
                KILOVOLTS * branch.tap,
                KILOVOLTS,
                100 * branch.r,
                percent,
                pfe_kw=0,
                i0_percent=0,
            )
    return network


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("scenario", "number", "stage"), CASES)
def test_voltages_equal_those_of_pandapower(scenario, number, stage):
    power = pytest.importorskip(
        "pandapower", reason="the oracle for the power flow is an extra: pip install metasmith[power]"
    )
    ours, work = stage_of(scenario, number, stage)
    assert ours
    network = rebuilt(power, work, stage)
    power.runpp(network, init="flat", tolerance_mva=1e-6, calculate_voltage_angles=True, numba=False)
    reals, ranks = work.view(np.float64), [RANK[bus] for bus in network.bus.index]
    np.testing.assert_allclose(network.res_bus.vm_pu, [reals[MAGNITUDE + rank] for rank in ranks], atol=1e-6)
    np.testing.assert_allclose(
        np.radians(network.res_bus.va_degree), [reals[ANGLE + rank] for rank in ranks], atol=1e-6
    )


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_the_system_is_the_one_that_others_have():
    networks = pytest.importorskip(
        "pandapower.networks", reason="the oracle for the power flow is an extra: pip install metasmith[power]"
    )
    theirs, ohms, matched = networks.case39(), KILOVOLTS**2 / BASE, {}
    for line in theirs.line.itertuples():
        b = line.c_nf_per_km * 1e-9 * 2 * np.pi * theirs.f_hz * ohms
        rating = np.sqrt(3) * KILOVOLTS * line.max_i_ka / BASE
        matched[line.from_bus, line.to_bus] = line.r_ohm_per_km / ohms, line.x_ohm_per_km / ohms, b, 1.0, rating
    for each in theirs.trafo.itertuples():
        z, r = each.vk_percent / 100 * BASE / each.sn_mva, each.vkr_percent / 100 * BASE / each.sn_mva
        tap = 1 + np.nan_to_num(each.tap_pos * each.tap_step_percent) / 100
        matched[each.hv_bus, each.lv_bus] = r, np.sqrt(z**2 - r**2), 0.0, tap, each.sn_mva / BASE
    ours = {(each.start - 1, each.end - 1): each[2:7] for each in system().branches}
    assert matched.keys() == ours.keys()
    for ends, branch in ours.items():
        assert branch == pytest.approx(matched[ends], abs=1e-9), ends
    loads = sorted((each.bus + 1, each.p_mw / BASE, each.q_mvar / BASE) for each in theirs.load.itertuples())
    np.testing.assert_allclose([each[:3] for each in system().loads], loads, rtol=1e-12)


def test_power_is_balanced_at_every_bus():
    for scenario, number, stage in CASES:
        ours, work = stage_of(scenario, number, stage)
        ints, reals = work.view(np.int64), work.view(np.float64)
        assert ours
        for bus in range(BUSES):
            if ints[KIND + bus] not in (DEAD, SLACK):
                assert reals[P + bus] == pytest.approx(reals[NET_P + bus], abs=1e-5)
            if ints[KIND + bus] not in (DEAD, SLACK, REGULATES):
                assert reals[Q + bus] == pytest.approx(-reals[DEMAND_Q + bus], abs=1e-5)
            if ints[KIND + bus] in (SLACK, REGULATES):
                assert reals[MAGNITUDE + bus] == (VOLTAGE_SET if stage else FIRST_VOLTAGE)


def test_the_order_of_elimination_fills_little():
    order = elimination()
    assert sorted(order.rank) == list(range(1, 40))
    assert (len(order.pairs), len(order.targets)) == (67, 135)


@pytest.mark.parametrize("largest", [0.0, 0.3, SMALL, 1.1 * SMALL, 5.0])
def test_voltages_are_those_of_angles_and_magnitudes(largest):
    reals = np.zeros(WORK)
    angles, magnitudes = np.linspace(-largest, largest, BUSES), np.linspace(0.9, 1.1, BUSES)
    reals[ANGLE : ANGLE + BUSES], reals[MAGNITUDE : MAGNITUDE + BUSES] = angles, magnitudes
    find_voltages(reals)
    np.testing.assert_allclose(reals[REAL : REAL + BUSES], magnitudes * np.cos(angles), rtol=0, atol=3e-16)
    np.testing.assert_allclose(reals[IMAGINARY : IMAGINARY + BUSES], magnitudes * np.sin(angles), rtol=0, atol=3e-16)
