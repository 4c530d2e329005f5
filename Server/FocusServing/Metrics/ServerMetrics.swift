import FocusCore
import FocusNet
import FocusServerStore
import FocusSync
import FocusWriter

/// What the server has counted since it began. The switchboard keeps it, on the network's thread; what the writer
/// counts comes with what came of each batch.
struct ServerMetrics: Sendable {
    /// How many handshakes came about.
    private(set) var handshakes: UInt64 = 0
    /// How many didn't, by why.
    private(set) var handshakeFailures: [NetError.Code: UInt64] = [:]
    /// How often something was refused, by why: a connection, an upload or a part of it, or what was asked for.
    private(set) var refusals: [RefusalCode: UInt64] = [:]
    /// What connections brought, and were sent, in bytes before TLS.
    var bytesReceived: UInt64 = 0
    var bytesSent: UInt64 = 0
    /// Events that were new, and those that were there already.
    private(set) var events: UInt64 = 0
    private(set) var duplicates: UInt64 = 0
    /// Batches that could not be stored.
    private(set) var failedBatches: UInt64 = 0
    /// Those of them of which nobody knows whether they were stored all the same.
    private(set) var unknownBatches: UInt64 = 0
    /// Turns of groups, and requests that belong to none, that failed by themselves.
    private(set) var failedTurns: UInt64 = 0
    /// Those that rows refused, as another server had stored something meanwhile.
    private(set) var staleTurns: UInt64 = 0
    /// The servers that run on the store, this one among them.
    var servers = 1
    /// From another server's commit until it was read here that there was one.
    private(set) var newsSeconds = Histogram.seconds
    /// What was asked for in each batch, and how many new events it had.
    private(set) var batchRequests = Histogram.numbers
    private(set) var batchEvents = Histogram.numbers
    /// How long storing a batch took, until it was on the disk.
    private(set) var commitSeconds = Histogram.seconds
    /// From an upload's arrival until it was acknowledged and on its way to the others.
    private(set) var pushSeconds = Histogram.seconds
    /// Why the last batch could not be stored; nil where it was.
    private(set) var storeProblem: StoreTrouble?

    /// A connection can be used.
    mutating func shookHands() { handshakes += 1 }

    /// A connection ended before it could be used.
    mutating func failedToShakeHands(_ code: NetError.Code) { handshakeFailures[code, default: 0] += 1 }

    mutating func refused(_ code: RefusalCode) { refusals[code, default: 0] += 1 }

    /// An upload was acknowledged, and passed on, so long after it came.
    mutating func pushed(after time: Duration) { pushSeconds.observe(time.seconds) }

    /// It was read what other servers had committed so long ago.
    mutating func readNews(after delays: [Duration]) {
        for delay in delays { newsSeconds.observe(delay.seconds) }
    }

    /// The writer is done with a batch.
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
    }
}

/// How often what was measured lay where: counts by upper bounds, as Prometheus keeps them.
struct Histogram: Hashable, Sendable {
    /// The upper bounds, each part of its bucket, growing.
    let bounds: [Double]
    /// How many lay in each bucket and in none below it; the last is for what lies beyond all bounds.
    private(set) var counts: [UInt64]
    /// The sum of all that was measured.
    private(set) var sum = 0.0

    /// One in which nothing was measured yet.
    init(_ bounds: [Double]) {
        self.bounds = bounds
        counts = [UInt64](repeating: 0, count: bounds.count + 1)
    }

    /// Takes note of one more.
    mutating func observe(_ value: Double) {
        counts[bounds.firstIndex { value <= $0 } ?? bounds.count] += 1
        sum += value
    }
}

extension Histogram {
    /// For seconds, from half a millisecond to ten seconds.
    static let seconds = Histogram([
        0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
    ])

    /// For numbers of things.
    static let numbers = Histogram([1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 10_000, 100_000])
}
