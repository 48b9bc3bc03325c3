"""The order in which a stage works through its passes, by schedule; written from the papers."""
from __future__ import annotations

from typing import NamedTuple

FORWARD, BACKWARD, WEIGHT = range(3)


class Work(NamedTuple):
    """One pass of one micro-batch through one chunk of a stage."""

    kind: int
    chunk: int
    micro_batch: int


class Pipeline(NamedTuple):
    """Its schedule, stages, micro-batches of an iteration, and chunks of a stage."""

    schedule: str
    stages: int
    micro_batches: int
    chunks: int


def _one_forward_one_backward(forward: list[Work], backward: list[Work], depth: int) -> list[Work]:
    """Forward until `depth` are held, then backward and forward in turn, then the rest of backward."""
    warmup = min(depth, len(forward))
    steady = zip(backward, forward[warmup:])
    done = len(forward) - warmup
    return forward[:warmup] + [work for pair in steady for work in pair] + backward[done:]


def _megatron(pipeline: Pipeline, kind: int) -> list[Work]:
    """The passes of a kind in groups of P micro-batches, chunk after chunk (arXiv 2104.04473, section 2.2.2)."""
    stages, chunks = pipeline.stages, pipeline.chunks
    order = []
    for group in range(0, pipeline.micro_batches, stages):
        for turn in range(chunks):
            chunk = turn if kind == FORWARD else chunks - 1 - turn
            order += [Work(kind, chunk, group + i) for i in range(stages)]
    return order


def _zero_bubble(pipeline: Pipeline, depth: int, most: int) -> list[Work]:
    """One backward and one forward in turn; weight gradients wait until `most` micro-batches are held (arXiv 2401.10241)."""
    count = pipeline.micro_batches
    done = [min(depth, count), 0, 0]
    order = [Work(FORWARD, 0, i) for i in range(done[FORWARD])]

    def step(kind: int) -> None:
        order.append(Work(kind, 0, done[kind]))
        done[kind] += 1

    while done[BACKWARD] < count:
        step(BACKWARD)
        if done[FORWARD] == count or done[FORWARD] - done[WEIGHT] == most:
            step(WEIGHT)
        if done[FORWARD] < count:
            step(FORWARD)
    while done[WEIGHT] < count:
        step(WEIGHT)
    return order


def order_of(pipeline: Pipeline, stage: int) -> list[Work]:
    """The passes of a stage."""
    name, stages, count, chunks = pipeline
    after = stages - stage - 1
    forward = [Work(FORWARD, 0, i) for i in range(count)]
    backward = [Work(BACKWARD, 0, i) for i in range(count)]
    if name == "gpipe":  # arXiv 1811.06965
        return forward + backward
    if name == "interleaved" and chunks > 1:
        depth = 2 * after + (chunks - 1) * stages + 1 if count > stages else count * chunks
        return _one_forward_one_backward(_megatron(pipeline, FORWARD), _megatron(pipeline, BACKWARD), depth)
    if name in ("1f1b", "interleaved"):  # arXiv 2104.04473
        return _one_forward_one_backward(forward, backward, after + 1)
    if name == "eager-1f1b":
        return _one_forward_one_backward(forward, backward, 2 * after + 1)
    if name == "zero-bubble-1":
        return _zero_bubble(pipeline, after + 1, stages)
    if name == "zero-bubble-2":
        return _zero_bubble(pipeline, 2 * after + 1, 2 * stages - 1)
    raise ValueError(f"no schedule {name}")
