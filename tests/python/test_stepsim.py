"""The bindings: what the library says arrives in Python, and what is wrong is an Error. python3 -m unittest test_stepsim."""

import contextlib
import copy
import doctest
import io
import math
import os
import pickle
import re
import signal
import sys
import tempfile
import threading
import types
import unittest
from pathlib import Path

import stepsim


# A model as files of other programs describe it.
LLAMA = """{"model_type": "llama", "hidden_size": 1024, "num_hidden_layers": 4, "vocab_size": 32000, "rope_theta": 500000.0,
 "num_attention_heads": 8, "intermediate_size": 4096}"""

# A platform of eight GPUs.
OWN = """<?xml version="1.0"?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
  <zone id="own" routing="Full">
    <prop id="matrix-flops" value="312Tf"/><prop id="vector-flops" value="78Tf"/>
    <prop id="hbm-bandwidth" value="1555GBps"/><prop id="hbm-capacity" value="80GB"/>
    <prop id="domain-size" value="4"/><prop id="nics-per-domain" value="4"/>
    <prop id="nvlink-efficiency" value="0.7"/><prop id="fabric-efficiency" value="0.7"/>
    <cluster id="nvlink" prefix="gpu-" suffix="" radical="0-7" speed="312Tf" bw="300GBps" lat="2.5us"/>
    <cluster id="fabric" prefix="nic-" suffix="" radical="0-7" speed="1f" bw="25GBps" lat="5us"/>
  </zone>
</platform>
"""


def small(**knobs):
    """A job whose replay takes a tenth of a second."""
    return stepsim.Job("bert-large", "perlmutter", {"training." + name: value for name, value in knobs.items()})


class Machines(unittest.TestCase):
    def test_machines_say_what_they_have(self):
        """As the file of Perlmutter has it: 512 A100 80 GB, four to a node, a NIC of 25 GB/s for each."""
        machine = stepsim.Machine("perlmutter")
        self.assertEqual((machine.name, machine.gpus, machine.domain_gpus, machine.nodes), ("perlmutter", 512, 4, 128))
        self.assertEqual(machine.flop_per_s, {"16-bit": 312e12})
        self.assertEqual(machine.bytes_per_s["fabric"], 25e9)
        varied = machine.vary({"hbm_capacity": "40GB", "fp8-flops": "1Pf"})
        self.assertEqual(varied.memory_bytes, 40e9)
        self.assertEqual(varied["hbm-capacity"], "40GB")
        self.assertEqual(varied.flop_per_s["fp8"], 1e15)
        self.assertNotEqual(machine["hbm-capacity"], "40GB")

    def test_machines_are_shared_and_do_not_change(self):
        machine = stepsim.Machine("perlmutter", {"domain-size": 8, "nics-per-domain": 8})
        job = stepsim.Job("bert-large", machine)
        other = job.on(stepsim.Machine("perlmutter"))
        on = job.machine
        del machine, job # a machine that is lent keeps its lender
        self.assertEqual((on.domain_gpus, other.machine.domain_gpus), (8, 4))
        with self.assertRaises(TypeError):
            on["domain-size"] = 4

    def test_pickles_are_of_machines_and_jobs(self):
        machine = stepsim.Machine("perlmutter", {"domain-size": 8}).vary({"nics-per-domain": 8})
        again = pickle.loads(pickle.dumps(machine))
        self.assertEqual(dict(again), dict(machine))
        job = stepsim.Job("bert-large", machine, {"training.global-batch": 512})
        for one in job, job.search(top=1)[0].job(), job.on("perlmutter"):
            other = pickle.loads(pickle.dumps(one))
            self.assertEqual(dict(other), dict(one))
            self.assertEqual(dict(other.estimate()), dict(one.estimate()))
        with self.assertRaisesRegex(TypeError, "Estimate cannot be pickled"):
            pickle.dumps(job.estimate())

    def test_pickles_of_files_are_for_any_folder(self):
        self.addCleanup(os.chdir, os.getcwd())
        with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as elsewhere:
            Path(folder, "own.xml").write_text(OWN)
            os.chdir(folder)
            os.mkdir("perlmutter")  # no file: the name is that of the shipped one
            for name in "own.xml", "own", "perlmutter":
                machine = stepsim.Machine(name)
                text = pickle.dumps(machine)
                os.chdir(elsewhere)
                self.assertEqual(dict(pickle.loads(text)), dict(machine))
                os.chdir(folder)

    def test_copies_of_what_never_changes_are_itself(self):
        job = small()
        search, replay = job.search(top=1), job.replay()
        for made in stepsim.Machine("perlmutter"), job.machine, job.estimate(), replay, replay.estimate, search:
            self.assertIs(copy.copy(made), made)
            self.assertIs(copy.deepcopy(made), made)
        candidate = copy.deepcopy(search[0])
        del search
        self.assertGreater(candidate.estimate.iteration_s, 0)


class Jobs(unittest.TestCase):
    def test_knobs_are_read_as_they_are_set(self):
        job = small(global_batch=64)
        self.assertEqual(job["training.global-batch"], "64")
        job["parallelism.tp"] = 2
        self.assertEqual(job["parallelism.panels"], "2")
        job["model.causal"] = False
        self.assertEqual(job["model.causal"], "no")
        for other in job.copy(), copy.copy(job), copy.deepcopy(job):
            other["parallelism.tp"] = 4
            self.assertEqual((job["parallelism.tp"], other["parallelism.tp"]), ("2", "4"))

    def test_names_are_listed(self):
        for names, name in ((stepsim.knobs(), "parallelism.tp"), (stepsim.properties(), "matrix-flops"),
                            (stepsim.columns(), "estimate.iteration_s")):
            self.assertIn(name, [row.name for row in names])
            self.assertTrue(all(row.help for row in names))
        self.assertIn("bert-large", stepsim.workloads())
        self.assertIn("perlmutter", stepsim.platforms())

    def test_workloads_are_saved(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "job.xml"
            small(micro_batch=2).save(path)
            self.assertEqual(stepsim.Job(path, "perlmutter")["training.micro-batch"], "2")

    def test_jobs_come_from_files_of_other_programs(self):
        with tempfile.TemporaryDirectory() as folder:
            config = Path(folder) / "config.json"
            config.write_text(LLAMA)
            job = stepsim.Job.imported(config, "perlmutter", {"parallelism.dp": 8, "training.global-batch": 16})
            self.assertEqual((job["model.ffn"], job.estimate().gpus), ("4096", 8))
            self.assertIn("rope_theta", job.notes)
            self.assertEqual(job.copy().notes, job.notes)
            config.write_text("{")
            with self.assertRaises(stepsim.Error):
                stepsim.Job.imported([config], "perlmutter")
        self.assertEqual(small().notes, "")

    def test_arrays_are_lists(self):
        """What has numbers like numpy's is taken as text and list."""
        yes = type("bool_", (), {"item": lambda self: True})()
        single = type("ndarray", (), {"ndim": 0, "__iter__": iter, "item": lambda self: 8.0})()
        array = type("ndarray", (), {"__iter__": lambda self: iter([8, 16])})()
        job = small()
        job["model.causal"] = yes
        self.assertEqual(job["model.causal"], "yes")
        self.assertEqual({candidate.estimate.gpus for candidate in job.search(gpus=array, top=1)}, {8, 16})
        for gpus in single, b"8", 8.0:
            self.assertEqual(job.search(gpus=gpus, top=1.0)[0].estimate.gpus, 8)
        self.assertIn("parallelism.tp", job)
        self.assertNotIn("parallelism.tq", job)


class Predictions(unittest.TestCase):
    def test_attributes_say_what_columns_say(self):
        replay = small().replay(max_seconds=60)
        estimate = replay.estimate
        self.assertEqual(estimate.iteration_s, replay.json()["estimate"]["iteration_s"])
        self.assertEqual(estimate.iteration_s, estimate["estimate.iteration_s"])
        self.assertEqual(replay.iteration_s, replay["simulation.iteration_s"])
        self.assertEqual((replay.mfu, replay.hfu), (replay["metrics.mfu"], replay["metrics.hfu"]))
        self.assertEqual(replay.interval_s, (replay["interval.low_s"], replay["interval.high_s"]))
        self.assertEqual(estimate.parts_s["data_parallel"], estimate["estimate.dp_comm_s"])
        self.assertEqual(estimate.memory_bytes["total"], estimate["memory.total_bytes"])
        self.assertEqual(estimate.stages_memory_bytes, [estimate.memory_bytes])
        self.assertAlmostEqual(sum(replay.parts_s.values()), replay.iteration_s)
        self.assertAlmostEqual(sum(replay.stages[0]), replay.iteration_s)
        self.assertAlmostEqual(replay.tokens_per_s, replay["metrics.tokens_per_s_per_gpu"] * estimate.gpus)
        self.assertEqual((estimate.fits, estimate.parameters), (True, estimate["metrics.parameters"]))
        self.assertEqual(len(dict(replay)), len(replay))
        self.assertEqual({column.unit for column in stepsim.columns() if column.name.endswith("_s") and
                          not column.name.endswith("per_s")}, {"s"})

    def test_an_estimate_has_no_replay(self):
        estimate = small().estimate(cost="sc24")
        self.assertNotIn("simulation.iteration_s", estimate)
        self.assertTrue(math.isnan(estimate.interval_s[0]))
        for name in "simulation.iteration_s", "iteration":
            with self.assertRaises(KeyError):
                estimate[name]
            self.assertEqual(estimate.get(name), None)

    def test_prices_make_dollars(self):
        """At 3600 dollars an hour, a second of a GPU costs one; nobody says how long the whole run is."""
        job = small()
        self.assertTrue(math.isnan(job.estimate().iteration_dollars))
        self.assertNotIn("dollars", job.estimate().json())
        job = job.on(job.machine.vary({"gpu-hour-price": 3600}))
        candidate = job.search(gpus=16, top=1, replay=1)[0].replay
        for one, gpus in ((job.estimate(), job.estimate().gpus), (job.replay(max_seconds=60), job.estimate().gpus), (candidate, 16)):
            self.assertAlmostEqual(one.iteration_dollars, gpus * one.iteration_s)
            self.assertTrue(math.isnan(one.run_dollars))
        job["training.tokens"] = 2 * 512 * int(job["training.global-batch"]) # two iterations
        estimate = job.estimate()
        self.assertAlmostEqual(estimate.run_dollars, 2 * estimate.iteration_dollars)
        self.assertAlmostEqual(estimate.days * 86400, 2 * estimate.iteration_s)
        self.assertEqual(estimate.json()["dollars"], {"iteration": estimate.iteration_dollars, "run": estimate.run_dollars})

    def test_replays_write_timelines(self):
        with tempfile.TemporaryDirectory() as folder:
            traces = [Path(folder) / "run.json", Path(folder) / "run.paje"]
            small().replay(trace=traces[0], trace_ranks=[0, 1])
            self.assertIn("traceEvents", traces[0].read_text())
            self.assertFalse(traces[1].exists())
            small().replay(trace=traces, trace_ranks=[0, 1])
            self.assertIn("%EventDef", traces[1].read_text())

    def test_a_search_has_candidates(self):
        job = small()
        found = job.search(gpus=16, top=3, knobs=["recompute", "schedule"], pareto=False)
        self.assertEqual(len(found), 3)
        times = found.column("estimate.iteration_s")
        self.assertEqual(times, sorted(times))
        for candidate in found:
            self.assertEqual(candidate.job().estimate().iteration_s, times[candidate.rank])
            self.assertEqual(job.copy().set(candidate.settings).estimate().iteration_s, times[candidate.rank])
            self.assertEqual((candidate.estimate.gpus, candidate.replay), (16, None))
        self.assertLess({"parallelism.tp", "parallelism.pp", "parallelism.dp", "training.micro-batch"}, set(found[0].settings))
        self.assertEqual([candidate.rank for candidate in found[1:]], [1, 2])
        self.assertEqual(found[-1].rank, 2)
        with self.assertRaises(IndexError):
            found[3]
        self.assertGreater(found.json()["candidates"], 3)

    def test_frames_need_pandas(self):
        if "pandas" in sys.modules:
            self.skipTest("pandas is there")
        made = []
        frame = types.SimpleNamespace(attrs={}, columns=["gpus"])
        sys.modules["pandas"] = types.SimpleNamespace(DataFrame=lambda rows: made.append(rows) or frame, concat=lambda frames, axis: frame)
        try:
            self.assertIs(small().search(gpus=8, top=2).to_frame(), frame)
        finally:
            del sys.modules["pandas"]
        settings, numbers = made
        self.assertEqual((len(settings), len(numbers)), (2, 2))
        self.assertIn("parallelism.tp", settings[0])
        self.assertEqual(numbers[0]["gpus"], 8.0)
        self.assertEqual(frame.attrs["units"], {"gpus": "1"})

    def test_what_is_lent_keeps_its_lender(self):
        estimate = small().replay().estimate
        candidate = small().search(gpus=8, top=1, replay=1)[0]
        replay = candidate.replay
        del candidate
        self.assertGreater(estimate.iteration_s, 0)
        self.assertGreater(replay.estimate.iteration_s, 0)
        self.assertEqual(replay.stages, [])


class Sweeps(unittest.TestCase):
    def test_points_are_those_of_their_jobs(self):
        """tp of 3 divides neither heads nor GPUs, so that its points are refused; values are of the last axis first."""
        job = small()
        sweep = job.sweep({"parallelism.tp": [1, 2, 3], "platform.fabric-bandwidth": "12.5GBps,25GBps"}, gpus=16)
        times = sweep.column("estimate.iteration_s")
        self.assertEqual((len(sweep), len(times)), (6, 6))
        for at, point in enumerate(sweep[:4]):
            tp, fabric = point["values"]["parallelism.tp"], point["values"]["platform.fabric-bandwidth"]
            self.assertEqual((tp, fabric), ([1, 2][at // 2], [12.5e9, 25e9][at % 2]))
            machine = job.machine.vary({"fabric-bandwidth": f"{fabric / 1e9}GBps"})
            alone = job.on(machine).set({"parallelism.tp": tp, "parallelism.dp": 16 // tp})
            self.assertEqual(alone.estimate().iteration_s, times[at])
        self.assertIn("allowed", sweep[4]["refused"])
        self.assertTrue(math.isnan(times[4]))
        self.assertEqual([axis["name"] for axis in sweep.axes], ["parallelism.tp", "platform.fabric-bandwidth"])
        self.assertEqual(sweep.non_convex, sweep.json()["non_convex"])

    def test_values_with_commas_and_other_machines(self):
        sweep = small().sweep({"placement.order": ["tp,cp,dp,pp", "tp,pp,dp,cp"], "platform": ["perlmutter", "dgx-h100"]}, replay=1)
        self.assertEqual([axis["values"] for axis in sweep.axes],
                         [["tp,cp,dp,pp", "tp,pp,dp,cp"], ["perlmutter", "dgx-h100"]])
        on = stepsim.Job("bert-large", "dgx-h100").replay()
        self.assertEqual(sweep[1]["simulation"]["iteration_s"], on.iteration_s)

    def test_frames_need_pandas(self):
        if "pandas" in sys.modules:
            self.skipTest("pandas is there")
        rows = types.SimpleNamespace(rename=lambda columns: [columns("values.gpus"), columns("estimate.iteration_s")])
        sys.modules["pandas"] = types.SimpleNamespace(json_normalize=lambda points: rows)
        try:
            self.assertEqual(small().sweep({"gpus": [8]}).to_frame(), ["gpus", "estimate.iteration_s"])
        finally:
            del sys.modules["pandas"]

    def test_settings_are_emitted(self):
        job = small().set({"parallelism.tp": 2})
        self.assertIn("--tensor-model-parallel-size 2", job.emit("megatron"))
        self.assertEqual(job["training.framework"], "any")


class Plans(unittest.TestCase):
    def test_plans_are_of_whole_runs(self):
        """At 3600 dollars an hour, a second of a GPU costs one; without prices nobody knows."""
        job = stepsim.Job("llama3-8b", "perlmutter", {"parallelism.dp": 32, "training.global-batch": 256, "training.tokens": 1e11})
        plan = job.plan(trials=10)
        self.assertEqual(plan.total_s, plan.json()["mean"]["total_s"])
        self.assertGreater(plan.total_s, plan.work_s)
        self.assertAlmostEqual(plan.work_s / 86400, job.estimate().days, delta=1e-3 * job.estimate().days)
        priced = job.on(job.machine.vary({"gpu-hour-price": 3600})).plan(trials=10)
        self.assertAlmostEqual(priced.dollars, priced.json()["bill"]["gpu_s"])
        self.assertIn("days", repr(plan))
        best = job.plan(trials=10, best="strategy", knobs="none")
        self.assertLessEqual(best.work_s, plan.work_s)


class Interruptions(unittest.TestCase):
    """Ctrl-C, while the library is at work: as soon as it has begun, which takes far less than what it would do."""

    def interrupted(self, function, *arguments, **options):
        timer = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT))
        timer.start()
        with self.assertRaises(KeyboardInterrupt):
            function(*arguments, **options)
            timer.join() # Python may have been slow to begin

    def test_searches_and_sweeps_are_interrupted(self):
        job = stepsim.Job("gpt3-1t", "a100-nvl4")
        self.interrupted(job.search, gpus=list(range(4096, 16385, 1024)), knobs="all", pareto=True)
        self.interrupted(job.sweep, {"gpus": "1024..16384+64"}, best="strategy", replay=3)
        self.assertGreater(len(job.search(gpus=1024, top=1)), 0) # the next one is its own


class Errors(unittest.TestCase):
    def check(self, status, part, function, *arguments, **options):
        with self.assertRaises(stepsim.Error) as caught:
            function(*arguments, **options)
        self.assertEqual(caught.exception.status, status)
        self.assertIn(part, str(caught.exception))

    def test_what_cannot_be_read_says_what_is_allowed(self):
        job = small()
        self.check(stepsim.Status.INPUT, "did you mean bert-large?", stepsim.Job, "bert-larg", "perlmutter")
        self.check(stepsim.Status.INPUT, "did you mean perlmutter", stepsim.Machine, "perlmuter")
        self.check(stepsim.Status.INPUT, "a capacity such as 80GB", stepsim.Machine, "perlmutter", {"hbm-capacity": 40})
        self.check(stepsim.Status.INPUT, "allowed", job.machine.__getitem__, "nics")
        self.check(stepsim.Status.INPUT, "allowed", job.__setitem__, "parallelism.tp", "two")
        self.check(stepsim.Status.INPUT, "is of the machine", job.__setitem__, "platform.domain-size", 8)
        self.check(stepsim.Status.INPUT, "allowed", job.__getitem__, "parallelism.t")
        self.check(stepsim.Status.INPUT, "allowed: cost", job.estimate, seed=1)
        self.check(stepsim.Status.INPUT, "allowed: 1 to", job.search, top=0)
        self.check(stepsim.Status.INPUT, "training.tokens", job.plan)
        self.check(stepsim.Status.INPUT, "needs --vary", job.sweep, {})
        self.check(stepsim.Status.INPUT, "did you mean tp", job.sweep, {"parallelism.tpp": [1]})
        self.check(stepsim.Status.INPUT, "allowed: megatron, nemo, torchtitan", job.emit, "any")
        self.check(stepsim.Status.INPUT, "is not a file", job.replay, links="-")
        self.check(stepsim.Status.BUDGET, "--max-memory", job.replay, max_memory="1B")
        self.check(stepsim.Status.USE, "character 0", job.__setitem__, "model.name", "a\0b")
        self.check(stepsim.Status.OUTPUT, "nowhere", job.save, "/nowhere/job.xml")
        job["parallelism.tp"] = 3
        self.check(stepsim.Status.INPUT, "tp", job.estimate)

    def test_what_only_replays_have_is_refused_without_one(self):
        for name, value in (("gpu-speed", "0:0.5"), ("link-speed", "nic-0:0.5")):
            job = small().on(stepsim.Machine("perlmutter", {name: value}))
            self.check(stepsim.Status.INPUT, name + " does nothing in the closed form", job.estimate)
            self.check(stepsim.Status.INPUT, name + " does nothing in the closed form", job.search)
            self.assertGreater(job.replay().iteration_s, small().replay().iteration_s)

    def test_a_job_that_failed_is_none(self):
        broken = stepsim.Job.__new__(stepsim.Job)
        del broken


class Threads(unittest.TestCase):
    def test_replays_side_by_side(self):
        job, times = small(), []
        threads = [threading.Thread(target=lambda: times.append(job.replay().iteration_s)) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(len(times), 4)
        self.assertEqual(len(set(times)), 1)


class Documentation(unittest.TestCase):
    def test_examples_run(self):
        self.assertEqual(doctest.testmod(stepsim).failed, 0)

    def test_the_document_runs(self):
        document = Path(__file__).resolve().parents[2] / "docs/library.md"
        if not document.exists():
            self.skipTest("the sources are not there")
        (block,) = re.findall("^```python\n(.*?)^```$", document.read_text(), re.DOTALL | re.MULTILINE)
        before, names = os.getcwd(), {}
        with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(io.StringIO()):
            os.chdir(folder)
            Path("config.json").write_text(LLAMA)
            Path("launch.sh").write_text("torchrun pretrain_gpt.py --tensor-model-parallel-size 2\n")
            try:
                exec(block, names)
            finally:
                os.chdir(before)
        self.assertEqual(names["numbers"][0], names["found"][0].replay.mfu)

    def test_everything_is_explained(self):
        for name in stepsim.__all__:
            self.assertTrue(getattr(stepsim, name).__doc__, name)


if __name__ == "__main__":
    unittest.main()
