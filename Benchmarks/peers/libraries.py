"""Libraries that merge what several people wrote, each in a process of its own."""

from dataclasses import dataclass
from pathlib import Path

from daemons import Lockstep
from machine import PROGRAMS, Failed, run

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
