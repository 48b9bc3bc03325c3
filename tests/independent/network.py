"""Links that flows share: max-min fairness by progressive filling (Bertsekas and Gallager, Data Networks, section 6.5.2)."""
from __future__ import annotations

from typing import Iterable, Sequence

from clock import Clock, Event

Links = tuple[int, ...]
ROUNDING_S = 1e-13  # what would arrive in that time has arrived


class Flow:
    """Bytes on their way over some links."""

    def __init__(self, links: Links, size_bytes: float) -> None:
        self.links = links
        self.size_bytes = self.left_bytes = size_bytes
        self.bytes_per_s = 0.0
        self.arrival = Event()


def share(flows: Iterable[Flow], capacity: Sequence[float]) -> None:
    """Gives each flow its rate: fills the link that is full first, takes it and its flows out, and so on."""
    users: dict[int, dict[Flow, None]] = {}
    for flow in flows:
        for link in flow.links:
            users.setdefault(link, {})[flow] = None
    left = {link: capacity[link] for link in users}
    while users:
        full = min(users, key=lambda link: left[link] / len(users[link]))
        rate = max(left[full], 0.0) / len(users[full])
        for flow in list(users[full]):
            flow.bytes_per_s = rate
            for link in flow.links:
                left[link] -= rate
                del users[link][flow]
                if not users[link]:
                    del users[link]


class Network:
    """The flows of a simulation."""

    def __init__(self, clock: Clock, capacity: Sequence[float]) -> None:
        self.clock = clock
        self.capacity = capacity
        self._flows: list[Flow] = []
        self._changed = False
        self._since_s = 0.0

    def start(self, links: Links, size_bytes: float) -> Event:
        flow = Flow(links, size_bytes)
        if size_bytes > 0.0:
            self._pass_time()
            self._flows.append(flow)
            self._changed = True
        else:
            self.clock.happen(flow.arrival)
        return flow.arrival

    def _pass_time(self) -> None:
        seconds = self.clock.now_s - self._since_s
        if seconds > 0.0:
            for flow in self._flows:
                flow.left_bytes -= seconds * flow.bytes_per_s
        self._since_s = self.clock.now_s

    def next_s(self) -> float:
        """When the next flow arrives, if none starts before that."""
        if self._changed:
            share(self._flows, self.capacity)
            self._changed = False
        return self._since_s + min((f.left_bytes / f.bytes_per_s for f in self._flows), default=float("inf"))

    def arrive(self) -> None:
        """Ends the flows that have arrived by now."""
        self._pass_time()
        arrived = [f for f in self._flows if f.left_bytes <= ROUNDING_S * f.bytes_per_s]
        if arrived:
            self._flows = [f for f in self._flows if f.left_bytes > ROUNDING_S * f.bytes_per_s]
            self._changed = True
            for flow in arrived:
                self.clock.happen(flow.arrival)


def run(clock: Clock, network: Network) -> None:
    """Until nothing is left to happen."""
    while True:
        clock.run_until(clock.now_s)
        arrival_s = network.next_s()
        next_s = min(clock.next_s(), arrival_s)
        if next_s == float("inf"):
            return
        clock.now_s = max(next_s, clock.now_s)
        if arrival_s <= next_s:
            network.arrive()


def alone_s(flows: Sequence[tuple[Links, float]], capacity: Sequence[float]) -> float:
    """Seconds of flows that start together and meet no others."""
    clock = Clock()
    network = Network(clock, capacity)
    for links, size_bytes in flows:
        network.start(links, size_bytes)
    run(clock, network)
    return clock.now_s
