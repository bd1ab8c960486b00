"""A designer of somebody else's package is found by its entry point and designs."""

import os
import subprocess
import sys
from pathlib import Path

MODULE = '''
"""Always the same program.

More about it.
"""
from metasmith.designers.contract import Declaration, Proposal, State
from metasmith.program import Program

class Same:
    def __init__(self, space, training, *, seed):
        self.batch = 0
    def propose(self, archive, count):
        return [Proposal(Program.parse("population 1; reset_n(n=1)"), None, "mine")]
    def tell(self, standing):
        self.batch += 1
        return {}
    def finalists(self, count):
        return self.propose(None, count)
    def state(self):
        return State({}, {"batch": self.batch})
    def restore(self, state):
        self.batch = state.facts["batch"]

DESIGNER = Declaration("same", __doc__, Same)
OURS = Declaration("random", __doc__, Same)
'''
CODE = """
import metasmith as ms
from metasmith.designers import designers
from metasmith.designers.training import Training
assert designers()["same"].about == "Always the same program."
assert designers()["random"].about != "Always the same program."
problem = ms.Problem(lambda x: float(x.sum()), ms.Bits(10), name="ones")
training = Training(known=False)
design = ms.design(problem, evaluations=30, effort="quick", designer="same", training=training, out="run")
print(design.program, {source for step in design.history for source in step.get("sources", [])})
assert ms.resume("run", problem).program == design.program
"""


def test_a_designer_of_another_package_designs(tmp_path: Path) -> None:
    (tmp_path / "same_designer.py").write_text(MODULE)
    about = tmp_path / "same_designer-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: same_designer\nVersion: 1.0\n")
    points = "[metasmith.designers]\nsame = same_designer:DESIGNER\nrandom = same_designer:OURS\n"
    (about / "entry_points.txt").write_text(points)
    path = os.pathsep.join([str(tmp_path), *filter(None, [os.environ.get("PYTHONPATH")])])
    done = subprocess.run(
        [sys.executable, "-c", CODE],
        env={**os.environ, "PYTHONPATH": path},
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )
    assert done.stderr == "metasmith: left out another 'random': that name is taken\n"
    assert done.stdout.split() == ["population", "1", "reset_n(n=1)", "{'mine'}"]
