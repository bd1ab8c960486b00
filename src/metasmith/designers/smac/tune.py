"""Runs SMAC, and asks the process that listens on a port of this machine to measure what it wants.

A script of its own, which `shared/talking.py` starts and talks to. Its argument is the port; asked.json has the rest.
"""

import json
import logging
import os
import socket
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO, Any

from ConfigSpace import CategoricalHyperparameter, ConfigurationSpace, InCondition, OrdinalHyperparameter
from smac import AlgorithmConfigurationFacade, Scenario
from smac.runhistory import TrialValue


def main() -> None:
    """SMAC's own facade for configuring algorithms, with its own settings, asked for one run after the other."""
    logging.disable()
    asked = json.loads(Path("asked.json").read_text(encoding="utf-8"))
    features = {str(number): [float(length)] for number, length in enumerate(asked["instances"])}
    scenario = Scenario(
        configuration_space(asked["parameters"]), output_directory=Path("output"), deterministic=False,
        instances=list(features), instance_features=features, n_trials=asked["trials"], seed=asked["seed"],
    )  # fmt: skip
    smac = AlgorithmConfigurationFacade(scenario, logging_level=False, overwrite=True)
    with socket.create_connection(("127.0.0.1", int(sys.argv[1]))) as connection, connection.makefile("rw") as other:
        other.write(os.environ["METASMITH_WORD"] + "\n")
        for _ in range(asked["trials"]):
            try:
                trial = smac.ask()
            except StopIteration:  # there is nothing that it has not tried
                break
            say(other, "runs", [(f"{trial.instance} {trial.seed}", trial.config)])
            answer = other.readline()
            if not answer:
                raise EOFError("nobody is there to measure")
            smac.tell(trial, TrialValue(cost=float(answer)), save=False)
        say(other, "elites", [("elite", each) for each in smac.intensifier.get_incumbents()])


def say(other: IO[str], what: str, configurations: Sequence[tuple[str, Mapping[str, Any]]]) -> None:
    lines = ["\t".join([first, *(f"{name}={value}" for name, value in each.items())]) for first, each in configurations]
    other.write("\n".join([f"{what} {len(lines)}", *lines]) + "\n")
    other.flush()


def configuration_space(parameters: Sequence[Mapping[str, Any]]) -> ConfigurationSpace:
    """The parameters as SMAC has them."""
    made: dict[str, Any] = {}
    conditions = []
    for each in parameters:
        kind = OrdinalHyperparameter if each["ordered"] else CategoricalHyperparameter
        made[each["name"]] = kind(each["name"], each["values"])
        if each["parent"] is not None:
            conditions.append(InCondition(made[each["name"]], made[each["parent"]], each["needed"]))
    space = ConfigurationSpace()
    space.add(*made.values(), *conditions)
    return space


if __name__ == "__main__":
    main()
