"""Random jobs over every attribute, and what holds for each of them."""
from __future__ import annotations

import csv
import json
import re

from program import Context, Failure, Refused, expect, tiny_workload
from table import draw

CLOSE = 1e-6  # ways to replay a job differ by rounding only, and by what SimGrid takes for the same moment
NOISE = 0.4  # of kernel-noise: where ranks meet differs with what is computed (sim/engine/perturbation/perturbation.h)
PARTS = 1e-9  # sums
ATTRIBUTES = 24  # drawn for a job
MEMORY = ("weights_bytes", "gradients_bytes", "optimizer_bytes", "activations_bytes")
DEFAULT_TIMES = ("nvlink-latency", "fabric-latency", "launch-overhead", "host-forward", "host-backward", "host-collective")
SLOWED = ("1e-10", "1e-9", "1e-8")  # gpu-spread that shows whether a job is unstable


def draw_job(context: Context) -> list[str]:
    """Arguments of a valid job: sizes first, then other attributes as far as they are not refused."""
    rng, table = context.rng, context.table
    job = [tiny_workload(context.folder, rng.choice([4, 8, 12])), _draw_platform(context)]
    sizes = ("parallelism.tp", "parallelism.pp", "parallelism.dp", "parallelism.cp", "parallelism.tensor")
    rows = [row for name in sizes for row in table.rows if row.name == name]
    rows += rng.sample(table.drawable(), min(ATTRIBUTES, len(table.drawable())))
    for row in rows:
        value = rng.choice(["1", "2", "4"]) if row.name in sizes[:4] else draw(rng, row)
        longer = [*job, "--set", f"{row.name}={value}"]
        status = context.run("estimate", *longer, "--quiet").status
        expect(status in (0, 2, 3), f"status {status} of estimate {' '.join(longer)}")
        job = job if status == 2 else longer
    return [*job, "--quiet", "--max-seconds", "2", "--max-memory", "4GiB"]


def _draw_platform(context: Context) -> str:
    rng = context.rng
    like = rng.choice(sorted((context.source / "platforms").glob("*.xml")))
    domain = rng.choice([1, 2, 4, 8])
    fabric = rng.choice(["flat", "fat-tree", "rail", "dragonfly", "torus", "hyperx"])
    made = context.run("platform", "--gpus", "64", "--like", str(like), "--domain", str(domain), "--nics",
                       str(rng.choice([1, 2, domain])), "--fabric", fabric, "--name", "drawn", "--output", "drawn.xml")
    if made.status == 2:
        raise Refused(made.err)
    expect(made.status == 0, f"status {made.status} of platform: {made.err}")
    return "drawn.xml"


def _replay(context: Context, job: list[str], *more: str) -> dict:
    return json.loads(context.predict("run", *job, "--json", "-", *more).out)


def _is_close(a: float, b: float, within: float) -> bool:
    return abs(a - b) <= within * max(abs(a), abs(b))


def _is_unstable(context: Context, job: list[str], iteration_s: float) -> bool:
    """A rounding error moves the iteration, as docs/assumptions.md says of some."""
    moved = [_replay(context, job, "--set", f"platform.gpu-spread={spread}") for spread in SLOWED]
    return any(not _is_close(one["simulation"]["iteration_s"], iteration_s, CLOSE) for one in moved)


def check_ways(context: Context) -> None:
    """Folded or not, with or without shortcuts, by stepsim's own flows or SimGrid's: the same iteration."""
    job = draw_job(context)
    iteration_s = _replay(context, job)["simulation"]["iteration_s"]
    within = CLOSE + NOISE * sum(float(noise) for noise in re.findall("(?:kernel-noise|gpu-spread)=(\\S+)", " ".join(job)))
    for way in (["--fold", "none"], ["--flows", "all"], ["--flows", "simulated"], ["--fold", "none", "--flows", "simulated"]):
        other_s = _replay(context, job, *way)["simulation"]["iteration_s"]
        if not _is_close(iteration_s, other_s, within) and not _is_unstable(context, job, iteration_s):
            raise Failure(f"{iteration_s!r} s, {' '.join(way)} {other_s!r} s: run {' '.join(job)}")


def check_scale(context: Context) -> None:
    """Without start-up times, and what NCCL expects of its own machines, twice all rates is half the time."""
    job = draw_job(context)
    text = (context.folder / "drawn.xml").read_text()
    stated = dict(re.findall(r'<prop id="([^"]+)" value="([^"]+)"', text))
    bandwidths = re.findall(r'<cluster id="(?:nvlink|fabric)".*?\sbw="([^"]+)"', text, re.S)
    stated["nvlink-bandwidth"], stated["fabric-bandwidth"] = bandwidths
    stated.update(dict.fromkeys(DEFAULT_TIMES, ""))
    stated.pop("stall-time", None)  # which trials alone draw, and which a stall-rate needs
    if "platform.nccl-tuning=1" in job:
        raise Refused("NCCL expects times of its own machines")
    once = [*job, "--set", "platform.nccl-tuning=0"]
    twice = list(once)
    for row in context.table.of_platform():
        value = stated.get(row.name.removeprefix("platform."))
        if value is None or not (row.is_time() or row.is_rate()):
            continue
        number = re.match(r"[\d.]+(?:e[-+]?\d+)?", value)
        doubled = f"{2 * float(number[0])!r}{value[number.end():]}" if row.is_rate() else "0s"
        once += ["--set", f"{row.name}={value if row.is_rate() else '0s'}"]
        twice += ["--set", f"{row.name}={doubled}"]
    slow, fast = _replay(context, once), _replay(context, twice)
    for model in ("estimate", "simulation"):
        slow_s, fast_s = slow[model]["iteration_s"], fast[model]["iteration_s"]
        if not _is_close(slow_s, 2 * fast_s, CLOSE) and (model == "estimate" or not _is_unstable(context, once, slow_s)):
            raise Failure(f"{model} {slow_s!r} s, twice as fast {fast_s!r} s: run {' '.join(twice)}")


def check_sums(context: Context) -> None:
    """Parts of an iteration, memory and the bytes on links add up."""
    job = draw_job(context)
    result = _replay(context, job, "--links", "links.csv", "--flows", "all")
    for model in ("estimate", "simulation"):
        parts = dict(result[model])
        iteration_s = parts.pop("iteration_s")
        expect(_is_close(sum(parts.values()), iteration_s, PARTS), f"parts of {model}: run {' '.join(job)}")
        expect(min(parts.values()) >= -PARTS * iteration_s, f"a part of {model} is negative: run {' '.join(job)}")
    for memory in (result["memory"], *result["memory"]["stages"]):
        expect(_is_close(sum(memory[part] for part in MEMORY), memory["total_bytes"], PARTS), f"memory: run {' '.join(job)}")
    _check_links(context, result["simulation"]["iteration_s"], job)


def _check_links(context: Context, iteration_s: float, job: list[str]) -> None:
    """What leaves GPUs and NICs enters others, and no link carries more than it can."""
    sums = {"gpu": [0.0, 0.0], "nic": [0.0, 0.0]}
    with open(context.folder / "links.csv", newline="") as file:
        for link in csv.DictReader(file):
            carried, most = float(link["bytes"]), float(link["bytes_per_s"]) * iteration_s
            expect(carried <= most * (1 + CLOSE), f"{link['link']} carried {carried} of {most} bytes: run {' '.join(job)}")
            port = re.fullmatch(r"(gpu|nic)-\d+:(in|out)(-\d+)?", link["link"])
            if port:
                sums[port[1]][port[2] == "in"] += int(link["alike"]) * carried
    for kind, (out, into) in sums.items():
        expect(_is_close(out, into, CLOSE), f"{out} bytes leave, {into} enter {kind}s: run {' '.join(job)}")


def check_repeats(context: Context) -> None:
    """Two runs print and write equal bytes, with one thread and with two."""
    job = draw_job(context)
    trace = context.rng.choice(["trace.json", "trace.paje"])
    commands = [["run", *job, "--json", "out.json", "--trace", trace, "--links", "links.csv"],
                ["search", *job, "--gpus", "8", "--replay", "2", "--json", "out.json"],
                ["sweep", *job, "--vary", "training.micro-batch=1,2,4", "--replay", "--json", "out.json", "--csv", "out.csv"]]
    command = context.rng.choice(commands)
    runs = []
    for threads in (1, 2, 2):
        result = context.run(*command, threads=threads)
        files = {p.name: p.read_bytes() for p in sorted(context.folder.iterdir()) if p.suffix in (".json", ".csv", ".paje")}
        expect(result.status in (0, 1, 2, 3), f"status {result.status} of {' '.join(command)}: {result.err}")
        if result.status == 1 and "--max-" in result.err:
            raise Refused(result.err)
        runs.append((result.status, result.out, files))
    expect(runs[0] == runs[1] == runs[2], f"two runs differ: {' '.join(command)}")
    if "trace.json" in runs[0][2] and runs[0][0] in (0, 3):
        json.loads(runs[0][2]["trace.json"])
