"""The measurements of servers: merging, pressing, a thousand connections, catching up."""

import os
import re
import resource
import sys
import time
from pathlib import Path

from daemons import Limit, Lockstep, Mosquitto, Nats, Redis
from machine import PROGRAMS, Failed, Process, free_port, run
from sync import SYNC, Sync

# MARK: Merging

MERGE_COLUMNS = [
    ("throughput", "events/s"), ("median", "ms"), ("99 of 100", "ms"), ("server's processor time", "µs/event"),
    ("load's processor time", "ms/1,000 requests"),
    SYNC]


def merging(connections, batch, batches):
    def measure(bench, peer):
        with peer(bench) as daemon:
            folder = daemon.merging(connections, batch, batches)
            with bench.load("merge", daemon, connections, folder) as load, Sync(bench) as sync:
                before = daemon.process.worked()
                result = load.go()
                worked = daemon.process.worked() - before
        return {**merge_figures(result, worked, connections * batch * batches), **sync.figures()}
    return measure


def merge_figures(result, worked, events):
    return {
        "throughput": events / result["seconds"],
        "median": result["median"] * 1e3,
        "99 of 100": result["99"] * 1e3,
        "server's processor time": worked / events * 1e6,
        "load's processor time": result["worked"] / result["requests"] * 1e6,
    }


# MARK: A press

PRESSES = 300
PRESS_COLUMNS = [("median", "ms"), ("99 of 100", "ms"), ("load's processor time", "ms/1,000 requests"), SYNC]


def pressing(watchers):
    def press(bench, peer):
        if peer is RoundTrip:
            return limit(bench)
        if peer is Laptops:
            return laptops(bench)
        with peer(bench) as daemon:
            folder = daemon.pressing(1, watchers, PRESSES)
            with bench.load("press", daemon, watchers + 1, folder, watchers + 1) as load:
                return press_figures(load.go())

    def measure(bench, peer):
        with Sync(bench) as sync:
            figures = press(bench, peer)
        return {**figures, **sync.figures()}
    return measure


# The work of other groups meanwhile: the number of connections, and of events a second in all.
OTHERS = 64
RATE = 1_000


def pressing_beside_others(bench, peer):
    with Sync(bench) as sync, peer(bench) as daemon:
        others = daemon.merging(OTHERS, 1, 1_000)
        folder = daemon.pressing(1, 1, PRESSES)
        with bench.load(RATE, daemon, OTHERS, others) as busy:
            busy.begin()
            with bench.load("press", daemon, 2, folder, 2) as load:
                figures = press_figures(load.go())
            kept = busy.end()
    return {**figures, "others' events": kept["requests"] / kept["seconds"], **sync.figures()}


def press_figures(result):
    return {
        "median": result["median"] * 1e3, "99 of 100": result["99"] * 1e3,
        "load's processor time": result["worked"] / result["requests"] * 1e6}


def limit(bench):
    with Limit(bench) as daemon, bench.load("merge", daemon, 1, daemon.merging(1, 1, PRESSES)) as load:
        return press_figures(load.go())


class Laptops:
    """Lockstep as people use it: a durable press on a laptop, two agents, the server, and the other laptop's log."""

    name = "Lockstep, laptop to laptop"
    durability = "durable on the laptop that is pressed, on the server and on the one that shows it"
    settings = "two agents and a server, each a process; pressed and watched by one more"
    is_there, version = Lockstep.is_there, Lockstep.version


def laptops(bench):
    # The process's folder is inside this one, so it is removed in any case.
    said = run(PROGRAMS / "benchmarks", "press", env={**os.environ, "TMPDIR": str(bench.folder.new("press"))})
    if "failed" in said and "0 benchmarks failed" not in said:
        raise Failed(said.strip().split("\n")[0])
    return {
        "median": float(re.search(r"showing, median: ([\d.]+) ms", said)[1]),
        "99 of 100": float(re.search(r"showing, 99 of 100: ([\d.]+) ms", said)[1])}


class LockstepServer(Lockstep):
    """Lockstep's server without the laptops' programs."""

    name = "Lockstep, its server alone"


class MosquittoPassing(Mosquitto):
    name = "Mosquitto, QoS 0"
    durability = "keeps nothing"


class RedisPassing(Redis):
    name = "Redis pub/sub"
    durability = "keeps nothing"
    settings = "the same server"


class NatsPassing(Nats):
    name = "NATS pub/sub"
    durability = "keeps nothing"
    settings = "the same server"


class RoundTrip(Limit):
    name = "limit: round trip and fdatasync"


# MARK: A thousand connections

IDLE = 15
THOUSAND_COLUMNS = [
    ("memory", "KiB/connection"), ("memory at first", "KiB/connection"), ("opening all", "s"), ("load's processor time for that", "ms/connection"),
    ("throughput", "events/s"), ("median", "ms"), ("99 of 100", "ms"), ("coming back, all", "s")]


def thousand(connections, batches):
    def measure(bench, peer):
        with peer(bench) as daemon:
            folder = daemon.merging(connections, 1, batches)
            time.sleep(0.5)
            before = daemon.process.memory()
            with bench.load("merge", daemon, connections, folder) as load:
                idle = idle_memory(daemon, before, connections)
                result = load.go()
            again = folder / "again" if (folder / "again").exists() else folder
            with bench.load("merge", daemon, connections, again) as back:
                pass
        return {
            **idle, "opening all": load.opening,
            "load's processor time for that": load.opening_worked / connections * 1e3,
            "throughput": connections * batches / result["seconds"], "median": result["median"] * 1e3,
            "99 of 100": result["99"] * 1e3, "coming back, all": back.opening}
    return measure


def idle_memory(daemon, before, connections):
    """Waits while connections that have just opened do nothing. Returns what each takes of a server's memory."""
    time.sleep(1)
    first = daemon.process.memory() - before
    time.sleep(IDLE - 1)
    return {
        "memory": (daemon.process.memory() - before) / connections / 1024, "memory at first": first / connections / 1024}


# MARK: Browsers' connections

BROWSERS = 1_000
BROWSER_COLUMNS = [("memory", "KiB/connection"), ("memory at first", "KiB/connection")]


class LockstepBrowsers(Lockstep):
    """Lockstep at its port for browsers. Another process makes WebSockets of the load's connections."""

    name = "Lockstep, over WebSockets"
    settings = "the same, at its port for browsers; tunnel.py, between it and the load, makes messages of the bytes"

    class messages:
        protocol = "lockstep-web"

    def __init__(self, bench):
        super().__init__(bench)
        self.web, self.front = free_port(), free_port()
        self.tunnel = None

    @property
    def ports(self):
        return [self.front]

    def start(self):
        process = super().start()
        try:
            self.tunnel = Process(
                sys.executable, Path(__file__).with_name("tunnel.py"), self.front, self.web, port=self.front,
                log=self.folder / "tunnel")
        except BaseException:
            process.end()
            raise
        return process

    def more_settings(self):
        return ["--web", self.web]

    def __exit__(self, *_):
        if self.tunnel:
            self.tunnel.end()
        super().__exit__()


def idling(connections):
    def measure(bench, peer):
        with peer(bench) as daemon:
            folder = daemon.merging(connections, 1, 1)
            time.sleep(0.5)
            before = daemon.process.memory()
            with bench.load("merge", daemon, connections, folder):
                return idle_memory(daemon, before, connections)
    return measure


# MARK: All at once

STORM = 5_000
# The number of Lockstep's laptops in a group.
TEAM = 4
STORM_COLUMNS = [
    ("all are back", "s"), ("server's processor time", "ms/connection"),
    ("load's processor time", "ms/connection"), ("memory then", "KiB/connection"), ("turned away", "times")]


def storm(bench, peer):
    with peer(bench) as daemon:
        folder = daemon.coming_back(STORM, TEAM)
        daemon.start_again()
        before, worked = daemon.process.memory(), daemon.process.worked()
        with bench.load("merge", daemon, STORM, folder) as load:
            worked = daemon.process.worked() - worked
            time.sleep(1)
            memory = daemon.process.memory() - before
    return {
        "all are back": load.opening, "server's processor time": worked / STORM * 1e3,
        "load's processor time": load.opening_worked / STORM * 1e3, "memory then": memory / STORM / 1024,
        "turned away": load.came_again}


# MARK: Many groups

LAPTOPS = 3
# Some descriptors of a process aren't connections.
DESCRIPTORS = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
GROUPS = min(10_000, (DESCRIPTORS - 500) // LAPTOPS)
GROUPS_BESIDE = min(1_000, GROUPS)
GROUP_SECONDS = 20
GROUP_COLUMNS = [
    ("median", "ms"), ("99 of 100", "ms"), ("connections", "in all"), ("memory", "KiB/connection"), ("opening", "ms/connection"),
    ("presses", "events/s"), ("server's processor time", "µs/press"), ("load's processor time", "ms/1,000 requests"), SYNC]


def grouping(bench, peer):
    groups = GROUPS if peer is LockstepServer else GROUPS_BESIDE
    connections = groups * LAPTOPS
    with peer(bench) as daemon:
        folder = daemon.pressing(groups, LAPTOPS - 1, RATE * GROUP_SECONDS // groups + 2)
        before = daemon.process.memory()
        with bench.load(RATE, daemon, connections, folder, LAPTOPS) as load:
            time.sleep(1)
            memory = daemon.process.memory() - before
            with Sync(bench) as sync:
                worked = daemon.process.worked()
                load.begin()
                time.sleep(GROUP_SECONDS)
                result = load.end()
                worked = daemon.process.worked() - worked
    return {
        "connections": connections, "memory": memory / connections / 1024, "opening": load.opening / connections * 1e3,
        "presses": result["requests"] / result["seconds"],
        "server's processor time": worked / result["requests"] * 1e6, **press_figures(result), **sync.figures()}


# MARK: Catching up

LENGTHS = [1_000, 10_000, 100_000, 1_000_000, 10_000_000]
CATCHES = 300
CATCH_UP_COLUMNS = [
    *((f"{events:,} events", "ms") for events in reversed(LENGTHS)), ("memory with the longest", "MiB"),
    ("on the disk then", "bytes/event")]


def catching_up(bench, peer):
    figures = {}
    for events in LENGTHS:
        if events > peer.longest_log:
            continue
        with peer(bench) as daemon:
            folder = daemon.catching_up(events, CATCHES)
            with bench.load("merge", daemon, 1, folder) as load:
                figures[f"{events:,} events"] = load.go()["median"] * 1e3
                # The longest log is the last one.
                figures["memory with the longest"] = daemon.process.memory() / 2**20
            figures["on the disk then"] = daemon.on_disk() / events
        bench.drop(folder)
    return figures
