#!/usr/bin/env python3
"""How iterations of a machine differ, from the logs of MLPerf Training, and the constants that --trials draws from.

    steps.py row GIT_DIR SOURCE MACHINE GPUS REPLICAS   a row of steps.csv: all runs in a folder of a snapshot; the source
                                                        is its repository (github.com/mlcommons/...) and the folder
    steps.py fit steps.csv MACHINE                      iteration-noise, stall-rate and stall-time, fitted to rows that
                                                        say so, and what they give for all rows of the machine

A step is train_step_time of its log; the first one after an evaluation is left out. The running median of 21 steps says
how the steps of a run drift (drift: its standard deviation over the median of the run), and by how much a step is longer
than that is its jitter (quantiles in ms, of all runs together). Steps that are more than 5 % longer than the median are
counted (longer) and left out, also of the standard deviation: few, and up to three times as long, they are no noise.

Jitter is taken for that of the replica which stalls most, all others waiting for it, plus noise of the iteration. The fit
takes rate and length of stalls and the noise for which the quantiles of 2,000 such draws are closest, and adds the
median of the drifts to the noise, as squares.
"""
import csv
import json
import math
import random
import statistics
import subprocess
import sys

QUANTILES = (0.10, 0.25, 0.75, 0.90, 0.95)
WINDOW, LONGEST = 10, 1.05
KEYS = ("train_step_time", "train_step_timing in s")
TRIALS = 2000
FIELDS = ["machine", "fitted", "gpus", "replicas", "steps", "median_s", "deviation", "drift",
          *(f"p{100 * q:.0f}_ms" for q in QUANTILES), "longer", "source"]


def quantile(values, share):
    values = sorted(values)
    place = share * (len(values) - 1)
    low = int(place)
    return values[low] + (values[min(low + 1, len(values) - 1)] - values[low]) * (place - low)


def read_steps(text):
    """The steps of a log but those behind an evaluation."""
    steps, settled = [], False
    for line in text.splitlines():
        if ":::MLLOG" not in line:
            continue
        event = json.loads(line[line.index("{"):])
        value = event.get("value")
        time = next((value[key] for key in KEYS if key in value), None) if isinstance(value, dict) else None
        if time is not None and settled:
            steps.append(time)
        if time is not None or event["key"].startswith("eval"):
            settled = time is not None
    return steps


def git(directory, *words):
    return subprocess.run(["git", f"--git-dir={directory}", *words], check=True, capture_output=True, text=True).stdout


def row_of(directory, source, machine, gpus, replicas):
    counts, medians, deviations, drifts, jitter, longer = 0, [], [], [], [], 0
    for name in git(directory, "ls-tree", "--name-only", "HEAD", source.split("/", 1)[1] + "/").split():
        if not name.endswith(".txt"):
            continue
        steps = read_steps(git(directory, "show", f"HEAD:{name}"))
        median = statistics.median(steps)
        trend = [statistics.median(steps[max(0, i - WINDOW):i + WINDOW + 1]) for i in range(len(steps))]
        short = [step for step in steps if step < LONGEST * median]
        counts, longer = counts + len(steps), longer + len(steps) - len(short)
        medians.append(median)
        deviations.append(statistics.pstdev(short) / median)
        drifts.append(statistics.pstdev(trend) / median)
        jitter += [step - usual for step, usual in zip(steps, trend) if step < LONGEST * median]
    return [machine, "yes", gpus, replicas, counts, f"{statistics.mean(medians):.4g}", f"{statistics.mean(deviations):.4f}",
            f"{statistics.median(drifts):.4f}", *(f"{1e3 * quantile(jitter, q):.0f}" for q in QUANTILES),
            f"{longer / counts:.3f}", source]


def draw_count(mean, draw):
    """Poisson, by Knuth's product."""
    least, count, product = math.exp(-mean), 0, draw.random()
    while product > least:
        count, product = count + 1, product * draw.random()
    return count


def jitter_of(row, rate, stall, noise):
    """What iterations are longer than their median: noise, and the stalls of the replica that stalls most."""
    draw, times = random.Random(1), []
    for _ in range(TRIALS):
        stalled = [0.0] * int(row["replicas"])
        for _ in range(draw_count(rate * int(row["gpus"]) * float(row["median_s"]), draw)):
            stalled[draw.randrange(len(stalled))] += draw.expovariate(1.0 / stall)
        times.append(max(stalled) + noise * float(row["median_s"]) * draw.gauss(0.0, 1.0))
    median = quantile(times, 0.5)
    return [1e3 * (quantile(times, q) - median) for q in QUANTILES], statistics.mean(times), statistics.pstdev(times)


def measured(row):
    return [float(row[f"p{100 * q:.0f}_ms"]) for q in QUANTILES]


def misfit(rows, constants):
    total = 0.0
    for row in rows:
        wide = measured(row)[3] - measured(row)[0]
        total += sum(((ours - theirs) / wide) ** 2 for ours, theirs in zip(jitter_of(row, *constants)[0], measured(row)))
    return total


def fit(rows):
    """Least squares over rate, length and noise: steps along one of them, each smaller when none helps."""
    best, step = [3e-5, 0.02, 3e-4], 4.0
    least = misfit(rows, best)
    while step > 1.05:
        moved = False
        for axis in range(3):
            for factor in (step, 1.0 / step):
                other = [value * factor if i == axis else value for i, value in enumerate(best)]
                value = misfit(rows, other)
                if value < least:
                    best, least, moved = other, value, True
        step = step if moved else math.sqrt(step)
    return best, math.sqrt(least / (len(rows) * len(QUANTILES)))


def print_fit(path, machine):
    with open(path, encoding="utf-8") as file:
        rows = [row for row in csv.DictReader(file) if row["machine"] == machine]
    fitted = [row for row in rows if row["fitted"] == "yes"]
    (rate, stall, noise), error = fit(fitted)
    drift = statistics.median(float(row["drift"]) for row in fitted)
    both = math.hypot(noise, drift)
    print(f"{machine}: iteration-noise {both:.4f} (drift {drift:.4f}, noise {noise:.5f}), stall-rate {rate:.2e}, "
          f"stall-time {1e3 * stall:.0f}ms; rms {error:.2f} of p90 - p10")
    for row in rows:
        quantiles, mean, deviation = jitter_of(row, rate, stall, noise)
        print(f"  {row['gpus']:>5} GPUs, {float(row['median_s']):5.2f} s, {row['fitted']:>3}: deviation "
              f"{100 * math.hypot(drift, deviation / float(row['median_s'])):.2f} % (measured "
              f"{100 * float(row['deviation']):.2f} %), mean + {100 * mean / float(row['median_s']):.2f} %; quantiles in ms "
              f"{' '.join(f'{q:.0f}' for q in quantiles)} (measured {' '.join(f'{q:.0f}' for q in measured(row))})")


if __name__ == "__main__":
    if len(sys.argv) == 7 and sys.argv[1] == "row":
        csv.writer(sys.stdout, lineterminator="\n").writerow(row_of(*sys.argv[2:]))
    elif len(sys.argv) == 4 and sys.argv[1] == "fit":
        print_fit(*sys.argv[2:])
    else:
        sys.exit(__doc__)
