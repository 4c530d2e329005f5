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

/// Has writing to a socket whose peer has gone fail instead of ending the process.
func ignoreBrokenPipes() { signal(SIGPIPE, SIG_IGN) }
