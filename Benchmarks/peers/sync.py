"""The time that the disk takes for a durable write. It may change from one minute to the next, and then the time of every
durable operation changes too."""

import os
import time

# A column for that time.
SYNC = ("an fdatasync just before and after", "ms")


def sync_time(folder, times=30):
    """Returns the median time in seconds to append a block of 4 KiB to a file durably; only the fdatasync is timed."""
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
    """The mean of the disk's times just before and just after a measurement."""

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
