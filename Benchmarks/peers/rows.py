"""The rows to measure. In a run each row is measured once for each peer, in turn. The result is its figures by name."""

from dataclasses import dataclass

import results
from commands import COMMAND_COLUMNS, START_COLUMNS, TIMES, commanding, commands
from daemons import Limit, Lockstep, Mosquitto, Nats, Postgres, Redis, SQLiteStore
from libraries import LIBRARIES, LIST_COLUMNS, LIST_EVENTS, listing
from machine import Failed
from replaying import REPLAY_COLUMNS, REPLAY_EVENTS, REPLAYERS, replaying
from serving import (
    BROWSER_COLUMNS, BROWSERS, CATCH_UP_COLUMNS, CATCHES, DESCRIPTORS, GROUP_COLUMNS, GROUP_SECONDS, GROUPS, GROUPS_BESIDE,
    IDLE, LAPTOPS, LENGTHS, MERGE_COLUMNS, OTHERS, PRESS_COLUMNS, PRESSES, RATE, STORM, STORM_COLUMNS, TEAM, THOUSAND_COLUMNS,
    Laptops, LockstepBrowsers, LockstepServer, MosquittoPassing, NatsPassing, RedisPassing, RoundTrip, catching_up, grouping,
    idling, merging, pressing, pressing_beside_others, storm, thousand)
from shared import GROUPS as SHARED_GROUPS
from shared import LAPTOP_COLUMNS, SERVER_START_COLUMNS, SERVERS, BareLibpq, showing, starting
from syncing import SYNC_COLUMNS, Focus, Task, syncing


@dataclass
class Row:
    """One table of the results, with its charts."""

    name: str
    title: str
    text: str
    # Name and unit of each column; the first column is plotted.
    columns: list
    peers: list
    measure: object
    # Whether `measure` takes all peers at once, and returns the figures of all.
    is_together: bool = False
    # The names of further plotted columns.
    plots: tuple = ()
    page: results.Page = results.BESIDE_OTHERS

    def plotted(self):
        return [self.columns[0][0], *self.plots]

    def leading(self, figure):
        """Returns the first column, with its unit, for which a peer has a figure."""
        for column in self.columns:
            if column[0] in figure:
                return column
        raise Failed(f"of {', '.join(figure)} none is a column of {self.name}")


STORES = [Lockstep, Redis, Postgres, SQLiteStore, Nats, Mosquitto, Limit]


def merge_row(connections, batch, batches):
    many = f"{connections} connection{'s' if connections > 1 else ''}"
    each = "one event at a time" if batch == 1 else f"batches of {batch}"
    return Row(
        f"merge-{connections}x{batch}", f"Durable merge: {many}, {each}",
        f"{connections * batch * batches:,} events. Each connection sends its next request once the one before is answered.",
        MERGE_COLUMNS, STORES, merging(connections, batch, batches))


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
            "press-busy", "A press to its showing while others work",
            f"The same, while {OTHERS} other connections bring {RATE:,} events a second in all, each to a group of its own and "
            "as durably as in the merge. How many came a second stands beside it.",
            [*PRESS_COLUMNS[:-1], ("others' events", "events/s"), PRESS_COLUMNS[-1]],
            [LockstepServer, MosquittoPassing, RedisPassing, NatsPassing], pressing_beside_others),
        Row(
            "status", "Showing the timer: whole processes",
            f"{TIMES} of each in a run, with one session or task that is going on.",
            COMMAND_COLUMNS, shown["status"], commanding, is_together=True),
        Row(
            "start", "Starting the timer: whole processes",
            f"{TIMES} of each in a run; stopping isn't timed. `focus` without its agent, on a laptop that is on its own.",
            START_COLUMNS, shown["start"], commanding, is_together=True),
        Row(
            "sync-command", "A change and its sync: whole processes",
            f"{TIMES} of each in a run: one process makes a change on the laptop, and another one syncs it with a server on the "
            "same machine, over a connection of its own.",
            SYNC_COLUMNS, [Focus, Task], syncing, is_together=True),
        Row(
            "thousand", "A thousand connections",
            f"Memory is what the server has more than before (PSS of all of its processes), {IDLE} seconds after the last of them "
            "was open and before anything was sent; and at first, after one second. Lockstep's devices enrol and bring a group each as they open, and come "
            "back as known ones. Then each sends one event at a time, 10 in all; then all close and come back at once.",
            THOUSAND_COLUMNS, [Lockstep, Redis, Postgres, SQLiteStore, Nats, Mosquitto], thousand(1000, 10),
            plots=("throughput", "coming back, all")),
        Row(
            "browsers", f"{BROWSERS:,} connections of browsers",
            "Memory as above. The load is the same, so the connections over WebSockets have a laptop's session, in TLS 1.2 as a "
            "browser's.",
            BROWSER_COLUMNS, [Lockstep, LockstepBrowsers], idling(BROWSERS)),
        Row(
            "fan-out", "One press to 100 laptops",
            f"{PRESSES} presses, until the last of 100 connections has been told.",
            PRESS_COLUMNS, [LockstepServer, MosquittoPassing, RedisPassing, NatsPassing], pressing(100)),
        Row(
            "fan-out-thousand", "One press to 1,000 laptops",
            f"{PRESSES} presses, until the last of 1,000 connections has been told.",
            PRESS_COLUMNS, [LockstepServer, MosquittoPassing, RedisPassing, NatsPassing], pressing(1_000)),
        Row(
            "storm", f"{STORM:,} laptops come back at once",
            f"The server is started anew, and all connect at once. Lockstep's laptops are in groups of {TEAM}; each is back once "
            "it has been welcomed, with its group's devices, keys and heads. Who is turned away comes again after half a second.",
            STORM_COLUMNS, [Lockstep, Redis, SQLiteStore, Nats, Mosquitto], storm),
        Row(
            "groups", f"{GROUPS:,} groups of {LAPTOPS} laptops",
            f"All on one server: {RATE:,} presses a second in all for {GROUP_SECONDS} seconds, by one group after the other, each "
            "timed until both other laptops of its group have been told. "
            + (
                f"10,000 groups would need more descriptors than the {DESCRIPTORS:,} that a process may have here. "
                if GROUPS < 10_000 else "")
            + f"The others have {GROUPS_BESIDE:,} groups, which they take minutes less to let in. Memory is the server's (PSS), "
            "before anybody presses; opening is, for Lockstep, being let in by an invite.",
            GROUP_COLUMNS, [LockstepServer, MosquittoPassing, RedisPassing, NatsPassing], grouping,
            plots=("99 of 100", "memory")),
        Row(
            "catch-up", "Catching up with one event, as the log grows",
            f"A connection asks for what came after the last event but one of a log of so many, {CATCHES} times. "
            f"{Postgres.name} and {Nats.name} are measured to {Postgres.longest_log:,} events: more take them long to write. "
            "Redis fills its log without syncing. Beside it stands what the server has in memory (PSS) and on the disk with its "
            "longest log.",
            CATCH_UP_COLUMNS, [LockstepServer, Redis, Postgres, Nats], catching_up,
            plots=(f"{LENGTHS[-2]:,} events", "memory with the longest")),
        Row(
            "lists", "Merging logs after being away",
            f"{LIST_EVENTS:,} events by 3 replicas, a third of them one's own; others' are merged, then all is read.",
            LIST_COLUMNS, LIBRARIES, listing),
        Row(
            "replay", "A whole log, and what it comes to",
            f"{REPLAY_EVENTS:,} events: from what is in memory already, and from the bytes as they are stored. Lockstep and the "
            "loop of C have the same events, and have to come to the same state of the timer; the libraries load as many "
            "entries of one replica, and give them back as a list.",
            REPLAY_COLUMNS, REPLAYERS, replaying, plots=("from bytes",)),
        *shared_rows(),
    ]


def shared_rows():
    def merge(connections, batch, batches):
        each = "one event at a time" if batch == 1 else f"batches of {batch}"
        return Row(
            f"shared-{connections}x{batch}", f"Durable merge on one database: {connections} connections, {each}",
            f"{connections * batch * batches:,} events, as in the merge beside others. Connections take the servers in turn.",
            MERGE_COLUMNS, [*SERVERS, BareLibpq], merging(connections, batch, batches), page=results.SERVERS)
    return [
        merge(64, 100, 100),
        merge(64, 1, 250),
        Row(
            "shared-press", "A press told to three laptops, at as many servers as there are",
            f"{PRESSES} presses, until the last of three other connections has been told. Connections take the servers in turn.",
            PRESS_COLUMNS, SERVERS, pressing(3), page=results.SERVERS),
        Row(
            "shared-showing", "A press on one laptop to its showing on another, each at a server of its own",
            f"{PRESSES} presses, the next one once the one before has shown: two agents, each a process, durable on both laptops "
            "and in the database; pressed and watched by one more. With one server both are at that one.",
            LAPTOP_COLUMNS, SERVERS[:3], showing, page=results.SERVERS),
        Row(
            "shared-start", f"A server starts that has {SHARED_GROUPS:,} groups of {LAPTOPS} laptops",
            "From its start until it listens; and what it has in memory more than an empty one, before anybody has come.",
            SERVER_START_COLUMNS, SERVERS[:2], starting, page=results.SERVERS, plots=("memory",)),
    ]
