"""The prepared bytes for each peer, in the records of load.c."""

import json
import os
import struct

# The bytes of an event for the peers. Lockstep's events have 144 sealed bytes, and 18 for stamp, epoch and length.
EVENT = 150


def record(kind, answer, answers, data):
    """Returns a record: the bytes to send, and the kind and number of answers to wait for."""
    return kind.encode() + answer + struct.pack(">II", answers, len(data)) + data


def body():
    return os.urandom(EVENT)


class Redis:
    """Messages of Redis, in RESP."""

    protocol = "resp"

    @staticmethod
    def command(*words):
        words = [word if isinstance(word, bytes) else str(word).encode() for word in words]
        return b"*%d\r\n" % len(words) + b"".join(b"$%d\r\n%s\r\n" % (len(word), word) for word in words)

    def opening(self, place):
        return record("O", b"+", 1, self.command("PING"))

    def merge(self, place, first, batch):
        """Returns a stream entry for each event. The entries have ids, so that Redis refuses one that is sent again."""
        key, size = b"g%d" % place, EVENT
        names = (b"%d-0" % (first + i) for i in range(batch))
        events = (
            b"*5\r\n$4\r\nXADD\r\n$%d\r\n%s\r\n$%d\r\n%s\r\n$1\r\ne\r\n$%d\r\n%s\r\n"
            % (len(key), key, len(name), name, size, body()) for name in names)
        return record("R", b"$", batch, b"".join(events))

    def reading(self):
        """Returns a record that turns syncing off: with it, filling a log that is only read would take minutes."""
        return record("O", b"+", 1, self.command("CONFIG", "SET", "appendfsync", "no"))

    def last(self, events):
        """Returns a request for the events after the last but one."""
        return record("R", b"*", 1, self.command("XREAD", "STREAMS", "g0", f"{events - 1}-0"))

    def watch(self, group):
        return record("O", b"*", 1, self.command("SUBSCRIBE", f"press{group}"))

    def press(self, group):
        return record("R", b":", 1, self.command("PUBLISH", f"press{group}", body()))


class Postgres:
    """Messages of PostgreSQL's protocol 3: a prepared INSERT is bound and executed for each event. Each request has one
    Sync, so it is one transaction."""

    protocol = "postgres"
    TABLE = "CREATE TABLE events (grp bigint, seq bigint, body bytea, PRIMARY KEY (grp, seq));"

    @staticmethod
    def message(kind, data):
        return kind + struct.pack(">I", len(data) + 4) + data

    SYNC = b"S\0\0\0\4"

    def opening(self, place):
        start = struct.pack(">I", 196608) + b"user\0lockstep\0database\0postgres\0\0"
        insert = b"\0INSERT INTO events VALUES ($1, $2, $3) ON CONFLICT DO NOTHING\0"
        parse = self.message(b"P", insert + struct.pack(">HIII", 3, 20, 20, 17))
        return (
            record("T", b"S", 0, struct.pack(">II", 8, 80877103))
            + record("O", b"Z", 1, struct.pack(">I", len(start) + 4) + start)
            + record("O", b"Z", 1, parse + self.SYNC))

    def merge(self, place, first, batch):
        events = b"".join(
            self.message(b"B", b"\0\0" + struct.pack(">HHHIQIQI", 1, 1, 3, 8, place, 8, first + i, EVENT) + body() + b"\0\0")
            + self.message(b"E", b"\0\0\0\0\0") for i in range(batch))
        return record("R", b"Z", 1, events + self.SYNC)

    def reading(self):
        """Returns a record that prepares the SELECT for `last`."""
        select = b"last\0SELECT seq, body FROM events WHERE grp = 0 AND seq > $1 ORDER BY seq\0"
        return record("O", b"Z", 1, self.message(b"P", select + struct.pack(">HI", 1, 20)) + self.SYNC)

    def last(self, events):
        bind = b"\0last\0" + struct.pack(">HHHIQHH", 1, 1, 1, 8, events - 1, 1, 1)
        return record(
            "R", b"Z", 1, self.message(b"B", bind) + self.message(b"E", b"\0\0\0\0\0") + self.SYNC)


class Store:
    """Messages of store.c, as described there."""

    protocol = "store"

    def opening(self, place):
        return b""

    def merge(self, place, first, batch):
        events = b"".join(struct.pack(">QQH", place, first + i, EVENT) + body() for i in range(batch))
        return record("R", b"k", 1, struct.pack(">I", len(events)) + events)


class Nats:
    """Messages of NATS, with JetStream for stored events."""

    protocol = "nats"
    STREAM = {"name": "events", "subjects": ["e.*"], "storage": "file", "retention": "limits", "num_replicas": 1}

    def opening(self, place):
        connect = json.dumps({
            "verbose": False, "pedantic": False, "tls_required": True, "lang": "c", "version": "1", "protocol": 1,
            "headers": False, "no_responders": False})
        # Acknowledgements arrive at a subject of the connection's own.
        return record("T", b"\n", 0, b"") + record("O", b"O", 1, f"CONNECT {connect}\r\nSUB a.{place} 1\r\nPING\r\n".encode())

    def make_stream(self):
        """Returns the records that create the stream for merging."""
        stream = json.dumps(self.STREAM).encode()
        return self.opening(0) + record(
            "O", b"M", 1, b"PUB $JS.API.STREAM.CREATE.events a.0 %d\r\n%s\r\n" % (len(stream), stream))

    def merge(self, place, first, batch):
        events = (b"PUB e.%d a.%d %d\r\n%s\r\n" % (place, place, EVENT, body()) for _ in range(batch))
        return record("R", b"M", batch, b"".join(events))

    def last(self, events):
        ask = json.dumps({"seq": events}).encode()
        return record("R", b"M", 1, b"PUB $JS.API.STREAM.MSG.GET.events a.0 %d\r\n%s\r\n" % (len(ask), ask))

    def watch(self, group):
        return record("O", b"O", 1, b"SUB press.%d 2\r\nPING\r\n" % group) + record("O", b"M", 0, b"")

    def press(self, group):
        return record("R", b"M", 0, b"PUB press.%d %d\r\n%s\r\n" % (group, EVENT, body()))


class Mqtt:
    """Messages of MQTT 3.1.1: QoS 1 for merging, QoS 0 for presses."""

    protocol = "mqtt"

    @staticmethod
    def packet(kind, data):
        length, digits = len(data), b""
        while True:
            digits += bytes([length & 0x7F | (0x80 if length > 0x7F else 0)])
            length >>= 7
            if not length:
                return kind + digits + data

    @staticmethod
    def string(text):
        return struct.pack(">H", len(text)) + text.encode()

    def opening(self, place):
        connect = self.string("MQTT") + bytes([4, 2, 0, 0]) + self.string(f"laptop{place}")
        return record("O", b"\x20", 1, self.packet(b"\x10", connect))

    def merge(self, place, first, batch):
        events = (
            self.packet(b"\x32", self.string(f"g{place}") + struct.pack(">H", (first + i) % 65535 + 1) + body())
            for i in range(batch))
        return record("R", b"\x40", batch, b"".join(events))

    def watch(self, group):
        subscribe = self.packet(b"\x82", b"\0\1" + self.string(f"press{group}") + b"\0")
        return record("O", b"\x90", 1, subscribe) + record("O", b"\x30", 0, b"")

    def press(self, group):
        return record("R", b"\x30", 0, self.packet(b"\x30", self.string(f"press{group}") + body()))
