"""What is measured. Each row is measured once for each peer in a run, the peers in turn, and gives its figures by name."""

import os
import re
import time
from dataclasses import dataclass, field
from pathlib import Path

from daemons import Limit, Lockstep, Mosquitto, Nats, Postgres, Redis, SQLiteStore
from machine import PROGRAMS, Failed, find, run


@dataclass
class Row:
    """One table of the results, and one plot."""

    name: str
    title: str
    text: str
    # Column, unit; the first one is plotted.
    columns: list
    peers: list
    measure: object
    # Whether `measure` takes all peers at once, and gives the figures of all.
    is_together: bool = False
    # The other columns that are plotted.
    plots: tuple = ()

    def plotted(self):
        return [self.columns[0][0], *self.plots]


# MARK: Merging

MERGE_COLUMNS = [
    ("throughput", "events/s"), ("median", "ms"), ("99 of 100", "ms"), ("server's processor time", "µs/event"),
    ("load's processor time", "s/1,000 requests")]


def merging(connections, batch, batches):
    def measure(bench, peer):
        with peer(bench) as daemon:
            folder = daemon.merging(connections, batch, batches)
            with bench.load("merge", daemon, connections, folder) as load:
                before = daemon.process.worked()
                result = load.go()
                worked = daemon.process.worked() - before
        return merge_figures(result, worked, connections * batch * batches)
    return measure


def merge_figures(result, worked, events):
    return {
        "throughput": events / result["seconds"],
        "median": result["median"] * 1e3,
        "99 of 100": result["99"] * 1e3,
        "server's processor time": worked / events * 1e6,
        "load's processor time": result["worked"] / result["requests"] * 1e3,
    }


STORES = [Lockstep, Redis, Postgres, SQLiteStore, Nats, Mosquitto, Limit]


def merge_row(connections, batch, batches):
    many = f"{connections} connection{'s' if connections > 1 else ''}"
    each = "one event at a time" if batch == 1 else f"batches of {batch}"
    return Row(
        f"merge-{connections}x{batch}", f"Durable merge: {many}, {each}",
        f"{connections * batch * batches:,} events. Each connection sends its next request once the one before is answered.",
        MERGE_COLUMNS, STORES, merging(connections, batch, batches))


# MARK: A press

PRESSES = 300
PRESS_COLUMNS = [("median", "ms"), ("99 of 100", "ms"), ("load's processor time", "s/1,000 requests")]


def pressing(watchers):
    def measure(bench, peer):
        if peer is RoundTrip:
            return limit(bench)
        if peer is Laptops:
            return laptops(bench)
        with peer(bench) as daemon:
            folder = daemon.pressing(watchers, PRESSES)
            with bench.load("press", daemon, watchers + 1, folder, in_turn=True) as load:
                return press_figures(load.go())
    return measure


def press_figures(result):
    return {
        "median": result["median"] * 1e3, "99 of 100": result["99"] * 1e3,
        "load's processor time": result["worked"] / result["requests"] * 1e3}


def limit(bench):
    with Limit(bench) as daemon, bench.load("merge", daemon, 1, daemon.merging(1, 1, PRESSES)) as load:
        return press_figures(load.go())


class Laptops:
    """Lockstep as people have it: a press that is durable on a laptop, two agents, the server, and the other laptop's log."""

    name = "Lockstep, laptop to laptop"
    durability = "durable on the laptop that is pressed, on the server and on the one that shows it"
    settings = "two agents and a server, each a process; pressed and watched by one more"
    is_there, version = Lockstep.is_there, Lockstep.version


def laptops(bench):
    # Its folder is removed with this one, whatever becomes of it.
    said = run(PROGRAMS / "benchmarks", "press", env={**os.environ, "TMPDIR": str(bench.folder.new("press"))})
    if "failed" in said and "0 benchmarks failed" not in said:
        raise Failed(said.strip().split("\n")[0])
    return {
        "median": float(re.search(r"showing, median: ([\d.]+) ms", said)[1]),
        "99 of 100": float(re.search(r"showing, 99 of 100: ([\d.]+) ms", said)[1])}


class LockstepServer(Lockstep):
    """Its server alone."""

    name = "Lockstep, its server alone"


class MosquittoPassing(Mosquitto):
    name = "Mosquitto, QoS 0"


class RedisPassing(Redis):
    name = "Redis pub/sub"


class NatsPassing(Nats):
    name = "NATS pub/sub"


class RoundTrip(Limit):
    name = "limit: round trip and fdatasync"


# MARK: A thousand connections

THOUSAND_COLUMNS = [
    ("memory", "KiB/connection"), ("opening all", "s"), ("load's processor time for that", "ms/connection"),
    ("throughput", "events/s"), ("median", "ms"), ("99 of 100", "ms"), ("coming back, all", "s")]


def thousand(connections, batches):
    def measure(bench, peer):
        with peer(bench) as daemon:
            folder = daemon.merging(connections, 1, batches)
            time.sleep(0.5)
            before = daemon.process.memory()
            with bench.load("merge", daemon, connections, folder) as load:
                time.sleep(1)
                memory = daemon.process.memory() - before
                result = load.go()
            again = folder / "again" if (folder / "again").exists() else folder
            with bench.load("merge", daemon, connections, again) as back:
                pass
        return {
            "memory": memory / connections / 1024, "opening all": load.opening,
            "load's processor time for that": load.opening_worked / connections * 1e3,
            "throughput": connections * batches / result["seconds"], "median": result["median"] * 1e3,
            "99 of 100": result["99"] * 1e3, "coming back, all": back.opening}
    return measure


# MARK: Catching up

LENGTHS = [1_000, 10_000, 100_000]
CATCHES = 300


def catching_up(bench, peer):
    figures = {}
    for events in reversed(LENGTHS):
        with peer(bench) as daemon:
            folder = daemon.catching_up(events, CATCHES)
            with bench.load("merge", daemon, 1, folder) as load:
                figures[f"{events:,} events"] = load.go()["median"] * 1e3
    return figures


# MARK: Whole processes

COMMAND_COLUMNS = [("median", "ms"), ("shortest", "ms"), ("longest", "ms")]
TIMES = 60


@dataclass
class Command:
    """A command line, timed as a whole process; what undoes it isn't timed."""

    name: str
    program: str
    words: list
    environment: dict = field(default_factory=dict)
    undo: list = None
    prepare: list = None
    settings = ""

    def is_there(self):
        return self.path() is not None

    @property
    def durability(self):
        """Of a program that writes: whether it has the system write to the disk, as far as its own code names that."""
        if self.undo is None:
            return ""
        own = Path(self.path()).read_bytes()
        return "durable: it syncs" if b"fsync" in own or b"fdatasync" in own else "not durable: it never syncs"

    def path(self):
        own = PROGRAMS / self.program
        return str(own) if own.exists() else find(self.program)

    def version(self):
        said = run(self.path(), "--version")
        return re.search(r"\d+\.\d[\w.]*", said)[0]


def commands():
    """What shows the timer, and what starts it."""
    focus = {"FOCUS_HOME": "{}/focus", "FOCUS_NO_AGENT": "1"}
    timew = {"TIMEWARRIORDB": "{}/timew"}
    task = {"TASKDATA": "{}/task", "TASKRC": "/dev/null"}
    added = ["rc.confirmation=off", "add", "write"]
    return {
        "status": [
            Command("focus status", "focus", ["status"], focus, prepare=["start", "write"]),
            Command("timew", "timew", [], timew, prepare=["start", "write", ":yes"]),
            Command("task list", "task", ["list"], task, prepare=added),
            Command("sqlite3 'select 1'", "sqlite3", [":memory:", "select 1"]),
        ],
        "start": [
            Command("focus start", "focus", ["start", "write"], focus, undo=["stop"]),
            Command("timew start", "timew", ["start", "write", ":yes"], timew, undo=["cancel"]),
            Command("task start", "task", ["1", "start"], task, undo=["1", "stop"], prepare=added),
            Command("sqlite3 'select 1'", "sqlite3", [":memory:", "select 1"]),
        ],
    }


def timed(path, words, environment):
    """How long a process takes, in seconds."""
    nowhere = [(os.POSIX_SPAWN_OPEN, place, "/dev/null", os.O_RDWR, 0) for place in range(3)]
    began = time.perf_counter()
    pid = os.posix_spawn(path, [path, *words], environment, file_actions=nowhere)
    status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    seconds = time.perf_counter() - began
    if status != 0:
        raise Failed(f"{path} {' '.join(words)}: {status}")
    return seconds


class Timing:
    """A command with a folder of its own, and how long it has taken so far."""

    def __init__(self, bench, command):
        self.command, self.path, self.times = command, command.path(), []
        folder = bench.folder.new("commands")
        self.environment = {"PATH": os.environ["PATH"], "HOME": str(folder), "LC_ALL": "C.UTF-8"}
        for name, value in command.environment.items():
            self.environment[name] = value.format(folder)
            if value.startswith("{}"):
                Path(self.environment[name]).mkdir(mode=0o700)
        self.do(command.prepare)

    def do(self, words):
        return timed(self.path, words, self.environment) * 1e3 if words is not None else None

    def once(self):
        self.times.append(self.do(self.command.words))
        self.do(self.command.undo)

    def figures(self):
        times = sorted(self.times)
        return {"median": times[len(times) // 2], "shortest": times[0], "longest": times[-1]}


def commanding(bench, commands):
    """These are so short that they take turns one by one."""
    timings = [Timing(bench, command) for command in commands]
    for _ in range(TIMES):
        for timing in timings:
            timing.once()
    return [timing.figures() for timing in timings]


# MARK: Merging logs

LIST_EVENTS, LIST_TIMES = 30_000, 5
LIST_COLUMNS = [("merging and reading", "ms"), ("merging", "ms"), ("reading", "ms")]


@dataclass
class Library:
    """A library that merges logs or lists, in a process of its own."""

    name: str
    package: str
    durability: str = "in memory"
    settings: str = ""

    def is_there(self):
        return self.package == "" or self.version() is not None

    def version(self):
        if self.package == "":
            return Lockstep.version()
        look = f"import importlib.metadata as m; print(m.version('{self.package}'))"
        try:
            return run(Library.python, "-c", look).strip()
        except (Failed, OSError):
            return None

    python = None


def listing(bench, library):
    if library.package == "":
        said = run(PROGRAMS / "benchmarks", "merging", LIST_EVENTS, LIST_TIMES)
    else:
        said = run(Library.python, Path(__file__).with_name("lists.py"), library.package, LIST_EVENTS, LIST_TIMES)
    times = sorted((float(a) + float(b), float(a), float(b)) for a, b in map(str.split, said.strip().split("\n")))
    both, merging, reading = times[len(times) // 2]
    return {"merging and reading": both * 1e3, "merging": merging * 1e3, "reading": reading * 1e3}


LIBRARIES = [
    Library("Lockstep", "", settings="opens others' sealed events and merges them; reading is replaying the timer's rules"),
    Library("Yjs (pycrdt)", "pycrdt", settings="an array of maps; reading is taking the array as Python's values"),
    Library("Automerge", "automerge"),
    Library("Loro", "loro", settings="a list of maps; reading is taking the list as Python's values"),
]


# MARK: All of them

def all_rows():
    shown = commands()
    return [
        merge_row(64, 1, 500),
        merge_row(16, 1, 1000),
        merge_row(1, 1, 2000),
        merge_row(64, 100, 100),
        Row(
            "press", "A press to its showing",
            f"{PRESSES} presses, the next one once the one before has shown. Who presses and who watches are one process. "
            "What is merely passed on is beside what is durable first.",
            PRESS_COLUMNS, [Laptops, LockstepServer, MosquittoPassing, RedisPassing, NatsPassing, RoundTrip], pressing(1)),
        Row(
            "status", "Showing the timer: whole processes",
            f"{TIMES} of each in a run, with one session or task that is going on.",
            COMMAND_COLUMNS, shown["status"], commanding, is_together=True),
        Row(
            "start", "Starting the timer: whole processes",
            f"{TIMES} of each in a run; stopping isn't timed. `focus` without its agent, on a laptop that is on its own.",
            COMMAND_COLUMNS, shown["start"], commanding, is_together=True),
        Row(
            "thousand", "A thousand connections",
            "Memory is what the server has more than before (PSS of all of its processes), a second after the last of them "
            "was open and before anything was sent. Lockstep's devices enrol and bring a group each as they open, and come "
            "back as known ones. Then each sends one event at a time, 10 in all; then all close and come back at once.",
            THOUSAND_COLUMNS, [Lockstep, Redis, Postgres, SQLiteStore, Nats, Mosquitto], thousand(1000, 10),
            plots=("throughput", "coming back, all")),
        Row(
            "fan-out", "One press to 100 laptops",
            f"{PRESSES} presses, until the last of 100 connections has been told.",
            PRESS_COLUMNS, [LockstepServer, MosquittoPassing, RedisPassing, NatsPassing], pressing(100)),
        Row(
            "catch-up", "Catching up with one event, as the log grows",
            f"A connection asks for what came after the last event but one of a log of so many, {CATCHES} times.",
            [(f"{events:,} events", "ms") for events in reversed(LENGTHS)], [LockstepServer, Redis, Postgres, Nats],
            catching_up),
        Row(
            "lists", "Merging logs after being away",
            f"{LIST_EVENTS:,} events by 3 replicas, a third of them one's own; others' are merged, then all is read.",
            LIST_COLUMNS, LIBRARIES, listing),
    ]
