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
MOST_BYTES_PER_OCTANT = 60
FEW_WAYS = ((1, 2, "parmetis"), (3, 2, "curve"), (3, 2, "parmetis"))  # with slow sanitizers


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

    def test_tables_hold_the_same(self):
        about, tables = self.about(), self.info("scene.yaml").output
        self.assertIn(f"digest {about['digest']}", tables)
        for level in about["levels"]:
            self.assertIn(level["digest"], tables)


if __name__ == "__main__":
    program.main()
