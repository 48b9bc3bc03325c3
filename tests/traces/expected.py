"""What `stepsim compare --json` should say of a trace of PyTorch's profiler: read whole, by the json module, and added up
moment by moment. Written from the documentation (docs/compare.md), not from the sources."""
import bisect
import gzip
import json
import re
import sys
import xml.etree.ElementTree as XML

BESIDE = {"copies", "tensor parallel", "context parallel", "expert parallel", "data parallel", "pipeline", "other groups"}


def rules_of(path):
    rules = []
    for element in XML.parse(path).getroot():
        pattern = ".*?".join(re.escape(piece) for piece in element.get("name").split("*"))
        rules.append((element.tag, re.compile(pattern, re.IGNORECASE | re.DOTALL), element.get("class")))
    return rules


def class_of(rules, kind, name):
    for tag, pattern, found in rules:
        if tag == kind and pattern.search(name):
            return found
    return None


def number_of(rules, kind, name):
    for tag, pattern, _ in rules:
        match = pattern.search(name) if tag == kind else None
        digits = re.match(r"\d{1,9}(?!\d)", name[match.end():], re.ASCII) if match else None
        if digits:
            return int(digits.group())
    return None


def events_of(path):
    with (gzip.open if path.endswith(".gz") else open)(path, "rb") as file:
        document = json.loads(file.read().decode("utf-8", "replace"), parse_float=exact, parse_int=int)
    return document["traceEvents"] if isinstance(document, dict) else document


def exact(text):
    """Microseconds as picoseconds would be too long for a double: a fraction."""
    from fractions import Fraction
    return Fraction(text)


def layers_of(events, rules):
    """The layer of a kernel, by the numbers that PyTorch gives its operators; None where no annotation of the host has one."""
    ranges, operators, forward, backward = [], {}, {}, []
    for event in events:
        arguments = event.get("args", {})
        if event.get("ph") != "X" or event.get("cat") not in ("cpu_op", "user_annotation"):
            continue
        operators[arguments.get("External id")] = event
        layer, number = number_of(rules, "layer", event["name"]), arguments.get("Sequence number")
        if event["cat"] == "user_annotation" and layer is not None:
            ranges.append((event["tid"], event["ts"], event["ts"] + event["dur"], layer))
        elif event["name"].startswith("autograd::engine::evaluate_function"):
            backward.append((event["tid"], event["ts"], number, "AccumulateGrad" in event["name"]))
        elif number is not None and not event["name"].startswith("autograd::") and arguments.get("Fwd thread id") == 0:
            forward.setdefault(number, (event["tid"], event["ts"]))
    if not ranges:
        return None

    def annotated(thread, time):
        return next((layer for t, start, end, layer in ranges if t == thread and start <= time <= end), None)

    run, layer = [], None
    for thread, time, number, adds_up in sorted(backward):  # what adds gradients up belongs to the one before
        if not adds_up:
            layer = annotated(*forward[number]) if number in forward else None
        run.append((thread, time, layer))

    def layer_of(kernel):
        operator = operators[kernel["args"]["External id"]]
        thread, time = operator["tid"], operator["ts"]
        layer = annotated(thread, time)
        place = bisect.bisect(run, (thread, time, 1 << 30))
        if layer is None and place > 0 and run[place - 1][0] == thread:
            layer = run[place - 1][2]
        return layer

    return layer_of


KERNELS = {"kernel": None, "gpu_memcpy": "copies", "gpu_memset": "copies"}


def profile_of(path, rules, groups):
    kernels, steps = [], {"gpu_user_annotation": {}, "user_annotation": {}}
    events = events_of(path)
    layer_of = layers_of(events, rules)
    for event in events:
        category = str(event.get("cat", "")).lower()
        if event.get("ph") != "X" or (category not in KERNELS and category not in steps):
            continue
        start, end = event["ts"], event["ts"] + max(event.get("dur", 0), 0)
        if category in steps:
            number = number_of(rules, "step", event["name"])
            if number_of(rules, "layer", event["name"]) is not None:
                number = None
            if number is not None:
                known = steps[category].get(number, (start, end))
                steps[category][number] = (min(known[0], start), max(known[1], end))
            continue
        kind = KERNELS[category] or class_of(rules, "kernel", event["name"][:2047]) or "other kernels"
        if kind == "other groups":
            arguments = event.get("args", {})
            group = class_of(rules, "group", arguments.get("Process Group Description", ""))
            kind = group or groups(arguments)
        kernels.append((start, end, kind, layer_of(event) if layer_of and kind not in BESIDE else None))
    named = steps["gpu_user_annotation"] or steps["user_annotation"]
    windows = sorted((window[0], window[1], number) for number, window in named.items())
    windows = [(a, windows[i + 1][0] if i + 1 < len(windows) else b, n) for i, (a, b, n) in enumerate(windows)]
    if not windows:
        windows = [(min(k[0] for k in kernels), max(k[1] for k in kernels), None)]
    windows.sort(key=lambda window: (window[1] - window[0], window[0]))
    start, end, number = windows[(len(windows) - 1) // 2]
    layers = {}
    for a, b, _, layer in kernels:
        layers[layer] = layers.get(layer, 0) + max(min(b, end) - max(a, start), 0)
    return add_up(kernels, start, end, number) | (dict(layers_s=layers) if layer_of else {})


def add_up(kernels, start, end, number):
    classes = {}
    edges = []
    for a, b, kind, _ in kernels:
        low, high = max(a, start), min(b, end)
        row = classes.setdefault(kind, dict(kernels=0, sum_s=0, active_s=0, iteration_s=0))
        row["kernels"] += start <= a < end
        if low < high:
            row["sum_s"] += high - low
            edges += [(low, 1, kind), (high, -1, kind)]
    edges.sort(key=lambda edge: (edge[0], edge[1]))
    running, last, idle = {}, start, 0
    for time, change, kind in edges + [(end, 0, None)]:
        active = [k for k, count in running.items() if count > 0]
        owners = [k for k in active if k not in BESIDE] or active
        for k in active:
            classes[k]["active_s"] += time - last
        for k in owners:
            classes[k]["iteration_s"] += (time - last) / len(owners)
        idle += 0 if active else time - last
        last = time
        if kind:
            running[kind] = running.get(kind, 0) + change
    scaled = {k: {f: float(v) * (1 if f == "kernels" else 1e-6) for f, v in row.items()} for k, row in classes.items()}
    return dict(step=number, iteration_s=float(end - start) * 1e-6, idle_s=float(idle) * 1e-6,
                classes={k: row for k, row in scaled.items() if row["active_s"] > 0})


def differences(expected, trace, name):
    measured = trace["measured"]
    wrong = []

    def check(what, a, b):
        if abs(a - b) > 2e-9 + 1e-9 * abs(a):
            wrong.append("%s: %s: expected %.12g, got %.12g" % (name, what, a, b))

    if expected["step"] != trace["step"]:
        wrong.append("%s: step: expected %s, got %s" % (name, expected["step"], trace["step"]))
    check("iteration_s", expected["iteration_s"], measured["iteration_s"])
    check("idle_s", expected["idle_s"], measured["idle_s"])
    if "layers_s" in expected:
        for layer in range(max(len(measured["layers_s"]), *(1 + n for n in expected["layers_s"] if n is not None))):
            got = measured["layers_s"][layer] if layer < len(measured["layers_s"]) else 0.0
            check("layer %d" % layer, float(expected["layers_s"].get(layer, 0)) * 1e-6, got)
    for kind in sorted(set(expected["classes"]) | set(measured["classes"])):
        for field in ("kernels", "sum_s", "active_s", "iteration_s"):
            check(kind + " " + field, expected["classes"].get(kind, {}).get(field, 0.0),
                  measured["classes"].get(kind, {}).get(field, 0.0))
    return wrong


def main():
    rules = rules_of(sys.argv[1])
    only = sys.argv[2]  # the class of collectives whose group nothing tells
    result = json.load(open(sys.argv[3]))
    wrong = []
    for trace in result["traces"]:
        expected = profile_of(trace["file"], rules, lambda arguments: only)
        wrong += differences(expected, trace, trace["file"])
        print(trace["file"], "step", expected["step"], len(expected["classes"]), "classes",
              int(sum(row["kernels"] for row in expected["classes"].values())), "kernels")
    print("\n".join(wrong))
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
