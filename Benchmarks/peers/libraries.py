"""Libraries that merge several people's changes, each in a process of its own."""

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

    def lists(self, work, count, times):
        """Returns the output of lists.py, for each time: the seconds for merging and for reading, each followed by the
        processor seconds."""
        return figures_of(run(Library.python, Path(__file__).with_name("lists.py"), work, self.package, count, times))

    python = None


def figures_of(said):
    """Returns the numbers in each line of a program's output."""
    return [tuple(map(float, line.split())) for line in said.strip().split("\n")]


def middle(times):
    """Returns the median of some measurements by the sum of their parts."""
    return sorted(times, key=sum)[len(times) // 2]


def listing(bench, library):
    if library.package == "":
        merging, reading = middle(figures_of(run(PROGRAMS / "benchmarks", "merging", LIST_EVENTS, LIST_TIMES)))
    else:
        merging, reading = middle([time[::2] for time in library.lists("merge", LIST_EVENTS, LIST_TIMES)])
    return {"merging and reading": (merging + reading) * 1e3, "merging": merging * 1e3, "reading": reading * 1e3}


YJS = Library("Yjs (pycrdt)", "pycrdt", settings="an array of maps; reading is taking the array as Python's values")
AUTOMERGE = Library(
    "Automerge", "automerge",
    settings="a list of maps; reading is taking the document as Python's values. The package, of 2022, can't save a document: "
    "what is merged or loaded was made in its published format (automerge_format.py), a change for each map")
LORO = Library("Loro", "loro", settings="a list of maps; reading is taking the list as Python's values")
LIBRARIES = [
    Library("Lockstep", "", settings="opens others' sealed events and merges them; reading is replaying the timer's rules"),
    YJS, AUTOMERGE, LORO,
]
