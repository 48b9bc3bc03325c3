"""The bindings: what the library says arrives in Python, and what is wrong is an Error. python3 -m unittest test_stepsim."""

import contextlib
import copy
import doctest
import io
import math
import os
import re
import sys
import tempfile
import threading
import types
import unittest
from pathlib import Path

import stepsim


def small(**knobs):
    """A job whose replay takes a tenth of a second."""
    return stepsim.Job("bert-large", "perlmutter", {"training." + name: value for name, value in knobs.items()})


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

    def test_knobs_are_listed(self):
        names = [knob.name for knob in stepsim.knobs()]
        self.assertIn("parallelism.tp", names)
        self.assertIn("platform.matrix-flops", names)
        self.assertTrue(all(knob.help for knob in stepsim.knobs()))
        self.assertIn("bert-large", stepsim.workloads())
        self.assertIn("perlmutter", stepsim.platforms())

    def test_workloads_are_saved(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "job.xml"
            small(micro_batch=2).save(path)
            self.assertEqual(stepsim.Job(path, "perlmutter")["training.micro-batch"], "2")


class Results(unittest.TestCase):
    def test_rows_are_mappings(self):
        result = small().replay(max_seconds=60)
        (row,) = result
        self.assertEqual(row["estimate.iteration_s"], result.json()["estimate"]["iteration_s"])
        self.assertEqual(row["simulation.iteration_s"], result["simulation.iteration_s"])
        self.assertEqual(len(dict(row)), len(row))
        self.assertLess({"memory.fits", "metrics.mfu"}, set(row))
        self.assertEqual({column.unit for column in stepsim.columns() if column.name.endswith("_s") and
                          not column.name.endswith("per_s")}, {"s"})

    def test_an_estimate_has_no_replay(self):
        result = small().estimate(cost="sc24")
        self.assertNotIn("simulation.iteration_s", result[0])
        self.assertTrue(math.isnan(result.column("simulation.iteration_s")[0]))
        with self.assertRaises(KeyError):
            result["simulation.iteration_s"]
        with self.assertRaises(KeyError):
            result["iteration"]
        self.assertEqual(result[0].get("iteration"), None)

    def test_prices_make_dollars(self):
        """At 3600 dollars an hour, a second of a GPU costs one; nobody says how long the whole run is."""
        job = small()
        self.assertNotIn("dollars.iteration", job.estimate()[0])
        self.assertNotIn("dollars", job.estimate().json())
        job["platform.gpu-hour-price"] = 3600
        for result, time in ((job.estimate(), "estimate.iteration_s"), (job.replay(max_seconds=60), "simulation.iteration_s"),
                             (job.search(gpus=16, top=1, replay=1), "simulation.iteration_s")):
            self.assertAlmostEqual(result["dollars.iteration"], result["gpus"] * result[time])
            self.assertNotIn("dollars.run", result[0])
        job["training.tokens"] = 2 * 512 * int(job["training.global-batch"]) # two iterations
        result = job.estimate()
        self.assertAlmostEqual(result["dollars.run"], 2 * result["dollars.iteration"])
        self.assertEqual(result.json()["dollars"], {"iteration": result["dollars.iteration"], "run": result["dollars.run"]})

    def test_a_search_has_jobs(self):
        result = small().search(gpus=16, top=3, knobs=["recompute", "schedule"], pareto=False)
        self.assertEqual(len(result), 3)
        times = result.column("estimate.iteration_s")
        self.assertEqual(times, sorted(times))
        self.assertEqual(result.job().estimate()["estimate.iteration_s"], times[0])
        self.assertEqual(result[-1].job().estimate()["estimate.iteration_s"], times[2])
        self.assertEqual([row["gpus"] for row in result[1:]], [16.0, 16.0])
        with self.assertRaises(IndexError):
            result[3]
        self.assertGreater(result.json()["candidates"], 3)

    def test_frames_need_pandas(self):
        if "pandas" in sys.modules:
            self.skipTest("pandas is there")
        made = {}
        frame = types.SimpleNamespace(dropna=lambda **how: frame, attrs={}, columns=["gpus"])
        sys.modules["pandas"] = types.SimpleNamespace(DataFrame=lambda columns: made.update(columns) or frame)
        try:
            self.assertIs(small().estimate().to_frame(), frame)
        finally:
            del sys.modules["pandas"]
        self.assertEqual(list(made), [column.name for column in stepsim.columns()])
        self.assertEqual(frame.attrs["units"], {"gpus": "1"})

    def test_jobs_and_results_live_by_themselves(self):
        row = small().estimate()[0]
        self.assertGreater(row.job().estimate()["gpus"], 0)
        self.assertGreater(row["gpus"], 0)


class Errors(unittest.TestCase):
    def check(self, status, part, function, *arguments, **options):
        with self.assertRaises(stepsim.Error) as caught:
            function(*arguments, **options)
        self.assertEqual(caught.exception.status, status)
        self.assertIn(part, str(caught.exception))

    def test_what_cannot_be_read_says_what_is_allowed(self):
        job = small()
        self.check(stepsim.Status.INPUT, "did you mean bert-large?", stepsim.Job, "bert-larg", "perlmutter")
        self.check(stepsim.Status.INPUT, "allowed", job.__setitem__, "parallelism.tp", "two")
        self.check(stepsim.Status.INPUT, "allowed", job.__getitem__, "parallelism.t")
        self.check(stepsim.Status.INPUT, "allowed: cost", job.estimate, seed=1)
        self.check(stepsim.Status.INPUT, "allowed: 1 to", job.search, top=0)
        self.check(stepsim.Status.BUDGET, "--max-memory", job.replay, max_memory="1B")
        self.check(stepsim.Status.USE, "character 0", job.__setitem__, "model.name", "a\0b")
        self.check(stepsim.Status.OUTPUT, "nowhere", job.save, "/nowhere/job.xml")
        job["parallelism.tp"] = 3
        self.check(stepsim.Status.INPUT, "tp", job.estimate)

    def test_a_job_that_failed_is_none(self):
        broken = stepsim.Job.__new__(stepsim.Job)
        del broken


class Threads(unittest.TestCase):
    def test_replays_side_by_side(self):
        job, times = small(), []
        threads = [threading.Thread(target=lambda: times.append(job.replay()["simulation.iteration_s"])) for _ in range(4)]
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
            try:
                exec(block, names)
            finally:
                os.chdir(before)
        self.assertEqual(names["numbers"][0], names["best"].estimate()["estimate.iteration_s"])

    def test_everything_is_explained(self):
        for name in stepsim.__all__:
            self.assertTrue(getattr(stepsim, name).__doc__, name)


if __name__ == "__main__":
    unittest.main()
