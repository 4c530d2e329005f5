/// The machine's clocks. Only the outer layers read them; code that decides gets the time as a parameter.
package enum SystemClock {
    /// Returns milliseconds since the Unix epoch by the machine's wall clock, which may be wrong and may
    /// jump.
    package static func wall() -> Int64 { microsecondsSinceEpoch() / 1_000 }

    /// Returns microseconds since the Unix epoch by the machine's wall clock.
    package static func microsecondsSinceEpoch() -> Int64 { microseconds(CLOCK_REALTIME) }

    /// Returns microseconds since this machine started, including its suspensions. Never goes back.
    /// Comparable only within one boot.
    package static func microsecondsSinceBoot() -> Int64 {
        #if canImport(Glibc)
            microseconds(CLOCK_BOOTTIME)
        #else
            microseconds(CLOCK_MONOTONIC)
        #endif
    }

    /// Returns microseconds since this machine started, without its suspensions.
    package static func microsecondsAwake() -> Int64 {
        #if canImport(Glibc)
            microseconds(CLOCK_MONOTONIC)
        #else
            microseconds(CLOCK_UPTIME_RAW)
        #endif
    }

    /// An id of the present boot, or nil if the system has none. Read once, because no process outlives its
    /// boot.
    package static let boot: String? = {
        #if canImport(Glibc)
            let id = try? FileDescriptor.contents(of: "/proc/sys/kernel/random/boot_id")
            return id.map { String(decoding: $0.prefix { $0 > 0x20 }, as: UTF8.self) }
        #else
            return nil
        #endif
    }()

    private static func microseconds(_ clock: clockid_t) -> Int64 {
        var time = timespec()
        clock_gettime(clock, &time)
        return Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1_000
    }
}

/// Returns a number that no other live thread has; never 0.
@inline(__always)
package func currentThread() -> UInt {
    #if canImport(Glibc)
        UInt(pthread_self())
    #else
        UInt(bitPattern: pthread_self())
    #endif
}

/// Detaches a thread, so that the system frees its resources when it ends, without a join.
package func detachThread(_ thread: pthread_t) { pthread_detach(thread) }

/// Ignores SIGPIPE: writing to a closed connection then fails and doesn't end the process.
package func ignoreBrokenPipes() { signal(SIGPIPE, SIG_IGN) }

#if canImport(Glibc)
    /// The kind of socket that carries a stream.
    package let streamSocket = Int32(SOCK_STREAM.rawValue)
    /// The kind of socket that carries separate messages.
    package let datagramSocket = Int32(SOCK_DGRAM.rawValue)
#else
    /// The kind of socket that carries a stream.
    package let streamSocket = SOCK_STREAM
    /// The kind of socket that carries separate messages.
    package let datagramSocket = SOCK_DGRAM
#endif

/// Numbers of the system's headers that Swift doesn't import.
enum SystemNumber {
    #if canImport(Glibc)
        /// F_OFD_GETLK of fcntl(2).
        static let getFileLock: Int32 = 36
        /// F_OFD_SETLK of fcntl(2).
        static let setFileLock: Int32 = 37
        /// POSIX_SPAWN_SETSID of <spawn.h>, which Glibc shows under a macro that Swift doesn't set.
        static let newSession: Int16 = 0x80
    #else
        /// F_OFD_GETLK of <sys/fcntl.h>.
        static let getFileLock: Int32 = 92
        /// F_OFD_SETLK of <sys/fcntl.h>.
        static let setFileLock: Int32 = 90
        /// POSIX_SPAWN_SETSID of <sys/spawn.h>.
        static let newSession: Int16 = 0x400
    #endif
}

#if canImport(Glibc)
    /// The link to the running program; nil if the system has none.
    let processLink: String? = "/proc/self/exe"
#else
    /// The link to the running program; nil if the system has none.
    let processLink: String? = nil
#endif

/// getaddrinfo(3)'s error for a name that has no address (RFC 2553). Glibc declares it under a macro that
/// Swift doesn't set.
package let unknownAddress: Int32 = {
    #if canImport(Glibc)
        -5
    #else
        EAI_NODATA
    #endif
}()

/// Returns a path that opens the file of an open descriptor again. On Linux the new descriptor has status flags
/// of its own, such as O_NONBLOCK, which other processes with the old one don't see.
package func path(ofDescriptor number: Int32) -> String {
    #if canImport(Glibc)
        "/proc/self/fd/\(number)"
    #else
        "/dev/fd/\(number)"
    #endif
}

/// Returns the number of files that this process may have open at once.
package func openFileLimit() -> UInt64 {
    var limit = rlimit()
    #if canImport(Glibc)
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    #else
        getrlimit(RLIMIT_NOFILE, &limit)
    #endif
    return UInt64(limit.rlim_cur)
}

/// Returns the file of the certificate authorities that the system trusts, or nil if it isn't at a usual
/// place: Debian's, Fedora's, SUSE's, or that of Alpine and the BSDs.
package func certificateAuthorities() -> String? {
    [
        "/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt", "/etc/ssl/ca-bundle.pem",
        "/etc/ssl/cert.pem",
    ].first { access($0, R_OK) == 0 }
}
