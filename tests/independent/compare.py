"""Compares the replay with simulate.py on random jobs, those of the seeds from FIRST on, as print_jobs prints them.

  compare.py PRINT_JOBS COUNT [FIRST]

They agree within TOLERANCE. The exception is a job that is unstable, as README.md says ("What a prediction assumes"): one whose
iteration moves by more than that when a stage replica computes slower by a rounding error. Its replay has to be within the range
of such simulations.
"""
from __future__ import annotations

import json
import os
import subprocess
import sys
from concurrent.futures import ProcessPoolExecutor
from typing import NamedTuple

from simulate import Simulation

TOLERANCE = 1e-3
SLOWER = (1e-13, -1e-13, 1e-12, -1e-12, 1e-11, -1e-11)


class Comparison(NamedTuple):
    """A job, and the seconds of its iteration; those of simulations with slower kernels if the two differ."""

    seed: int
    replay_s: float
    simulation_s: float
    slower_s: tuple[float, ...] = ()

    def difference(self) -> float:
        return self.replay_s / self.simulation_s - 1.0

    def agrees(self) -> bool:
        return abs(self.difference()) <= TOLERANCE

    def is_unstable(self) -> bool:
        return max(self.slower_s) > min(self.slower_s) * (1.0 + TOLERANCE)

    def is_in_range(self) -> bool:
        low_s, high_s = min(self.slower_s), max(self.slower_s)
        return low_s * (1.0 - TOLERANCE) <= self.replay_s <= high_s * (1.0 + TOLERANCE)

    def problem(self) -> str:
        """Empty where there is none."""
        if self.agrees() or (self.is_unstable() and self.is_in_range()):
            return ""
        return f"seed {self.seed}: replay {self.replay_s:.9g} s, simulation {self.simulation_s:.9g} s, {self.difference():+.2%}"


def print_jobs(program: str, first: int, count: int) -> list[str]:
    """A line of JSON for each job."""
    command = [program, str(first), str(count)]
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout.splitlines()


def compare(line: str) -> Comparison:
    job = json.loads(line)
    found = Comparison(job["seed"], job["replay_s"], Simulation(job).iteration_s())
    if found.agrees():
        return found
    return found._replace(slower_s=tuple(Simulation(job, slower).iteration_s() for slower in (0.0, *SLOWER)))


def main(arguments: list[str]) -> int:
    program, count, first = arguments[0], int(arguments[1]), int(arguments[2]) if len(arguments) > 2 else 1
    with ProcessPoolExecutor(os.cpu_count()) as workers:
        found = list(workers.map(compare, print_jobs(program, first, count), chunksize=4))
    problems = [one.problem() for one in found if one.problem()]
    differences = sorted(abs(one.difference()) for one in found if one.agrees())
    print(f"{len(found)} jobs from seed {first}: {len(differences)} agree, the worst within {differences[-1]:.1e};")
    print(f"{len(found) - len(differences) - len(problems)} are unstable, {len(problems)} disagree")
    print("\n".join(problems))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
