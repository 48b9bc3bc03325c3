"""The attributes of a workload and the properties of a platform, read from what print_inputs prints."""
from __future__ import annotations

import random
import re
import subprocess
from typing import NamedTuple


class Row(NamedTuple):
    """An attribute or property: what is allowed, and its default, in the words of the table."""

    name: str
    allowed: str
    default: str

    def words(self) -> list[str]:
        return re.findall(r"`([^`]+)`", self.allowed)

    def is_rate(self) -> bool:
        return self.allowed.startswith(("a rate ", "a bandwidth "))

    def is_time(self) -> bool:
        return self.allowed.startswith("a time ")


class Table(NamedTuple):
    """All rows; those of the platform begin with "platform."."""

    rows: list[Row]

    def of_platform(self) -> list[Row]:
        return [row for row in self.rows if row.name.startswith("platform.")]

    def drawable(self) -> list[Row]:
        """Those that have words or a range of numbers."""
        return [row for row in self.rows if row.words() or _range(row) is not None]


def read(print_inputs: str) -> Table:
    text = subprocess.run([print_inputs], check=True, stdout=subprocess.PIPE, text=True).stdout
    sections = dict(re.findall(r"^## (\w+)\n(.*?)(?=^## |\Z)", text, re.M | re.S))
    rows = []
    for section, prefix in (("Workload", ""), ("Platform", "platform.")):
        for line in re.findall(r"^\| `(.*)\|$", sections[section], re.M):
            name, allowed, default = [cell.strip() for cell in line.split(" | ")[:3]]
            rows.append(Row(prefix + name.rstrip("`"), allowed, default.strip("`")))
    return Table(rows)


def _range(row: Row) -> tuple[float, float] | None:
    found = re.search(r"([-+.\de]+) to ([-+.\de]+)", row.allowed)
    return (float(found[1]), float(found[2])) if found else None


def draw(rng: random.Random, row: Row) -> str:
    """A value of a row, small ones more often than large ones; the program may refuse it beside others."""
    words = row.words()
    if words:
        return rng.choice(words)
    low, high = _range(row) or (0.0, 1.0)
    if "e-" in row.allowed or high <= 1.0:  # a share
        return f"{rng.choice([low, high, rng.uniform(low, high)]):.3g}"
    small = [value for value in (low, 1, 2, 2, 3, 4, 4, 6, 8, 16, 64, 1024) if low <= value <= high]
    return f"{rng.choice(small):g}"
