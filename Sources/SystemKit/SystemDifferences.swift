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

    /// Names the time since the machine last started; nil where the system doesn't say. Read once: no process outlives
    /// its boot.
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
    /// What leads to the program that runs; nil where nothing does.
    let processLink: String? = "/proc/self/exe"
#else
    /// What leads to the program that runs; nil where nothing does.
    let processLink: String? = nil
#endif

/// What getaddrinfo(3) says of a name that has no address (RFC 2553); Glibc shows it under a macro that Swift doesn't set.
package let unknownAddress: Int32 = {
    #if canImport(Glibc)
        -5
    #else
        EAI_NODATA
    #endif
}()

/// The path by which an open descriptor of this process can be opened anew, apart from the processes that share it.
package func path(ofDescriptor number: Int32) -> String {
    #if canImport(Glibc)
        "/proc/self/fd/\(number)"
    #else
        "/dev/fd/\(number)"
    #endif
}

/// How many files this process may have open at once.
package func openFileLimit() -> UInt64 {
    var limit = rlimit()
    #if canImport(Glibc)
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    #else
        getrlimit(RLIMIT_NOFILE, &limit)
    #endif
    return UInt64(limit.rlim_cur)
}

/// The file of the certificate authorities that the system trusts; nil where it isn't at any of the usual places: Debian's,
/// Fedora's, SUSE's, and Alpine's and the BSDs'.
package func certificateAuthorities() -> String? {
    [
        "/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt", "/etc/ssl/ca-bundle.pem",
        "/etc/ssl/cert.pem",
    ].first { access($0, R_OK) == 0 }
}
