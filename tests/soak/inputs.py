"""Inputs that somebody has damaged: refused with status 2 and a message, or read; never a crash or half an output."""
from __future__ import annotations

import random
from pathlib import Path

from program import Context, expect, tiny_workload

NUMBERS = ("0", "-1", "1e308", "-1e308", "nan", "inf", "9223372036854775807", "18446744073709551616", "1e-320", "", "2.5", "0x10")
MEASURED = """<measured version="1"><iterations id="tiny" title="t" source="s" platform="{platform}">
<model layers="4" hidden="1024" heads="16" sequence="512"/><training global-batch="8"/>
<point id="one" iteration="20ms"/><point id="two" iteration="15ms"><parallelism tp="2"/></point></iterations></measured>
"""
FIT = """<fit version="1"><measured file="measured.xml"/>
<constant property="launch-overhead" from="1us" to="50us"/></fit>
"""
CONFIG = """{"model_type": "gpt_oss", "hidden_size": 64, "intermediate_size": 96, "layer_types": ["sliding_attention", "full_attention"],
"num_attention_heads": 8, "num_experts_per_tok": 2, "num_hidden_layers": 2, "num_key_value_heads": 4, "num_local_experts": 4,
"rope_scaling": {"factor": 8.0}, "sliding_window": 16, "tie_word_embeddings": false, "vocab_size": 512}
"""
SCRIPT = """TP=${TP:-2}
ARGS=(
  --num-layers 4 --hidden-size 256 --num-attention-heads 4 # small
  --tensor-model-parallel-size $TP --sequence-parallel --seq-length 128 --vocab-size 1000 --swiglu --lr 1e-4
)
"""


def mutate(rng: random.Random, data: bytes) -> bytes:
    """A few changes: bytes, spans that go or come twice, a number replaced, an end too early."""
    changed = bytearray(data)
    for _ in range(rng.choice([1, 1, 1, 2, 5])):
        at = rng.randrange(len(changed) + 1)
        length = min(rng.choice([1, 1, 2, 8, 64]), len(changed) - at)
        what = rng.randrange(6)
        if what == 0 and at < len(changed):
            changed[at] = rng.randrange(256)
        elif what == 1:
            del changed[at:at + length]
        elif what == 2:
            changed[at:at] = changed[at:at + length]
        elif what == 3:
            _replace_number(rng, changed, at)
        elif what == 4:
            changed[at:at] = bytes(rng.randrange(256) for _ in range(length))
        elif rng.random() < 0.2:
            del changed[at:]
    return bytes(changed)


def _replace_number(rng: random.Random, data: bytearray, at: int) -> None:
    """The first number from a place on becomes another one."""
    start = next((i for i in range(at, len(data)) if chr(data[i]).isdigit()), len(data))
    end = next((i for i in range(start, len(data)) if not chr(data[i]).isdigit()), len(data))
    data[start:end] = rng.choice(NUMBERS).encode()


def check_files(context: Context) -> None:
    """Every kind of file that is read."""
    rng, folder = context.rng, context.folder
    workload = tiny_workload(folder)
    platform = str(context.source / "platforms" / "perlmutter.xml")
    estimate = ["estimate", workload, platform]
    result = ["--json", "out.json"]
    machine = ["--like", platform, "--output", "out.xml"]
    clusters = context.source / "tests" / "cluster_files"
    cables, tables = clusters / "ibsim.ibnetdiscover", clusters / "ibsim-opensm-lfts.dump"
    kinds = {
        "workload": (rng.choice(sorted((context.source / "workloads").glob("*.xml"))), ["estimate", "changed", platform, *result]),
        "platform": (rng.choice(sorted((context.source / "platforms").glob("*.xml"))), ["estimate", workload, "changed", *result]),
        "ranks": (folder / "ranks", [*estimate, "--set", "parallelism.dp=8", "--set", "placement.ranks=changed", *result]),
        "measured": (folder / "measured.xml", ["validate", "changed", *result]),
        "fit": (folder / "fit.xml", ["fit", "changed", "--quick", *result]),
        "beside": (folder / workload, ["run", workload, platform, "--beside", "changed", *result]),
        "cluster": (rng.choice(sorted(clusters.iterdir())), ["cluster", "changed", *machine]),
        "cables": (cables, ["cluster", "changed", str(tables), *machine, "--routes", "out.routes"]),
        "tables": (tables, ["cluster", str(cables), "changed", *machine, "--routes", "out.routes"]),
        "model": (folder / "config.json", ["import", "changed", "--output", "out.xml"]),
        "script": (folder / "launch.sh", ["import", "changed", "--output", "out.xml"]),
        "trace": (folder / "trace.0.et", ["compare", workload, platform, "changed", *result]),
    }
    (folder / "ranks").write_text("".join(f"{2 * i}\n" for i in range(8)))
    (folder / "measured.xml").write_text(MEASURED.format(platform=platform))
    (folder / "fit.xml").write_text(FIT)
    (folder / "config.json").write_text(CONFIG)
    (folder / "launch.sh").write_text(SCRIPT)
    kind = rng.choice(sorted(kinds))
    if kind == "trace":
        context.run(*estimate, "--quiet", "--chakra", "trace")
    original, command = kinds[kind]
    (folder / "changed").write_bytes(mutate(rng, Path(original).read_bytes()))
    _expect_sound(context, command)


def check_options(context: Context) -> None:
    """The words of a command line."""
    rng = context.rng
    workload = tiny_workload(context.folder)
    platform = str(context.source / "platforms" / "perlmutter.xml")
    row = rng.choice(context.table.rows)
    value = rng.choice(row.words() or ["1", "2", "0.5", "3us", "20GBps"])
    command = rng.choice([
        ["estimate", workload, platform, "--set", f"{row.name}={value}"],
        ["sweep", workload, platform, "--vary", "parallelism.pp=1..4*2", "--vary", "platform.fabric-bandwidth=10GBps..30GBps+10"],
        ["search", workload, platform, "--gpus", "4,8", "--knobs", "recompute,schedule", "--top", "3", "--objective", "memory"],
        ["run", workload, platform, "--trace-ranks", "0..3+2", "--trace", "t.json", "--trace-micro-batches", "0..1", "--flows", "all"],
        ["platform", "--gpus", "64", "--like", platform, "--torus-dims", "4,4", "--fabric", "torus", "--output", "p.xml"],
        ["platform", "--gpus", "128", "--like", platform, "--fabric", "dragonfly", "--dragonfly", "4,2;1,1;8,2;1", "--output", "p.xml"],
    ])
    place = rng.randrange(len(command))
    changed = mutate(rng, command[place].encode()).replace(b"\0", b"").decode("utf-8", "surrogateescape")
    if "/" in changed and changed != command[place]:
        changed = changed.replace("/", "_")  # writes nowhere else
    command[place] = changed
    _expect_sound(context, [*command, "--max-seconds", "20"] if command[0] == "run" else command)


def _expect_sound(context: Context, command: list[str]) -> None:
    """No signal; status 2 comes with a message and without outputs."""
    before = {path.name for path in context.folder.iterdir()}
    result = context.run(*command)
    shown = " ".join(repr(word) if not word.isprintable() else word for word in command)
    expect(result.status >= 0, f"signal {-result.status} of {shown}: {result.err}")
    late = result.status == 1 and ("memory" in result.err or "--max-" in result.err or result.err == "")
    expect(result.status in (0, 2, 3) or late, f"status {result.status} of {shown}: {result.err}")
    if result.status == 2:
        left = {path.name for path in context.folder.iterdir()} - before
        is_message = result.err.startswith(("stepsim: ", f"{Path(context.program).name}: ", f"{context.program}: "))
        expect(is_message and not result.out, f"no proper message of {shown}: {result.err!r} {result.out[:80]!r}")
        expect(not left, f"{shown} left {sorted(left)}")
