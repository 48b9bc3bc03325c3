#!/usr/bin/env python3
"""Predicts published iterations from what tables of results say, with and without the stack of their software.

    stacks.py [STEPSIM]

Sizes, batch, strategy, type of numbers and layers computed again as a whole stand in such tables; how a recipe overlaps,
gathers, fuses and launches does not, nor which modules it recomputes. So of the rows in validation/ all else is left out. Prints a line for each stack: rows, and the mean
absolute error of the closed form without the stack, with it, and of the row as validation/ describes it.
"""

import collections
import json
import pathlib
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as tree

HERE = pathlib.Path(__file__).resolve().parent
LAYERS = "model", "training", "parallelism", "schedule", "placement"
IN_TABLES = {
    "training": "global-batch micro-batch precision recompute recompute-layers capacity-factor fused",
    "parallelism": "tp cp pp dp ep etp interleave layout first-stage-layers last-stage-layers sharding",
    "schedule": "pipeline",
    "placement": "segment",
}
# The first whose text is in the software of a group says the stack; those of containers say it by the sweep.
SOFTWARE = (
    ("NeMo containers", None),
    ("NeMo 24.", "nemo-2024"),
    ("NeMo 25.0", "nemo-2025"),
    ("Megatron-LM 6985e58", "megatron-2021"),
    ("Megatron-LM Sep 2020", "megatron-2021"),
    ("Megatron-DeepSpeed", "megatron-2021"),
    ("Megatron-LM (2022)", "megatron-2023"),
    ("sail-sg", "megatron-2023"),
    ("moe_dev", "moe-zoo-2026"),
    ("llm-foundry v0", "llm-foundry-2023"),
    ("torchtitan 9dec370", "torchtitan-2024"),
    ("torchtitan 820504e", "torchtitan-2025-06"),
    ("torchtitan e7c0cae", "torchtitan-2025-06"),
    ("Primus", "primus-2026"),
)
LEFT_OUT = ("mlperf-5.1", "vtrain-node", "mbridge-pairs")  # no recipes; 732 rows; not a table


def stack_of(group, sweep):
    if group.get("id").startswith(LEFT_OUT):
        return ""
    software = next((name for text, name in SOFTWARE if text in group.get("software", "")), "")
    if software is not None:
        return software
    return "megatron-bridge-" + sweep


def attributes(group, point):
    found = collections.defaultdict(dict)
    for element in list(group) + list(point):
        if element.tag == "model" or element.tag in IN_TABLES:
            keep = element.attrib if element.tag == "model" else IN_TABLES[element.tag].split()
            found[element.tag].update({name: element.get(name) for name in keep if element.get(name)})
    if found["training"].get("recompute") == "selective" or group.get("id").startswith("mbridge"):
        found["training"].pop("recompute", None)  # modules, or nothing, as the recipe has it
    if group.get("id").startswith("torchtitan"):  # whose tables say torch.compile and AsyncTP
        found["training"].setdefault("fused", "yes")
        for schedule in point.iter("schedule"):
            if schedule.get("overlap-tp") == "symmetric-memory":
                found["schedule"]["overlap-tp"] = "symmetric-memory"
    return found


def predict(stepsim, found, platform, stack, scratch):
    """The iteration by the closed form in seconds; None where it is refused, which stepsim says."""
    job, result = scratch / "job.xml", scratch / "job.json"
    root = tree.Element("workload", version="1")
    for tag in LAYERS:
        values = dict(found[tag], stack=stack) if tag == "training" and stack else found[tag]
        tree.SubElement(root, tag, values)
    tree.ElementTree(root).write(job)
    result.unlink(missing_ok=True)
    subprocess.run([stepsim, "estimate", job, platform, "--json", result], stdout=subprocess.DEVNULL, check=False)
    return json.loads(result.read_text())["estimate"]["iteration_s"] if result.exists() else None


def rows():
    for path in sorted(HERE.glob("measured-*.xml")):
        for group in tree.parse(path).getroot().iter("iterations"):
            for point in group.iter("point"):
                stack = stack_of(group, point.get("sweep", group.get("sweep", "")))
                if stack:
                    yield stack, group, point, (path.parent / group.get("platform")).resolve()


def described(stepsim, scratch):
    result = scratch / "validation.json"
    subprocess.run([stepsim, "validate", "--json", result], stdout=subprocess.DEVNULL, check=True)
    groups = json.loads(result.read_text())["groups"]
    return {(g["id"], p["id"]): p for g in groups if g["kind"] == "iterations" for p in g["points"]}


def main():
    stepsim = sys.argv[1] if len(sys.argv) > 1 else "stepsim"
    errors = collections.defaultdict(list)
    with tempfile.TemporaryDirectory() as name:
        scratch = pathlib.Path(name)
        points = described(stepsim, scratch)
        for stack, group, point, platform in rows():
            whole, found = points[group.get("id"), point.get("id")], attributes(group, point)
            predicted = [predict(stepsim, found, platform, s, scratch) for s in ("", stack)] + [whole["estimate_s"]]
            errors[stack].append([abs(p / whole["measured_s"] - 1) for p in predicted])
    errors["all"] = [error for stack in sorted(errors) for error in errors[stack]]
    print(f"{'stack':24}{'rows':>6}{'without it':>13}{'with it':>11}{'as described':>15}")
    for stack, of in errors.items():
        means = [100 * sum(error) / len(of) for error in zip(*of)]
        print(f"{stack:24}{len(of):6}{means[0]:11.1f} %{means[1]:9.1f} %{means[2]:13.1f} %")


if __name__ == "__main__":
    main()
