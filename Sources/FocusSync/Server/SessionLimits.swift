import FocusCore

/// The limits of one connection. The defaults are those of docs/protocol.md; a
/// server's operator may set others.
package struct SessionLimits: Hashable, Sendable {
    /// The time that a device has to say hello, and an unknown one to enrol.
    package var opening = Limits.opening
    /// The time without bytes from the client after which the session ends.
    package var silence = Limits.clientSilence
    /// The longest frame of a known device (type and body), in bytes.
    package var frame = Limits.frame
    /// The longest frame before the device is known (type and body), in bytes.
    package var frameBeforeKnown = Limits.frameBeforeKnown

    /// The number of pings that are answered within `Limits.pingWindow`. Operators can't set it.
    package var pings = Limits.pings

    /// Creates the limits of docs/protocol.md.
    package init() {}
}

/// The rate limiter for a client's pings. A client only has to ping every 20 seconds. Each answer takes some
/// microseconds of the network thread, which all clients share.
struct PingLimiter {
    /// The instant at which the current window began; nil before the first ping.
    private var began: SteadyInstant?
    /// The number of pings answered in the current window.
    private var count = 0
    /// The instant until which nothing is read from the connection; nil if it may be read from.
    private(set) var pausedUntil: SteadyInstant?

    /// Counts a ping that was answered.
    ///
    /// - Parameters:
    ///   - now: The instant at which it came.
    ///   - limit: The number of pings that are answered within `Limits.pingWindow`.
    mutating func answered(at now: SteadyInstant, limit: Int) {
        var began = began ?? now
        if now - began >= Limits.pingWindow {
            began = now
            count = 0
        }
        self.began = began
        count += 1
        if count >= limit { pausedUntil = began + Limits.pingWindow }
    }

    /// Ends a pause that is over by `now`, and begins a new window. Pings that came during the pause are
    /// counted in the new window.
    mutating func advance(to now: SteadyInstant) {
        guard let pausedUntil, now >= pausedUntil else { return }
        self = PingLimiter()
        began = now
    }
}

/// The rate limiter for a client that retries before the time that a refusal named. Such a retry is hasty.
///
/// After `Limits.hastyRequests` hasty retries in a row, reading pauses until that time, but for at most
/// `Limits.longestPause` at once. From then on, only one request may be at the writer at a time. This ends
/// with the next answered request that came late enough. For uploads, it also ends with any answer other
/// than `RefusalCode.rate`, because the session then makes a new limiter.
struct RefusalLimiter {
    /// The latest instant that a refusal named for a retry.
    private var retryTime = SteadyInstant.distantPast
    /// The number of requests in a row that came before that instant and were refused again.
    private var hastyCount = 0
    /// The instant until which nothing is read from the connection; nil if it may be read from.
    private(set) var pausedUntil: SteadyInstant?

    /// Returns the number of requests that may be at the writer at the same time.
    ///
    /// - Parameter count: The number for a client that waits as told.
    func requestLimit(usually count: Int) -> Int { hastyCount < Limits.hastyRequests ? count : 1 }

    /// Counts a request that was refused as `RefusalCode.rate`.
    ///
    /// - Parameters:
    ///   - after: The time that the client was told to wait.
    ///   - heard: The instant at which the last bytes came from the client.
    mutating func refused(after: Duration, heard: SteadyInstant) {
        hastyCount = heard < retryTime ? hastyCount + 1 : 0
        retryTime = max(retryTime, heard + after)
        if hastyCount >= Limits.hastyRequests { pausedUntil = min(retryTime, heard + Limits.longestPause) }
    }

    /// Counts a request that had any other answer.
    ///
    /// - Parameter heard: The instant at which the last bytes came from the client.
    mutating func answered(heard: SteadyInstant) { if heard >= retryTime { hastyCount = 0 } }

    /// Ends a pause that is over by `now`.
    mutating func advance(to now: SteadyInstant) {
        if let pausedUntil, now >= pausedUntil { self.pausedUntil = nil }
    }
}

/// One client's requests at the writer.
struct PendingRequests {
    /// The memory of each request at the writer, in bytes, in order.
    private var asked = Fifo<Int>()
    /// The memory that the requests take, in bytes: the sum of `asked`.
    private(set) var heldBytes = 0

    /// Whether the client may send another request.
    ///
    /// - Parameter count: The number of requests that may be at the writer.
    func hasRoom(for count: Int) -> Bool {
        asked.count < count && heldBytes <= Limits.merging
    }

    /// Adds a request that was given to the writer.
    mutating func append(_ request: GroupRequest) {
        asked.append(request.heldBytes)
        heldBytes += request.heldBytes
    }

    /// Removes the first request, which the writer has answered.
    ///
    /// - Returns: False if there was none.
    mutating func answered() -> Bool {
        guard let first = asked.popFirst() else { return false }
        heldBytes -= first
        return true
    }
}
