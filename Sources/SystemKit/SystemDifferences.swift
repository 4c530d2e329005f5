/// The machine's clocks. Whatever decides takes time as a parameter; only the shells read these.
package enum SystemClock {
    /// Milliseconds since the Unix epoch as the machine's wall clock has it: may be wrong, may jump.
    package static func wall() -> Int64 { microsecondsSinceEpoch() / 1_000 }

    /// The same in microseconds.
    package static func microsecondsSinceEpoch() -> Int64 { microseconds(CLOCK_REALTIME) }

    /// Microseconds since this machine started, time asleep included; never goes back. Comparable only within
    /// one boot.
    package static func microsecondsSinceBoot() -> Int64 {
        #if canImport(Glibc)
            microseconds(CLOCK_BOOTTIME)
        #else
            microseconds(CLOCK_MONOTONIC)
        #endif
    }

    /// As `microsecondsSinceBoot`, time asleep left out.
    package static func microsecondsAwake() -> Int64 {
        #if canImport(Glibc)
            microseconds(CLOCK_MONOTONIC)
        #else
            microseconds(CLOCK_UPTIME_RAW)
        #endif
    }

    private static func microseconds(_ clock: clockid_t) -> Int64 {
        var time = timespec()
        clock_gettime(clock, &time)
        return Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1_000
    }
}

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

#if canImport(Glibc)
    /// The kind of socket that carries a stream.
    package let streamSocket = Int32(SOCK_STREAM.rawValue)
    /// The kind of socket that carries messages, each for itself.
    package let datagramSocket = Int32(SOCK_DGRAM.rawValue)
#else
    /// The kind of socket that carries a stream.
    package let streamSocket = SOCK_STREAM
    /// The kind of socket that carries messages, each for itself.
    package let datagramSocket = SOCK_DGRAM
#endif
