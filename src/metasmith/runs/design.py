"""A design: the algorithm that came out, and all that is recorded of how it was made."""

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from metasmith.designers.ppo.writer_file import WriterFile
from metasmith.export import BEGINS, exported, overwritable
from metasmith.files import overwrite
from metasmith.program import Program, pseudocode
from metasmith.representations import KINDS
from metasmith.runs.checkpoint import Checkpoint
from metasmith.runs.folder import Folder
from metasmith.runs.history import descent
from metasmith.runs.spec import Spec


@dataclass(frozen=True, eq=False)
class Design:
    """An algorithm that was designed.

    score: that of the final race; 0 is random search, and 1 the optimum, where that is known. history: a dictionary a
    step, as in the folder's `history.jsonl`. memory: what the writer knew before, if there is one.
    """

    program: Program
    score: float
    representation: str
    spec: Spec
    history: list[dict[str, Any]]
    checkpoint: Checkpoint
    memory: WriterFile | None = None

    @property
    def ledger(self) -> dict[str, Any]:
        """What it cost: runs, evaluations, seconds."""
        return dict(self.history[-1]["ledger"])

    def record(self) -> dict[str, Any]:
        """What `design.json` says. descent: the program and those that it varies, one after the other, each with who
        proposed it first. resumed: the code that went on with the run, where it was another.
        """
        made, *resumed = [step["made"] for step in self.history if "made" in step]
        return {
            "task": self.spec.task,
            "evaluations": self.spec.evaluations,
            "seed": self.spec.seed,
            "representation": self.representation,
            "program": str(self.program),
            "pseudocode": pseudocode(self.program),
            "score": self.score,
            "descent": [ancestor._asdict() for ancestor in descent(self.history)],
            "finalists": self.history[-1].get("standing", []),
            "ledger": self.ledger,
            "finished_early": any(step["step"] == "finish" for step in self.history),
            **made,
            "resumed": resumed,
        }

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the design as the folder of a run, which `metasmith show` and all other commands take."""
        folder = Folder(os.fspath(path))
        with folder.claimed():
            folder.create(self.spec, self.memory)
            first, *rest = self.history
            folder.rewind([{**first, "spec": folder.checksum}, *rest])
            folder.keep(self.checkpoint)
            folder.finish(self.record())

    def export(self, path: str | os.PathLike[str]) -> None:
        """Write the algorithm as a stand-alone Python file that needs numpy only."""
        export(self.program, self.representation, path)

    def __repr__(self) -> str:
        return f"Design(score={self.score:.4g}, program={self.program!s})"


def export(program: Program, representation: str, path: str | os.PathLike[str]) -> None:
    """Write a program as a stand-alone Python file, whole or not at all; in place of an exported one, but of no other.

    Raises ValueError if another file is there, or an exported one that was edited.
    """
    text, file = exported(program, KINDS[representation]), Path(path)
    try:
        before = file.read_text(encoding="utf-8", errors="replace") if file.is_file() else ""
        if before and not before.startswith(BEGINS):
            raise ValueError(f"'{path}' is there already, and is not an exported algorithm; choose another name")
        if before and not overwritable(before):
            raise ValueError(f"'{path}' was edited after it was exported; choose another name, or delete it")
        overwrite(file, text.encode())
    except OSError as error:
        raise ValueError(f"cannot write '{path}': {error.strerror}") from error
