"""Checks stepsim for as long as wanted: random jobs, damaged inputs, and what ends a run before its time.

  soak.py --program STEPSIM --print-inputs PRINT_INPUTS --source SOURCE [--mpiexec MPIEXEC]
          [--minutes N] [--seed S] [--only CHECK] [--once]

Without --minutes and --seed, SOAK_MINUTES and SOAK_SEED of the environment count, else an hour and the time of day. Each check has
a seed of its own, counted from S. One that fails prints it: --only CHECK --seed S --once repeats just that. Attributes and their
words come from the tables of the program, so that new ones take part.
"""
from __future__ import annotations

import argparse
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
from program import Context, Failure, Refused

# Name, function, and how often it is drawn.
CHECKS: list[tuple[str, Callable[[Context], Optional[int]], int]] = [
    ("ways", jobs.check_ways, 4),
    ("scale", jobs.check_scale, 3),
    ("sums", jobs.check_sums, 3),
    ("repeats", jobs.check_repeats, 3),
    ("files", inputs.check_files, 30),
    ("options", inputs.check_options, 15),
    ("kills", stops.check_kills, 2),
    ("damaged", stops.check_damaged, 2),
    ("full-disk", stops.check_full_disk, 2),
    ("closed-pipe", stops.check_closed_pipe, 2),
]


def check_once(arguments: argparse.Namespace, rows: table.Table, seed: int, counts: Counter) -> Optional[str]:
    """One check by its seed; its problem."""
    rng = random.Random(seed)
    names = [name for name, _, often in CHECKS for _ in range(often)]
    name = arguments.only or rng.choice(names)
    rng = random.Random(f"{name} {seed}")
    check = next(check for known, check, _ in CHECKS if known == name)
    with tempfile.TemporaryDirectory(prefix="stepsim-soak-") as folder:
        context = Context(rng, Path(folder), arguments.program, arguments.source, rows, arguments.mpiexec)
        try:
            more = check(context)
            counts[name] += 1
            counts["killed"] += more or 0
        except Refused:
            counts["refused"] += 1
        except Failure as failure:
            counts["failed"] += 1
            return f"--only {name} --seed {seed} --once: {failure}"
    return None


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Checks stepsim for as long as wanted.")
    parser.add_argument("--program", required=True)
    parser.add_argument("--print-inputs", required=True)
    parser.add_argument("--source", required=True, type=Path)
    parser.add_argument("--mpiexec", default="")
    parser.add_argument("--minutes", type=float, default=float(os.environ.get("SOAK_MINUTES", "60")))
    parser.add_argument("--seed", type=int, default=int(os.environ.get("SOAK_SEED", str(int(time.time())))))
    parser.add_argument("--only", choices=[name for name, _, _ in CHECKS])
    parser.add_argument("--once", action="store_true")
    return parser.parse_args()


def main() -> int:
    arguments = parse()
    rows = table.read(arguments.print_inputs)
    counts: Counter = Counter()
    end_s = time.monotonic() + 60.0 * arguments.minutes
    seed = arguments.seed
    print(f"from seed {seed}", flush=True)
    while time.monotonic() < end_s:
        problem = check_once(arguments, rows, seed, counts)
        if problem is not None:
            print(problem, flush=True)
        seed += 1
        if arguments.once:
            break
    print(f"{seed - arguments.seed} checks: " + ", ".join(f"{number} {name}" for name, number in sorted(counts.items())))
    return 1 if counts["failed"] > 0 else 0


if __name__ == "__main__":
    sys.exit(main())
