"""The page of `sinew report` in a browser: it loads without a mistake and without a network, holds
the frames, plays, and shows what it should."""

import pathlib

import browser
import program
import small_run

READY = "document.documentElement.dataset.state === 'ready'"
FRAME = "Number(document.documentElement.dataset.frame)"
# What is drawn, after the browser has had its turn to draw.
PIXELS = """new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => {
  const canvas = document.getElementById("canvas"), gl = canvas.getContext("webgl");
  const pixels = new Uint8Array(4 * canvas.width * canvas.height);
  gl.readPixels(0, 0, canvas.width, canvas.height, gl.RGBA, gl.UNSIGNED_BYTE, pixels);
  let hash = 0, opaque = 0;
  for (let i = 0; i < pixels.length; i++) hash = (31 * hash + pixels[i]) | 0;
  for (let i = 3; i < pixels.length; i += 4) opaque += pixels[i] > 250;
  done([hash, opaque / (canvas.width * canvas.height)]);
})))"""


class ReportInBrowser(small_run.SmallRunTest):
    scene_values = ("output.octree=true", "output.fields=[displacement, stress]")

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.sinew("report", "run")
        cls.address = pathlib.Path(cls.run_folder, "run", "report.html").as_uri()
        cls.page = browser.Browser().__enter__()
        cls.addClassCleanup(cls.page.__exit__)

    def load(self, wishes=""):
        self.page.open(self.address + wishes, READY)

    def tearDown(self):
        """Whatever was done: nothing failed, and nothing was asked for but the page."""
        self.assertEqual(self.page.problems, [])
        for address in self.page.asked_for:
            self.assertTrue(address.startswith((self.address, "about:", "data:")), address)

    def choose(self, control, value):
        self.page.value(f"""(() => {{ const c = document.getElementById("{control}");
          c.value = "{value}"; c.dispatchEvent(new Event("input")); c.dispatchEvent(new Event("change"));
          if (c.value !== "{value}") throw new Error("no such choice"); }})()""")

    def test_positions(self):
        """What is drawn is where the frames say."""
        self.load()
        for i, expected in enumerate(self.points):
            found = self.page.value(f"Array.from(player.surface.positions({i}))")
            flat = [x for point in expected for x in point]
            self.assertEqual(len(found), len(flat))
            self.assertLess(max(abs(a - b) for a, b in zip(found, flat)), 2e-5)

    def test_scrub(self):
        """Each frame looks different, and the same when one comes back."""
        self.load("#frame=5")
        self.assertEqual(self.page.value(FRAME), 5)
        seen = []
        for i, frame in enumerate(small_run.FRAMES):
            self.choose("scrub", i)
            self.assertEqual(self.page.value(FRAME), frame)
            shot, opaque = self.page.value(PIXELS)
            self.assertGreater(opaque, 0.02)
            seen.append(shot)
        self.assertEqual(len(set(seen)), len(seen))
        self.choose("scrub", 0)
        self.assertEqual(self.page.value(PIXELS)[0], seen[0])

    def test_play(self):
        self.load()
        before = self.page.value(PIXELS)[0]
        self.page.value("document.getElementById('play').click()")
        self.page.wait(f"{FRAME} > {small_run.FRAMES[0]}")
        self.page.value("document.getElementById('play').click()")
        still = self.page.value(FRAME)
        self.assertNotEqual(self.page.value(PIXELS)[0], before)
        self.assertEqual(self.page.value(FRAME), still)

    def test_looks(self):
        """Colours, slices and the camera change the picture; a legend says what colours mean."""
        self.load("#frame=9")
        seen = [self.page.value(PIXELS)[0]]

        def is_new():
            seen.append(self.page.value(PIXELS)[0])
            self.assertEqual(len(set(seen)), len(seen))

        for field in ("moved", "field:displacement", "field:von_mises"):
            self.choose("field", field)
            is_new() if field != "field:displacement" else None
            self.assertFalse(self.page.value("document.getElementById('legend').hidden"))
        self.choose("slice", "slice-z")
        is_new()
        self.choose("surface-look", "none")
        is_new()
        self.page.value("player.camera.orbit(100, 20); player.redraw()")
        is_new()
        self.page.value("player.camera.zoom(0.5); player.redraw()")
        is_new()

    def test_legend(self):
        """Its upper end is the farthest that anything moved."""
        self.load("#field=moved")
        self.choose("range", "all")
        farthest = max(sum((a - b) ** 2 for a, b in zip(one, other)) ** 0.5
                       for points in self.points for one, other in zip(points, self.points[0]))
        shown = float(self.page.value("document.getElementById('legend-high').textContent"))
        self.assertAlmostEqual(shown, farthest, delta=1e-3 * farthest)

    def test_plots_and_tables(self):
        self.load()
        count = "document.querySelectorAll('{}').length".format
        self.assertGreaterEqual(self.page.value(count(".plot svg")), 4)
        self.assertGreaterEqual(self.page.value(count(".plot polyline")), 5)
        self.assertGreater(self.page.value(count("#tables tr")), 5)
        self.assertIn("builtin:sphere", self.page.value("document.querySelector('pre').textContent"))
        self.assertEqual(self.page.value("document.getElementById('title').textContent"), "small")


if __name__ == "__main__":
    if not browser.find():
        program.skip("there is no chromium on the PATH")
    program.need("h5dump")
    program.main()
