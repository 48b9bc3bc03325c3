"""What ends a run before its time - kill -9, a full disk, a closed pipe - and what is left of a database then."""
from __future__ import annotations

import os
import signal
import subprocess
import time
from pathlib import Path

from inputs import mutate
from program import Context, Result, expect, limit_files, tiny_workload

MPI = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OMPI_MCA_rmaps_base_oversubscribe": "1"}
MPI_START_S = 0.3  # until mpiexec has started its processes


def _draw_work(context: Context) -> list[str]:
    """A sweep or a search that takes about a second."""
    rng = context.rng
    workload = tiny_workload(context.folder, 16)
    platform = str(context.source / "platforms" / "perlmutter.xml")
    sweep = ["sweep", workload, platform, "--vary", "parallelism.pp=1..16*2", "--vary", "training.micro-batch=1,2,4,8",
             "--replay", "--fold", "none", "--flows", "simulated"]
    best = ["sweep", workload, platform, "--vary", "gpus=8,16,32,64", "--best", "strategy"]
    search = ["search", workload, platform, "--gpus", "16,32,64", "--knobs", "schedule,recompute", "--replay", "6"]
    return rng.choice([sweep, best, search])


def _expect_same(context: Context, work: list[str], alone: Result) -> None:
    resumed = context.run(*work, "--quiet", "--db", "results.db")
    expect(resumed.status == alone.status, f"status {resumed.status}, not {alone.status}: {' '.join(work)}: {resumed.err}")
    expect(resumed.out == alone.out, f"another output from the database: {' '.join(work)}")


def check_kills(context: Context) -> int:
    """Killed again and again, it goes on to the same bytes. Returns the kills."""
    rng = context.rng
    work = _draw_work(context)
    began_s = time.monotonic()
    alone = context.run(*work, "--quiet")
    takes_s = time.monotonic() - began_s
    kills = 0
    for _ in range(rng.choice([1, 3, 6])):
        kills += _kill(context, [*work, "--quiet", "--db", "results.db"], takes_s)
        if (context.folder / "results.db").exists() and (context.folder / "results.db").stat().st_size > 0:
            listed = context.run("results", "results.db")
            expect(listed.status == 0, f"status {listed.status} of results after a kill: {listed.err}")
    _expect_same(context, work, alone)
    return kills


def _kill(context: Context, work: list[str], takes_s: float) -> int:
    """Kills a run, or under MPI one of its two processes, at a random moment of the time it takes; 0 if it was over then."""
    rng = context.rng
    under_mpi = bool(context.mpiexec) and rng.random() < 0.4
    command = [context.mpiexec, "-n", "2", context.program, *work] if under_mpi else [context.program, *work]
    process = subprocess.Popen(command, cwd=context.folder, env=dict(os.environ, OMP_NUM_THREADS="1", **MPI),
                               stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    time.sleep(rng.uniform(0.0, takes_s) + (MPI_START_S if under_mpi else 0.0))
    over = process.poll() is not None
    workers = _children(process.pid) if under_mpi and not over else []
    _kill_process(rng.choice(workers) if workers else process.pid)
    try:
        process.wait(30)  # mpiexec ends the other worker
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
        for worker in workers:
            _kill_process(worker)
    return 0 if over else 1


def _kill_process(process: int) -> None:
    try:
        os.kill(process, signal.SIGKILL)
    except ProcessLookupError:
        pass  # it has just ended


def _children(process: int) -> list[int]:
    return [int(pid) for pid in Path(f"/proc/{process}/task/{process}/children").read_text().split()]


def check_damaged(context: Context) -> None:
    """A damaged database is refused and left as it is, or still says the same; it never says anything else."""
    work = _draw_work(context)
    alone = context.run(*work, "--quiet", "--db", "results.db")
    path = context.folder / "results.db"
    damaged = mutate(context.rng, path.read_bytes())
    for command in (["results", "results.db"], [*work, "--quiet", "--db", "results.db"]):
        path.write_bytes(damaged)
        result = context.run(*command)
        expect(result.status >= 0, f"signal {-result.status} of {' '.join(command)}: {result.err}")
        if result.status in (1, 2):
            expect(result.err.startswith("stepsim: ") and "results.db" in result.err, f"no proper message: {result.err!r}")
            expect(result.status == 2, f"status {result.status} of {' '.join(command)}: {result.err}")
        elif command[0] != "results":
            expect(result.out == alone.out, f"another output from a damaged database: {' '.join(command)}")


def check_full_disk(context: Context) -> None:
    """Where files cannot be written in full there is none, and the program says so; a database goes on when there is room."""
    rng = context.rng
    work = _draw_work(context)
    trace = rng.choice(["out.json", "out.paje"])
    run = ["run", work[1], work[2], "--set", "parallelism.pp=4", "--trace", trace, "--links", "out.csv"]
    command = rng.choice([run, [*work, "--json", "out.json"], [*work, "--csv", "out.csv"] if work[0] == "sweep" else run])
    before = {path.name for path in context.folder.iterdir()}
    limit = limit_files(rng.choice([0, 100, 1000, 4096, 10000, 100000]), rng.random() < 0.5)
    alone = context.run(*command, "--quiet")
    whole = _take_outputs(context, before)
    squeezed = context.run(*command, "--quiet", prepare=limit)
    expect(squeezed.status >= 0, f"signal {-squeezed.status} of {' '.join(command)}: {squeezed.err}")
    outputs = _take_outputs(context, before)
    if squeezed.status == 1:
        expect(squeezed.err.startswith("stepsim: "), f"no proper message of {' '.join(command)}: {squeezed.err!r}")
    else:
        expect(squeezed.status == alone.status, f"status {squeezed.status}, not {alone.status}: {' '.join(command)}")
        expect(outputs == whole, f"other outputs, but status {squeezed.status}: {' '.join(command)}")
    for name, text in outputs.items():
        expect(text == whole.get(name), f"{' '.join(command)} left a part of {name}")
    base = context.run(*work, "--quiet")
    context.run(*work, "--quiet", "--db", "results.db", prepare=limit)
    _expect_same(context, work, base)


def _take_outputs(context: Context, before: set[str]) -> dict[str, bytes]:
    """Reads and removes what is new in the folder."""
    found = {}
    for path in context.folder.iterdir():
        if path.name not in before:
            found[path.name] = path.read_bytes()
            path.unlink()
    return found


def check_closed_pipe(context: Context) -> None:
    """A reader that leaves early, as head does: the run ends, by SIGPIPE or with a message, and leaves no partial file."""
    work = _draw_work(context)
    command = context.rng.choice([work, [*work, "--json", "-"], ["run", work[1], work[2], "--links", "-"], ["describe", work[1]]])
    process = subprocess.Popen([context.program, *command], cwd=context.folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE)
    lines = context.rng.choice([0, 1])
    for _ in range(lines):
        process.stdout.readline()
    process.stdout.close()
    err = process.stderr.read().decode(errors="replace")
    process.stderr.close()
    status = process.wait()
    said = status == 1 and err.startswith("stepsim: ")
    expect(status in (0, 3, -signal.SIGPIPE) or said, f"status {status} of {' '.join(command)} | head: {err}")
