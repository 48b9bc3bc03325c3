"""Processes in simulated time: generators that yield seconds to sleep or an event to wait for."""
from __future__ import annotations

import heapq
from typing import Callable, Generator, Union


class Event:
    """Something that happens once."""

    def __init__(self) -> None:
        self.happened = False
        self.waiting: list[Callable[[], None]] = []


Process = Generator[Union[float, Event], None, None]


class Clock:
    """Runs processes; what is to happen at the same time happens in the order in which it was asked for."""

    def __init__(self) -> None:
        self.now_s = 0.0
        self._queue: list[tuple[float, int, Callable[[], None]]] = []
        self._number = 0

    def after(self, delay_s: float, call: Callable[[], None]) -> None:
        self._number += 1
        heapq.heappush(self._queue, (self.now_s + delay_s, self._number, call))

    def next_s(self) -> float:
        return self._queue[0][0] if self._queue else float("inf")

    def run_until(self, time_s: float) -> None:
        """Everything up to a time, also what that brings about at once."""
        while self._queue and self._queue[0][0] <= time_s:
            self.now_s, _, call = heapq.heappop(self._queue)
            call()
        self.now_s = time_s

    def run_out(self) -> float:
        """Everything there is; when the last of it was."""
        while self._queue:
            self.run_until(self.next_s())
        return self.now_s

    def happen(self, event: Event) -> None:
        event.happened = True
        for resume in event.waiting:
            self.after(0.0, resume)
        event.waiting = []

    def start(self, process: Process) -> Event:
        """Starts a process at once; the event is its end."""
        end = Event()
        self._resume(process, end)
        return end

    def _resume(self, process: Process, end: Event) -> None:
        for wanted in process:
            if isinstance(wanted, Event):
                if wanted.happened:
                    continue
                wanted.waiting.append(lambda: self._resume(process, end))
            else:
                self.after(wanted, lambda: self._resume(process, end))
            return
        self.happen(end)
