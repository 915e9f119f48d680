"""The machine fails: full disks, file limits and too little memory get one message and status 2."""

import contextlib
import os
import resource
import subprocess

import program

WRONG, MACHINE = 1, 2
IMPORT_SECONDS = 2  # of the processor
ENDS_WITHIN = 60  # seconds
SCENE = """\
name: ball
bodies:
  - {name: ball, mesh: "builtin:sphere,detail=8", cell: 0.05}
"""
# Assimp 5 reads this for ever.
ENDLESS = "version 1\nnodes\n"
MESH_SCENE = 'bodies: [{name: ball, mesh: "%s", cell: 0.05}]\n'
# LightWave's scenes name meshes: this one is a pipe.
LIGHTWAVE = "LWSC\n3\n\nLoadObject pipe.lwo\n"
# Millions of triangles: more than the memory given, within a second.
LARGE_SCENE = """\
name: large
bodies:
  - {name: block, mesh: "builtin:cube,detail=2048", cell: 0.1}
"""
MEMORY = 600 << 20  # bytes of address space: several times what an empty MPI program takes
FILE_LIMIT = 1 << 10  # bytes: less than any picture
SMALL_DISK = "16k"
TRIES = 20
SIZE = "800x500"


def children_of(pid):
    return [int(child) for child in os.listdir("/proc") if child.isdigit() and
            program.is_alive(int(child)) and program.descends_from(int(child), pid)]


def is_importer(pid):
    try:
        with open(f"/proc/{pid}/cmdline") as file:
            return "--import-mesh" in file.read()
    except OSError:  # it has just ended
        return False


class Importer(program.ProgramTest):
    """The process that reads meshes of Assimp's formats."""

    def setUp(self):
        super().setUp()
        self.write({"scene.yaml": MESH_SCENE % "endless.smd", "endless.smd": ENDLESS,
                    "named.yaml": MESH_SCENE % "names.lws", "names.lws": LIGHTWAVE})

    def test_too_long(self):
        """The user's own limit is shorter than the program's."""
        limit = lambda: resource.setrlimit(resource.RLIMIT_CPU, (IMPORT_SECONDS, IMPORT_SECONDS))
        result = self.info("scene.yaml", before=limit)
        self.assertEqual(result.status, WRONG, result.errors)
        self.assertRegex(result.errors, r"endless\.smd: cannot read the mesh: Assimp takes too long")

    def test_ends_with_the_program(self):
        running = self.program.start("info", "scene.yaml", folder=self.folder)
        importers = lambda: [pid for pid in children_of(running.pid) if is_importer(pid)]
        self.assertTrue(program.wait_until(importers, program.TIMEOUT))
        started = importers()
        running.kill()
        running.communicate()
        self.assertTrue(program.wait_until(lambda: not any(map(is_importer, started)), ENDS_WITHIN))

    def test_pipe(self):
        os.mkfifo(self.path("pipe.lwo"))
        result = self.info("named.yaml")
        self.assertEqual(result.status, WRONG, result.errors)
        # What Assimp leaks there ends its process, with sanitizers.
        says = "(empty mesh|cannot read the mesh)" if self.sanitized else "empty mesh"
        self.assertRegex(result.errors, r"names\.lws: " + says)


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

    def limited_after_the_first_picture(self):
        """How it ends, or None if the limit came too late."""
        running = self.program.start("info", "scene.yaml", "--picture", "slice.png", "--surface",
                                     "surface.png", "--size", SIZE, folder=self.folder)
        self.assertIn("wrote slice.png", running.stderr.readline())
        with contextlib.suppress(ProcessLookupError):
            resource.prlimit(running.pid, resource.RLIMIT_FSIZE, (FILE_LIMIT, FILE_LIMIT))
        result = program.finish(running)
        return None if os.path.exists(self.path("surface.png")) else result

    def test_file_limit(self):
        """The limit comes between two pictures, because MPI's own files must not meet it. A busy
        machine may let it come after them."""
        for _ in range(TRIES):
            result = self.limited_after_the_first_picture()
            if result:
                break
            os.remove(self.path("surface.png"))
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
                                  (resource.RLIMIT_STACK, 128 << 10, r"the stack \(ulimit -s\)"),
                                  (resource.RLIMIT_AS, 200 << 20, r"memory \(ulimit -v\)")]:
            if self.sanitized and kind == resource.RLIMIT_AS:
                continue  # sanitizers reserve far more address space
            limit = lambda: resource.setrlimit(kind, (value, value))
            self.assert_one_message(self.info("scene.yaml", before=limit), says)

    def test_low_limits_on_ranks(self):
        """One message: from the first rank, though it is late, or from the only node with such limits."""
        late_first = '[ $PMIX_RANK != 0 ] || sleep 1; ulimit -n 20'
        other_node = '[ $PMIX_RANK != 2 ] || { ulimit -n 20; export OMPI_COMM_WORLD_LOCAL_RANK=0; }'
        shell = program.Program("sh", self.program.launcher)
        for limited in (late_first, other_node):
            result = shell.run("-c", limited + '; exec "$0" "$@"', self.program.path, "info",
                               "scene.yaml", ranks=3, folder=self.folder)
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
