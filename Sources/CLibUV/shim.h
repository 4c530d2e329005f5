#pragma once
#include <sys/socket.h>
#include <fcntl.h>
#include <unistd.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif
#include <uv.h>

#ifdef __linux__
// The C library declares these only under _GNU_SOURCE, which Swift's importer doesn't set.
extern int accept4(int, struct sockaddr *, socklen_t *, int);
extern void closefrom(int);
#endif

/// Accepts one connection of a listening socket, as a non-blocking descriptor that is closed on exec. Returns
/// -1 with errno set if that fails.
static inline int lockstep_accept(int listener) {
#ifdef __linux__
    return accept4(listener, 0, 0, SOCK_NONBLOCK | SOCK_CLOEXEC);
#else
    int taken = accept(listener, 0, 0);
    if (taken >= 0) {
        fcntl(taken, F_SETFL, fcntl(taken, F_GETFL) | O_NONBLOCK);
        fcntl(taken, F_SETFD, FD_CLOEXEC);
    }
    return taken;
#endif
}

/// Closes all descriptors from `first` on.
static inline void lockstep_close_from(int first) {
#if defined(__GLIBC__) && __GLIBC_PREREQ(2, 34)
    closefrom(first);
#else
    long most = sysconf(_SC_OPEN_MAX);
    if (most < 0 || most > 65536) most = 65536;
    for (int number = first; number < most; number++) close(number);
#endif
}

/// Returns freed memory to the system, if the C library would keep it.
static inline void lockstep_trim_memory(void) {
#ifdef __GLIBC__
    malloc_trim(0);
#endif
}
