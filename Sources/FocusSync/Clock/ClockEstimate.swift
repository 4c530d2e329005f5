package import FocusCore

/// One measurement of the server's clock against this device's steady clock.
package struct ClockReading: Hashable, Sendable {
    /// Shared time minus the steady clock, in whole microseconds; their number fits into an `Int64`.
    package let offset: Duration
    /// The time that the question and the answer were under way, added up.
    package let roundTrip: Duration

    /// Creates a reading from its values.
    ///
    /// - Parameters:
    ///   - offset: Shared time minus the steady clock.
    ///   - roundTrip: Zero or more.
    package init(offset: Duration, roundTrip: Duration) {
        self.offset = offset
        self.roundTrip = roundTrip
    }

    /// Creates a reading from an answer. Returns nil if the server gave no instants, or impossible ones: an
    /// answer before its question, or values too large for clocks.
    ///
    /// - Parameter arrived: The steady clock's instant at which the answer arrived.
    package init?(_ answer: ClockAnswer, arrived: SteadyInstant) {
        guard let served = answer.served else { return nil }
        let away = arrived - answer.asked
        let inside = served.sent - served.received
        guard inside >= .zero, away >= inside else { return nil }
        let server = served.received + inside / 2
        let device = answer.asked + away / 2
        let offset = server.offset(from: device)
        let roundTrip = away - inside
        guard offset.isOfClocks, roundTrip.isOfClocks else { return nil }
        self.init(offset: offset, roundTrip: roundTrip)
    }

    /// The tolerance for drift when readings are compared. The kept readings span less than 3 minutes, in which
    /// a clock that is 500 parts per million fast gains 90 ms. Without the tolerance, a delayed answer would
    /// seem to contradict better ones.
    private static let drift = Duration.milliseconds(100)

    /// Whether both readings can be of the same clocks: their offsets differ by at most half of the summed
    /// round trips, plus the tolerance for drift.
    package func agrees(with other: ClockReading) -> Bool {
        let distance = max(offset, other.offset) - min(offset, other.offset)
        return distance <= (roundTrip + other.roundTrip) / 2 + ClockReading.drift
    }
}

extension Duration {
    /// Whether the duration is whole microseconds, and their number fits into an `Int64`. No two clocks
    /// differ by more.
    fileprivate var isOfClocks: Bool { self == .microseconds(inMicroseconds) }
}

/// The first reading that the device followed after it booted. Every later reading of the boot has to fit it.
package struct FirstReading: Hashable, Sendable {
    /// Shared time minus the steady clock, in that reading.
    package let offset: Duration
    /// The instant at which the device began to use it.
    package let instant: SteadyInstant

    /// Creates a first reading from its stored values.
    package init(offset: Duration, instant: SteadyInstant) {
        self.offset = offset
        self.instant = instant
    }

    /// The most that two clocks drift apart in a second: 1,000 parts per million, half of it by each clock.
    private static let drift = Duration.milliseconds(1)

    /// Whether correct clocks can have reached `offset` at `now`: it differs from this reading by at most 2
    /// minutes plus drift. Without this limit, a server could move a laptop's time anywhere in small steps.
    package func admits(_ offset: Duration, at now: SteadyInstant) -> Bool {
        let distance = max(offset, self.offset) - min(offset, self.offset)
        let seconds = max(0, (now - instant).inSeconds)
        return distance <= Limits.ahead + FirstReading.drift * seconds
    }
}

/// A device's estimate of shared time: the best of the last 8 readings by round trip
/// (docs/protocol.md, "Time").
package struct ClockEstimate: Hashable, Sendable {
    /// The effect of a new reading on the estimate.
    package enum Verdict: Hashable, Sendable {
        /// From now on, this reading's offset is used.
        case follow(ClockReading)
        /// The offset stays as it was.
        case keep
        /// Shared time seems to have jumped by this duration. The offset stays as it was.
        case jump(by: Duration)
    }

    /// The offset in use: shared time minus the steady clock.
    package private(set) var offset: Duration
    /// The first reading since the device booted; nil before it. After it, no jump is followed unless the
    /// wall clock agrees.
    package private(set) var first: FirstReading?
    /// The device's own wall clock minus the steady clock; nil to leave it out. If it agrees with shared
    /// time, both are taken as right.
    package var wall: Duration?
    /// The last readings of this connection, oldest first; at most `kept`.
    private var readings: [ClockReading] = []

    /// The most readings that are kept.
    private static let kept = 8

    /// - Parameters:
    ///   - offset: The offset to use so far. Before the first reading it is the stored
    ///     one, or from the wall clock.
    ///   - first: The first reading since the device booted; nil if there was none yet.
    package init(offset: Duration, first: FirstReading? = nil) {
        self.offset = offset
        self.first = first
    }

    /// Whether there was a reading on this connection yet.
    package var hasReading: Bool { !readings.isEmpty }

    /// Drops the readings, for a new connection.
    package mutating func reconnect() { readings = [] }

    /// Adds a reading, and drops older ones that it contradicts.
    ///
    /// - Returns: Whether the offset changed, stays, or would jump.
    package mutating func record(_ reading: ClockReading, at now: SteadyInstant) -> Verdict {
        readings.removeAll { !$0.agrees(with: reading) }
        readings.append(reading)
        if readings.count > ClockEstimate.kept { readings.removeFirst() }
        let best = readings.min { $0.roundTrip < $1.roundTrip } ?? reading
        let jump = best.offset - offset
        let agrees = agreesWithWall(best.offset)
        if let first, !agrees,
            jump > Limits.ahead || jump < .zero - Limits.ahead || !first.admits(best.offset, at: now)
        {
            return .jump(by: jump)
        }
        if first?.admits(best.offset, at: now) != true {
            first = FirstReading(offset: best.offset, instant: now)
        }
        guard best.offset != offset || best == reading else { return .keep }
        offset = best.offset
        return .follow(best)
    }

    /// Whether the wall clock is within 2 minutes of shared time. If so, this device's clock isn't behind, so an
    /// event ahead of shared time has a wrong stamp.
    package var agreesWithWall: Bool { agreesWithWall(offset) }

    private func agreesWithWall(_ offset: Duration) -> Bool {
        wall.map { (offset - $0).magnitude <= Limits.ahead } ?? false
    }

    /// Returns shared time at the steady clock's instant `now`.
    package func shared(_ now: SteadyInstant) -> SharedReading { now.shared(offset) }
}
