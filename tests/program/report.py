"""`sinew report`: the page has the frames, slices and tables of the run, whatever texts are in them;
what is no run, or damaged, is refused with one message."""

import math
import os
import shutil

import program
import report_page
import small_run
import surface_files

DONE, WRONG, MACHINE = 0, 1, 2
NASTY = "</script><script>alert(1)</script><!-- &amp; \u00e9"


class Report(small_run.SmallRunTest):
    scene_values = ("output.octree=true", "output.fields=[displacement, stress]")

    @classmethod
    def setUpClass(cls):
        """`whole` is the page of the run as it is."""
        super().setUpClass()
        cls.sinew("report", "run", "-o", "whole.html")
        cls.whole = report_page.Page(os.path.join(cls.run_folder, "whole.html"))

    def setUp(self):
        super().setUp()
        shutil.copytree(os.path.join(self.run_folder, "run"), self.path("run"))

    def report(self, *arguments, **how):
        return self.program.run("report", *arguments, folder=self.folder, **how)

    def page(self, *arguments, file="run/report.html"):
        result = self.report("run", *arguments, ranks=self.ranks)
        self.assertEqual(result.status, DONE, result.errors)
        self.assertIn(f"wrote {file}", result.output + result.errors)
        return report_page.Page(self.path(file))

    def test_surface(self):
        """All points to within half of what 16 bits tell apart; triangles and times as they are."""
        page = self.whole
        clip = page.clips["surface"]
        self.assertEqual(page.triangles("surface"), self.faces)
        self.assertEqual([frame["frame"] for frame in clip["frames"]], small_run.FRAMES)
        for i, expected in enumerate(self.points):
            found, step = page.points("surface", i)
            self.assertEqual(len(found), len(expected))
            worst = max(abs(a - b) for one, other in zip(found, expected) for a, b in zip(one, other))
            self.assertLessEqual(worst, 0.5 * step + 1e-7)
            self.assertAlmostEqual(clip["frames"][i]["time"],
                                   (small_run.FRAMES[i] - small_run.FRAMES[0]) / small_run.FPS)

    def test_fields(self):
        """Of a vector its length: here what moved, which the positions tell as well."""
        page = self.whole
        rest, last = self.points[0], self.points[-1]
        moved = [math.dist(a, b) for a, b in zip(rest, last)]
        found = page.values("surface", len(self.points) - 1, "displacement")
        for one, other in zip(found, moved, strict=True):
            self.assertAlmostEqual(one, other, delta=1e-4 * max(moved))

    def test_slices(self):
        """A square for each cell that the plane cuts; at rest they lie in one plane side by side,
        each with its cell's size."""
        page = self.whole
        for axis, name in enumerate(("slice-x", "slice-y", "slice-z")):
            points, step = page.points(name, 0)
            sizes = page.values(name, 0, "cell_size")
            self.assertGreater(len(sizes), 0)
            height = [point[axis] for point in points]
            self.assertLess(max(height) - min(height), 1e-5)
            for i, size in enumerate(sizes):
                a, b, c, d = points[4 * i:4 * i + 4]
                for one, next_one in ((a, b), (b, c), (c, d), (d, a)):
                    self.assertAlmostEqual(math.dist(one, next_one), size, delta=4 * step + 1e-5)

    def test_texts(self):
        """Nothing that is in a run can end its element in the page, or be markup."""
        with open(self.path("run/scene.yaml"), "a") as file:
            file.write(f"# {NASTY}\n")
        with open(self.path("run/log.txt"), "ab") as file:
            file.write(NASTY.encode() + b"\xff\x00\n")
        page = self.page("--output", "other.html", file="other.html")
        self.assertEqual(self.whole.elements.counts, page.elements.counts)
        self.assertIn(NASTY, page.texts["scene"])
        self.assertIn(NASTY + "\ufffd\ufffd\n", page.texts["log"])
        with open(self.path("run/frames.csv")) as file:
            self.assertEqual(page.texts["frames"], file.read())
        self.assertEqual(page.elements.links, [])
        self.assertEqual(page.elements.counts["script"], 2 + 4 * (1 + len(small_run.FRAMES)))

    def test_less(self):
        """Fewer frames are spread evenly; a surface with fewer triangles has some of its points."""
        page = self.page("--most-frames", "2", "--triangles", "60")
        clip = page.clips["surface"]
        self.assertEqual([frame["frame"] for frame in clip["frames"]],
                         [small_run.FRAMES[0], small_run.FRAMES[-1]])
        self.assertLessEqual(clip["triangles"], 60)
        self.assertGreater(clip["triangles"], 10)
        self.assertEqual(clip["fullTriangles"], len(self.faces))
        for i, all_points in ((0, self.points[0]), (1, self.points[-1])):
            found, step = page.points("surface", i)
            for point in found:
                self.assertLess(min(math.dist(point, other) for other in all_points), 2 * step)

    def test_run_that_goes_on(self):
        """Not all files are there yet, and the last row is on its way."""
        for name in ("timing.csv", "octree.xmf", "surface_0009.vtkhdf", "octree_0009.vtkhdf"):
            os.remove(self.path("run/" + name))
        with open(self.path("run/frames.csv"), "a") as file:
            file.write("10,0.1")
        page = self.page()
        self.assertEqual(page.about["framesThere"], 3)
        self.assertNotIn("timing", page.texts)

    def test_link(self):
        """A link in the page's place is replaced, not followed."""
        self.write({"mine.txt": "mine"})
        os.symlink("../mine.txt", self.path("run/report.html"))
        self.page()
        with open(self.path("mine.txt")) as file:
            self.assertEqual(file.read(), "mine")

    def refused(self, message, *arguments, status=WRONG):
        before = set(os.listdir(self.path("run")))
        result = self.report(*(arguments or ("run",)), ranks=self.ranks)
        self.assertEqual(result.status, status, result.errors)
        self.assertRegex("\n".join(program.own_lines(result.errors)), message)
        self.assertEqual(set(os.listdir(self.path("run"))), before)

    def test_no_run(self):
        self.refused("run directory", "nothing")
        os.remove(self.path("run/manifest.txt"))
        self.refused("no manifest.txt of a run.*--output")
        os.remove(self.path("run/scene.yaml"))
        self.refused("not a run directory", "run", "--output", "page.html")
        self.assertFalse(os.path.exists(self.path("page.html")))

    def test_damaged(self):
        path = self.path("run/frames.csv")
        with open(path) as file:
            rows = file.read()
        for text in ("", "nonsense\n", rows + "1,2\n3,4\n"):
            with open(path, "w") as file:
                file.write(text)
            self.refused(r"frames\.csv:\d+: not the table")
        with open(path, "w") as file:
            file.write(rows)
        frame = surface_files.frame_path(self.path("run"), 5)
        with open(frame, "r+b") as file:
            file.truncate(1000)
        self.refused("surface_0005")
        shutil.copy(surface_files.frame_path(self.path("run"), 3), frame)
        self.refused("surface_0005.*frame 3")
        os.remove(frame)
        os.mkfifo(frame)
        self.refused("surface_0005.*not a regular file")


if __name__ == "__main__":
    program.need("h5dump")
    program.main()
