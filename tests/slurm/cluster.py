"""A Slurm cluster of two nodes on this machine, for tests.

Knows how to run munge, slurmctld and two slurmd's without systemd, on loopback only, with a key,
a configuration and ports of their own in a temporary folder, as any user.

Starting is this process's work. Stopping is that of a keeper: a process outside this one's family
that waits for a pipe to close, cancels all jobs, ends the daemons by their pid files and removes
the folder. The pipe closes however this process ends, so that nothing is left running.
"""

import getpass
import os
import random
import shutil
import signal
import socket
import subprocess
import tempfile
import time

NODES = ("n1", "n2")
DAEMONS = ("munged", "mungekey", "slurmctld", "slurmd")
COMMANDS = ("sbatch", "scancel", "scontrol", "sinfo", "squeue", "srun")
PID_FILES = ("slurmd_n1.pid", "slurmd_n2.pid", "slurmctld.pid", "munge/pid")
PORTS = range(20000, 32000)
SEARCHED = os.pathsep.join((os.environ.get("PATH", os.defpath), "/usr/sbin", "/sbin"))
USER = getpass.getuser()
START_SECONDS, STOP_SECONDS = 30, 10

# cred_expire decides how long Slurm waits before it starts a requeued job again, SlurmdTimeout when
# it takes a silent node for dead; the rest makes it look at its queue often. Jobs see two sockets a
# node, whatever this machine has: tasks are not bound. TmpFS differs by node, because PMIx has its
# files there.
CONFIGURATION = """\
ClusterName=sinew
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={ports[0]}
SlurmUser={user}
SlurmdUser={user}
AuthType=auth/munge
AuthInfo=socket={folder}/munge.sock,cred_expire=5
CredType=cred/munge
CommunicationParameters=NoInAddrAny,NoCtldInAddrAny
SlurmdParameters=config_overrides
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool_%n
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd_%n.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd_%n.log
TmpFS={folder}/tmp_%n
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerType=sched/builtin
SchedulerParameters=sched_interval=1,batch_sched_delay=0
MpiDefault=pmix
SlurmdTimeout=10
ReturnToService=0
KillWait=5
MinJobAge=300
JobRequeue=1
MailProg=/bin/true
NodeName=n1 NodeHostname={host} NodeAddr=127.0.0.1 Port={ports[1]} {shape}
NodeName=n2 NodeHostname={host} NodeAddr=127.0.0.1 Port={ports[2]} {shape}
PartitionName=main Nodes=n1,n2 Default=YES MaxTime=INFINITE State=UP
"""
SHAPE = "CPUs=4 Sockets=2 CoresPerSocket=2 ThreadsPerCore=1 State=UNKNOWN"


def missing():
    """What a cluster needs and this machine has not."""
    names = DAEMONS + COMMANDS
    return [name for name in names if not shutil.which(name, path=SEARCHED)]


def free_ports(count):
    """Loopback ports that nobody uses now, nor soon: below those that systems hand out."""
    ports = []
    for port in random.sample(PORTS, len(PORTS)):
        try:
            socket.create_server(("127.0.0.1", port)).close()
            ports.append(port)
        except OSError:
            continue
        if len(ports) == count:
            return ports
    raise AssertionError("no free ports")


class Cluster:
    def __init__(self):
        self.folder = tempfile.mkdtemp(prefix="sinew-slurm-")
        self.environment = dict(os.environ, PATH=SEARCHED,
                                SLURM_CONF=os.path.join(self.folder, "slurm.conf"))
        self.keeper = Keeper(self)
        try:
            self.configure()
            self.start()
        except BaseException:
            self.stop()
            raise

    def path(self, name):
        return os.path.join(self.folder, name)

    def configure(self):
        for name in ("state", "munge", *(f"{use}_{node}" for use in ("spool", "tmp")
                                         for node in NODES)):
            os.mkdir(self.path(name), 0o700)
        os.chmod(self.folder, 0o755)
        text = CONFIGURATION.format(folder=self.folder, host=socket.gethostname().split(".")[0],
                                    user=USER, ports=free_ports(3), shape=SHAPE)
        with open(self.path("slurm.conf"), "w") as file:
            file.write(text)
        with open(self.path("cgroup.conf"), "w") as file:
            file.write("CgroupPlugin=cgroup/v1\nCgroupAutomount=no\n")

    def start(self):
        munge = self.path("munge")
        self.run("mungekey", "-c", "-k", f"{munge}/key")
        self.run("munged", f"--key-file={munge}/key", f"--socket={self.path('munge.sock')}",
                 f"--pid-file={munge}/pid", f"--log-file={munge}/log",
                 f"--seed-file={munge}/seed", "--num-threads=2")
        self.run("slurmctld")
        for node in NODES:
            self.start_node(node)
        self.wait_for_nodes()

    def start_node(self, node):
        """Its steps have its name in their environment as their tasks do, to be found by it."""
        self.run("slurmd", "-N", node, SLURMD_NODENAME=node)

    def kill_node(self, node):
        """At once, with all that runs on it, as when the power fails."""
        end_family(self, SLURMD_NODENAME=node)

    def reboot_node(self, node):
        """Slurm keeps a node that has died out of use until somebody has seen to it."""
        self.start_node(node)
        self.run("scontrol", "update", f"nodename={node}", "state=resume")
        self.wait_for_nodes()

    def wait_for_nodes(self):
        end = time.monotonic() + START_SECONDS
        while self.ask("sinfo", "-h", "-t", "idle", "-o", "%D") != str(len(NODES)):
            if time.monotonic() > end:
                raise AssertionError("the cluster did not start:\n" + self.logs())
            time.sleep(0.1)

    def stop(self):
        self.keeper.let_go()

    def end_jobs(self):
        """Those that wait and those that run, at once."""
        if self.ask("squeue", "-h"):
            self.ask("scancel", f"--user={USER}")
            self.ask("scancel", "--signal=KILL", "--full", f"--user={USER}")
            wait_while(lambda: self.ask("squeue", "-h"))

    def run(self, *command, **variables):
        """A command's output. Daemons keep no pipe of ours open: they go to files."""
        environment = dict(self.environment, **variables)
        with tempfile.TemporaryFile("w+") as output:
            status = subprocess.run(command, env=environment, stdin=subprocess.DEVNULL,
                                    stdout=output, stderr=output, timeout=60).returncode
            output.seek(0)
            text = output.read().strip()
        if status != 0:
            raise AssertionError(f"{' '.join(command)}: status {status}: {text}\n{self.logs()}")
        return text

    def ask(self, *command):
        """As run, but nothing if Slurm does not answer yet."""
        try:
            return self.run(*command)
        except (AssertionError, OSError, subprocess.SubprocessError):
            return ""

    def logs(self):
        """The last that the daemons said."""
        found = []
        for name in ("slurmctld.log", "slurmd_n1.log", "slurmd_n2.log", "munge/log"):
            if os.path.exists(self.path(name)):
                with open(self.path(name), errors="replace") as file:
                    found += [f"-- {name}\n", *file.readlines()[-15:]]
        return "".join(found)


class Keeper:
    """Holds the end of a pipe for as long as the cluster is wanted."""

    def __init__(self, cluster):
        waits, self.wanted = os.pipe()
        self.done, tells = os.pipe()
        child = os.fork()
        if child == 0:
            os.setsid()
            if os.fork() > 0:  # an orphan is not ended with the test's family
                os._exit(0)
            os.close(self.wanted)
            os.close(self.done)
            try:
                keep(cluster, waits)
            finally:
                os.write(tells, b".")
                os._exit(0)
        os.close(waits)
        os.close(tells)
        os.waitpid(child, 0)

    def let_go(self):
        if self.wanted is not None:
            os.close(self.wanted)
            self.wanted = None
            os.read(self.done, 1)
            os.close(self.done)


def keep(cluster, waits):
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    nothing = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1, 2):  # whoever reads the test's output is not to wait for the keeper
        os.dup2(nothing, descriptor)
    os.read(waits, 1)
    try:
        cluster.end_jobs()
        end_daemons(cluster)
        end_family(cluster)
    finally:
        shutil.rmtree(cluster.folder, ignore_errors=True)


def end_daemons(cluster):
    for number in (signal.SIGTERM, signal.SIGKILL):
        pids = [pid for pid in map(daemon, map(cluster.path, PID_FILES)) if pid]
        for pid in pids:
            send(pid, number)
        wait_while(lambda: any(map(is_alive, pids)))


def daemon(pid_file):
    """The process that a pid file names, if it is still there."""
    try:
        with open(pid_file) as file:
            pid = int(file.read())
    except (OSError, ValueError):
        return None
    return pid if is_alive(pid) else None


def end_family(cluster, **variables):
    """Jobs and daemons of the cluster with these in their environment: the oldest first, so that
    daemons, steps and launchers do not live to tell what happens to their tasks."""
    for _ in range(3):  # more than once, for what they have started meanwhile
        family = members(cluster, variables)
        for pid in sorted(family, key=start_of):
            send(pid, signal.SIGKILL)
        wait_while(lambda: any(map(is_alive, family)))


def members(cluster, variables):
    named = dict(variables, SLURM_CONF=cluster.environment["SLURM_CONF"])
    marks = {f"{name}={value}".encode() for name, value in named.items()}
    return [pid for pid in map(int, filter(str.isdigit, os.listdir("/proc")))
            if marks <= environment_of(pid) and is_alive(pid) and pid != os.getpid()]


def environment_of(pid):
    try:
        with open(f"/proc/{pid}/environ", "rb") as file:
            return set(file.read().split(b"\0"))
    except OSError:  # it has just ended, or is not ours to look at
        return set()


def send(pid, number):
    try:
        os.kill(pid, number)
    except ProcessLookupError:
        pass


def status_of(pid):
    """The fields of its status after the name, if it is still there."""
    try:
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rpartition(")")[2].split()
    except OSError:
        return []


def is_alive(pid):
    return status_of(pid)[:1] not in ([], ["Z"])


def start_of(pid):
    status = status_of(pid)
    return int(status[19]) if status else 0


def wait_while(condition):
    end = time.monotonic() + STOP_SECONDS
    while condition() and time.monotonic() < end:
        time.sleep(0.05)
