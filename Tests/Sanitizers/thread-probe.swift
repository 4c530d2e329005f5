// A program with a data race that the thread sanitizer has to report: two threads write the same variable.
// A sanitizer that doesn't report it is of no use on this machine.

import Glibc

// The race is on purpose.
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
