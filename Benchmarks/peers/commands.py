"""Timings of command-line programs as whole processes, which run in turn."""

import os
import re
import shutil
import time
from dataclasses import dataclass, field
from pathlib import Path

from machine import PROGRAMS, Failed, find, run
from sync import SYNC, Sync

COMMAND_COLUMNS = [("median", "ms"), ("shortest", "ms"), ("longest", "ms")]
START_COLUMNS = [*COMMAND_COLUMNS, SYNC]
TIMES = 60


@dataclass
class Command:
    """A command line that is timed as a whole process. The command that undoes it isn't timed."""

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
        """Words that say whether a program that writes syncs to the disk, judged by the functions that its code names."""
        if self.undo is None:
            return ""
        own = Path(self.path()).read_bytes()
        if b"fsync" in own or b"fdatasync" in own:
            return "syncs: fsync or fdatasync is in its program"
        return "not durable: neither fsync nor fdatasync is in its program"

    def path(self):
        own = PROGRAMS / self.program
        return str(own) if own.exists() else find(self.program)

    def version(self):
        said = run(self.path(), "--version")
        return re.search(r"\d+\.\d[\w.]*", said)[0]


def commands():
    """Returns the commands that show a timer, and the ones to start it."""
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
    """Returns the time of a process in seconds."""
    nowhere = [(os.POSIX_SPAWN_OPEN, place, "/dev/null", os.O_RDWR, 0) for place in range(3)]
    began = time.perf_counter()
    pid = os.posix_spawn(path, [path, *words], environment, file_actions=nowhere)
    status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    seconds = time.perf_counter() - began
    if status != 0:
        raise Failed(f"{path} {' '.join(words)}: {status}")
    return seconds


def installed(command, bench):
    """Returns the path of the installed program; the project's own programs are copied, to be like an installed one. A file
    that a linker has just written is in smaller pieces in the page cache, which are mapped one by one at each start."""
    own = PROGRAMS / command.program
    return shutil.copy(own, bench.folder.new("installed")) if own.exists() else command.path()


class Timing:
    """A command with a folder of its own, and its times so far."""

    def __init__(self, bench, command):
        self.command, self.times = command, []
        folder = bench.folder.new("commands")
        self.path = installed(command, bench)
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
    """Measures the commands one run each in turn, because they are short."""
    timings = [Timing(bench, command) for command in commands]
    with Sync(bench) as sync:
        for _ in range(TIMES):
            for timing in timings:
                timing.once()
    return [{**timing.figures(), **sync.figures()} for timing in timings]
