"""Runs the program from outside, as a user would: alone or under mpiexec, in a folder of its own.

A test script is started as `script.py [--sanitized] [--ranks N] SINEW MPIEXEC NUMPROC_FLAG`.
"""

import argparse
import collections
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

TIMEOUT = 120  # seconds: nothing here takes a tenth of it, so more is a hang, also on a busy machine

# Ranks, threads and the partition with which things come out the same: all of each, and most pairs.
WAYS = ((1, 2, "curve"), (2, 1, "parmetis"), (3, 1, "curve"), (3, 2, "parmetis"), (4, 2, "curve"),
        (7, 1, "parmetis"))

Result = collections.namedtuple("Result", "status output errors")

# What mpiexec adds when a process ends with a status that is not zero, or somebody sends a signal.
LAUNCHER_BLOCK = re.compile(r"^-{20,}\n.*?^-{20,}\n", re.MULTILINE | re.DOTALL)
LAUNCHER_LINE = re.compile(r"^(\[[^\n\]]*:\d+\] [^\n]*|\S+: Forwarding signal \d+ to job)\n", re.MULTILINE)


def own_lines(errors):
    """The lines of standard error that the program wrote, without the launcher's."""
    return LAUNCHER_LINE.sub("", LAUNCHER_BLOCK.sub("", errors)).splitlines()


class Program:
    def __init__(self, path, launcher):
        self.path, self.launcher = path, launcher

    def command(self, arguments, ranks):
        alone = ranks is None
        return [*([] if alone else [*self.launcher, str(ranks)]), self.path, *arguments]

    def start(self, *arguments, ranks=None, threads=1, folder=None, before=None):
        """`before` runs in the new process, just before the program."""
        environment = dict(os.environ, OMP_NUM_THREADS=str(threads))
        return subprocess.Popen(
            self.command(arguments, ranks), cwd=folder, env=environment, text=True,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            start_new_session=True, preexec_fn=before)

    def run(self, *arguments, timeout=TIMEOUT, **how):
        return finish(self.start(*arguments, **how), timeout)

    def ranks_of(self, launcher):
        """The processes that a launcher has started, as far as MPI is up on them."""
        return sorted(pid for pid in processes() if is_rank(pid, self.path, launcher.pid))

    def start_ranks(self, *arguments, ranks, **how):
        """Starts the program and waits until MPI is up on all ranks."""
        launcher = self.start(*arguments, ranks=ranks, **how)
        if not wait_until(lambda: len(self.ranks_of(launcher)) == ranks or
                          launcher.poll() is not None, TIMEOUT):
            end_all(launcher)
            raise AssertionError("the ranks did not start")
        return launcher


def finish(process, timeout=TIMEOUT):
    """Waits for a started program; one that hangs is ended with all its ranks."""
    try:
        output, errors = process.communicate(timeout=timeout)
    except subprocess.TimeoutExpired:
        end_all(process)
        raise AssertionError(f"still running after {timeout} s: {process.args}") from None
    return Result(process.returncode, output, errors)


def processes():
    return [int(name) for name in os.listdir("/proc") if name.isdigit()]


def stat_of(pid):
    """See proc(5): from the state on."""
    with open(f"/proc/{pid}/stat") as file:
        return file.read().rpartition(")")[2].split()


def parent_of(pid):
    return int(stat_of(pid)[1])


def processor_seconds(pid):
    return sum(map(int, stat_of(pid)[11:13])) / os.sysconf("SC_CLK_TCK")


def descends_from(pid, ancestor):
    try:
        while pid > 1 and pid != ancestor:
            pid = parent_of(pid)
    except (OSError, ValueError):  # it has just ended, or is not ours to look at
        return False
    return pid == ancestor


# The program ignores this signal from the moment MPI is up.
UP = 1 << (signal.SIGXFSZ - 1)


def signals_of(pid, kind):
    with open(f"/proc/{pid}/status") as file:
        line = next(line for line in file if line.startswith(kind))
    return int(line.split()[1], 16)


def is_up(pid):
    """Past MPI_Init: before it a death is the launcher's to handle, and Open MPI 4's may hang."""
    return bool(signals_of(pid, "SigIgn:") & UP)


def listens(pid):
    """Signals are requests to it."""
    return bool(signals_of(pid, "SigCgt:") & 1 << (signal.SIGUSR1 - 1))


def is_rank(pid, sinew, launcher):
    try:
        return (os.path.samefile(f"/proc/{pid}/exe", sinew)
                and descends_from(pid, launcher) and is_up(pid))
    except (OSError, StopIteration):  # it has just ended, or is not ours to look at
        return False


def is_alive(pid):
    try:
        return stat_of(pid)[0] != "Z"
    except OSError:
        return False


def wait_until(condition, seconds):
    end = time.monotonic() + seconds
    while not condition() and time.monotonic() < end:
        time.sleep(0.05)
    return condition()


def end_all(process):
    """A launcher that hangs may not end its ranks: all are ended here, and nobody else."""
    family = [pid for pid in processes() if descends_from(pid, process.pid)]
    for pid in family:
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
    process.communicate()


def listing(folder):
    """Every file below a folder, with what would tell that it was touched."""
    found = {}
    for place, folders, files in os.walk(folder):
        for name in folders + files:
            path = os.path.join(place, name)
            about = os.lstat(path)
            # A folder's time changes while a run holds it; its names are all here.
            touched = None if name in folders else (about.st_size, about.st_mtime_ns)
            found[os.path.relpath(path, folder)] = (touched, about.st_ino)
    return found


def write_files(folder, files):
    for name, content in files.items():
        mode = "wb" if isinstance(content, bytes) else "w"
        with open(os.path.join(folder, name), mode) as file:
            file.write(content)


class ProgramTest(unittest.TestCase):
    """A test with the program and an empty folder."""
    program = None
    sanitized = False
    ranks = None

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="sinew-test-")
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def write(self, files):
        write_files(self.folder, files)

    def path(self, name):
        return os.path.join(self.folder, name)

    def mount_small_disk(self, size):
        """An empty file system of that size at `disk` in the test's folder."""
        disk = self.path("disk")
        os.mkdir(disk)
        mount = ["mount", "-t", "tmpfs", "-o", f"size={size}", "sinew-test", disk]
        try:
            subprocess.run(mount, check=True, capture_output=True)
        except (OSError, subprocess.CalledProcessError):
            self.skipTest("no small file system can be mounted here")
        self.addCleanup(subprocess.run, ["umount", disk], check=True)

    def info(self, *arguments, **how):
        return self.program.run("info", *arguments, folder=self.folder, **how)


def skip(why):
    print(f"skipped: {why}")
    sys.exit(77)


def need(*names):
    """Programs without which there is nothing to test."""
    for name in names:
        if not shutil.which(name):
            skip(f"there is no {name} on the PATH")


def python_with(*modules):
    """This Python or the system's, whichever has them; None if neither does."""
    for python in (sys.executable, shutil.which("python3", path=os.defpath)):
        check = [python, "-c", "import " + ", ".join(modules)]
        if python and subprocess.run(check, capture_output=True).returncode == 0:
            return python
    return None


def need_modules(*modules):
    """Starts the script again with a Python that has them, where this one has not."""
    python = python_with(*modules)
    if not python:
        skip("there is no Python with " + " and ".join(modules))
    if python != sys.executable:
        os.execv(python, [python, "-B", *sys.argv])


def hear_signals():
    """Programs that are started here do as well, however this one was started: nohup and a shell's
    background ignore some, which programs inherit and respect."""
    for number in (signal.SIGINT, signal.SIGHUP):
        if signal.getsignal(number) == signal.SIG_IGN:
            signal.signal(number, signal.SIG_DFL)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--sanitized", action="store_true")
    parser.add_argument("--ranks", type=int, help="without it the program is started alone")
    parser.add_argument("sinew")
    parser.add_argument("launcher", nargs=argparse.REMAINDER)
    given = parser.parse_args()
    ProgramTest.program = Program(given.sinew, given.launcher)
    ProgramTest.sanitized, ProgramTest.ranks = given.sanitized, given.ranks
    hear_signals()
    unittest.main(module="__main__", argv=sys.argv[:1])
