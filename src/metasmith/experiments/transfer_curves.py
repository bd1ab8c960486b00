"""The paper's figure 7: training curves of continual task 2 beside training from scratch."""

from metasmith.experiments.shared.continual_tables import series_experiment, transfer_sheet

NAME = "transfer-curves"
TITLE = "What earlier tasks give to later ones (figure 7)"
HELP = "What earlier tasks give to later ones: training curves of continual-2, whose folder it shares (figure 7)."
SHOWN = ("F11", "F18", "F19", "F22")
"""Those of the paper's figure."""

EXPERIMENT = series_experiment(
    NAME, "continual-2", HELP, 9, lambda outcome: transfer_sheet(outcome, NAME, TITLE, SHOWN)
)
