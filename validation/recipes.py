#!/usr/bin/env python3
"""Predicts imported recipes from what tables of results say of such jobs and a stack, and with all that the recipes say.

    recipes.py STEPSIM STACK PLATFORM WORKLOAD...

The workloads are what `stepsim import RECIPE --set training.stack=STACK` writes, of any number of recipes of the release;
the platform is a file. Nothing is measured: it shows what a stack does not know. Prints the files whose predictions
differ by more than 2 %, or are refused, then the mean and the 90th percentile of all.
"""

import pathlib
import sys
import tempfile
import xml.etree.ElementTree as tree

from stacks import IN_TABLES, LAYERS, predict


def of_recipe(root):
    return {name: dict(root.find(name).attrib) if root.find(name) is not None else {} for name in LAYERS}


def of_table(whole):
    found = {"model": whole["model"]}
    for name, attributes in IN_TABLES.items():
        found[name] = {key: value for key, value in whole[name].items() if key in attributes.split()}
    for name in "lora-rank", "lora-modules":  # which a table of adapters is of, as docs/tables.md has them
        if name in whole["training"]:
            found["training"][name] = whole["training"][name]
    if found["training"].get("recompute") != "full":
        found["training"].pop("recompute", None)  # modules, or nothing, as the recipe has it
        found["training"].pop("recompute-layers", None)
    if whole["parallelism"].get("sharding") != "parameters":
        found["parallelism"].pop("sharding", None)
    return found


def main():
    stepsim, stack, platform, *files = sys.argv[1:]
    off = []
    with tempfile.TemporaryDirectory() as name:
        scratch = pathlib.Path(name)
        for file in files:
            whole = of_recipe(tree.parse(file).getroot())
            both = [predict(stepsim, found, platform, stack, scratch) for found in (whole, of_table(whole))]
            if None in both:
                print(f"  refused  {file}")
                continue
            off.append(both[1] / both[0] - 1)
            if abs(off[-1]) > 0.02:
                print(f"{100 * off[-1]:+7.1f} %  {file}")
    off = sorted(abs(one) for one in off)
    print(f"{len(off)} recipes: {100 * sum(off) / len(off):.1f} % in the mean, "
          f"{100 * off[len(off) * 9 // 10]:.1f} % for nine of ten")


if __name__ == "__main__":
    main()
