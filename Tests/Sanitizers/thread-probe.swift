// What the thread sanitizer has to report, or it is of no use on this machine: two threads that write the same
// variable.

import Glibc

// Unsafe, and meant to be.
nonisolated(unsafe) var shared = 0

var threads = [pthread_t](repeating: 0, count: 2)
for index in threads.indices {
    pthread_create(
        &threads[index], nil,
        { _ in
            shared += 1
            return nil
        }, nil)
}
for thread in threads { pthread_join(thread, nil) }
