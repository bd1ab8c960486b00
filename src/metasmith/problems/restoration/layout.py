"""Offsets into the tables of an instance and into the scratch array of its kernels.

Units are numbered: first the starters, then those that they start. What a stretch holds is said above its offset.
"""

from metasmith.problems.restoration.elimination import PAIRS, TARGETS, offsets
from metasmith.problems.restoration.system import BRANCHES, BUSES, LOADS, UNITS

STARTERS = 2
"""The number of black-start units, which start by themselves and start the others."""

STARTED = UNITS - STARTERS
"""The number of units that need cranking power from a starter."""

NAMES = ("one_hot", "bs_cranking", "nbs_power", "deadline", "unit_q", "branch", "voltage", "slack_p", "no_ac_solution")
"""The names of the kinds of violation, in the order of their numbers."""

ONE_HOT, CRANKING, POWER, DEADLINE, UNIT_Q, BRANCH, VOLTAGE, SLACK_P, NO_SOLUTION = range(len(NAMES))

STAGES = 3
"""Power flows per solution: while units are cranked, with the critical loads, with all loads."""

VIOLATED_BY = len(NAMES) - UNIT_Q
"""The number of kinds of violation that a power flow can show, which are the last ones."""

KEY_WORDS, ROW = 4, 4 + VIOLATED_BY
"""Words of a key in `memo`, which holds the choices that a stage depends on, and of the key with its violations."""

SLOTS = 4096
"""Rows of `memo` for each stage."""

# In tables.numbers. OUTPUT: FITNESS or VIOLATED of `kernels`. START, END: the buses of a branch, by rank in the
# elimination. THERE, BACK: the blocks of a branch.
(
    OUTPUT, START, END, THERE, BACK, FIRST, LATER, TARGET, TARGET_FIRST, UNIT_AT, LOAD_AT, CRITICAL,
    CRANK_TENTHS, SERVE_TENTHS, NUMBERS,
) = offsets(
    1, BRANCHES, BRANCHES, BRANCHES, BRANCHES, BUSES + 1, PAIRS, TARGETS, BUSES + 1, UNITS, LOADS, LOADS,
    STARTED * STARTERS, LOADS * STARTED,
)  # fmt: skip

# In tables.reals. ADMITTANCE: of a branch at its start, at its end, and between, real and imaginary.
ADMITTANCE, RATING, MAX_P, MAX_Q, MIN_Q, CRANK, RAMP, LOAD_P, LOAD_Q, REALS = offsets(
    6 * BRANCHES, BRANCHES, UNITS, UNITS, UNITS, UNITS, UNITS, LOADS, LOADS
)

# In the scratch, of the solution. OF_STAGE: what each stage violates, by kind. ON: the minute at which a unit is on.
# EARLY, TOTAL: the power that it feeds to critical loads, and to all. CRANKED: the power that a starter cranks with.
# NETWORK: the branches energised in each stage, as bits.
VIOLATION, OF_STAGE, MINUTES, CHOSEN, ON, EARLY, TOTAL, CRANKED, NETWORK, STAGE_SCRATCH = offsets(
    len(NAMES), STAGES * VIOLATED_BY, 1, STARTED + LOADS, STARTED, STARTED, STARTED, STARTERS, STAGES
)

# In the scratch, of one stage. NET: the power generated at a bus less its demand. JOINED: the neighbours of a bus, as
# bits. P, Q: the power that the network takes from a bus; OWN: the part of it that depends on its own voltage alone.
# FLOW: the power into a branch at its start and at its end, real and imaginary; CROSS: the part of it that depends on
# both voltages. BLOCK: the matrix. STEP: the mismatch, then the change of angle and magnitude. KEY, KEPT: see `memo`.
(
    GENERATED, DEMAND_P, DEMAND_Q, NET_P, NET_Q, KIND, JOINED, LIVE, ANGLE, MAGNITUDE, REAL, IMAGINARY, P, Q,
    OWN_P, OWN_Q, FLOW, CROSS, BLOCK, STEP, KEY, KEPT, WORK,
) = (STAGE_SCRATCH + offset for offset in offsets(
    UNITS, BUSES, BUSES, BUSES, BUSES, BUSES, BUSES, PAIRS, BUSES, BUSES, BUSES, BUSES, BUSES, BUSES, BUSES, BUSES,
    4 * BRANCHES, 4 * BRANCHES, 4 * (BUSES + 2 * PAIRS), 2 * BUSES, KEY_WORDS, STAGES * SLOTS * ROW,
))  # fmt: skip

DEAD, CONSUMES, REGULATES, SLACK = range(4)
"""Kinds of bus: not energised; fixed power (PQ); fixed active power and voltage (PV); fixed voltage (slack)."""
