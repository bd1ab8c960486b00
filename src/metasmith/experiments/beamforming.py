"""The paper's table II: designs for beamforming beside every baseline."""

from metasmith.experiments.shared.applications import Application, application_experiment
from metasmith.problems.beamforming.sequential import sequential

BEAMFORMING = Application(
    task="beamforming",
    title="Beamforming (table II)",
    baselines={"random": "random", "ILS": "ils", "SA": "sa", "GA": "ga-beamforming", "Alg_beam": "aldes-beamforming"},
    solvers={
        "sequential": lambda problem, evaluations, seed: sequential(problem, evaluations=evaluations, seed=seed).fun
    },
    measure="1 / sum rate",
    paper="""\
The channels are drawn by our generator from the authors' distribution: the numbers are of the same kind and size as the
paper's, but of other instances. Orders of algorithms can be compared, third digits cannot. Designs by an earlier rule
fell short at 120 here; the rule was then changed, by what it did on other channels (design note 4). Sequential ends
when no element alone can be improved, with most of the evaluations unspent on the smaller surfaces.""",
    order="its designs, ILS, GA, sequential and SA in turns, random",
)

EXPERIMENT = application_experiment(BEAMFORMING, "Designs for beamforming beside every baseline (table II).", 11)
