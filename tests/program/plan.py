"""What `sinew plan` counts is what runs on so many ranks have."""

import csv
import json
import sys
import unittest

import program

WRONG = 1
SCENE = """\
name: two "bodies"
frames: {first: 1, last: 3}
bodies:
  - name: head
    mesh: builtin:spike,count=12
    cell: 0.04
  - name: ball
    mesh: builtin:sphere,detail=8
    place: {translate: [3, 0, 0]}
    cell: 0.03
    coarsest: 0.2
pins:
  - {name: held, body: head, region: {sphere: {center: [0, 0, 0], radius: 0.5}}}
  - {name: fixed, body: ball, region: {sphere: {center: [3, 0, 0], radius: 0.5}}}
"""
TINY = """\
name: tiny
bodies:
  - {name: cube, mesh: builtin:cube, cell: 0.5}
pins:
  - {name: held, body: cube, region: {box: {min: [-9, -9, -9], max: [9, -0.4, 9]}}}
"""
CREATURE = """\
name: creature
frames: {first: 1, last: 2}
bodies:
  - {name: flesh, mesh: builtin:creature, cell: 0.025}
pins:
  - {name: feet, body: flesh, region: {box: {min: [-2, -1, -1], max: [2, 0.12, 1]}}}
solver:
  newton: {max: 6, tolerance: 0.01}
output: {dir: run}
"""
BALL = """\
name: ball
bodies:
  - {name: ball, mesh: builtin:sphere, cell: 0.2}
colliders:
  - {name: floor, shape: {plane: {point: [0, -2, 0], normal: [0, 1, 0]}}}
"""
WALK = """\
name: walk
frames: {first: 1, last: 2}
bodies:
  - {name: flesh, mesh: builtin:creature, cell: 0.04}
bones:
  - {name: chest, body: flesh, mesh: builtin:creature/chest, motion: {builtin: creature_walk}, stiffness: 3.0e6}
  - {name: pelvis, body: flesh, mesh: builtin:creature/pelvis, motion: {builtin: creature_walk}, stiffness: 3.0e6}
colliders:
  - {name: floor, shape: {plane: {point: [0, 0, 0], normal: [0, 1, 0]}}}
self_collision: {enabled: true, friction: 0.2}
solver:
  newton: {max: 4, tolerance: 0.2}
output: {dir: run, octree: true, checkpoint: {every: 2}}
"""
COARSE = ("-P", "bodies.head.cell=0.1", "-P", "bodies.ball.cell=0.1")  # for sanitizers
RANKS = (2, 3, 4, 7)
KEYS = {"ranks", "memory_max", "memory_average", "ghost_elements_max", "ghost_nodes_max",
        "neighbours_max", "imbalance", "seconds_per_frame", "nodes"}

BAD_ARGUMENTS = (
    ([], "which scene"),
    (["tiny.yaml"], "how many ranks"),
    (["tiny.yaml", "--ranks"], "--ranks needs numbers"),
    (["tiny.yaml", "--ranks", "0"], "--ranks needs numbers.*'0'"),
    (["tiny.yaml", "--ranks", "8,"], "--ranks needs numbers"),
    (["tiny.yaml", "--ranks", "8;9"], "--ranks needs numbers"),
    (["tiny.yaml", "--ranks", "99999999999"], "--ranks needs numbers"),
    (["tiny.yaml", "--ranks", "8", "--node-memory", "0"], "--node-memory.*'0'"),
    (["tiny.yaml", "--ranks", "8", "--bandwidth", "nan"], "--bandwidth.*'nan'"),
    (["tiny.yaml", "--ranks", "8", "--ranks-per-node", "x"], "--ranks-per-node"),
    (["tiny.yaml", "--ranks", "8", "--contacts", "101"], "--contacts.*'101'"),
    (["tiny.yaml", "--ranks", "8", "--contacts", "-1"], "--contacts.*'-1'"),
    (["tiny.yaml", "--ranks", "8", "-P"], "-P needs a key"),
    (["tiny.yaml", "--ranks", "8", "--fast"], "unknown option '--fast'"),
    (["tiny.yaml", "scene.yaml", "--ranks", "8"], "one scene"),
    (["none.yaml", "--ranks", "8"], "none.yaml"),
)


def counted(level):
    """What `info` has for a level, in the words of `plan`."""
    ranks = level["ranks"]

    def of(key):
        return [rank[key] for rank in ranks]

    used = sum(octants > 0 for octants in of("octants"))
    return {"ranks": used,
            "elements_max": max(of("elements")),
            "ghost_elements": sum(of("ghost_elements")),
            "ghost_elements_max": max(of("ghost_elements")),
            "ghost_nodes": sum(of("ghost_nodes")),
            "ghost_nodes_max": max(of("ghost_nodes")),
            "neighbours_max": max(of("neighbours")),
            "imbalance": max(of("elements")) * used / sum(of("elements"))}


class Plan(program.ProgramTest):
    alone = None

    def setUp(self):
        super().setUp()
        self.write({"scene.yaml": SCENE, "tiny.yaml": TINY, "creature.yaml": CREATURE,
                    "walk.yaml": WALK, "ball.yaml": BALL})
        self.cells = COARSE if self.sanitized else ()

    def run_plan(self, *arguments, **how):
        return self.program.run("plan", *arguments, folder=self.folder, **how)

    def plan(self, scene, counts, *arguments, **how):
        result = self.run_plan(scene, "--ranks", ",".join(map(str, counts)), "--json",
                               *arguments, **how)
        self.assertEqual(result.status, 0, result.errors)
        return json.loads(result.output)

    def check_level(self, level, expected):
        for key, value in expected.items():
            self.assertAlmostEqual(level[key], value, 5, key)

    def plan_alone(self):
        """Once for the tests that compare with it."""
        if not Plan.alone:
            Plan.alone = self.plan("scene.yaml", RANKS, "--trial-frames", "1", *self.cells)
        return Plan.alone

    def test_the_same_as_on_so_many_ranks(self):
        alone = self.plan_alone()
        self.assertEqual([plan["ranks"] for plan in alone["plans"]], list(RANKS))
        for plan in alone["plans"][1:2] if self.sanitized else alone["plans"]:
            with self.subTest(ranks=plan["ranks"]):
                result = self.info("scene.yaml", "--json", *self.cells, ranks=plan["ranks"])
                about = json.loads(result.output)
                self.assertEqual(alone["elements"], about["elements"])
                self.assertEqual(len(plan["levels"]), len(about["levels"]))
                for level, there in zip(plan["levels"], about["levels"]):
                    self.check_level(level, counted(there))
                finest = counted(about["levels"][0])
                for key in KEYS & set(finest) - {"ranks"}:
                    self.assertAlmostEqual(plan[key], finest[key], 5)

    def test_the_same_when_started_on_some_ranks(self):
        alone = self.plan_alone()
        three = self.plan("scene.yaml", RANKS, "--trial-frames", "1", *self.cells,
                          ranks=2 if self.sanitized else 3)
        for one, other in zip(alone["plans"], three["plans"]):
            self.assertEqual(one["levels"], other["levels"])

    def test_memory_falls_and_nodes_grow(self):
        plans = self.plan("scene.yaml", (1, 4, 16), "--trial-frames", "1", *self.cells,
                          "--ranks-per-node", "2", "--node-memory", "100")["plans"]
        for plan in plans:
            self.assertLessEqual(KEYS, set(plan))
            self.assertGreater(plan["seconds_per_frame"], 0)
            self.assertGreaterEqual(plan["memory_max"], plan["memory_average"])
        self.assertEqual([plan["nodes"] for plan in plans], [1, 2, 8])
        memory = [plan["memory_max"] for plan in plans]
        self.assertEqual(memory, sorted(memory, reverse=True))
        self.assertEqual(plans[0]["ghost_nodes_max"], 0)
        self.assertEqual(plans[0]["neighbours_max"], 0)

    def test_more_ranks_than_octants(self):
        about = self.plan("tiny.yaml", (5000, 1), "--node-memory", "1e-3")
        many = about["plans"][0]
        self.assertLess(many["levels"][0]["ranks"], 100)
        self.assertEqual(many["levels"][0]["elements_max"], 1)
        self.assertIsNone(many["nodes"])
        self.assertIsNone(about["fewest_nodes"])

    def test_tables(self):
        result = self.run_plan("tiny.yaml", "--ranks", "1,2", "--latency", "3")
        self.assertEqual(result.status, 0, result.errors)
        self.assertIn("3 us a message", result.output)
        self.assertIn("fewest nodes: 1", result.output)
        self.assertIn("usage: sinew plan", self.run_plan("--help").output)

    def test_more_contacts_take_more_memory(self):
        none, some = (self.plan("ball.yaml", (1,), "--trial-frames", "1", "--contacts", share)
                      for share in ("0", "50"))
        n = some["trial"]["contacts_assumed"] - none["trial"]["contacts_assumed"]
        self.assertGreater(n, 2000)
        # A spring is over 100 bytes, its rows hang on 8 nodes, and each such entry is 12 bytes.
        more = some["plans"][0]["memory_max"] - none["plans"][0]["memory_max"]
        self.assertGreater(more, 300 * n)

    @unittest.skipIf("--sanitized" in sys.argv, "sanitizers have memory of their own")
    def test_memory_of_a_run(self):
        self.check_memory("creature.yaml", (2,))

    @unittest.skipIf("--sanitized" in sys.argv, "sanitizers have memory of their own")
    def test_memory_of_bones_and_contacts(self):
        """As many as the trial has, not as many as are assumed of a shot."""
        self.check_memory("walk.yaml", (1, 4), "--contacts", "1")

    def check_memory(self, scene, counts, *arguments):
        plans = self.plan(scene, counts, "--trial-frames", "1", *arguments)["plans"]
        for plan in plans:
            with self.subTest(ranks=plan["ranks"]):
                result = self.program.run("run", scene, "--overwrite", folder=self.folder,
                                          ranks=plan["ranks"])
                self.assertEqual(result.status, 0, result.errors)
                self.assertRegex(result.errors, "peak memory of a rank: [0-9.]+ MB at most")
                with open(self.path("run/timing.csv"), newline="") as file:
                    row = list(csv.DictReader(file))[-1]
                self.assertEqual(row["phase"], "memory/peak MB")
                measured = 1e6 * float(row["max"])
                self.assertLess(abs(plan["memory_max"] - measured), 0.1 * measured)

    def test_bad_arguments(self):
        step = 5 if self.sanitized else 1  # each start is slow then
        for arguments, message in BAD_ARGUMENTS[::step]:
            with self.subTest(arguments=arguments):
                result = self.run_plan(*arguments)
                self.assertEqual(result.status, WRONG)
                self.assertRegex(result.errors, message)
                self.assertEqual(result.output, "")


if __name__ == "__main__":
    program.main()
