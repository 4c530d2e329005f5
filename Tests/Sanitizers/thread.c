// What every program that `scripts/sanitize thread` builds has in it: where reports go, since tests give programs an
// environment of their own; and what a contended `Mutex` does.
//
// The fast path of Swift's `Mutex` is compiled into whoever uses it, so the sanitizer sees that. Where two threads
// meet, the lock is taken and given in libswiftSynchronization instead, which was built without the sanitizer: it
// would see two threads in the same critical section and nothing between them. The program's own symbols come before
// a library's, so these two stand in for the library's slow paths and say what those do.
//
// Where a newer Swift names them otherwise they are never called, and contended mutexes are reported as races.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>
#include <stdlib.h>

// Set by the script: the beginning of each report's path.
#ifndef REPORTS
#error "REPORTS says where reports go"
#endif

const char *__tsan_default_options(void) { return "log_path=" REPORTS; }

void __tsan_acquire(void *address);
void __tsan_release(void *address);

#define SWIFT __attribute__((swiftcall))
#define SELF __attribute__((swift_context))
#define LOCK_SLOW "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"
#define UNLOCK_SLOW "$s15Synchronization12_MutexHandleV11_unlockSlowyyF"

static void *libraryFunction(const char *name) {
    void *found = dlsym(RTLD_NEXT, name);
    if (!found) abort();
    return found;
}

SWIFT void lockSlow(uint32_t thread, SELF void *handle) __asm__(LOCK_SLOW);
SWIFT void lockSlow(uint32_t thread, SELF void *handle) {
    SWIFT void (*library)(uint32_t, SELF void *) = libraryFunction(LOCK_SLOW);
    library(thread, handle);
    __tsan_acquire(handle);
}

SWIFT void unlockSlow(SELF void *handle) __asm__(UNLOCK_SLOW);
SWIFT void unlockSlow(SELF void *handle) {
    SWIFT void (*library)(SELF void *) = libraryFunction(UNLOCK_SLOW);
    // Before the other thread can be in.
    __tsan_release(handle);
    library(handle);
}
