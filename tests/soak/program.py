"""The program under test, and what a check may ask of it."""
from __future__ import annotations

import os
import random
import resource
import select
import signal
import struct
import subprocess
import tempfile
from pathlib import Path
from typing import Callable, NamedTuple

from table import Table

SECONDS_MAX = 120.0  # of a run: none is so long


class Failure(Exception):
    """What should hold and does not."""


class Refused(Exception):
    """The job that was drawn is none, or too long."""


class Result(NamedTuple):
    """What a run came to; a negative status is the signal that ended it."""

    status: int
    out: bytes
    err: str


class Server:
    """The program, loaded once for many runs (tests/soak/server.c), with so many threads."""

    def __init__(self, server: str, threads: int):
        self._command, self._threads = server, threads
        self._folder = tempfile.TemporaryDirectory(prefix="stepsim-soak-server-")
        self._out, self._err = (Path(self._folder.name) / name for name in ("out", "err"))
        self._process = self._start()

    def _start(self) -> subprocess.Popen:
        environment = dict(os.environ, OMP_NUM_THREADS=str(self._threads))
        return subprocess.Popen([self._command], env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0,
                                start_new_session=True)

    def run(self, folder: Path, arguments: tuple[str, ...]) -> Result:
        """Runs it in a folder to its end."""
        words = (folder, self._out, self._err, "stepsim", *arguments)
        request = b"".join(os.fsencode(word) + b"\0" for word in words)
        self._process.stdin.write(struct.pack("=I", len(request)) + request)
        if not select.select([self._process.stdout], [], [], SECONDS_MAX)[0]:
            os.killpg(self._process.pid, signal.SIGKILL)
            self._process = self._start()
            raise _late(arguments)
        status = os.waitstatus_to_exitcode(struct.unpack("=i", self._process.stdout.read(4))[0])
        return Result(status, self._out.read_bytes(), self._err.read_text(errors="replace"))


def _late(arguments: tuple[str, ...]) -> Failure:
    return Failure(f"no end after {SECONDS_MAX:.0f} s: {' '.join(arguments)}")


class Context(NamedTuple):
    """What a check works with: random numbers from its seed, and an empty folder of its own."""

    rng: random.Random
    folder: Path
    program: str
    servers: dict[int, Server]  # by threads
    source: Path
    table: Table
    mpiexec: str

    def run(self, *arguments: str, threads: int = 1, prepare: Callable[[], None] | None = None) -> Result:
        """Runs stepsim in the folder to its end."""
        if prepare is None:
            return self.servers[threads].run(self.folder, arguments)
        environment = dict(os.environ, OMP_NUM_THREADS=str(threads))
        try:
            done = subprocess.run(
                [self.program, *arguments], cwd=self.folder, env=environment, stdin=subprocess.DEVNULL, preexec_fn=prepare,
                stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=SECONDS_MAX)
        except subprocess.TimeoutExpired as late:
            raise _late(arguments) from late
        return Result(done.returncode, done.stdout, done.stderr.decode(errors="replace"))

    def predict(self, *arguments: str, threads: int = 1) -> Result:
        """The same; it has to be a prediction, that of a job which fits or does not."""
        result = self.run(*arguments, threads=threads)
        if result.status == 1 and "--max-" in result.err:
            raise Refused(result.err)
        expect(result.status in (0, 3), f"status {result.status} of {' '.join(arguments)}: {result.err}")
        return result


def expect(holds: bool, problem: str) -> None:
    if not holds:
        raise Failure(problem)


def limit_files(size_bytes: int, ignores_signal: bool) -> Callable[[], None]:
    """Before a run: no file may grow beyond this, as on a full disk."""

    def prepare() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN if ignores_signal else signal.SIG_DFL)
        resource.setrlimit(resource.RLIMIT_FSIZE, (size_bytes, size_bytes))

    return prepare


def tiny_workload(folder: Path, layers: int = 4) -> str:
    """The name of a workload that is quick to predict."""
    (folder / "tiny.xml").write_text(
        f'<workload version="1"><model name="tiny" layers="{layers}" hidden="512" heads="8" sequence="256" vocabulary="32000"/>\n'
        '<training global-batch="64"/></workload>\n')
    return "tiny.xml"
