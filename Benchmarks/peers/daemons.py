"""The measured servers: their setup, the durability of their acknowledgements, and their versions."""

import os
import re
import shutil
import subprocess
import time

import messages
from machine import PROGRAMS, Failed, Process, find, free_port, run


def write(path, text):
    """Writes a file that only this user can read."""
    with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as file:
        file.write(text)


def batch_for(events):
    """Returns the number of events in each request that fills a log: a thousand requests fill the longest."""
    return max(100, events // 1_000)


class Certificates:
    """Keys on P-256, like Lockstep's: an authority, and a server and a client that it signed."""

    def __init__(self, folder):
        self.folder = folder
        request = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2"]
        previous = os.umask(0o077)
        try:
            run(*request, "-subj", "/CN=authority", "-keyout", folder / "ca.key", "-out", folder / "ca.pem")
            for name, common in (("server", "127.0.0.1"), ("client", "lockstep")):
                run(
                    *request, "-subj", f"/CN={common}", "-addext", "subjectAltName=IP:127.0.0.1", "-addext",
                    "basicConstraints=CA:FALSE", "-CA", folder / "ca.pem", "-CAkey", folder / "ca.key",
                    "-keyout", folder / f"{name}.key", "-out", folder / f"{name}.crt")
                both = (folder / f"{name}.key").read_text() + (folder / f"{name}.crt").read_text()
                write(folder / f"{name}.pem", both)
        finally:
            os.umask(previous)


class Daemon:
    """A server with an empty store, which runs inside a `with` block."""

    name = program = durability = settings = ""
    messages = None
    # The number of events in the longest log. To write it takes a minute or two.
    longest_log = 10_000_000

    def __init__(self, bench):
        self.bench = bench
        self.port = free_port()

    @property
    def ports(self):
        """The ports that connections use in turn."""
        return [self.port]

    def __enter__(self):
        self.folder = self.bench.folder.new(self.program)
        self.process = None
        try:
            self.process = self.start()
            self.prepare()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        if self.process:
            self.process.end()
        shutil.rmtree(self.folder, ignore_errors=True)

    def spawn(self, *words, **more):
        return Process(*words, port=self.port, log=self.folder / "log", **more)

    def prepare(self):
        pass

    def on_disk(self):
        """Returns the size of the file blocks of its folder, in bytes."""
        size = 0
        for path in self.folder.rglob("*"):
            try:
                size += path.lstat().st_blocks * 512
            except FileNotFoundError:
                pass
        return size

    @classmethod
    def is_there(cls):
        return find(cls.program) is not None

    @classmethod
    def version(cls):
        return re.search(r"\d+\.\d[\w.]*", run(find(cls.program), "--version"))[0]

    def merging(self, connections, batch, batches):
        """Returns a folder with the records by which each connection merges its events. It is the same for every run."""
        def make(folder):
            for place in range(connections):
                with open(folder / str(place), "wb") as file:
                    file.write(self.messages.opening(place))
                    for number in range(batches):
                        file.write(self.messages.merge(place, 1 + number * batch, batch))
        return self.bench.made(("merging", self.messages.protocol, connections, batch, batches), make)

    def pressing(self, groups, watchers, presses):
        """Returns such a folder for groups in which one connection presses and the others watch. Its names differ from the
        ones in `merging`, because both may be used at once."""
        def make(folder):
            for place in range(groups * (watchers + 1)):
                group, is_watching = divmod(place, watchers + 1)
                opening = self.messages.opening(100_000 + place)
                rest = [self.messages.watch(group)] if is_watching else [self.messages.press(group) for _ in range(presses)]
                (folder / str(place)).write_bytes(b"".join([opening, *rest]))
        return self.bench.made(("pressing", self.messages.protocol, groups, watchers, presses), make)

    def coming_back(self, connections, team):
        """Returns such a folder for connections that only open. `team` is the number of Lockstep's laptops in a group."""
        return self.merging(connections, 1, 0)

    def start_again(self):
        """Ends the server and starts it with its stored data. Returns the seconds from the start until it listens."""
        self.process.end()
        began = time.monotonic()
        self.process = self.start()
        return time.monotonic() - began

    def catching_up(self, events, times):
        """Returns such a folder for a connection that fills a log as it opens, and then requests its last event."""
        def make(folder):
            with open(folder / "0", "wb") as file:
                file.write(self.messages.opening(0))
                if hasattr(self.messages, "reading"):
                    file.write(self.messages.reading())
                batch = batch_for(events)
                for first in range(1, events, batch):
                    # These merges are opening records here, not requests.
                    file.write(b"O" + self.messages.merge(0, first, batch)[1:])
                for _ in range(times):
                    file.write(self.messages.last(events))
        return self.bench.made(("catching up", self.messages.protocol, events, times), make)


class Lockstep(Daemon):
    name = "Lockstep"
    program = "focusd"
    durability = "durable: each acknowledgement comes after the commit that has the event (SQLite, WAL, synchronous FULL)"
    settings = "as it comes, but for limits: all of these devices come from one address"

    class messages:
        protocol = "lockstep"

    @classmethod
    def is_there(cls):
        return (PROGRAMS / "focusd").exists() and (PROGRAMS / "benchmarks").exists()

    @classmethod
    def version(cls):
        said = run(PROGRAMS / "focusd", "--version").split("\n")[0]
        return re.search(r"\d+\.\d[\w.]*", said)[0]

    def start(self):
        data = self.data()
        if not data.exists():
            run(PROGRAMS / "focusd", "init", "--data", data, "--address", f"127.0.0.1:{self.port}")
        return self.serve(data, self.port)

    def serve(self, data, port):
        return Process(
            PROGRAMS / "focusd", "serve", "--data", data, "--listen", f"127.0.0.1:{port}", "--metrics", "off",
            "--enrolments-per-minute", "1000000", "--max-connections", "60000", "--strangers-per-address", "60000",
            "--devices-per-group", "4096", "--max-groups", "20000", "--connections-per-group", "4096",
            "--device-burst", "20000000", "--group-burst", "20000000", "--events-per-group", "20000000",
            "--bytes-per-group", "8GiB", "--idle-timeout", "10m", *self.more_settings(), port=port,
            log=self.folder / f"log{port}")

    def more_settings(self):
        return []

    def store(self):
        """Returns the store that invites are added to."""
        return self.data() / "focusd.db"

    def own_memory(self):
        """Returns its memory without a database's, in bytes."""
        return self.process.memory()

    def data(self):
        """Returns the data folder for its commands."""
        return self.folder / "data"

    def invites(self, count):
        invite = run(PROGRAMS / "focusd", "invite", "--data", self.data()).split("\n")[-2] + "\n"
        return run(PROGRAMS / "benchmarks", "invites", self.store(), count, text=invite)

    def scripts(self, kind, invites, *numbers):
        # The scripts have this server's invites, so each run makes its own.
        folder = self.bench.folder.new("scripts")
        run(PROGRAMS / "benchmarks", "scripts", folder, kind, *numbers, text=self.invites(invites))
        return folder

    def coming_back(self, connections, team):
        folder = self.scripts("group", connections // team, team, 0)
        # Each laptop's invite comes from the one before it.
        with self.bench.load("merge", self, connections, folder, team):
            pass
        return folder / "again"

    def merging(self, connections, batch, batches):
        return self.scripts("groups", connections, batch, batches)

    def pressing(self, groups, watchers, presses):
        return self.scripts("group", groups, watchers + 1, presses)

    def catching_up(self, events, times):
        # Lockstep's messages must be shorter than 1 MiB.
        return self.scripts("log", 1, min(batch_for(events), 1_000), events, times)


class Redis(Daemon):
    name = "Redis"
    program = "redis-server"
    durability = "durable: `appendfsync always`; pub/sub keeps nothing"
    settings = "appendonly yes, appendfsync always, save off, a stream entry for each event"
    messages = messages.Redis()

    def start(self):
        tls = self.bench.certificates.folder
        write(self.folder / "conf", "\n".join([
            "bind 127.0.0.1", "port 0", f"tls-port {self.port}", f"tls-cert-file {tls}/server.crt",
            f"tls-key-file {tls}/server.key", f"tls-ca-cert-file {tls}/ca.pem", "tls-auth-clients yes",
            "tls-protocols TLSv1.3", "tls-session-caching no", "appendonly yes", "appendfsync always", 'save ""',
            f"dir {self.folder}", "maxclients 60000", ""]))
        return self.spawn(find(self.program), self.folder / "conf")


class Postgres(Daemon):
    name = "PostgreSQL"
    program = "postgres"
    durability = "durable: fsync on, synchronous_commit on"
    longest_log = 1_000_000
    settings = "max_connections 1100, otherwise as it comes; a prepared INSERT, one transaction for each request"
    messages = messages.Postgres()
    # The SQL that runs before the server accepts connections.
    made = messages.TABLE

    def address(self, database):
        """Returns the address of a database, for a client with the client certificate."""
        tls = self.bench.certificates.folder
        return (
            f"postgresql://lockstep@127.0.0.1:{self.port}/{database}?sslmode=verify-full&sslrootcert={tls}/ca.pem"
            f"&sslcert={tls}/client.crt&sslkey={tls}/client.key")

    def start(self):
        data = self.folder / "data"
        own = "postgres" if os.geteuid() == 0 else None
        self.folder.chmod(0o711)
        data.mkdir(mode=0o700)
        tls = self.bench.certificates.folder
        if own:
            shutil.chown(data, own)
        prefix = ["setpriv", "--reuid", own, "--regid", own, "--clear-groups"] if own else []
        environment = {**os.environ, "LC_ALL": "C"}
        os.chdir("/")
        run(*prefix, find("initdb"), "-D", data, "-U", "lockstep", "-E", "UTF8", "-A", "trust", "--no-sync", env=environment)
        for name in ("server.crt", "server.key", "ca.pem"):
            shutil.copy(tls / name, data / name)
            (data / name).chmod(0o600)
            if own:
                shutil.chown(data / name, own)
        with open(data / "postgresql.conf", "a") as file:
            file.write("\n".join([
                "listen_addresses = '127.0.0.1'", f"port = {self.port}", "unix_socket_directories = ''", "ssl = on",
                "ssl_cert_file = 'server.crt'", "ssl_key_file = 'server.key'", "ssl_ca_file = 'ca.pem'",
                "ssl_min_protocol_version = 'TLSv1.3'", "fsync = on", "synchronous_commit = on", "max_connections = 1100", ""]))
        (data / "pg_hba.conf").write_text("hostssl all all 127.0.0.1/32 cert\n")
        run(*prefix, find(self.program), "--single", "-D", data, "postgres", text=self.made + "\n", env=environment)
        return self.spawn(find(self.program), "-D", data, user=own)

    def prepare(self):
        # PostgreSQL listens before it accepts connections.
        limit = time.monotonic() + 30
        while "ready to accept connections" not in (self.folder / "log").read_text():
            if time.monotonic() > limit:
                raise Failed("PostgreSQL lets nobody in")
            time.sleep(0.02)


class SQLiteStore(Daemon):
    name = "C and SQLite"
    program = "store"
    durability = "durable: WAL, synchronous FULL; what came at once is one commit"
    settings = "built from Benchmarks/peers/store.c: one thread, epoll, OpenSSL, a row for each event"
    messages = messages.Store()
    kind = "sqlite"

    @classmethod
    def is_there(cls):
        return True

    @classmethod
    def version(cls):
        return "SQLite " + run("sqlite3", "--version").split()[0]

    def start(self):
        return self.spawn(
            self.bench.programs / "store", self.kind, self.folder / "file", self.port, self.bench.certificates.folder)


class Limit(SQLiteStore):
    name = "limit: write and fdatasync"
    durability = "durable: one fdatasync for what came at once"
    settings = "store.c too, but the bytes are written one after the other to a file that has room for them: no index, no look-up"
    kind = "write"

    @classmethod
    def version(cls):
        return ""


class Nats(Daemon):
    name = "NATS JetStream"
    program = "nats-server"
    messages = messages.Nats()
    settings = "a stream in files, one replica; acknowledged by the stream"
    longest_log = 1_000_000

    @classmethod
    def can_sync(cls):
        return tuple(map(int, cls.version().split(".")[:2])) >= (2, 10)

    def start(self):
        tls = self.bench.certificates.folder
        sync = ", sync_interval: always" if self.can_sync() else ""
        write(self.folder / "conf", "\n".join([
            "host: 127.0.0.1", f"port: {self.port}",
            f'tls {{ cert_file: "{tls}/server.crt", key_file: "{tls}/server.key", ca_file: "{tls}/ca.pem", verify: true, timeout: 30 }}',
            f'jetstream {{ store_dir: "{self.folder}/data"{sync} }}', "max_connections: 60000", ""]))
        return self.spawn(find(self.program), "-c", self.folder / "conf")

    def prepare(self):
        def make(folder):
            (folder / "0").write_bytes(self.messages.make_stream())
        with self.bench.load("merge", self, 1, self.bench.made(("stream",), make)):
            pass


Nats.durability = (
    "durable: `sync_interval: always`" if Nats.is_there() and Nats.can_sync() else
    "not durable: it acknowledges what is written but not synced, which it does every two minutes; syncing always "
    "(`sync_interval`) came with version 2.10. Core NATS keeps nothing")


class Mosquitto(Daemon):
    name = "Mosquitto"
    program = "mosquitto"
    durability = "keeps nothing, at QoS 0 and at QoS 1: a message without a subscriber is gone once it is acknowledged"
    settings = "persistence off, no message waits in a queue for longer than that"
    messages = messages.Mqtt()

    @classmethod
    def version(cls):
        said = subprocess.run([find(cls.program), "-h"], capture_output=True, text=True).stdout
        return re.search(r"\d+\.\d+\.\d+", said)[0]

    def start(self):
        tls = self.bench.certificates.folder
        write(self.folder / "conf", "\n".join([
            f"listener {self.port} 127.0.0.1", f"certfile {tls}/server.crt", f"keyfile {tls}/server.key",
            f"cafile {tls}/ca.pem", "require_certificate true", "tls_version tlsv1.3", "allow_anonymous true",
            "persistence false", "set_tcp_nodelay true", *(["user root"] if os.geteuid() == 0 else []), ""]))
        return self.spawn(find(self.program), "-c", self.folder / "conf")
