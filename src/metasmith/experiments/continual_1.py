"""The paper's figure 6, continual task 1."""

from metasmith.experiments.shared.continual_tables import continual_sheet, series_experiment

NAME = "continual-1"
TITLE = "Continual design, task 1 (figure 6)"
HELP = (
    "One writer learns F1 to F7: what it forgets and gains, with and without elastic weight consolidation (figure 6)."
)

EXPERIMENT = series_experiment(NAME, NAME, HELP, 7, lambda outcome: continual_sheet(outcome, NAME, TITLE))
