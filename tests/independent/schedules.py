"""The order in which a stage works through its passes, by schedule; written from the papers."""
from __future__ import annotations

from typing import NamedTuple, Optional

FORWARD, BACKWARD, WEIGHT = range(3)


class Work(NamedTuple):
    """One pass of one micro-batch through one chunk of a stage."""

    kind: int
    chunk: int
    micro_batch: int
    whole: bool = False  # of backward: its message waits for the weight gradients that come next


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


def copies_of(schedule: str) -> int:
    """Copies of the model: DualPipe has one down the stages and one up (arXiv 2412.19437, section 3.2.1)."""
    return 2 if schedule == "dualpipe" else 1


def part_of(pipeline: Pipeline, stage: int, chunk: int) -> int:
    """Which part of the model a chunk is: round the stages, or down and back up in a V (arXiv 2405.15362). A second copy
    has the numbers after those of the first; chunk 0 is of the copy that begins on the stage's own half."""
    if pipeline.schedule == "dualpipe":
        up = chunk if 2 * stage < pipeline.stages else 1 - chunk
        return 2 * pipeline.stages - 1 - stage if up else stage
    if pipeline.schedule.startswith(("v-", "dualpipe-v")) and chunk == 1:
        return 2 * pipeline.stages - 1 - stage
    return chunk * pipeline.stages + stage


def part_beside(pipeline: Pipeline, part: int, step: int) -> Optional[int]:
    """The part so many further on in the same copy of the model; none beyond its ends."""
    parts = pipeline.stages * pipeline.chunks // copies_of(pipeline.schedule)
    return part + step if 0 <= part % parts + step < parts else None


def place_of(pipeline: Pipeline, part: int) -> tuple[int, int]:
    """Stage and chunk of a part: the inverse."""
    places = ((stage, chunk) for stage in range(pipeline.stages) for chunk in range(pipeline.chunks))
    return next(place for place in places if part_of(pipeline, *place) == part)


def _building_block(pipeline: Pipeline, stage: int) -> list[Work]:
    """Blocks of six slots, one for each micro-batch (arXiv 2405.15362, figure 3): a slot for each pass, that of the stage
    next to it so many slots later, and weight gradients in the first slots that are left."""
    last = pipeline.stages - 1
    down, up, turns = (1, 1, (1, 1, 1)) if pipeline.schedule == "v-min" else (2, 1, (4, 2, 2))
    if pipeline.schedule == "v-min" and pipeline.stages % 3 == 0:
        turns = (3, 1, 3)
    if pipeline.schedule == "v-half" and pipeline.stages % 2 == 1:
        turns = (1, 2, 5)
    slot = {(FORWARD, 0): down * stage}
    slot[FORWARD, 1] = down * last + turns[0] + up * (last - stage)
    slot[BACKWARD, 1] = (down + up) * last + turns[0] + turns[1] + down * stage
    slot[BACKWARD, 0] = (2 * down + up) * last + sum(turns) + up * (last - stage)
    for chunk in (1, 0):
        free = slot[BACKWARD, chunk]
        while free % 6 in {taken % 6 for taken in slot.values()}:
            free += 1
        slot[WEIGHT, chunk] = free
    order = [(first + 6 * i, Work(kind, chunk, i))
             for (kind, chunk), first in slot.items() for i in range(pipeline.micro_batches)]
    return [work for _, work in sorted(order)]


class _VOrder:
    """The passes of a stage that ZB-V and DualPipeV list by steps: with at least two micro-batches for each stage."""

    def __init__(self, pipeline: Pipeline, stage: int) -> None:
        self.own = stage + 1
        self.after = pipeline.stages - self.own
        self.count = max(pipeline.micro_batches, 2 * pipeline.stages)
        self.done = {(kind, chunk): 0 for kind in (FORWARD, BACKWARD, WEIGHT) for chunk in (0, 1)}
        self._order: list[Work] = []
        self._micro_batches = pipeline.micro_batches

    def step(self, text: str) -> None:
        """Passes by kind and chunk; "!" is a backward pass with its weight gradients."""
        for word in text.split():
            kind, chunk = "FBW".index(word[0]), int(word[1])
            self._order.append(Work(kind, chunk, self.done[kind, chunk], word.endswith("!")))
            self.done[kind, chunk] += 1

    def end(self) -> list[Work]:
        """All passes, the weight gradients that waited last."""
        while self.done[BACKWARD, 0] < self.count:
            self.step("W1 B0" if self.done[WEIGHT, 1] < self.count else "W0 B0")
        self.step("W1 " * (self.count - self.done[WEIGHT, 1]) + "W0 " * (self.count - self.done[WEIGHT, 0]))
        return [work for work in self._order if work.micro_batch < self._micro_batches]


def _zero_bubble_v(pipeline: Pipeline, stage: int) -> list[Work]:
    """Forward of chunk 0 until 2 P passes are held, but for those of chunk 1 that come back meanwhile; then backward, weights and
    forward in turn; in the end weight gradients of the second half wait (arXiv 2401.10241, figure 6)."""
    order = _VOrder(pipeline, stage)
    own, after = order.own, order.after
    order.step("F0 " * (2 * after) + "F0 F1 " * own + "B1 W1 F1 " * after)
    while order.done[FORWARD, 0] < order.count:
        order.step("B1 W1 F0 B0 W0 F1")
    order.step("B1 W1 B0 W0 F1 " * after)
    order.step("B1 W1 B0 W0 " * (own // 2) + "B1 W1 B0 " * (own % 2) + "B1 B0 " * (own // 2))
    return order.end()


def _dualpipe_v(pipeline: Pipeline, stage: int) -> list[Work]:
    """The eight steps of github.com/deepseek-ai/DualPipe."""
    order = _VOrder(pipeline, stage)
    own, after = order.own, order.after
    order.step("F0 " * (2 * after))
    order.step("F0 F1 " * own)
    order.step("B1 W1 F1 " * after)
    order.step("F0 B1! W1 F1 B0! W0 " * (order.count - 2 * pipeline.stages + own))
    order.step("B1! W1 F1 B0! W0 " * after)
    order.step("B1! W1 B0! W0 " * (own // 2) + "B1! W1 B0 " * (own % 2) + "B1 B0 " * (own // 2))
    return order.end()


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
    if name == "dualpipe-v":
        return _dualpipe_v(pipeline, stage)
    if name == "dualpipe":  # a V on either half, of half of the micro-batches
        return _dualpipe_v(Pipeline("dualpipe-v", stages // 2, count // 2, chunks), min(stage, after))
    if name == "v-zb":
        return _zero_bubble_v(pipeline, stage)
    if name in ("v-min", "v-half"):
        return _building_block(pipeline, stage)
    raise ValueError(f"no schedule {name}")
