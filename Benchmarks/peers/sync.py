"""What the disk takes to make something durable at a moment. It may change from one minute to the next, and all that is
durable with it."""

import os
import time

# A column for it.
SYNC = ("an fdatasync just before and after", "ms")


def sync_time(folder, times=30):
    """How long it takes to make a block durable at the end of a file, in seconds: the median."""
    path = folder / "sync"
    file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC, 0o600)
    taken = []
    for _ in range(times):
        os.write(file, bytes(4096))
        began = time.perf_counter()
        os.fdatasync(file)
        taken.append(time.perf_counter() - began)
    os.close(file)
    path.unlink()
    return sorted(taken)[times // 2]


class Sync:
    """What the disk takes just before and just after something is measured: the mean of both."""

    def __init__(self, bench):
        self.folder = bench.folder.path
        self.taken = []

    def __enter__(self):
        self.taken.append(sync_time(self.folder))
        return self

    def __exit__(self, *_):
        self.taken.append(sync_time(self.folder))

    def figures(self):
        return {SYNC[0]: sum(self.taken) / len(self.taken) * 1e3}
