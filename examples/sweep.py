#!/usr/bin/env python3
"""The time of an iteration by tensor parallelism, closed form and replay: sweep.py [PICTURE]."""

import sys

import stepsim


def sweep(sizes: list[int]) -> list[tuple[int, float, float]]:
    """Size, closed form and replay in seconds, of jobs that fit in memory."""
    machine = stepsim.Machine("dgx-h100")
    points = []
    for tp in sizes:
        job = stepsim.Job("llama3-8b", machine, {"parallelism.tp": tp, "parallelism.dp": 64 // tp})
        replay = job.replay(max_seconds=60)
        if replay.estimate.fits:
            points.append((tp, replay.estimate.iteration_s, replay.iteration_s))
    return points


def plot(points: list[tuple[int, float, float]], path: str) -> None:
    """Draws them, where there is matplotlib."""
    from matplotlib import pyplot  # type: ignore[import]

    sizes, closed, replayed = zip(*points)
    figure, axes = pyplot.subplots()
    axes.plot(sizes, closed, "o--", label="closed form")
    axes.plot(sizes, replayed, "s-", label="replay")
    axes.set(xscale="log", xlabel="tensor parallelism", ylabel="iteration (s)", ylim=(0, None))
    axes.set_xticks(sizes, [str(size) for size in sizes])
    axes.legend()
    figure.savefig(path)


if __name__ == "__main__":
    found = sweep([1, 2, 4, 8])
    for size, estimate_s, replay_s in found:
        print(f"tp {size}: {estimate_s:7.3f} s by the closed form, {replay_s:7.3f} s by the replay")
    if len(sys.argv) > 1:
        plot(found, sys.argv[1])
