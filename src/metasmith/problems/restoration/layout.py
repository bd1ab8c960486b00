"""Where things are: in the tables of an instance, and in the scratch of its kernels.

Units are the starters, then those they start.
"""

from metasmith.problems.restoration.elimination import PAIRS, TARGETS, offsets
from metasmith.problems.restoration.system import BRANCHES, BUSES, LOADS, UNITS

STARTERS = 2
"""Units that start by themselves, black-start units; the others are started by them."""

STARTED = UNITS - STARTERS

NAMES = ("one_hot", "bs_cranking", "nbs_power", "deadline", "unit_q", "branch", "voltage", "slack_p", "no_ac_solution")
"""The kinds of violation, in order."""

ONE_HOT, CRANKING, POWER, DEADLINE, UNIT_Q, BRANCH, VOLTAGE, SLACK_P, NO_SOLUTION = range(len(NAMES))

STAGES = 3
"""Cranking, critical loads, all loads."""

VIOLATED_BY = len(NAMES) - UNIT_Q
"""Kinds of violation that a power flow can show, the last ones."""

KEY_WORDS, ROW = 4, 4 + VIOLATED_BY
"""Words that name the choices a stage depends on, and those with what they violate."""

SLOTS = 4096
"""Rows that are kept of each stage."""

# tables.numbers. START, END: of branches, by place in the elimination. THERE, BACK: the blocks of a branch.
(
    ASKED, START, END, THERE, BACK, FIRST, LATER, TARGET, TARGET_FIRST, UNIT_AT, LOAD_AT, CRITICAL, CRANK_TENTHS, SERVE_TENTHS, NUMBERS,
) = offsets(
    1, BRANCHES, BRANCHES, BRANCHES, BRANCHES, BUSES + 1, PAIRS, TARGETS, BUSES + 1, UNITS, LOADS, LOADS, STARTED * STARTERS,
    LOADS * STARTED,
)  # fmt: skip

# tables.reals. ADMITTANCE: of a branch at its start, at its end, and between, real and imaginary.
ADMITTANCE, RATING, MAX_P, MAX_Q, MIN_Q, CRANK, RAMP, LOAD_P, LOAD_Q, REALS = offsets(
    6 * BRANCHES, BRANCHES, UNITS, UNITS, UNITS, UNITS, UNITS, LOADS, LOADS
)

# The scratch: what is found of a solution. OF_STAGE: what each stage violates, by kind. ON: when a unit is on. EARLY,
# TOTAL: what it
# feeds of critical loads, and of all. CRANKED: what a starter cranks with. NETWORK: branches energised in each stage,
# as bits.
VIOLATION, OF_STAGE, MINUTES, CHOSEN, ON, EARLY, TOTAL, CRANKED, NETWORK, FOUND = offsets(
    len(NAMES), STAGES * VIOLATED_BY, 1, STARTED + LOADS, STARTED, STARTED, STARTED, STARTERS, STAGES
)

# The scratch, from there on: the stage at hand. GIVEN: what is generated at a bus less its demand. JOINED: buses beside
# a bus, as bits.
# P, Q: what the network takes from a bus; OWN: the part of it that depends on its own voltage alone. FLOW: into a
# branch at its start and
# at its end, real and imaginary; CROSS: the part of it that depends on both voltages. BLOCK: the matrix. STEP: what is
# missing, then the
# change of angle and magnitude. KEY, KEPT: see `memo`.
(
    GENERATED, DEMAND_P, DEMAND_Q, GIVEN_P, GIVEN_Q, KIND, JOINED, LIVE, ANGLE, MAGNITUDE, REAL, IMAGINARY, P, Q, OWN_P, OWN_Q,
    FLOW, CROSS, BLOCK, STEP, KEY, KEPT, WORK,
) = (FOUND + offset for offset in offsets(
    UNITS, BUSES, BUSES, BUSES, BUSES, BUSES, BUSES, PAIRS, BUSES, BUSES, BUSES, BUSES, BUSES, BUSES, BUSES, BUSES,
    4 * BRANCHES, 4 * BRANCHES, 4 * (BUSES + 2 * PAIRS), 2 * BUSES, KEY_WORDS, STAGES * SLOTS * ROW,
))  # fmt: skip

DEAD, CONSUMES, REGULATES, SLACK = range(4)
"""Kinds of bus: not energised; given power; given active power and voltage; given voltage, it makes up the balance of
its island.
"""
