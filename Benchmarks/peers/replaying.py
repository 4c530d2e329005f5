"""The replay of a whole log: by Lockstep's core, by a plain loop in C, and by libraries of lists."""

from dataclasses import dataclass

from daemons import Lockstep
from libraries import AUTOMERGE, LORO, YJS, figures_of, middle
from machine import PROGRAMS, Failed, run

REPLAY_EVENTS, REPLAY_TIMES = 300_000, 3
REPLAY_COLUMNS = [
    ("in memory", "events/s"), ("from bytes", "events/s"), ("processor time in memory", "µs/event"),
    ("processor time from bytes", "µs/event")]


@dataclass
class Replayer:
    """A program that replays a file of events."""

    name: str
    settings: str
    is_own: bool
    durability: str = "in memory"

    @staticmethod
    def is_there():
        return Lockstep.is_there()

    def version(self):
        return Lockstep.version() if self.is_own else ""


CORE = Replayer(
    "Lockstep, its replay", "the core alone, on one processor; with the history, and whatever may stand in a log", True)
LOOP = Replayer(
    "limit: a loop of C",
    "built from Benchmarks/peers/replay.c: the timer's state alone, of a log without side runs and without what is taken back",
    False)
REPLAYERS = [CORE, YJS, AUTOMERGE, LORO, LOOP]


def replaying(bench, peer):
    """Measures the work from the stored bytes, and from the events in memory, each in seconds and processor seconds."""
    if peer in (CORE, LOOP):
        both = replayed(bench, peer)
    else:
        both = [(time[0] + time[2], time[1] + time[3], *time[2:]) for time in peer.lists("load", REPLAY_EVENTS, REPLAY_TIMES)]
    whole, whole_worked, reading, reading_worked = middle(both)
    return {
        "in memory": REPLAY_EVENTS / reading, "from bytes": REPLAY_EVENTS / whole,
        "processor time in memory": reading_worked / REPLAY_EVENTS * 1e6,
        "processor time from bytes": whole_worked / REPLAY_EVENTS * 1e6}


def replayed(bench, peer):
    """Returns the times of the core or the loop. Different states are an error."""
    def export(folder):
        run(PROGRAMS / "benchmarks", "events", REPLAY_EVENTS, folder / "events")

    file = bench.made(("events", REPLAY_EVENTS), export) / "events"
    core, loop = [PROGRAMS / "benchmarks", "replaying"], [bench.programs / "replay"]
    if peer is CORE:
        *times, _ = run(*core, file, REPLAY_TIMES).strip().split("\n")
        return [(a + c, b + d, c, d) for a, b, c, d in figures_of("\n".join(times))]
    *times, state = run(*loop, file, REPLAY_TIMES).strip().split("\n")
    if state != run(*core, file, 0).strip():
        raise Failed("the loop of C comes to another state than Lockstep")
    return figures_of("\n".join(times))
