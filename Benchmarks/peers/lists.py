"""Libraries that merge what several people wrote, at what a laptop does after it was away. Run by the virtual environment's
Python: `lists.py LIBRARY EVENTS TIMES` says how long each time took, in seconds: for merging, then for reading."""

import sys
import time

REPLICAS = 3


def event(replica, number):
    """A pause, with when it was and which session it is of, as a value of the library's."""
    return {"kind": "pause", "at": 1_700_000_000_000 + number * 60_000, "run": f"{replica}-{number // 10}"}


def pycrdt(count):
    """Yjs (yrs): an array that each replica appends to, merged by updates."""
    from pycrdt import Array, Doc

    def replica(number):
        doc = Doc()
        array = doc.get("events", type=Array)
        for place in range(count // REPLICAS):
            array.append(event(number, place))
        return doc

    own, *others = map(replica, range(REPLICAS))
    updates = [doc.get_update() for doc in others]
    began = time.perf_counter()
    for update in updates:
        own.apply_update(update)
    merged = time.perf_counter()
    read = own.get("events", type=Array).to_py()
    return merged - began, time.perf_counter() - merged, len(read)


def loro(count):
    """Loro: a list that each replica pushes to, merged by updates."""
    from loro import ExportMode, LoroDoc, VersionVector

    def replica(number):
        doc = LoroDoc()
        events = doc.get_list("events")
        for place in range(count // REPLICAS):
            events.push(event(number, place))
            doc.commit()
        return doc

    own, *others = map(replica, range(REPLICAS))
    updates = [doc.export(ExportMode.Updates(VersionVector())) for doc in others]
    began = time.perf_counter()
    for update in updates:
        own.import_(update)
    merged = time.perf_counter()
    read = own.get_list("events").get_deep_value()
    return merged - began, time.perf_counter() - merged, len(read)


def automerge(count):
    """Automerge, where its package can save a document: without that there is nothing to merge."""
    from automerge import Doc

    if not hasattr(Doc, "save"):
        sys.exit("the package on PyPI can't save a document, and merges saved ones only")
    sys.exit("nobody has written how this version of the package is used")


if __name__ == "__main__":
    library = {"pycrdt": pycrdt, "loro": loro, "automerge": automerge}[sys.argv[1]]
    count = int(sys.argv[2])
    for _ in range(int(sys.argv[3])):
        merging, reading, events = library(count)
        if events != count // REPLICAS * REPLICAS:
            sys.exit(f"{events} events are there")
        print(f"{merging:.6f} {reading:.6f}")
