"""What `sinew info` says does not depend on how it is run, and a rank's share of memory falls."""

import json

import program

SCENE = """\
name: two "bodies"
bodies:
  - name: head
    mesh: builtin:spike,count=12
    cell: 0.05
  - name: ball
    mesh: builtin:sphere,detail=8
    cell: 0.04
    coarsest: 0.1
"""
SHEET = """\
v 0 0 1
v 1 0 1.02
v 1 1 1
v 0 1 1
f 1 2 4
f 2 3 4
"""
SHEET_SCENE = "bodies: [{name: sheet, mesh: sheet.obj, cell: 0.1}]\n"
MOST_BYTES_PER_OCTANT = 60
SLABS = """\
bodies:
  - {name: slabs, mesh: slabs.obj, cell: 0.1}
"""
GAP = 0.03
FEW_WAYS = ((1, 2, "parmetis"), (3, 2, "curve"), (3, 2, "parmetis"))  # with slow sanitizers


def box(low, high, first):
    """Lines of an OBJ file; vertices are numbered from `first` on."""
    corners = [[(high if c >> d & 1 else low)[d] for d in range(3)] for c in range(8)]
    quads = ((0, 2, 3, 1), (4, 5, 7, 6), (0, 1, 5, 4), (2, 6, 7, 3), (0, 4, 6, 2), (1, 3, 7, 5))
    lines = ["v " + " ".join(map(str, corner)) for corner in corners]
    return lines + ["f " + " ".join(str(first + c) for c in quad) for quad in quads]


def slabs():
    lower = box((0, 0, 0), (1, 1, 0.45), 1)
    return "\n".join(lower + box((0, 0, 0.45 + GAP), (1, 1, 0.9), 9)) + "\n"


def bytes_of_rank(about, rank):
    return sum(level["ranks"][rank]["bytes"] for level in about["levels"])


class Info(program.ProgramTest):
    def setUp(self):
        super().setUp()
        self.write({"scene.yaml": SCENE})

    def about(self, *arguments, **how):
        result = self.info("scene.yaml", "--json", *arguments, **how)
        self.assertEqual(result.status, 0, result.errors)
        return json.loads(result.output)

    def test_keys(self):
        about = self.about()
        self.assertEqual(about["name"], 'two "bodies"')
        self.assertRegex(about["digest"], "^[0-9a-f]{16}$")
        finest = about["levels"][0]
        self.assertEqual(about["elements"], finest["elements"])
        self.assertEqual(about["nodes"], finest["nodes"])
        self.assertGreater(about["elements"], 0)
        self.assertGreater(about["nodes"], 0)
        everything = sum(level["bytes"] for level in about["levels"])
        self.assertAlmostEqual(about["bytes_per_element"], everything / about["elements"], 2)
        self.assertEqual([body["name"] for body in about["bodies"]], ["head", "ball"])

    def test_same_digest_everywhere(self):
        alone = self.about()
        expected = [level["digest"] for level in alone["levels"]]
        for ranks, threads, method in FEW_WAYS if self.sanitized else program.WAYS:
            with self.subTest(ranks=ranks, threads=threads, method=method):
                about = self.about("-P", f"partition.method={method}", ranks=ranks,
                                   threads=threads)
                self.assertEqual(about["ranks"], ranks)
                self.assertEqual(about["digest"], alone["digest"])
                self.assertEqual([level["digest"] for level in about["levels"]], expected)
        changed = self.about("-P", "bodies.ball.cell=0.041")
        self.assertNotEqual(changed["digest"], alone["digest"])

    def test_memory(self):
        finer = ("-P", "bodies.head.cell=0.02", "-P", "bodies.ball.cell=0.02")
        one, four = self.about(*finer), self.about(*finer, ranks=4)
        finest = one["levels"][0]
        self.assertLessEqual(finest["bytes"], MOST_BYTES_PER_OCTANT * finest["octants"])
        most = max(bytes_of_rank(four, rank) for rank in range(4))
        self.assertLess(most, bytes_of_rank(one, 0) / 2)
        held = sum(rank["octants"] for rank in four["levels"][0]["ranks"])
        self.assertEqual(held, finest["octants"])

    def test_volumes(self):
        """Cut cells count by what is inside, or as whole ones; those of a sheet as whole ones."""
        by_fractions, whole = self.about(), self.about("-P", "bodies.ball.cut_cells=whole")
        for body in by_fractions["bodies"]:
            self.assertAlmostEqual(body["octree_volume"] / body["mesh_volume"], 1, 9)
        head, ball = whole["bodies"]
        self.assertAlmostEqual(head["octree_volume"] / head["mesh_volume"], 1, 9)
        self.assertGreater(ball["octree_volume"], 1.1 * ball["mesh_volume"])
        again = self.about("-P", "bodies.ball.cut_cells=whole", ranks=3)
        self.assertEqual(again["bodies"], whole["bodies"])

    def test_sheet(self):
        """A sheet that is bent a little, in one layer of cells."""
        self.write({"sheet.obj": SHEET, "scene.yaml": SHEET_SCENE})
        result = self.info("scene.yaml", "--json")
        self.assertIn("sheet: its mesh encloses next to nothing", result.errors)
        (body,) = json.loads(result.output)["bodies"]
        self.assertAlmostEqual(body["octree_volume"], 1 * 1 * 0.1)

    def test_close_parts(self):
        """Two slabs in one layer of cells; cells that are small enough tell them apart."""
        self.write({"slabs.obj": slabs(), "scene.yaml": SLABS})
        about = self.about()
        self.assertEqual(about["cells_of_several_parts"], 100)
        self.assertEqual(about["cells_of_parts_apart"], 100)
        closest = about["closest_parts"][0]
        self.assertAlmostEqual(closest["gap"], GAP)
        self.assertAlmostEqual(closest["place"][2], 0.45 + GAP / 2)
        self.assertEqual(closest["body"], "slabs")
        self.assertEqual(self.about(ranks=3)["closest_parts"], about["closest_parts"])
        self.assertIn("100 cells hold more than one part", self.info("scene.yaml").output)
        finer = self.about("-P", f"bodies.slabs.cell={closest['cell']}")
        self.assertEqual((finer["cells_of_several_parts"], finer["closest_parts"]), (0, []))
        bulky = self.about("-P", "bodies.slabs.mesh=builtin:cube")
        self.assertEqual(bulky["cells_of_several_parts"], 0)

    def test_tables_hold_the_same(self):
        about, tables = self.about(), self.info("scene.yaml").output
        self.assertIn(f"digest {about['digest']}", tables)
        for level in about["levels"]:
            self.assertIn(level["digest"], tables)


if __name__ == "__main__":
    program.main()
