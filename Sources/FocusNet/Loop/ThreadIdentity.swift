#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// A number that no other live thread has; never 0.
@inline(__always)
func currentThread() -> UInt {
    #if canImport(Glibc)
        UInt(pthread_self())
    #else
        UInt(bitPattern: pthread_self())
    #endif
}

/// Has nothing be left of a thread that nobody has joined, once it has ended.
func forget(_ thread: pthread_t) { pthread_detach(thread) }

/// Has writing to a socket whose peer has gone fail instead of ending the process.
func ignoreBrokenPipes() { signal(SIGPIPE, SIG_IGN) }
