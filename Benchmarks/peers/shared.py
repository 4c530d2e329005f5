"""Several of Lockstep's servers on one PostgreSQL, and a plain program that uses libpq directly."""

import shutil
import time

from daemons import Lockstep, Postgres, SQLiteStore, write
from machine import PROGRAMS, Processes, free_port, run
from serving import LAPTOPS


class Database(Postgres):
    """A database that another peer uses as its store."""

    made = "CREATE DATABASE focusd;"


class OnDatabase:
    """A peer with its store in a PostgreSQL of its own. The database's processes count as the peer's."""

    durability = "durable: fsync on, synchronous_commit on"

    @classmethod
    def is_there(cls):
        return super().is_there() and Postgres.is_there()

    @classmethod
    def version(cls):
        return f"{super().version()}, PostgreSQL {Postgres.version()}"

    def start(self):
        self.database = Database(self.bench)
        self.process = Processes()
        self.database.__enter__()
        self.process.all.append(self.database.process)
        # One by one: if one can't be started, the ones before it are ended.
        for process in self.start_on(self.database.address("focusd")):
            self.process.all.append(process)
        return self.process

    def __exit__(self, *_):
        super().__exit__()
        self.database.__exit__()


class SharedLockstep(OnDatabase, Lockstep):
    """Servers on one database. Connections use them in turn."""

    servers = 1

    @property
    def ports(self):
        return [self.port, *self.others]

    def start_on(self, address):
        self.others = [free_port() for _ in range(self.servers - 1)]
        self.place = address
        key = None
        for port in self.ports:
            data = self.folder / f"data{port}"
            data.mkdir(mode=0o700)
            write(data / "focusd.conf", f"store = {address}\n")
            if key:
                shutil.copy(key, data)
            else:
                run(PROGRAMS / "focusd", "init", "--data", data, "--address", f"127.0.0.1:{port}")
                key, self.first = data / "identity.pem", data
        for port in self.ports:
            yield self.serve(self.folder / f"data{port}", port)

    def start_again(self):
        database = self.process.all[0]
        del self.process.all[0]
        self.process.end()
        self.process.all.append(database)
        began = time.monotonic()
        for port in self.ports:
            self.process.all.append(self.serve(self.folder / f"data{port}", port))
        return time.monotonic() - began

    def own_memory(self):
        return super().own_memory() - self.process.all[0].memory()

    def data(self):
        return self.first

    def store(self):
        return self.place


class OnFile(Lockstep):
    name = "Lockstep on SQLite"

    @property
    def ports(self):
        return [self.port]


class OneServer(SharedLockstep):
    name = "Lockstep on PostgreSQL, 1 server"
    settings = "a server with its own data folder, and a PostgreSQL as it comes, over TLS"


class TwoServers(SharedLockstep):
    name = "Lockstep on PostgreSQL, 2 servers"
    settings = "two of them"
    servers = 2


class FourServers(SharedLockstep):
    name = "Lockstep on PostgreSQL, 4 servers"
    settings = "four of them"
    servers = 4


class BareLibpq(OnDatabase, SQLiteStore):
    name = "C and libpq"
    settings = (
        "built from Benchmarks/peers/store.c: one thread, epoll, OpenSSL; what came at once is one transaction, a row for each "
        "request, pipelined, prepared, binary; it doesn't look at what it stores")
    kind = "libpq"

    def start_on(self, address):
        yield self.spawn(
            self.bench.programs / "store", self.kind, address, self.port, self.bench.certificates.folder)


# MARK: Laptops

LAPTOP_COLUMNS = [("median", "ms"), ("99 of 100", "ms")]


def showing(bench, peer):
    """Measures the time from a press on a laptop at the first server until one at the last server shows it."""
    with peer(bench) as daemon:
        invite = run(PROGRAMS / "focusd", "invite", "--data", daemon.data()).split("\n")[-2]
        said = run(
            PROGRAMS / "benchmarks", "pressing", bench.folder.new("laptops"), invite, f"127.0.0.1:{daemon.ports[-1]}")
    median, most = said.split()
    return {"median": float(median), "99 of 100": float(most)}


# MARK: Starting

GROUPS = 2_000
SERVER_START_COLUMNS = [("starting", "ms"), ("memory", "KiB/group"), ("memory of an empty one", "MiB")]


def starting(bench, peer):
    with peer(bench) as daemon:
        time.sleep(1)
        empty = daemon.own_memory()
        folder = daemon.pressing(GROUPS, LAPTOPS - 1, 0)
        # Each laptop's invite comes from the one before it.
        with bench.load("merge", daemon, GROUPS * LAPTOPS, folder, LAPTOPS):
            pass
        starting = daemon.start_again()
        time.sleep(1)
        memory = daemon.own_memory() - empty
    return {
        "starting": starting * 1e3, "memory": memory / GROUPS / 1024, "memory of an empty one": empty / 2**20}


SERVERS = [OnFile, OneServer, TwoServers, FourServers]
