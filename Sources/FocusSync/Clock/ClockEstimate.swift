/// One measurement of the server's clock against this device's steady clock.
package struct ClockReading: Hashable, Sendable {
    /// Shared time less the steady clock, in microseconds.
    package let offset: Int64
    /// How long the question and the answer were under way together, in microseconds.
    package let roundTrip: Int64

    /// A reading that was worked out elsewhere.
    ///
    /// - Parameters:
    ///   - offset: shared time less the steady clock, in microseconds.
    ///   - roundTrip: in microseconds, 0 or more.
    package init(offset: Int64, roundTrip: Int64) {
        self.offset = offset
        self.roundTrip = roundTrip
    }

    /// The reading of an answer that arrived when the steady clock showed `arrived`; nil where the server gave no
    /// instants, or they can't be (an answer before its question).
    package init?(_ answer: ClockAnswer, arrived: Int64) {
        guard let served = answer.served else { return nil }
        let (away, awayOverflow) = arrived.subtractingReportingOverflow(answer.asked)
        let (inside, insideOverflow) = served.sent.subtractingReportingOverflow(served.received)
        guard !awayOverflow, !insideOverflow, inside >= 0, away >= inside else { return nil }
        // Half of each sum first: both are instants since an epoch, and their sum may not fit.
        let server = served.received + inside / 2
        let device = answer.asked + away / 2
        let (offset, overflow) = server.subtractingReportingOverflow(device)
        guard !overflow else { return nil }
        self.init(offset: offset, roundTrip: away - inside)
    }

    /// How far apart readings may lie besides, in microseconds: what a clock that is 500 parts in a million fast gains
    /// over as many readings as are kept, and a little more. Without it, an answer that was held up would seem to
    /// contradict better ones.
    private static let drift: UInt64 = 100_000

    /// Whether both readings can be true of the same clocks: they lie no further apart than half of their summed
    /// round trips, and what clocks drift meanwhile.
    package func agrees(with other: ClockReading) -> Bool {
        let (distance, overflow) = offset.subtractingReportingOverflow(other.offset)
        let (round, roundOverflow) = roundTrip.addingReportingOverflow(other.roundTrip)
        guard !overflow else { return false }
        return distance.magnitude <= (roundOverflow ? Int64.max : round).magnitude / 2 + ClockReading.drift
    }
}

/// The first reading that a device followed since it started: what holds every later one of that boot.
package struct FirstReading: Hashable, Sendable {
    /// Shared time less the steady clock, in microseconds, as it was found.
    package let offset: Int64
    /// When, by the steady clock, in microseconds.
    package let instant: Int64

    /// A boot's first reading, as it was kept.
    ///
    /// - Parameters:
    ///   - offset: shared time less the steady clock, in microseconds.
    ///   - instant: what the steady clock showed then, in microseconds.
    package init(offset: Int64, instant: Int64) {
        self.offset = offset
        self.instant = instant
    }

    /// By how many parts in a million two clocks may drift apart, each of them by half of that.
    private static let drift: UInt64 = 1_000

    /// Whether clocks that are right can have come from this reading to `offset` by now, when the steady clock shows
    /// `now`: 2 minutes, and what clocks drift. Without it, a server could walk a laptop's time away step by step.
    func admits(_ offset: Int64, at now: Int64) -> Bool {
        let (distance, overflow) = offset.subtractingReportingOverflow(self.offset)
        let (passed, isLong) = now.subtractingReportingOverflow(instant)
        guard !overflow, !isLong else { return false }
        let drift = UInt64(max(0, passed)) / 1_000_000 * FirstReading.drift
        return distance.magnitude <= Limits.ahead.magnitude + drift
    }
}

/// A device's estimate of shared time: the best of the last 8 readings by round trip (docs/protocol.md, "Time").
package struct ClockEstimate: Hashable, Sendable {
    /// What became of a reading.
    package enum Verdict: Hashable, Sendable {
        /// This reading's offset holds from now on.
        case follow(ClockReading)
        /// The offset stays as it was.
        case keep
        /// Shared time seems to have jumped by so many microseconds: the offset stays as it was.
        case jump(by: Int64)
    }

    /// Shared time less the steady clock, in microseconds, as it holds now.
    package private(set) var offset: Int64
    /// The first reading since the device started; nil before it. After it, no jump is followed.
    package private(set) var first: FirstReading?
    /// The last readings of this connection, the oldest first.
    private var readings: [ClockReading] = []

    private static let kept = 8

    /// - Parameters:
    ///   - offset: the offset that holds so far; before the first reading, from the wall clock or as it was kept.
    ///   - first: the first reading since the device started; nil where there was none yet.
    package init(offset: Int64, first: FirstReading? = nil) {
        self.offset = offset
        self.first = first
    }

    /// Whether this connection has given a reading yet.
    package var hasReading: Bool { !readings.isEmpty }

    /// Forgets the readings, for a new connection.
    package mutating func reconnect() { readings = [] }

    /// Takes a reading. Older ones that it contradicts are dropped.
    ///
    /// - Parameter now: what the steady clock shows, in microseconds.
    package mutating func take(_ reading: ClockReading, at now: Int64) -> Verdict {
        readings.removeAll { !$0.agrees(with: reading) }
        readings.append(reading)
        if readings.count > ClockEstimate.kept { readings.removeFirst() }
        let best = readings.min { $0.roundTrip < $1.roundTrip } ?? reading
        let (jump, overflow) = best.offset.subtractingReportingOverflow(offset)
        if let first,
            overflow || jump.magnitude > Limits.ahead.magnitude || !first.admits(best.offset, at: now)
        {
            return .jump(by: overflow ? (best.offset < offset ? .min : .max) : jump)
        }
        if first == nil { first = FirstReading(offset: best.offset, instant: now) }
        guard best.offset != offset || best == reading else { return .keep }
        offset = best.offset
        return .follow(best)
    }

    /// Shared time in microseconds when the steady clock shows `now`.
    package func shared(_ now: Int64) -> Int64 {
        let (sum, overflow) = now.addingReportingOverflow(offset)
        return overflow ? .max : sum
    }
}
