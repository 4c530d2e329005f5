"""Resources of this machine: processes that end with this one, free ports, a temporary folder, and the kernel's counters."""

import ctypes
import os
import platform
import re
import resource
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
PROGRAMS = REPOSITORY / ".build/release"


class Failed(Exception):
    """An error that prevents a measurement. Its text is the reason."""


def free_port():
    """Returns a free port of 127.0.0.1."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def run(*words, text="", env=None):
    """Runs a program to its end, and returns its output."""
    done = subprocess.run([str(word) for word in words], input=text, env=env, capture_output=True, text=True)
    if done.returncode != 0:
        raise Failed(done.stderr.strip() or f"{Path(words[0]).name} ended with {done.returncode}")
    return done.stdout


def find(program):
    """Returns the path of a program, also from Debian's folders for servers; None if it isn't installed."""
    folders = [os.environ.get("PATH", ""), "/usr/sbin", *map(str, sorted(Path("/usr/lib/postgresql").glob("*/bin")))]
    return shutil.which(program, path=":".join(folders))


class Process:
    """A server in a session of its own: Ctrl-C doesn't reach it, and it ends when this process does."""

    def __init__(self, *words, port=None, user=None, log=os.devnull):
        prefix = ["setpriv", "--pdeathsig", "KILL"]
        if user:
            prefix += ["--reuid", user, "--regid", user, "--clear-groups"]
        with open(log, "ab") as output:
            self.process = subprocess.Popen(
                prefix + [str(word) for word in words],
                stdin=subprocess.DEVNULL, stdout=output, stderr=output, start_new_session=True, cwd="/")
        self.log = log
        try:
            if port:
                self.wait_for(port)
        except BaseException:
            self.end()
            raise

    def wait_for(self, port):
        limit = time.monotonic() + 30
        while time.monotonic() < limit:
            if self.process.poll() is not None:
                said = Path(self.log).read_text(errors="replace")[-500:] if self.log != os.devnull else ""
                raise Failed(f"{self.process.args[3]} ended: {said}")
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", port)) == 0:
                    return
            time.sleep(0.02)
        raise Failed(f"{self.process.args[3]} doesn't listen")

    def end(self):
        for signalled, patience in ((signal.SIGINT, 20), (signal.SIGKILL, 20)):
            if self.process.poll() is None:
                os.kill(self.process.pid, signalled)
                try:
                    self.process.wait(patience)
                except subprocess.TimeoutExpired:
                    continue
        # Ends the processes that are left in its session.
        try:
            os.killpg(self.process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass

    def pids(self):
        return descendants(self.process.pid)

    def worked(self):
        """Returns the processor time of its processes in seconds."""
        ticks = 0
        for pid in self.pids():
            try:
                ticks += sum(map(int, Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[11:13]))
            except OSError:
                pass
        return ticks / os.sysconf("SC_CLK_TCK")

    def memory(self):
        """Returns the memory of its processes in bytes. Shared memory counts once (PSS)."""
        size = 0
        for pid in self.pids():
            try:
                size += int(re.search(r"^Pss: +(\d+)", Path(f"/proc/{pid}/smaps_rollup").read_text(), re.M)[1]) << 10
            except (OSError, TypeError):
                pass
        return size


class Processes:
    """Servers that are measured as one."""

    def __init__(self):
        self.all = []

    def end(self):
        """Ends the servers, the last one first."""
        while self.all:
            self.all.pop().end()

    def worked(self):
        return sum(process.worked() for process in self.all)

    def memory(self):
        return sum(process.memory() for process in self.all)


class Folder:
    """A temporary folder, which is removed at the end in any case."""

    def __init__(self):
        self.path = Path(tempfile.mkdtemp(prefix="focus-bench-"))
        # Other users may open paths below it, because PostgreSQL doesn't run as root.
        self.path.chmod(0o711)
        self.made = 0

    def new(self, name):
        self.made += 1
        folder = self.path / f"{self.made}-{name}"
        folder.mkdir(mode=0o700)
        return folder

    def remove(self):
        shutil.rmtree(self.path, ignore_errors=True)


def adopt_orphans():
    """Makes this process the parent of its descendants' orphans, so that `end_all` finds them."""
    PR_SET_CHILD_SUBREAPER = 36
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def descendants(pid):
    """Returns the ids of a process and all its descendants."""
    parents = {}
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            fields = (entry / "stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        parents.setdefault(int(fields[1]), []).append(int(entry.name))
    found, rest = [], [pid]
    while rest:
        found.append(rest.pop())
        rest += parents.get(found[-1], [])
    return found


def end_all():
    """Kills all descendants of this process, by their ids."""
    while rest := descendants(os.getpid())[1:]:
        for pid in rest:
            try:
                os.kill(pid, signal.SIGKILL)
                os.waitpid(pid, 0)
            except (ProcessLookupError, ChildProcessError):
                pass


def allow_many_files():
    """Raises the limit on descriptors, for thousands of connections."""
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))


def describe(folder):
    """Returns lines that describe the machine."""
    processor = re.search(r"^model name\s*: (.*)", Path("/proc/cpuinfo").read_text(), re.M)
    memory = int(re.search(r"^MemTotal: +(\d+)", Path("/proc/meminfo").read_text(), re.M)[1])
    system = platform.freedesktop_os_release().get("PRETTY_NAME", platform.system())
    kind, options = run("findmnt", "-no", "FSTYPE,OPTIONS", "-T", folder).split(None, 1)
    return [
        f"{len(os.sched_getaffinity(0))} processors: {processor[1] if processor else platform.machine()}",
        f"{memory / 2**20:.1f} GiB of memory",
        f"Linux {platform.release()}, {system}",
        f"data on {kind} ({options.strip()})",
    ]
