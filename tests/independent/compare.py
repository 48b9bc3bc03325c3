"""Compares the replay with simulate.py on random jobs, those of the seeds from FIRST on, as print_jobs prints them.

  compare.py PRINT_JOBS COUNT [FIRST]

They agree within TOLERANCE. The exception is a job that is unstable, as docs/assumptions.md says: one whose
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

TOLERANCE = 1e-8
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

    def is_explained(self) -> bool:
        return self.is_unstable() and self.is_in_range()

    def text(self) -> str:
        """Of one that does not agree."""
        verdict = "unstable" if self.is_explained() else "disagrees"
        return (f"seed {self.seed}: replay {self.replay_s:.9g} s, simulation {self.simulation_s:.9g} s, {self.difference():+.2%}; "
                f"{verdict}: {min(self.slower_s):.9g} to {max(self.slower_s):.9g} s with kernels slower by rounding errors")


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
    others = [one for one in found if not one.agrees()]
    disagree = [one for one in others if not one.is_explained()]
    worst = max((abs(one.difference()) for one in found if one.agrees()), default=0.0)
    print(f"{len(found)} jobs from seed {first}: {len(found) - len(others)} agree, the worst within {worst:.1e}; "
          f"{len(others) - len(disagree)} are unstable, {len(disagree)} disagree")
    for one in others:
        print(one.text())
    return 1 if disagree else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
