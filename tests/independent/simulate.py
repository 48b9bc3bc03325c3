"""One iteration of a job, as print_jobs describes it: a process for each stage of each replica."""
from __future__ import annotations

from collections import deque
from typing import Callable, Iterator, Optional

from clock import Clock, Event, Process
from collectives import Machine, Ranks, Shares
from data_parallel import Operation, Plan
from network import Network, alone_s, run
from schedules import BACKWARD, FORWARD, WEIGHT, Pipeline, Work, order_of, part_beside, part_of, place_of


class DataStream:
    """The data-parallel collectives of a stage, and of the one with the other copy of its weights where there is one, one
    after the other; each starts when all replicas have come to it."""

    def __init__(self, simulation: "Simulation", stage: int) -> None:
        self._simulation = simulation
        self._groups = simulation.ranks.holders(stage)
        self._joined: list[int] = []
        self._operations: list[Operation] = []
        self._ends: list[Event] = []
        self._before = Event()
        self._before.happened = True

    def join(self, place: int, operation: Operation) -> Event:
        """A replica has come to an operation, the `place`-th of its own; returns its end."""
        if place == len(self._joined):
            self._joined.append(0)
            self._operations.append(operation)
            self._ends.append(Event())
        assert self._operations[place] == operation
        self._joined[place] += 1
        if self._joined[place] == self._simulation.ranks.replicas * self._simulation.ranks.copies:
            self._simulation.clock.start(self._run(self._before, operation, self._ends[place]))
            self._before = self._ends[place]
        return self._ends[place]

    def _run(self, before: Event, operation: Operation, end: Event) -> Process:
        yield before
        shares = self._simulation.machine.ring(operation.kind, self._groups)
        yield from self._simulation.transfer(shares, operation.volume_bytes)
        self._simulation.clock.happen(end)


class Outbox:
    """The messages of a stage replica in one direction, forward or backward, one after the other."""

    def __init__(self, simulation: "Simulation") -> None:
        self._simulation = simulation
        self._last = Event()
        self._last.happened = True

    def send(self, shares: Shares, arrival: Event) -> None:
        self._simulation.clock.start(self._run(self._last, shares, arrival))
        self._last = arrival

    def _run(self, before: Event, shares: Shares, arrival: Event) -> Process:
        yield before
        yield from self._simulation.transfer(shares, self._simulation.job["message_bytes"])
        self._simulation.clock.happen(arrival)


class SecondTier:
    """The offloaded data of a stage replica: reads one after the other, and beside them writes."""

    def __init__(self, simulation: "Simulation") -> None:
        self._simulation = simulation
        self._written: dict[tuple[int, int], Event] = {}  # of a block and a micro-batch
        self.last_read, self.last_write = Event(), Event()
        self.last_read.happened = self.last_write.happened = True

    def write(self, block: int, micro_batch: int, size_bytes: float, is_read: bool) -> None:
        """What backward writes, gradients for the host, no pass reads."""
        end = self._written.setdefault((block, micro_batch), Event()) if is_read else Event()
        self._simulation.clock.start(self._run([self.last_write], size_bytes, end))
        self.last_write = end

    def read(self, block: int, micro_batch: int, size_bytes: float, reads_back: bool) -> Event:
        """What forward wrote can be read back once it is there."""
        before = [self.last_read]
        if reads_back:
            before.append(self._written.setdefault((block, micro_batch), Event()))
        self.last_read = Event()
        self._simulation.clock.start(self._run(before, size_bytes, self.last_read))
        return self.last_read

    def _run(self, before: list[Event], size_bytes: float, end: Event) -> Process:
        yield from before
        yield size_bytes / self._simulation.job["offload_bytes_per_s"]
        self._simulation.clock.happen(end)


class Fetcher:
    """What passes of blocks need, asked for some blocks ahead of compute."""

    def __init__(self, needs: Iterator[tuple[Work, int]], ahead: int, ask: Callable[[Work, int], Event | None]) -> None:
        self._needs, self._ahead, self._ask = needs, ahead, ask
        self._asked: deque[Event | None] = deque()

    def _ask_next(self) -> None:
        need = next(self._needs, None)
        self._asked.append(None if need is None else self._ask(*need))

    def next(self) -> Event | None:
        """What the next block waits for."""
        if not self._asked:
            self._ask_next()
        return self._asked.popleft()

    def go_ahead(self, more: int = 0) -> None:
        while len(self._asked) < self._ahead + more:
            self._ask_next()


class Simulation:
    """A job and all that its stage replicas share."""

    def __init__(self, job: dict, slower: float = 0.0) -> None:
        """`slower`: by how much, relatively, kernels of the first stage replica are."""
        workload = job["workload"]
        self.job = job
        self.slower = slower
        self.clock = Clock()
        self.network = Network(self.clock, job["bytes_per_s"])
        self.machine = Machine(job)
        self.ranks = Ranks(job)
        self.pipeline = Pipeline(
            workload["schedule.pipeline"], self.ranks.stages, job["micro_batches"], len(job["blocks"][0])
        )
        self.streams = [DataStream(self, stage) for stage in range(self.ranks.stages)]
        if self.ranks.copies == 2:  # the second half of the stages has the weights of the first one
            self.streams = [self.streams[min(stage, self.ranks.stages - 1 - stage)] for stage in range(self.ranks.stages)]
        self.arrivals: dict[tuple[int, int, Work], Event] = {}
        self.ties: dict[int, tuple[Event, list[int]]] = {}
        self.spans_s: list[float] = []
        self.shared = self._shared_links()
        self._call_s: dict[tuple, float] = {}

    def iteration_s(self) -> float:
        """From the start to the last optimizer step; of zero-bubble-2 the longest stage, as no stage waits for others."""
        for replica in range(self.ranks.replicas):
            for stage in range(self.ranks.stages):
                self.clock.start(StageReplica(self, replica, stage).play())
        run(self.clock, self.network)
        assert len(self.spans_s) == self.ranks.replicas * self.ranks.stages, "a stage never ends"
        return max(self.spans_s)

    def arrival(self, replica: int, stage: int, work: Work) -> Event:
        """When the message for a pass is there."""
        return self.arrivals.setdefault((replica, stage, work), Event())

    def transfer(self, shares: Shares, volume_bytes: float) -> Process:
        yield shares.latency_s
        for arrival in [self.network.start(links, part * volume_bytes) for links, part in shares.flows]:
            yield arrival

    def message(self, replica: int, source: int, target: int) -> Shares:
        pairs = zip(self.ranks.of_stage(replica, source), self.ranks.of_stage(replica, target))
        return self.machine.message(list(pairs))

    def _shared_links(self) -> set[int]:
        """Links that different things cross: calls of a stage replica, its messages, collectives of a stage, ties."""
        users: dict[int, set[tuple]] = {}

        def use(user: tuple, shares: Shares) -> None:
            for links, _ in shares.flows:
                for link in links:
                    users.setdefault(link, set()).add(user)

        stages, replicas = range(self.ranks.stages), range(self.ranks.replicas)
        for stage in stages:
            use(("data", stage), self.machine.ring("all-reduce", self.ranks.holders(stage)))
            for replica in replicas:
                for name in ("tp", "cp"):
                    calls = self.machine.ring("all-reduce", self.ranks.groups(name, replica, stage))
                    use(("call", replica, stage), calls)
                for target in stages:
                    if target != stage:
                        use(("message", replica, stage), self.message(replica, stage, target))
        return {link for link, by in users.items() if len(by) > 1}

    def is_shared(self, shares: Shares) -> bool:
        return any(link in self.shared for links, _ in shares.flows for link in links)

    def call_s(self, shares: Shares, volume_bytes: float) -> float:
        """Seconds of a call that meets no other flows, without its latency."""
        if shares.flows not in self._call_s:
            self._call_s[shares.flows] = alone_s(shares.flows, self.job["bytes_per_s"])
        return volume_bytes * self._call_s[shares.flows]

    def tie(self, replica: int) -> Event:
        """The first or the last stage of a replica, which alone have a copy here, has reduced the gradient of its copy of the table; the end of their sum."""
        if replica not in self.ties:
            self.ties[replica] = (Event(), [])
        end, came = self.ties[replica]
        came.append(replica)
        if len(came) == 2:
            pairs = zip(self.ranks.of_stage(replica, 0), self.ranks.of_stage(replica, self.ranks.stages - 1))
            shares = self.machine.ring("all-reduce", [list(pair) for pair in pairs])
            self.clock.start(self._tie(shares, end))
        return end

    def _tie(self, shares: Shares, end: Event) -> Process:
        yield from self.transfer(shares, self.job["tied_bytes"])
        self.clock.happen(end)


class StageReplica:
    """One stage of one replica: its ranks move in lockstep."""

    def __init__(self, simulation: Simulation, replica: int, stage: int) -> None:
        job, ranks = simulation.job, simulation.ranks
        self.simulation, self.replica, self.stage = simulation, replica, stage
        self.plan = Plan(job, stage, len(ranks.holders(stage)[0]))
        self.order = order_of(simulation.pipeline, stage)
        self.kinds = [kind for chunk in job["blocks"][stage] for kind in chunk]
        self.outbox = {FORWARD: Outbox(simulation), BACKWARD: Outbox(simulation)}
        self.beside = job["workload"]["schedule.overlap-pp"] == "yes"
        slowest = min(job["speed"][gpu] for gpu in ranks.of_stage(replica, stage))
        self.pace = (1.0 + (simulation.slower if (replica, stage) == (0, 0) else 0.0)) / slowest
        self.joined = 0  # data-parallel operations so far
        self.running: list[Event] = []
        self.gathers = Fetcher(self._fetching(), self.plan.ahead, self._gather)
        self.reads = Fetcher(self._fetching(), job["workload"]["schedule.prefetch"], self._read)
        self.tier = SecondTier(simulation)
        names = ("tp", "cp")
        self.groups = {name: ranks.groups(name, replica, stage) for name in names}
        self.groups["tp2"] = self.groups["cp"]
        self.block_s: dict[tuple[int, int], float | None] = {}

    def play(self) -> Process:
        """The process of an iteration."""
        simulation, plan, job = self.simulation, self.plan, self.simulation.job
        first = [self._join(operation) for operation in plan.first]
        self.gathers.go_ahead()
        self.reads.go_ahead(1)  # the first block itself does not wait for a pass either
        start_s, held = None, None
        for work in self.order:
            if self._receives(work):
                yield simulation.arrival(self.replica, self.stage, work._replace(whole=False))
            start_s = simulation.clock.now_s if start_s is None else start_s
            for block in self._blocks(work):
                yield from self._prepare(work, block, first)
                kind = job["kinds"][self.kinds[block]]
                yield from self._block(self.kinds[block], work.kind)
                if kind["write_bytes"][work.kind] > 0.0:
                    self.tier.write(
                        block, work.micro_batch, kind["write_bytes"][work.kind], is_read=work.kind == FORWARD
                    )
                if plan.reduces(work) and block in plan.behind:
                    end = self._join(plan.behind[block])
                    if not plan.overlaps:
                        yield end
            held = work if work.whole else held
            if not work.whole:
                yield from self._send(work)
            if work.kind == WEIGHT and held is not None:
                yield from self._send(held)
                held = None
        yield from self._end()
        early_s = start_s if simulation.pipeline.schedule == "zero-bubble-2" else 0.0
        simulation.spans_s.append(simulation.clock.now_s - early_s)

    def _end(self) -> Process:
        simulation = self.simulation
        for operation in self.plan.at_end():
            self._join(operation)
        for end in [*self.running, self.tier.last_write]:
            yield end
        if simulation.job["tied_bytes"] > 0.0 and self.stage in (0, simulation.ranks.stages - 1):
            yield simulation.tie(self.replica)
        parts = ("optimizer_s", "exchange_s", "offload_s")
        step_s, exchange_s, offload_s = (simulation.job[part][self.stage] for part in parts)
        # side by side, on HBM and on the second tier
        yield max(self.pace * step_s, step_s + offload_s) + exchange_s

    def _blocks(self, work: Work) -> list[int]:
        blocks = list(self.plan.chunks[work.chunk])
        return blocks if work.kind == FORWARD else blocks[::-1]

    def _fetching(self) -> Iterator[tuple[Work, int]]:
        """Passes of blocks that fetch: what a weight pass needs is there."""
        return iter([(work, block) for work in self.order if work.kind != WEIGHT for block in self._blocks(work)])

    def _join(self, operation: Operation) -> Event:
        end = self.simulation.streams[self.stage].join(self.joined, operation)
        self.joined += 1
        self.running.append(end)
        return end

    def _gather(self, work: Work, block: int) -> Event | None:
        """Gathers the weights of a block."""
        operation = self.plan.gather(work, block)
        return None if operation is None else self._join(operation)

    def _read(self, work: Work, block: int) -> Event | None:
        """Reads what a pass of a block needs from the second memory tier."""
        kind = self.simulation.job["kinds"][self.kinds[block]]
        if kind["read_bytes"][work.kind] <= 0.0:
            return None
        reads_back = work.kind == BACKWARD and kind["write_bytes"][FORWARD] > 0.0
        return self.tier.read(block, work.micro_batch, kind["read_bytes"][work.kind], reads_back)

    def _prepare(self, work: Work, block: int, first: list[Event]) -> Process:
        """Waits for what a block needs, and fetches ahead of it."""
        if work.kind == WEIGHT:
            return
        needs = [self.gathers.next(), self.reads.next(), *first[: self.plan.needed(work, block)]]
        for need in needs:
            if need is not None:
                yield need
        self.gathers.go_ahead()
        self.reads.go_ahead()

    def _part(self, work: Work) -> int:
        return part_of(self.simulation.pipeline, self.stage, work.chunk)

    def _beside(self, work: Work, ahead: int) -> Optional[int]:
        """The part that is so many ahead of a pass, in its direction; weight gradients go nowhere."""
        step = {FORWARD: ahead, BACKWARD: -ahead}.get(work.kind)
        return None if step is None else part_beside(self.simulation.pipeline, self._part(work), step)

    def _receives(self, work: Work) -> bool:
        return self._beside(work, -1) is not None

    def _send(self, work: Work) -> Process:
        simulation = self.simulation
        part = self._beside(work, 1)
        if part is None:
            return
        target, chunk = place_of(simulation.pipeline, part)
        arrival = simulation.arrival(self.replica, target, work._replace(chunk=chunk, whole=False))
        if target == self.stage:
            simulation.clock.happen(arrival)
            return
        self.outbox[work.kind].send(simulation.message(self.replica, self.stage, target), arrival)
        if not self.beside:
            yield arrival

    def _block(self, kind: int, pass_kind: int) -> Process:
        """A pass of a block: at once where its calls meet no other flows."""
        tasks = self.simulation.job["kinds"][kind]["passes"][pass_kind]
        if (kind, pass_kind) not in self.block_s:
            meets = any(self.simulation.is_shared(self._shares(call)) for task in tasks for call in task.get("calls", []))
            self.block_s[kind, pass_kind] = None if meets else sum(self._alone_s(task) for task in tasks)
        block_s = self.block_s[kind, pass_kind]
        if block_s is not None:
            yield block_s
            return
        for task in tasks:
            yield from self._task(task, self.simulation.clock, alone=False)

    def _shares(self, call: list) -> Shares:
        return self.simulation.machine.ring(call[1], self.groups[call[0]])

    def _alone_s(self, task: dict) -> float:
        """Seconds of a task whose calls meet no other flows."""
        clock = Clock()
        clock.start(self._task(task, clock, alone=True))
        return clock.run_out()

    def _task(self, task: dict, clock: Clock, alone: bool) -> Process:
        """A kernel, calls one after the other, or both side by side."""
        if "kernel_pieces" in task:
            yield from self._side_by_side(task, clock, alone)
            return
        yield self.pace * task["kernel_s"]
        yield from self._calls(task, 1.0, 1.0, alone)

    def _calls(self, task: dict, part: float, starts: float, alone: bool) -> Process:
        """Of each call this part of the bytes, with that share of its start-up."""
        for call in task.get("calls", []):
            shares = self._shares(call)
            shares = shares._replace(latency_s=starts * shares.latency_s)
            if alone:
                yield shares.latency_s + self.simulation.call_s(shares, part * call[2])
            else:
                yield from self.simulation.transfer(shares, part * call[2])

    def _side_by_side(self, task: dict, clock: Clock, alone: bool) -> Process:
        """In pieces: one of the two goes ahead, and piece j of the other starts when piece j - lag of the first is done."""
        ends = {True: [Event() for _ in range(task["kernel_pieces"])], False: [Event() for _ in range(task["call_pieces"])]}
        kernel_first = bool(task["kernel_first"])
        starts = 1.0 / task["call_pieces"] if task["one_ring"] else 1.0
        part = starts if task["one_ring"] else 1.0 / task["kernel_pieces"]

        def pieces(kernel: bool) -> Process:
            for place, end in enumerate(ends[kernel]):
                if kernel != kernel_first and place >= task["lag"]:
                    yield ends[kernel_first][min(place - task["lag"], len(ends[kernel_first]) - 1)]
                if kernel:
                    yield self.pace * task["kernel_s"]
                else:
                    yield from self._calls(task, part, starts, alone)
                clock.happen(end)

        for side in [clock.start(pieces(True)), clock.start(pieces(False))]:
            yield side
