"""What data parallelism gathers and reduces on a stage, and when: ZeRO (arXiv 1910.02054), FSDP (arXiv 2304.11277), and the
buckets of PyTorch DDP (arXiv 2006.15704, section 3.2)."""
from __future__ import annotations

import math
from typing import NamedTuple, Optional

from schedules import BACKWARD, FORWARD, WEIGHT, Work, copies_of


class Operation(NamedTuple):
    """A collective of the ranks that hold the same weights."""

    kind: str
    volume_bytes: float


def _shared_table(job: dict, stage: int) -> int:
    """The block of a stage that has a table which others use, too: -1 where there is none. Embedding, modules that predict
    a token further, and a tied output layer use it; the modules and before them their lookups lie before the output layer."""
    workload = job["workload"]
    modules, tied = workload["model.mtp-modules"], workload["model.tied-embeddings"] == "yes"
    schedule: str = workload["schedule.pipeline"]
    is_last = stage == workload["parallelism.pp"] - 1
    if not job["has_ends"]:
        return -1
    if workload["parallelism.pp"] == 1 or schedule.startswith(("v-", "dualpipe")):
        begins = stage == 0 or (schedule == "dualpipe" and is_last)
        return 0 if begins and (tied or modules > 0) else -1
    if is_last and tied and modules > 0:
        return sum(len(chunk) for chunk in job["blocks"][stage]) - int(modules) - 2
    return -1


class Plan:
    """The operations of a stage. Blocks are counted over its chunks, in the order of forward."""

    def __init__(self, job: dict, stage: int, holders: int) -> None:
        workload = job["workload"]
        sharding: str = workload["parallelism.sharding"]
        self.active = holders > 1
        self.overlaps: bool = workload["schedule.overlap-dp"] == "yes"
        self.gathers_first = self.active and sharding in ("optimizer", "gradients")
        self.gathers_each_pass = self.active and sharding == "parameters"
        schedule: str = workload["schedule.pipeline"]
        self.table = _shared_table(job, stage)
        self.reduces_each_pass = self.active and sharding in ("gradients", "parameters")
        self.ahead: int = workload["schedule.prefetch"] if self.overlaps else 0
        self.last_micro_batch: int = job["micro_batches"] // copies_of(schedule) - 1
        splits_backward = schedule.startswith(("zero-bubble", "v-", "dualpipe"))
        self.reducing_pass = WEIGHT if splits_backward else BACKWARD
        self._reduction = "all-reduce" if sharding == "none" else "reduce-scatter"
        goes_at_once = workload["schedule.bucket"] == 0.0 and not self.overlaps and sharding in ("none", "optimizer")
        self._bucket_bytes: float = math.inf if goes_at_once else workload["schedule.bucket"]
        self._kinds = [job["kinds"][kind] for chunk in job["blocks"][stage] for kind in chunk]
        sizes = [len(chunk) for chunk in job["blocks"][stage]]
        self.chunks = [range(sum(sizes[:i]), sum(sizes[: i + 1])) for i in range(len(sizes))]
        self.first: list[Operation] = []
        self.needs: dict[int, int] = {}  # of a block: how many of `first`
        self.behind: dict[int, Operation] = {}  # a block: what is reduced after it
        if self.active:
            self._list()

    def _list(self) -> None:
        for chunk in self.chunks if self.gathers_first else []:
            for members, size_bytes in self._buckets(list(chunk), "gather_bytes"):
                self.first.append(Operation("all-gather", size_bytes))
                own = [block for block in members if self._kinds[block]["gather_bytes"] > 0.0]
                self.needs.update({block: len(self.first) for block in own})
        if not self.overlaps:
            self.needs = {block: len(self.first) for chunk in self.chunks for block in chunk}
        for chunk in self.chunks:
            for members, size_bytes in self._buckets(list(reversed(chunk)), "reduce_bytes"):
                self.behind[members[-1]] = Operation(self._reduction, size_bytes)

    def _buckets(self, blocks: list[int], what: str) -> list[tuple[list[int], float]]:
        """Blocks that go together, the last one being that which fills the bucket or ends the chunk."""
        buckets: list[tuple[list[int], float]] = []
        members: list[int] = []
        for block in blocks:
            members.append(block)
            size_bytes = sum(self._kinds[b][what] for b in members)
            if size_bytes > 0.0 and (size_bytes >= self._bucket_bytes or block == blocks[-1]):
                buckets.append((members, size_bytes))
                members = []
        return buckets

    def gather(self, work: Work, block: int) -> Optional[Operation]:
        """What is gathered before a pass of a block. A table that several blocks share on one stage stays there from
        forward to backward."""
        if block == self.table and work.kind == BACKWARD:
            return None
        size_bytes = self._kinds[block]["gather_bytes"]
        return Operation("all-gather", size_bytes) if self.gathers_each_pass and size_bytes > 0.0 else None

    def needed(self, work: Work, block: int) -> int:
        """How many of the first gathers a pass of a block waits for."""
        return self.needs.get(block, 0) if work.kind == FORWARD and work.micro_batch == 0 else 0

    def reduces(self, work: Work) -> bool:
        """Whether a pass starts the reductions behind its blocks."""
        if not self.active or work.kind != self.reducing_pass:
            return False
        return self.reduces_each_pass or (self.overlaps and work.micro_batch == self.last_micro_batch)

    def at_end(self) -> list[Operation]:
        """What is reduced when all passes are over."""
        if not self.active or self.reduces_each_pass or self.overlaps:
            return []
        return [self.behind[b] for chunk in self.chunks for b in reversed(chunk) if b in self.behind]
