import FocusCore
package import FocusNet
package import FocusServerStore
package import FocusSync

/// The counts since the server started. The switchboard keeps them, on the network's thread. The writer's
/// counts arrive with the outcomes of each batch.
package struct ServerMetrics: Sendable {
    /// The number of completed TLS handshakes.
    package private(set) var handshakes: UInt64 = 0
    /// The number of failed TLS handshakes, by reason.
    package private(set) var handshakeFailures: [NetError.Code: UInt64] = [:]
    /// The number of refusals, by code: of a connection, of an upload or a part of it, or of a request.
    package private(set) var refusals: [RefusalCode: UInt64] = [:]
    /// The number of bytes that connections received, without the overhead of TLS.
    package var bytesReceived: UInt64 = 0
    /// The number of bytes that connections sent, without the overhead of TLS.
    package var bytesSent: UInt64 = 0
    /// The number of uploaded events that were new.
    package private(set) var events: UInt64 = 0
    /// The number of uploaded events that the store already had.
    package private(set) var duplicates: UInt64 = 0
    /// The number of batches that were not stored.
    package private(set) var failedBatches: UInt64 = 0
    /// The number of failed batches that the database may have stored nevertheless.
    package private(set) var unknownBatches: UInt64 = 0
    /// The number of turns of groups, and of requests outside any group, that failed although the rest of
    /// their batch was stored.
    package private(set) var failedTurns: UInt64 = 0
    /// The number of turns that found their group changed by another server (`BatchTally.stale`).
    package private(set) var staleTurns: UInt64 = 0
    /// The number of servers that run on the store, including this one.
    package var servers = 1
    /// The time from another server's commit until this server read about it.
    package private(set) var newsSeconds = Histogram.seconds
    /// The number of requests in each batch.
    package private(set) var batchRequests = Histogram.numbers
    /// The number of new events in each batch.
    package private(set) var batchEvents = Histogram.numbers
    /// The time that storing a batch took, until it was on the disk.
    package private(set) var commitSeconds = Histogram.seconds
    /// The time from an upload's arrival until it was acknowledged and on its way to the other laptops.
    package private(set) var pushSeconds = Histogram.seconds
    /// The reason why the last batch was not stored; nil if it was stored.
    package private(set) var storeProblem: StoreFailure?
    /// Whether the store has counted the sizes of all uploads. If not, the next `note` makes it count the
    /// rest.
    package private(set) var isAllCounted = true

    /// Counts a completed handshake.
    mutating func shookHands() { handshakes += 1 }

    /// Counts a connection that ended before its handshake was complete.
    mutating func failedToShakeHands(_ code: NetError.Code) { handshakeFailures[code, default: 0] += 1 }

    mutating func refused(_ code: RefusalCode) { refusals[code, default: 0] += 1 }

    /// Records that an upload was acknowledged and passed on `time` after its arrival.
    mutating func pushed(after time: Duration) { pushSeconds.observe(time.seconds) }

    /// Records the delays with which other servers' commits were read.
    mutating func readNews(after delays: [Duration]) {
        for delay in delays { newsSeconds.observe(delay.seconds) }
    }

    /// Adds the counts of a batch that the writer has finished.
    mutating func count(_ tally: BatchTally) {
        events += UInt64(tally.events)
        duplicates += UInt64(tally.duplicates)
        batchRequests.observe(Double(tally.requests))
        batchEvents.observe(Double(tally.events))
        commitSeconds.observe(tally.duration.seconds)
        if tally.problem != nil { failedBatches += 1 }
        if tally.problem == .busy(isUnknown: true) { unknownBatches += 1 }
        failedTurns += UInt64(tally.failures)
        staleTurns += UInt64(tally.stale)
        storeProblem = tally.problem
        isAllCounted = tally.isAllCounted
    }
}

extension RefusalCode {
    /// Every code of docs/protocol.md with its name in metrics, in the protocol's order.
    package static let named: [(code: RefusalCode, name: String)] = [
        (.version, "version"), (.unknownDevice, "unknown_device"), (.revoked, "revoked"),
        (.tokenInvalid, "token_invalid"), (.tokenExpired, "token_expired"), (.notAllowed, "not_allowed"),
        (.frameTooLarge, "frame_too_large"), (.malformed, "malformed"), (.gap, "gap"), (.parted, "parted"),
        (.clockAhead, "clock_ahead"), (.clockNotSure, "clock_not_sure"), (.unknownEpoch, "unknown_epoch"),
        (.rate, "rate"), (.quota, "quota"), (.busy, "busy"), (.shuttingDown, "shutting_down"),
        (.internal, "internal"), (.silence, "silence"), (.noRoom, "no_room"), (.groupFull, "group_full"),
    ]
}

/// A histogram with upper bounds, as Prometheus defines it.
package struct Histogram: Hashable, Sendable {
    /// The inclusive upper bounds of the buckets, ascending.
    package let bounds: [Double]
    /// The number of values in each bucket. The last bucket is for values above all bounds.
    package private(set) var counts: [UInt64]
    /// The sum of all values.
    package private(set) var sum = 0.0

    /// Creates an empty histogram.
    init(_ bounds: [Double]) {
        self.bounds = bounds
        counts = [UInt64](repeating: 0, count: bounds.count + 1)
    }

    /// Adds a value.
    mutating func observe(_ value: Double) {
        counts[bounds.firstIndex { value <= $0 } ?? bounds.count] += 1
        sum += value
    }
}

extension Histogram {
    /// Buckets for seconds, from half a millisecond to ten seconds.
    static let seconds = Histogram([
        0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
    ])

    /// Buckets for counts.
    static let numbers = Histogram([1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 10_000, 100_000])
}
