#pragma once
#include <sys/socket.h>
#include <fcntl.h>
#include <unistd.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif
#include <uv.h>

#ifdef __linux__
// The C library hides these behind _GNU_SOURCE, which Swift's importer does not set.
extern int accept4(int, struct sockaddr *, socklen_t *, int);
extern void closefrom(int);
#endif

/// Takes one connection off a listening socket's queue, non-blocking and closed on exec; -1 with errno set.
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

/// Closes every descriptor from this one on.
static inline void lockstep_close_from(int first) {
#if defined(__GLIBC__) && __GLIBC_PREREQ(2, 34)
    closefrom(first);
#else
    long most = sysconf(_SC_OPEN_MAX);
    if (most < 0 || most > 65536) most = 65536;
    for (int number = first; number < most; number++) close(number);
#endif
}

/// Gives memory that was freed back to the system, where the C library keeps it otherwise.
static inline void lockstep_trim_memory(void) {
#ifdef __GLIBC__
    malloc_trim(0);
#endif
}
