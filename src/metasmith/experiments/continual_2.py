"""The paper's figure 6, continual task 2."""

from metasmith.experiments.shared.continual_tables import continual_sheet, series_experiment

NAME = "continual-2"
TITLE = "Continual design, task 2 (figures 6 and 7)"
HELP = "One writer learns F1, F2, F11, F18, F19, F22, F23: what it forgets and gains (figure 6)."

EXPERIMENT = series_experiment(NAME, NAME, HELP, 8, lambda outcome: continual_sheet(outcome, NAME, TITLE))
