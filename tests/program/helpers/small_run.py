"""A short run, for tests of what other programs make of its frames: two bodies that move, the
first with a vertex that is in no face, and a frame out of two."""

import os
import tempfile

import program
import surface_files

MESH = """\
v 0 0 0\nv 1 0 0\nv 0.2 0.2 0.2\nv 0 1 0\nv 0 0 1\nf 1 4 2\nf 1 2 5\nf 1 5 4\nf 2 4 5
"""
FPS = 30
SCENE = f"""\
name: small
frames: {{first: 3, last: 9, fps: {FPS}}}
bodies:
  - {{name: left, mesh: mesh.obj, cell: 0.2}}
  - {{name: right, mesh: "builtin:sphere,radius=0.3,detail=4", cell: 0.3}}
pins:
  - {{name: low, body: left, region: {{box: {{min: [-1, -1, -1], max: [2, 2, 0.2]}}}}}}
  - {{name: core, body: right, region: {{sphere: {{center: [0, 0, 0], radius: 0.4}}}},
     motion: {{keys: [{{frame: 3}}, {{frame: 9, translate: [0.1, 0, 0.2]}}]}}}}
output: {{every: 2}}
"""
FRAMES, STEP = [3, 5, 7, 9], 2
LEFT_POINTS, LEFT_FACES = 5, 4


class SmallRunTest(program.ProgramTest):
    """One run for all tests: `run` in the `run_folder`, with `points` of each frame and `faces`."""
    scene_values = ()  # as for -P

    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(prefix="sinew-test-")
        cls.addClassCleanup(folder.cleanup)
        cls.run_folder = folder.name
        program.write_files(cls.run_folder, {"mesh.obj": MESH, "scene.yaml": SCENE})
        cls.sinew("run", "scene.yaml", *(word for value in cls.scene_values
                                         for word in ("-P", value)))
        paths = cls.frame_paths()
        cls.points = [surface_files.points(path) for path in paths]
        cls.faces = surface_files.corners(paths[0])

    @classmethod
    def sinew(cls, *arguments):
        result = cls.program.run(*arguments, folder=cls.run_folder)
        assert result.status == 0, result.errors

    @classmethod
    def frame_paths(cls):
        return [surface_files.frame_path(os.path.join(cls.run_folder, "run"), frame)
                for frame in FRAMES]

    def test_frames_differ(self):
        """Whatever is compared with them could be taken for another otherwise."""
        for one, other in zip(self.points, self.points[1:]):
            for body in (slice(LEFT_POINTS), slice(LEFT_POINTS, None)):
                self.assertNotEqual(surface_files.rounded_points(one[body]),
                                    surface_files.rounded_points(other[body]))
