"""One change, made and synced by whole processes, as people do it without a background process."""

import contextlib
import os
from pathlib import Path

from commands import TIMES, timed
from daemons import Daemon, Lockstep
from machine import PROGRAMS, find, run
from sync import SYNC, Sync

SYNC_COLUMNS = [
    ("both, median", "ms"), ("the change, median", "ms"), ("the sync, median", "ms"), ("both, shortest", "ms"),
    ("both, longest", "ms"), SYNC]


def said_of_disk(program):
    """Returns whether a program syncs to the disk, in words, judged by the functions that its code names."""
    own = Path(program).read_bytes()
    return "syncs to the disk" if b"fsync" in own or b"fdatasync" in own else "has neither fsync nor fdatasync in its program"


class Laptop:
    """A laptop's program with a folder of its own and a server to sync with, inside a `with` block."""

    program = server = None

    def __init__(self, bench):
        self.bench = bench
        self.times = []

    def __enter__(self):
        self.stack = contextlib.ExitStack()
        try:
            self.daemon = self.stack.enter_context(self.server(self.bench))
            self.folder = self.bench.folder.new("laptop")
            self.environment = {"PATH": os.environ["PATH"], "HOME": str(self.folder), "LC_ALL": "C.UTF-8"}
            self.prepare()
        except BaseException:
            self.stack.close()
            raise
        return self

    def __exit__(self, *_):
        self.stack.close()

    def do(self, *words):
        return timed(self.program, words, self.environment) * 1e3

    def once(self):
        """Makes a change and syncs it. The commands that undo it aren't timed."""
        self.times.append((self.do(*self.change), self.do("sync")))
        for words in self.back:
            self.do(*words)

    def figures(self):
        middle = len(self.times) // 2
        both = sorted(map(sum, self.times))
        change, sync = (sorted(part)[middle] for part in zip(*self.times))
        return {
            "both, median": both[middle], "the change, median": change, "the sync, median": sync, "both, shortest": both[0],
            "both, longest": both[-1]}


class Focus(Laptop):
    name = "focus start, focus sync"
    program = str(PROGRAMS / "focus")
    settings = "without its agent; the server as in the merge"
    change, back = ["start", "write"], [["stop"], ["sync"]]
    server = Lockstep
    is_there, version = Lockstep.is_there, Lockstep.version
    durability = "durable on the laptop, and on the server before it acknowledges"

    def prepare(self):
        home = self.folder / "focus"
        home.mkdir(mode=0o700)
        self.environment |= {"FOCUS_HOME": str(home), "FOCUS_NO_AGENT": "1"}
        self.do("join", self.daemon.invites(1).strip())


class Taskd(Daemon):
    """Taskwarrior's server."""

    program = "taskd"

    def start(self):
        data, tls = self.folder / "data", self.bench.certificates.folder
        data.mkdir(mode=0o700)
        run(find("taskd"), "init", "--data", data)
        settings = {
            "server": f"127.0.0.1:{self.port}", "log": self.folder / "requests", "pid.file": self.folder / "pid",
            "confirmation": 0, "ca.cert": tls / "ca.pem", "server.cert": tls / "server.crt", "server.key": tls / "server.key",
            "client.cert": tls / "client.crt", "client.key": tls / "client.key"}
        for name, value in settings.items():
            run(find("taskd"), "config", "--data", data, "--force", name, value)
        run(find("taskd"), "add", "--data", data, "org", "lockstep")
        said = run(find("taskd"), "add", "--data", data, "user", "lockstep", "laptop")
        self.user = next(line.split()[-1] for line in said.split("\n") if line.startswith("New user key"))
        return self.spawn(find("taskd"), "server", "--data", data)


class Task(Laptop):
    name = "task add, task sync"
    program = find("task")
    settings = "taskd with the same certificates"
    change, back = ["add", "write"], []
    server = Taskd

    @staticmethod
    def is_there():
        return bool(find("task") and find("taskd"))

    @staticmethod
    def version():
        return run(find("task"), "--version").strip() + ", taskd " + Taskd.version()

    def prepare(self):
        tls = self.bench.certificates.folder
        (self.folder / "data").mkdir(mode=0o700)
        (self.folder / "rc").write_text("\n".join([
            f"data.location={self.folder}/data", "confirmation=off", "recurrence=off", f"taskd.server=127.0.0.1:{self.daemon.port}",
            f"taskd.credentials=lockstep/laptop/{self.daemon.user}", f"taskd.certificate={tls}/client.crt",
            f"taskd.key={tls}/client.key", f"taskd.ca={tls}/ca.pem", "taskd.trust=strict", ""]))
        self.environment["TASKRC"] = str(self.folder / "rc")
        self.do("sync", "init", "rc.confirmation=off")


if Task.is_there():
    on_laptop, on_server = said_of_disk(Task.program), said_of_disk(find("taskd"))
    Task.durability = (
        f"{'durable' if on_laptop == on_server == 'syncs to the disk' else 'not durable'}: task {on_laptop}; taskd {on_server}")
else:
    Task.durability = ""


def syncing(bench, peers):
    with contextlib.ExitStack() as stack:
        laptops = [stack.enter_context(peer(bench)) for peer in peers]
        with Sync(bench) as sync:
            for _ in range(TIMES):
                for laptop in laptops:
                    laptop.once()
    return [{**laptop.figures(), **sync.figures()} for laptop in laptops]
