"""Libraries that merge several people's changes, doing the work of a laptop after being offline or at its start. The
virtual environment's Python runs this. It prints the seconds and processor seconds of each time.

`lists.py merge LIBRARY EVENTS TIMES` merges the events of two other replicas into one's own, then reads all.
`lists.py load LIBRARY EVENTS TIMES` loads the events of one replica into an empty document, then reads all."""

import sys
import time

REPLICAS = 3


def events(replica, count):
    """Yields pauses, each with its time and its session, as values that the libraries store."""
    for number in range(count):
        yield {"kind": "pause", "at": 1_700_000_000_000 + number * 60_000, "run": f"{replica}-{number // 10}"}


class Yjs:
    """Yjs (yrs): each replica appends to an array, and updates are merged."""

    def __init__(self):
        from pycrdt import Array, Doc

        self.doc = Doc()
        self.array = self.doc.get("events", type=Array)

    @classmethod
    def written(cls, replica, count):
        own = cls()
        for event in events(replica, count):
            own.array.append(event)
        return own

    def saved(self):
        return self.doc.get_update()

    def merge(self, update):
        self.doc.apply_update(update)

    def read(self):
        return self.array.to_py()


class Loro:
    """Loro: each replica appends to a list, and updates are merged."""

    def __init__(self):
        from loro import LoroDoc

        self.doc = LoroDoc()

    @classmethod
    def written(cls, replica, count):
        own = cls()
        array = own.doc.get_list("events")
        for event in events(replica, count):
            array.push(event)
            own.doc.commit()
        return own

    def saved(self):
        from loro import ExportMode, VersionVector

        return self.doc.export(ExportMode.Updates(VersionVector()))

    def merge(self, update):
        self.doc.import_(update)

    def read(self):
        return self.doc.get_list("events").get_deep_value()


class Automerge:
    """Automerge: each replica appends to a list, and saved documents are merged. The package can't save documents, so they
    are written in its format by automerge_format.py."""

    doc = None

    @classmethod
    def written(cls, replica, count):
        from automerge_format import document

        own = cls()
        own.bytes = document(replica, events(replica, count))
        own.merge(own.bytes)
        return own

    def saved(self):
        return self.bytes

    def merge(self, document):
        from automerge import Doc

        self.doc = self.doc.merge(document) if self.doc else Doc(document)

    def read(self):
        return self.doc.obj()["events"]


def measured(own, updates):
    began, worked = time.perf_counter(), time.process_time()
    for update in updates:
        own.merge(update)
    merged, merged_worked = time.perf_counter(), time.process_time()
    read = own.read()
    print(
        f"{merged - began:.6f} {merged_worked - worked:.6f} "
        f"{time.perf_counter() - merged:.6f} {time.process_time() - merged_worked:.6f}")
    return len(read)


def merge(library, count, times):
    for _ in range(times):
        own, *others = (library.written(replica, count // REPLICAS) for replica in range(REPLICAS))
        yield measured(own, [other.saved() for other in others])


def load(library, count, times):
    update = library.written(0, count).saved()
    for _ in range(times):
        yield measured(library(), [update])


if __name__ == "__main__":
    work = {"merge": merge, "load": load}[sys.argv[1]]
    library = {"pycrdt": Yjs, "loro": Loro, "automerge": Automerge}[sys.argv[2]]
    count = int(sys.argv[3])
    for there in work(library, count, int(sys.argv[4])):
        if there != count:
            sys.exit(f"{there} events are there")
