"""Chromium without a window, for tests of pages: offline or with this machine's own servers, in any width, light or dark."""
import base64

from selenium import webdriver
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service

ARGUMENTS = ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars",
             "--force-device-scale-factor=1", "--no-first-run", "--disable-background-networking")

# What is wrong with the shown pictures: texts that leave the picture, lie on one another, touch a point or the line where
# bars begin, and pictures without shapes.
FLAWS = """
const flaws = [];
for (const svg of document.querySelectorAll('svg.ss[data-figure]')) {
  const frame = svg.getBoundingClientRect(), name = svg.dataset.figure;
  if (frame.width === 0) continue;
  if (svg.querySelectorAll('rect,path,line,circle').length < 3) flaws.push(name + ' is empty');
  const texts = [...svg.querySelectorAll('text')].filter(t => !t.closest('.overlay') && !t.getAttribute('transform'))
      .map(t => ({text: t.textContent, box: t.getBoundingClientRect()}));
  for (const {text, box} of texts)
    if (box.left < frame.left - 2 || box.right > frame.right + 2 || box.top < frame.top - 2 || box.bottom > frame.bottom + 2)
      flaws.push(name + ': "' + text + '" leaves the picture');
  for (const {text, box} of texts) for (const shape of svg.querySelectorAll('circle,line.l-soft')) {
    const b = shape.getBoundingClientRect(), upright = b.width < 1;
    if (shape.tagName === 'line' && !upright) continue;
    const wide = upright ? Math.min(b.left - box.left, box.right - b.left) : Math.min(box.right, b.right) - Math.max(box.left, b.left);
    if (wide > (upright ? 1 : -2) && Math.min(box.bottom, b.bottom) - Math.max(box.top, b.top) > 4) flaws.push(name + ': "' + text + '" touches a ' + shape.tagName);
  }
  for (let i = 0; i < texts.length; ++i) for (let j = 0; j < i; ++j) {
    const a = texts[i].box, b = texts[j].box;
    const wide = Math.min(a.right, b.right) - Math.max(a.left, b.left), high = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
    if (wide > 1 && high > 4) flaws.push(name + ': "' + texts[i].text + '" lies on "' + texts[j].text + '"');
  }
}
if (document.documentElement.scrollWidth > innerWidth) flaws.push('the page is wider than the window');
return flaws;
"""

# Whether a text of a picture differs enough from the ground of its page.
CONTRAST = """
const light = c => c.match(/[0-9.]+/g).slice(0, 3).map(v => v / 255).map(v => v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
    .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
const ground = light(getComputedStyle(document.querySelector('section')).backgroundColor);
return [...document.querySelectorAll('svg.ss text')].filter(t => t.getBoundingClientRect().width > 0 && !t.classList.contains('on'))
    .map(t => light(getComputedStyle(t).fill)).map(l => (Math.max(l, ground) + 0.05) / (Math.min(l, ground) + 0.05))
    .reduce((least, ratio) => Math.min(least, ratio), 21);
"""


class Browser:
    def __init__(self, offline=True):
        options = Options()
        for argument in (*ARGUMENTS, "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"):
            options.add_argument(argument)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
        self.driver = webdriver.Chrome(service=Service("/usr/bin/chromedriver"), options=options)
        self.driver.execute_cdp_cmd("Network.enable", {})
        if not offline:
            return
        self.driver.execute_cdp_cmd("Network.emulateNetworkConditions",
                                    {"offline": True, "latency": 0, "downloadThroughput": 0, "uploadThroughput": 0})

    def close(self):
        self.driver.quit()

    def look(self, width, dark=False, media="screen"):
        """Changes the window and what the reader prefers."""
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride",
                                    {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False})
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": media, "features": [scheme]})

    def open(self, path):
        self.driver.get("file://" + path)

    def run(self, script, *arguments):
        return self.driver.execute_script(script, *arguments)

    def messages(self):
        """What the page has complained of, and what it has asked the network for."""
        loaded = self.run("return performance.getEntriesByType('resource').map(e => e.name)")
        return [entry["message"] for entry in self.driver.get_log("browser")] + loaded

    def flaws(self):
        return self.run(FLAWS)

    def contrast(self):
        return self.run(CONTRAST)

    def mouse(self, kind, x, y, **more):
        self.driver.execute_cdp_cmd("Input.dispatchMouseEvent", {"type": kind, "x": x, "y": y, **more})
        self.run("return new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")

    def shoot(self, path):
        size = self.run("return [innerWidth, document.documentElement.scrollHeight]")
        clip = {"x": 0, "y": 0, "width": size[0], "height": size[1], "scale": 1}
        shot = self.driver.execute_cdp_cmd("Page.captureScreenshot", {"format": "png", "clip": clip, "captureBeyondViewport": True})
        with open(path, "wb") as file:
            file.write(base64.b64decode(shot["data"]))
