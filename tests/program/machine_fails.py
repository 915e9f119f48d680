"""The machine fails: full disks, file limits and too little memory get one message and status 2."""

import os
import resource
import subprocess

import program

MACHINE = 2
SCENE = """\
name: ball
bodies:
  - {name: ball, mesh: "builtin:sphere,detail=8", cell: 0.05}
"""
# Millions of triangles: more than the memory given, within a second.
LARGE_SCENE = """\
name: large
bodies:
  - {name: block, mesh: "builtin:cube,detail=2048", cell: 0.1}
"""
MEMORY = 600 << 20  # bytes of address space: several times what an empty MPI program takes
FILE_LIMIT = 1 << 10  # bytes: less than any picture
SMALL_DISK = "16k"
SIZE = "800x500"


class MachineFails(program.ProgramTest):
    def setUp(self):
        super().setUp()
        self.write({"scene.yaml": SCENE, "large.yaml": LARGE_SCENE})

    def assert_one_message(self, result, says):
        lines = program.own_lines(result.errors)
        self.assertEqual(result.status, MACHINE, result.errors)
        self.assertEqual(len(lines), 1, result.errors)
        self.assertRegex(lines[0], f" error: .*{says}")

    def test_full_disk(self):
        self.mount_small_disk(SMALL_DISK)
        result = self.info("scene.yaml", "--surface", "disk/surface.png", "--size", SIZE)
        self.assert_one_message(result, r"disk/surface\.png: .*No space left on device")
        self.assertEqual(os.listdir(self.path("disk")), [])

    def test_file_limit(self):
        """The limit comes with the first picture: MPI's own files must not meet it."""
        running = self.program.start("info", "scene.yaml", "--picture", "slice.png", "--surface",
                                     "surface.png", folder=self.folder)
        first = running.stderr.readline()
        self.assertIn("wrote slice.png", first)
        resource.prlimit(running.pid, resource.RLIMIT_FSIZE, (FILE_LIMIT, FILE_LIMIT))
        result = program.finish(running)
        self.assert_one_message(result, r"surface\.png: .*File too large")
        self.assertEqual(sorted(os.listdir(self.folder)),
                         ["large.yaml", "scene.yaml", "slice.png"])

    def test_results_that_cannot_be_written(self):
        command = self.program.command(["info", self.path("scene.yaml"), "--json"], None)
        with open("/dev/full", "w") as full:
            done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True,
                                  timeout=program.TIMEOUT)
        result = program.Result(done.returncode, "", done.stderr)
        self.assert_one_message(result, "cannot write to standard output")

    def test_low_limits(self):
        """What is too little for MPI to start has our message, not its own."""
        for kind, value, says in [(resource.RLIMIT_FSIZE, 1 << 20, r"size of files \(ulimit -f\)"),
                                  (resource.RLIMIT_NOFILE, 20, r"open files \(ulimit -n\)"),
                                  (resource.RLIMIT_AS, 200 << 20, r"memory \(ulimit -v\)")]:
            if self.sanitized and kind == resource.RLIMIT_AS:
                continue  # sanitizers reserve far more address space
            limit = lambda: resource.setrlimit(kind, (value, value))
            self.assert_one_message(self.info("scene.yaml", before=limit), says)

    def test_low_limits_on_ranks(self):
        """One message, from the first."""
        limited = 'ulimit -n 20 && exec "$0" "$@"'
        shell = program.Program("sh", self.program.launcher)
        result = shell.run("-c", limited, self.program.path, "info", "scene.yaml", ranks=3,
                           folder=self.folder)
        self.assert_one_message(result, "ulimit -n")

    def test_out_of_memory_alone(self):
        if self.sanitized:
            self.skipTest("sanitizers reserve far more address space")
        limit = lambda: resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        self.check_out_of_memory(self.info("large.yaml", "--json", before=limit))

    def test_out_of_memory_on_ranks(self):
        """Only the ranks are short of memory, not the launcher."""
        if self.sanitized:
            self.skipTest("sanitizers reserve far more address space")
        limited = f'ulimit -v {MEMORY >> 10} && exec "$0" "$@"'
        shell = program.Program("sh", self.program.launcher)
        self.check_out_of_memory(shell.run("-c", limited, self.program.path, "info", "large.yaml",
                                           ranks=3, folder=self.folder))

    def check_out_of_memory(self, result):
        self.assert_one_message(result, "out of memory: .* bytes asked for")
        self.assertEqual(result.output, "")
        self.assertEqual(sorted(os.listdir(self.folder)), ["large.yaml", "scene.yaml"])


if __name__ == "__main__":
    program.main()
