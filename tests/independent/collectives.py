"""Where a job's ranks are, and what their collectives and messages put on the links."""
from __future__ import annotations

from typing import NamedTuple

from network import Links
from schedules import copies_of

# Times that the volume goes around a ring, and whether each rank keeps its part of it to itself: arXiv 2410.00273, section III.
AROUND = {
    "all-gather": (1, True),
    "reduce-scatter": (1, True),
    "all-reduce": (2, True),
    "broadcast": (1, False),
    "reduce": (1, False),
}


class Shares(NamedTuple):
    """A transfer of one byte: seconds before the first one leaves, and the bytes of its flows."""

    latency_s: float
    flows: tuple[tuple[Links, float], ...]


class Machine:
    """Which links a flow crosses: gpu-N:out and gpu-N:in inside a domain, else those from NIC to NIC."""

    def __init__(self, job: dict) -> None:
        self.job = job
        self.domain_size: int = job["domain_size"]
        self.nics_per_domain: int = job["nics_per_domain"]
        self._rings: dict[tuple[str, tuple[int, ...]], Shares] = {}

    def domain(self, gpu: int) -> int:
        return gpu // self.domain_size

    def nic(self, gpu: int) -> int:
        """Neighbours share a NIC where there are fewer than GPUs."""
        return self.domain(gpu) * self.nics_per_domain + gpu % self.domain_size * self.nics_per_domain // self.domain_size

    def inside(self, source: int, target: int) -> Links:
        return (2 * source, 2 * target + 1)

    def across(self, source_nic: int, target_nic: int) -> Links:
        return tuple(self.job["nic_routes"][source_nic][target_nic])

    def message(self, pairs: list[tuple[int, int]]) -> Shares:
        """One from each rank of a stage to its counterpart in another."""
        crosses = any(self.domain(a) != self.domain(b) for a, b in pairs)
        flows = tuple(
            (self.inside(a, b) if self.domain(a) == self.domain(b) else self.across(self.nic(a), self.nic(b)), 1.0)
            for a, b in pairs
        )
        return Shares(self.job["fabric_latency_s" if crosses else "nvlink_latency_s"], flows)

    def ring(self, kind: str, groups: list[list[int]]) -> Shares:
        """Rings over several groups at once; the slowest start-up is that of all."""
        rings = [self._known_ring(kind, tuple(sorted(group))) for group in groups]
        return Shares(max(ring.latency_s for ring in rings), tuple(flow for ring in rings for flow in ring.flows))

    def _known_ring(self, kind: str, gpus: tuple[int, ...]) -> Shares:
        if (kind, gpus) not in self._rings:
            self._rings[kind, gpus] = self._ring_of(kind, gpus)
        return self._rings[kind, gpus]

    def _ring_of(self, kind: str, gpus: tuple[int, ...]) -> Shares:
        """Around the GPUs of each domain; across domains one ring for each NIC that the group owns there."""
        count = len(gpus)
        if count == 1:
            return Shares(0.0, ())
        times, keeps = AROUND[kind]
        share = times * (count - 1) / count if keeps else float(times)
        domains = [[g for g in gpus if self.domain(g) == d] for d in sorted({self.domain(g) for g in gpus})]
        flows: list[tuple[Links, float]] = []
        for members in domains:
            if len(members) > 1:
                flows += [(self.inside(g, members[(i + 1) % len(members)]), share) for i, g in enumerate(members)]
        if len(domains) > 1:
            fewest = min(len(members) for members in domains)
            rings = max(1, fewest * self.nics_per_domain // self.domain_size) if fewest > 1 else 1
            nics = [list(dict.fromkeys(self.nic(g) for g in members)) for members in domains]
            for i, own in enumerate(nics):
                then = nics[(i + 1) % len(nics)]
                flows += [(self.across(own[n], then[n]), share / rings) for n in range(rings)]
        steps_s = (count - len(domains)) * self.job["nvlink_latency_s"] + (len(domains) - 1) * self.job["fabric_latency_s"]
        return Shares(steps_s, tuple(flows))


class Ranks:
    """GPUs by coordinates: rank = tp + TP (cp + CP (dp + DP pp)), tp2 in place of cp for 2d and summa."""

    def __init__(self, job: dict) -> None:
        workload = job["workload"]
        self.gpus: list[int] = job["gpus"]
        self.tensor: int = workload["parallelism.tp"]
        self.summa: bool = workload["parallelism.tensor"] == "summa"
        self.context: int = workload["parallelism.cp" if workload["parallelism.tensor"] == "1d" else "parallelism.tp2"]
        self.replicas: int = workload["parallelism.dp"]
        self.stages: int = workload["parallelism.pp"]
        self.copies = copies_of(workload["schedule.pipeline"])

    def gpu(self, tensor: int, context: int, replica: int, stage: int) -> int:
        return self.gpus[tensor + self.tensor * (context + self.context * (replica + self.replicas * stage))]

    def of_stage(self, replica: int, stage: int) -> list[int]:
        """In the order of their ranks."""
        return [self.gpu(t, c, replica, stage) for c in range(self.context) for t in range(self.tensor)]

    def groups(self, name: str, replica: int, stage: int) -> list[list[int]]:
        """The groups of a stage replica along its tensor axis ("tp") or along the sequence ("cp", "tp2")."""
        if name == "tp":
            return [[self.gpu(t, c, replica, stage) for t in range(self.tensor)] for c in range(self.context)]
        return [[self.gpu(t, c, replica, stage) for c in range(self.context)] for t in range(self.tensor)]

    def holders(self, stage: int) -> list[list[int]]:
        """The ranks that hold the same weights, for each shard: those of the stage, and of the one with the other copy of
        the model where there are two."""
        own = self._holders_on(stage)
        if self.copies == 1:
            return own
        return [[*a, *b] for a, b in zip(own, self._holders_on(self.stages - 1 - stage))]

    def _holders_on(self, stage: int) -> list[list[int]]:
        """Those of a stage: all along the sequence are, but in summa."""
        replicas, contexts = range(self.replicas), range(self.context)
        if self.summa:
            return [[self.gpu(t, c, r, stage) for r in replicas] for c in contexts for t in range(self.tensor)]
        return [[self.gpu(t, c, r, stage) for r in replicas for c in contexts] for t in range(self.tensor)]
