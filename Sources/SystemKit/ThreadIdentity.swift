/// A number that no other live thread has; never 0.
@inline(__always)
package func currentThread() -> UInt {
    #if canImport(Glibc)
        UInt(pthread_self())
    #else
        UInt(bitPattern: pthread_self())
    #endif
}

/// Has nothing be left of a thread that nobody has joined, once it has ended.
package func forget(_ thread: pthread_t) { pthread_detach(thread) }

/// Has writing to a socket whose peer has gone fail instead of ending the process.
package func ignoreBrokenPipes() { signal(SIGPIPE, SIG_IGN) }
