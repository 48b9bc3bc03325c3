"""Checks stepsim for as long as wanted: random jobs, damaged inputs, and what ends a run before its time.

  soak.py --program STEPSIM --server SOAK_SERVER --print-inputs PRINT_INPUTS --source SOURCE [--mpiexec MPIEXEC]
          [--minutes N | --number N] [--processes N] [--seed S] [--only CHECK]

Without --minutes, --processes and --seed, SOAK_MINUTES, SOAK_PROCESSES and SOAK_SEED of the environment count, else an hour, one
for each core, and the time of day. Each check has a seed of its own, counted from S. One that fails prints it: --only CHECK --seed S
--number 1 repeats just that. Attributes and their words come from the tables of the program, so that new ones take part.
"""
from __future__ import annotations

import argparse
import multiprocessing
import os
import random
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Callable, Optional

import inputs
import jobs
import stops
import table
from program import Context, Failure, Refused, Server

# Name, function, and how often it is drawn.
CHECKS: list[tuple[str, Callable[[Context], Optional[int]], int]] = [
    ("ways", jobs.check_ways, 4),
    ("scale", jobs.check_scale, 3),
    ("sums", jobs.check_sums, 3),
    ("repeats", jobs.check_repeats, 3),
    ("files", inputs.check_files, 600),
    ("options", inputs.check_options, 300),
    ("kills", stops.check_kills, 1),
    ("damaged", stops.check_damaged, 1),
    ("full-disk", stops.check_full_disk, 1),
    ("closed-pipe", stops.check_closed_pipe, 1),
]


def check_once(arguments: argparse.Namespace, tools: Tools, seed: int, counts: Counter) -> Optional[str]:
    """One check by its seed; its problem."""
    rng = random.Random(seed)
    names = [name for name, _, often in CHECKS for _ in range(often)]
    name = arguments.only or rng.choice(names)
    rng = random.Random(f"{name} {seed}")
    check = next(check for known, check, _ in CHECKS if known == name)
    with tempfile.TemporaryDirectory(prefix="stepsim-soak-") as folder:
        context = Context(rng, Path(folder), arguments.program, tools.servers, arguments.source, tools.rows, arguments.mpiexec)
        try:
            more = check(context)
            counts[name] += 1
            counts["killed"] += more or 0
        except Refused:
            counts["refused"] += 1
        except Failure as failure:
            counts["failed"] += 1
            return f"--only {name} --seed {seed} --number 1: {failure}"
    return None


class Tools:
    """What a process needs beside its arguments."""

    def __init__(self, arguments: argparse.Namespace):
        self.rows = table.read(arguments.print_inputs)
        self.servers = {threads: Server(arguments.server, threads) for threads in (1, 2)}


def check_many(arguments: argparse.Namespace, first: int) -> Counter:
    """The checks of one process: every so-manieth seed from `first` on."""
    tools = Tools(arguments)
    counts: Counter = Counter()
    end_s = time.monotonic() + 60.0 * arguments.minutes
    for index in range(first, arguments.number, arguments.processes):
        if time.monotonic() > end_s:
            break
        problem = check_once(arguments, tools, arguments.seed + index, counts)
        counts["checks"] += 1
        if problem is not None:
            print(problem, flush=True)
    return counts


def parse() -> argparse.Namespace:
    environment = os.environ
    parser = argparse.ArgumentParser(description="Checks stepsim for as long as wanted.")
    parser.add_argument("--program", required=True)
    parser.add_argument("--server", required=True)
    parser.add_argument("--print-inputs", required=True)
    parser.add_argument("--source", required=True, type=Path)
    parser.add_argument("--mpiexec", default="")
    parser.add_argument("--minutes", type=float)
    parser.add_argument("--number", type=int)
    parser.add_argument("--processes", type=int, default=int(environment.get("SOAK_PROCESSES", str(os.cpu_count()))))
    parser.add_argument("--seed", type=int, default=int(environment.get("SOAK_SEED", str(int(time.time())))))
    parser.add_argument("--only", choices=[name for name, _, _ in CHECKS])
    arguments = parser.parse_args()
    if arguments.minutes is None:
        arguments.minutes = float(environment.get("SOAK_MINUTES", "60")) if arguments.number is None else 1e9
    if arguments.number is None:
        arguments.number = sys.maxsize
    arguments.processes = max(1, min(arguments.processes, arguments.number))
    return arguments


def main() -> int:
    arguments = parse()
    print(f"from seed {arguments.seed}", flush=True)
    with multiprocessing.Pool(arguments.processes) as pool:
        work = [(arguments, first) for first in range(arguments.processes)]
        counts = sum(pool.starmap(check_many, work, chunksize=1), Counter())
    checks = counts.pop("checks", 0)
    print(f"{checks} checks: " + ", ".join(f"{number} {name}" for name, number in sorted(counts.items())))
    return 1 if counts["failed"] > 0 else 0


if __name__ == "__main__":
    sys.exit(main())
