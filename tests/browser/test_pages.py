"""test_pages.py STEPSIM SOURCE SCRATCH: pages are well drawn in a browser, and show the numbers that --json has.

Leaves screenshots of all pages in SCRATCH."""
import json
import os
import re
import shlex
import subprocess
import sys
import unittest

from browser import Browser

PROGRAM, SOURCE, SCRATCH = sys.argv[1:4]

# Pages: what the program is asked for. Pipelines with experts, data parallelism alone, and what does not fit.
PAGES = {
    "run-pipeline": "run workloads/gpt3-175b.xml platforms/perlmutter.xml",
    "run-experts": "run workloads/deepseek-v3.xml platforms/dgx-h100.xml",
    "run-one-stage": "run workloads/llama3-8b.xml platforms/dgx-h100.xml",
    "run-slow": "run workloads/gpt3-175b.xml platforms/perlmutter.xml --set training.global-batch=192 --set 'platform.gpu-speed=117:0.85 3:0.99999'",
    "run-small": "run workloads/mpt-7b.xml platforms/dgx-h100.xml --set platform.hbm-capacity=16GB",
    "search": "search workloads/gpt3-175b.xml platforms/perlmutter.xml --gpus 512",
    "search-front": "search workloads/gpt3-175b.xml platforms/perlmutter.xml --gpus 256,512 --pareto --knobs recompute,schedule",
    "search-none": "search workloads/gpt3-175b.xml platforms/perlmutter.xml --gpus 8",
    "sweep": "sweep workloads/gpt3-175b.xml platforms/perlmutter.xml --vary parallelism.pp/parallelism.dp=4/32,8/16,16/8,32/4 --replay",
    "sweep-two": "sweep workloads/gpt3-175b.xml platforms/perlmutter.xml --vary training.micro-batch=1,2,4,5 "
                 "--vary training.global-batch=256..4096*2",
    "validate": "validate validation/measured-sc21.xml validation/measured-nccl-perlmutter.xml",
    "fit": "fit validation/fit/mi300x.xml --quick",
}

# Pages that are only weighed: as many GPUs as jobs of today have, and very many passes.
LARGE = {
    "run-gpus": "run workloads/gpt3-1t.xml platforms/dgx-h100.xml",
    "run-passes": "run workloads/megatron-530b.xml platforms/selene.xml",
    "run-long": "run workloads/gpt3-175b.xml platforms/perlmutter.xml --fold none --set training.global-batch=6144",
}

# Widths of the window, and whether the ground is dark, which does not move anything.
LOOKS = [(1440, False), (1440, True), (1024, True), (400, False)]


def write(name):
    """Asks the program for a page, and for the same as JSON."""
    page, data = os.path.join(SCRATCH, name + ".html"), os.path.join(SCRATCH, name + ".json")
    command = [PROGRAM] + shlex.split({**PAGES, **LARGE}[name]) + ["--report", page, "--json", data, "--quiet"]
    done = subprocess.run(command, cwd=SOURCE, capture_output=True, text=True, check=False)
    assert done.returncode in (0, 3), done.stderr
    with open(data, encoding="utf-8") as file:
        return page, json.load(file)


def predict(name, setting):
    """What the program says of one of the pages with another setting."""
    command = [PROGRAM] + shlex.split(PAGES[name]) + ["--set", setting, "--json", "-", "--quiet"]
    return json.loads(subprocess.run(command, cwd=SOURCE, capture_output=True, text=True, check=True).stdout)


def front(points):
    """Points (time, memory) that no other one is as fast as with less memory, or faster than with as much."""
    return [p for p in points if not any(q != p and q[0] <= p[0] and q[1] <= p[1] for q in points)]


def number(text):
    return float(re.match(r"[-+0-9.e]+", text).group(0))


SECONDS = {"ns": 1e-9, "\u00b5s": 1e-6, "ms": 1e-3, "s": 1.0}


def seconds(text):
    """A time as pages print it."""
    return number(text) * SECONDS[text.split()[1]]


class PageCase(unittest.TestCase):
    """Opens pages in one browser."""

    @classmethod
    def setUpClass(cls):
        os.makedirs(SCRATCH, exist_ok=True)
        cls.browser = Browser()

    @classmethod
    def tearDownClass(cls):
        cls.browser.close()

    def open(self, name):
        page, data = write(name)
        self.browser.look(1440)
        self.browser.open(page)
        self.assertEqual(self.browser.messages(), [])
        return data

    def read(self, script, *arguments):
        return self.browser.run("return " + script, *arguments)

    def text(self, selector):
        return self.read("document.querySelector(arguments[0]).textContent", selector)

    def assert_close(self, shown, value, digits):
        self.assertLessEqual(abs(shown - value), 0.51 * 10 ** (1 - digits) * abs(value) + 1e-15, (shown, value))


class Pages(PageCase):
    def test_pages_are_well_drawn(self):
        for name in PAGES:
            self.open(name)
            for width, dark in LOOKS:
                with self.subTest(name=name, width=width, dark=dark):
                    self.browser.look(width, dark)
                    self.assertEqual(self.browser.flaws(), [])
                    self.assertGreater(self.browser.contrast(), 4.5)
                    self.browser.shoot(os.path.join(SCRATCH, f"{name}-{width}-{'dark' if dark else 'light'}.png"))
            self.assertEqual(self.browser.messages(), [])

    def test_pages_are_small_and_need_nothing_else(self):
        for name in [*PAGES, *LARGE]:
            page, _ = write(name)
            self.assertLess(os.path.getsize(page), 5e6)
            with open(page, encoding="utf-8") as file:
                text = re.sub(r'xmlns="[^"]*"|http://www.w3.org/2000/svg', "", file.read())
            self.assertNotIn("http", text)

    def test_data_are_those_of_json(self):
        for name in PAGES:
            data = self.open(name)
            self.assertEqual(self.read("JSON.parse(document.getElementById('result').textContent)"), data)
            self.browser.run("document.querySelector('#json details').open = true")
            shown = self.read("new Promise(done => setTimeout(() => done(document.getElementById('shown').textContent), 100))")
            self.assertEqual(json.loads(shown, parse_int=float), data)

    def test_pages_print(self):
        self.open("run-pipeline")
        self.browser.look(1024, True, "print")
        self.assertEqual(self.read("getComputedStyle(document.querySelector('nav')).display"), "none")
        self.assertGreater(self.browser.contrast(), 4.5)
        self.assertEqual(self.read("getComputedStyle(document.querySelector('svg .ink')).fill"), "rgb(26, 33, 41)")


class Others(PageCase):
    def test_search(self):
        data = self.open("search")
        self.assert_close(seconds(self.text("#tile-best strong")), data["top"][0]["estimate"]["iteration_s"], 4)
        self.assertEqual(int(self.text("#tile-candidates strong")), data["candidates"])
        self.assertEqual(self.read("document.querySelectorAll('#front svg.wide circle').length"), len(data["top"]))
        self.assertEqual(self.read("document.querySelectorAll('#knobs svg.wide path').length"), len(data["top"]), "a line for each strategy")
        tips = self.read("[...document.querySelectorAll('#losers svg.wide rect[data-tip]')].map(r => r.dataset.tip)")
        self.assertIn(f"do not fit in memory: {data['infeasible']['memory']} ", " ".join(tips))

    def test_search_without_result(self):
        self.open("search-none")
        self.assertEqual(self.read("[...document.querySelectorAll('nav a')].map(a => a.textContent)"), ["losers"])

    def test_search_has_a_front_for_each_number_of_gpus(self):
        data = self.open("search-front")
        sizes = data
        self.assertEqual([size["gpus"] for size in sizes], [256, 512])
        large = self.read("[...document.querySelectorAll('#front svg.wide circle')].filter(c => c.r.baseVal.value > 5).length")
        self.assertEqual(large, sum(len(front([(s["estimate"]["iteration_s"], s["memory"]["total_bytes"]) for s in size["top"]])) for size in sizes))
        self.assertEqual(self.read("document.querySelectorAll('#front svg.wide path.thick').length"), 2)
        names = self.read("[...document.querySelectorAll('#parts svg.wide text.end.ink')].map(t => t.textContent)")
        self.assertEqual(len(names), 10)
        self.assertEqual(len(set(names)), 10, "strategies have names of their own")
        reasons = self.read("[...document.querySelectorAll('#losers tbody th')].map(c => c.textContent)")
        self.assertNotIn("...", " ".join(reasons))

    def test_sweep(self):
        data = self.open("sweep-two")
        times = [point["estimate"]["iteration_s"] for point in data["points"] if "estimate" in point]
        fits = [p["estimate"]["iteration_s"] for p in data["points"] if "estimate" in p and p["memory"]["fits"]]
        self.assert_close(seconds(self.text("#tile-best strong")), min(fits), 4)
        self.assertEqual(int(self.text("#tile-extrema strong")), len(data["non_convex"]))
        self.assertEqual(self.read("document.querySelectorAll('#map svg.wide rect[data-tip]').length"), len(data["points"]))
        self.assertGreater(len(data["points"]), len(times), "some are refused")
        ring, dots = self.read("""(() => { const at = c => [c.cx.baseVal.value, c.cy.baseVal.value], all = [...document.querySelectorAll('#curves svg.wide circle')];
            return [at(all.find(c => c.classList.contains('ring'))), all.filter(c => (c.dataset.tip || '').includes(arguments[0])).map(at)]; })()""",
                               self.text("#tile-best strong"))
        self.assertIn(ring, dots)

    def test_validate(self):
        data = self.open("validate")
        for kind in ("iterations", "collectives"):
            self.assert_close(number(self.text(f"#tile-{kind} strong")), 100 * data[kind]["simulation"]["mean_absolute"], 3)
            points = self.read("document.querySelectorAll(arguments[0]).length", f"#predicted{'' if kind == 'iterations' else '-collectives'} svg.wide circle")
            self.assertEqual(points, data[kind]["simulation"]["count"])
        names = self.read("[...document.querySelectorAll('#errors svg.wide text.end.ink')].map(t => t.textContent)")
        self.assertEqual(names, [g["id"] for g in data["groups"] if g["kind"] == "iterations"])

    def test_fit(self):
        data = self.open("fit")
        self.assertEqual(int(self.text("#tile-evaluations strong")), data["evaluations"])
        rows = self.read("[...document.querySelectorAll('#constants tbody th')].map(c => c.textContent)")
        self.assertEqual(rows, [constant["property"] for constant in data["constants"]])


class Runs(PageCase):
    def test_numbers_shown(self):
        data = self.open("run-pipeline")
        self.assert_close(seconds(self.text("#tile-iteration strong")), data["simulation"]["iteration_s"], 4)
        self.assert_close(number(self.text("#tile-mfu strong")), 100 * data["metrics"]["mfu"], 4)
        self.assert_close(number(self.text("#tile-memory strong")), data["memory"]["total_bytes"] / 2**30, 4)
        rows = self.read("[...document.querySelectorAll('#parts tbody tr')].map(r => [...r.cells].map(c => c.textContent))")
        shown = {row[0]: row[1:] for row in rows}
        self.assert_close(seconds(shown["compute"][0]), data["estimate"]["compute_s"], 5)
        self.assert_close(seconds(shown["bubble"][1]), data["simulation"]["bubble_s"], 5)
        self.assert_close(seconds(shown["iteration"][1]), data["simulation"]["iteration_s"], 5)

    def test_lengths_of_bars(self):
        """Bars of parts are as long, to a pixel, as their share of the longer iteration."""
        data = self.open("run-experts")
        bars = self.read("[...document.querySelectorAll('#parts svg.wide rect[data-tip]')].map(r => [r.dataset.tip, r.width.baseVal.value])")
        longest = max(data["estimate"]["iteration_s"], data["simulation"]["iteration_s"])
        width = max(length for tip, length in bars) / max(data["estimate"]["compute_s"], data["simulation"]["compute_s"])
        names = {"expert parallel": "ep_comm_s", "bubble": "bubble_s", "memory": "memory_s"}
        for label, field in names.items():
            lengths = [length for tip, length in bars if tip.startswith(label + ":")]
            for length, of in zip(lengths, (data["estimate"], data["simulation"])):
                self.assertAlmostEqual(length, width * of[field], delta=1.5)
        self.assertLess(width * longest, 960)

    def test_slow_parts(self):
        data = self.open("run-slow")
        told = self.read("[...document.querySelectorAll('.alert')].map(p => p.textContent)")
        self.assertEqual(told, [data["slow_parts"][0]["sentence"]], "the other one costs next to nothing")
        self.assertRegex(told[0], "GPUs .* wait for GPU 117 .0.85 of its speed.")
        rows = self.read("[...document.querySelectorAll('#slow tbody tr')].map(r => [...r.cells].map(c => c.textContent))")
        self.assertEqual([row[0] for row in rows], [part["entry"] for part in data["slow_parts"]])
        self.assert_close(seconds(rows[0][1]), data["slow_parts"][0]["cost_s"], 4)

    def test_better_machines(self):
        """Each bar is what the program says of the machine with that changed by hand."""
        data = self.open("run-experts")
        of = self.read("JSON.parse(document.getElementById('data').textContent)")
        with open(os.path.join(SOURCE, "platforms/dgx-h100.xml"), encoding="utf-8") as file:
            hbm = float(re.search(r'id="hbm-bandwidth" value="([0-9.]+)GBps"', file.read()).group(1))
        changed = predict("run-experts", f"platform.hbm-bandwidth={2 * hbm}GBps")
        self.assertAlmostEqual(of["what_if_s"]["hbm"], changed["estimate"]["iteration_s"], delta=1e-9)
        self.assertAlmostEqual(of["what_if_replay_s"]["hbm"], changed["simulation"]["iteration_s"], delta=1e-9)
        rows = self.read("[...document.querySelectorAll('#what-if tbody tr')].map(r => [...r.cells].map(c => c.textContent))")
        self.assert_close(seconds(rows[0][2]), data["simulation"]["iteration_s"], 5)
        self.assert_close(seconds(rows[2][1]), changed["estimate"]["iteration_s"], 5)
        self.assert_close(seconds(rows[2][2]), changed["simulation"]["iteration_s"], 5)
        bars = self.read("[...document.querySelectorAll('#what-if svg.wide rect[data-tip]')].filter(r => r.dataset.tip.includes(': ')).map(r => r.width.baseVal.value)")
        self.assertAlmostEqual(bars[2] / bars[0], changed["simulation"]["iteration_s"] / data["simulation"]["iteration_s"], delta=2e-3)

    def test_better_machines_are_not_replayed_where_that_is_long(self):
        self.open("run-long")
        of = self.read("JSON.parse(document.getElementById('data').textContent)")
        self.assertIn("what_if_s", of)
        self.assertNotIn("what_if_replay_s", of)
        self.assertEqual(self.read("document.querySelectorAll('#what-if thead th').length"), 2)

    def test_links_are_those_of_the_replay(self):
        data = self.open("run-pipeline")
        names = self.read("[...document.querySelectorAll('#links svg.wide text.end.ink')].map(t => t.textContent.split(' ')[0])")
        self.assertEqual(sorted(names), sorted(link["name"] for link in data["replay"]["links"]))

    def test_timeline_data(self):
        """Stages end when the program says; every micro-batch is there once in each direction; the path is whole."""
        data = self.open("run-pipeline")
        timeline = self.read("JSON.parse(document.getElementById('data').textContent).timeline")
        self.assertAlmostEqual(timeline["end_s"], data["simulation"]["iteration_s"], delta=1e-8)
        for row in timeline["rows"]:
            passes = [row["passes"][i:i + 5] for i in range(0, len(row["passes"]), 5)]
            for activity in (timeline["forward"], timeline["backward"]):
                self.assertEqual(sorted(p[4] for p in passes if p[2] == activity), list(range(data["micro_batches"])))
            self.assertLessEqual(sum(p[0] + p[1] for p in passes), 1e9 * timeline["end_s"] + 1)
        steps = [timeline["path"][i:i + 5] for i in range(0, len(timeline["path"]), 5)]
        self.assertAlmostEqual(steps[0][4], 1e9 * timeline["end_s"], delta=1)
        self.assertEqual([s[3] for s in steps[:-1]], [s[4] for s in steps[1:]])

    def view(self):
        svg = "document.querySelector('#timeline svg.wide')"
        shown = self.read(f"[Number({svg}.dataset.from), Number({svg}.dataset.to)]")
        self.browser.run("document.getElementById('timeline').scrollIntoView({behavior: 'instant'})")
        box = self.read(f"(() => {{ const m = {svg}.getScreenCTM(), v = {svg}.querySelector('.view'), at = k => v[k].baseVal.value;"
                        " return [m.e + m.a * at('x'), m.f + m.d * at('y'), m.a * at('width'), m.d * at('height')]; })()")
        return shown, box

    def test_timeline_zooms_and_moves(self):
        self.open("run-pipeline")
        (begin, end), _ = self.view()
        self.browser.run("document.querySelector('.tools button[title=\"Zoom in\"]').click()")
        (left, right), (x, y, width, _) = self.view()
        self.assertAlmostEqual((right - left) / (end - begin), 0.5)
        self.browser.mouse("mousePressed", x + 0.5 * width, y + 50, button="left", clickCount=1)
        self.browser.mouse("mouseMoved", x + 0.25 * width, y + 50, button="left", buttons=1)
        self.browser.mouse("mouseReleased", x + 0.25 * width, y + 50, button="left", clickCount=1)
        (moved, _), _ = self.view()
        self.assertAlmostEqual(moved - left, 0.25 * (right - left), delta=0.01 * (right - left))
        for _ in range(8):
            self.browser.run("document.querySelector('.tools button[title=\"Zoom in\"]').click()")
        self.assertGreater(self.read("document.querySelectorAll('#timeline svg.wide .overlay rect').length"), 20, "tasks inside of passes")
        self.browser.run("document.querySelector('.tools button[title=\"Show all\"]').click()")
        self.assertEqual(self.view()[0], [begin, end])
        self.assertEqual(self.browser.messages(), [])

    def test_timeline_says_what_waits_for_what(self):
        self.open("run-experts")
        timeline = self.read("JSON.parse(document.getElementById('data').textContent).timeline")
        transfers = {t[0]: t for t in (timeline["transfers"][i:i + 8] for i in range(0, len(timeline["transfers"]), 8))}
        for _ in range(6):
            self.browser.run("document.querySelector('.tools button[title=\"Zoom in\"]').click()")
        (begin, end), (x, y, width, height) = self.view()
        row, wait = max(((i, row["waits"][k:k + 4]) for i, row in enumerate(timeline["rows"]) for k in range(0, len(row["waits"]), 4)
                         if row["waits"][k + 3] in transfers and begin < row["waits"][k] and row["waits"][k] + row["waits"][k + 1] < end), key=lambda w: w[1][1])
        _, source, _, batch, _, _, took, size = transfers[wait[3]]
        self.browser.mouse("mouseMoved", x + width * (wait[0] + 0.5 * wait[1] - begin) / (end - begin), y + (row + 0.5) * height / len(timeline["rows"]))
        tip = self.text("#tip")
        self.assertIn(f"Stage {timeline['rows'][row]['stage']} waits", tip)
        self.assertIn(f"message from stage {source}, micro-batch {batch}", tip)
        shown = re.search(r"which has([0-9.]+) MB in ([0-9.]+ .s)", tip)
        self.assert_close(float(shown.group(1)), size / 1e6, 4)
        self.assert_close(seconds(shown.group(2)), 1e-9 * took, 4)
        self.assertEqual(self.read("document.querySelectorAll('#timeline svg.wide .overlay .arrow').length"), 1)
        self.assertTrue(self.read("[...document.querySelectorAll('#tip td')].every(c => c.scrollWidth <= c.clientWidth + 1 && "
                                  "c.getBoundingClientRect().right <= document.getElementById('tip').getBoundingClientRect().right)"), "the text is in its box")
        self.assertTrue(self.read("document.querySelector('#timeline svg.wide .overlay path.l-ink').getAttribute('d').length > 10"), "the critical path")
        self.assertEqual(self.browser.messages(), [])

    def test_links_over_time_have_their_mean(self):
        data = self.open("run-experts")
        rows = self.read("""(() => { const all = {}; for (const r of document.querySelectorAll('#links svg.wide rect[data-tip]')) {
            const part = r.dataset.tip.match(/^(.*), .* to .*: ([0-9.]+) % of/); if (!part) continue;
            const row = all[part[1]] = all[part[1]] || [0, 0]; const w = r.width.baseVal.value - 0.3; row[0] += w; row[1] += w * part[2]; }
            return all; })()""")
        self.assertEqual(len(rows), len(data["replay"]["links"]))
        for link in data["replay"]["links"]:
            width, sum_percent = rows[link["name"]]
            self.assertAlmostEqual(sum_percent / width, 100 * link["utilisation"], delta=0.1)

    def test_memory_over_time_has_its_peak(self):
        data = self.open("run-experts")
        peaks = self.read("""(() => { const svg = document.querySelector('#memory-time svg.wide'), capacity = svg.querySelector('line.dashed').y1.baseVal.value;
            const zero = Math.max(...[...svg.querySelectorAll('line.l-soft')].map(l => l.y1.baseVal.value));
            return [...svg.querySelectorAll('path.thick')].map(p => (zero - p.getBBox().y) / (zero - capacity)); })()""")
        stages = [data["memory"]["stages"][int(name.split()[1])] for name in self.read("[...document.querySelectorAll('#memory-time svg.wide text')].map(t => t.textContent)") if name.startswith("stage ")]
        self.assertEqual(len(peaks), len(stages))
        for peak, stage in zip(peaks, stages):
            self.assertAlmostEqual(peak, stage["total_bytes"] / data["memory"]["capacity_bytes"], delta=3e-3)

    def test_timeline_says_what_is_under_the_pointer(self):
        data = self.open("run-pipeline")
        _, (x, y, width, height) = self.view()
        row = height / 16
        self.browser.mouse("mouseMoved", x + 0.5 * width, y + 3.5 * row)
        tip = self.text("#tip")
        for what in ("Stage 3", "micro-batch", "layers", "flop", "HBM", "tp "):
            self.assertIn(what, tip)
        self.browser.mouse("mouseMoved", x + 0.05 * width, y + 0.5 * row)
        self.assertIn("Stage 0", self.text("#tip"))
        self.assertEqual(data["micro_batches"], 192)
        self.assertEqual(self.browser.messages(), [])


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0]] + sys.argv[4:], verbosity=1)
