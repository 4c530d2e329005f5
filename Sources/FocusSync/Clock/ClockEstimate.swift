package import FocusCore

/// One measurement of the server's clock against this device's steady clock.
package struct ClockReading: Hashable, Sendable {
    /// Shared time less the steady clock: whole microseconds, of which an `Int64` holds as many.
    package let offset: Duration
    /// How long the question and the answer were under way together.
    package let roundTrip: Duration

    /// A reading that was worked out elsewhere.
    ///
    /// - Parameters:
    ///   - offset: shared time less the steady clock.
    ///   - roundTrip: zero or more.
    package init(offset: Duration, roundTrip: Duration) {
        self.offset = offset
        self.roundTrip = roundTrip
    }

    /// The reading of an answer that arrived when the steady clock showed `arrived`; nil where the server gave no
    /// instants, or they can't be (an answer before its question).
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

    /// How far apart readings may lie besides: what a clock that is 500 parts in a million fast gains
    /// over as many readings as are kept, and a little more. Without it, an answer that was held up would seem to
    /// contradict better ones.
    private static let drift = Duration.milliseconds(100)

    /// Whether both readings can be true of the same clocks: they lie no further apart than half of their summed
    /// round trips, and what clocks drift meanwhile.
    package func agrees(with other: ClockReading) -> Bool {
        let distance = max(offset, other.offset) - min(offset, other.offset)
        return distance <= (roundTrip + other.roundTrip) / 2 + ClockReading.drift
    }
}

extension Duration {
    /// Whether two instants that clocks can show are so far apart, all of whose microseconds an `Int64` holds.
    fileprivate var isOfClocks: Bool { self == .microseconds(inMicroseconds) }
}

/// The first reading that a device followed since it started: what holds every later one of that boot.
package struct FirstReading: Hashable, Sendable {
    /// Shared time less the steady clock, as it was found.
    package let offset: Duration
    /// When.
    package let instant: SteadyInstant

    /// A boot's first reading, as it was kept.
    package init(offset: Duration, instant: SteadyInstant) {
        self.offset = offset
        self.instant = instant
    }

    /// How far two clocks may drift apart in a second, each of them by half of that: a thousand parts in a million.
    private static let drift = Duration.milliseconds(1)

    /// Whether clocks that are right can have come from this reading to `offset` by now, when the steady clock shows
    /// `now`: 2 minutes, and what clocks drift. Without it, a server could walk a laptop's time away step by step.
    package func admits(_ offset: Duration, at now: SteadyInstant) -> Bool {
        let distance = max(offset, self.offset) - min(offset, self.offset)
        let seconds = max(0, (now - instant).inSeconds)
        return distance <= Limits.ahead + FirstReading.drift * seconds
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
        /// Shared time seems to have jumped by so much: the offset stays as it was.
        case jump(by: Duration)
    }

    /// Shared time less the steady clock, as it holds now.
    package private(set) var offset: Duration
    /// The first reading since the device started; nil before it. After it, no jump is followed.
    package private(set) var first: FirstReading?
    /// The device's own wall clock less the steady clock; nil if it isn't asked. Two clocks that agree are right.
    package var wall: Duration?
    /// The last readings of this connection, the oldest first.
    private var readings: [ClockReading] = []

    private static let kept = 8

    /// - Parameters:
    ///   - offset: the offset that holds so far; before the first reading, from the wall clock or as it was kept.
    ///   - first: the first reading since the device started; nil where there was none yet.
    package init(offset: Duration, first: FirstReading? = nil) {
        self.offset = offset
        self.first = first
    }

    /// Whether this connection has given a reading yet.
    package var hasReading: Bool { !readings.isEmpty }

    /// Forgets the readings, for a new connection.
    package mutating func reconnect() { readings = [] }

    /// Takes a reading. Older ones that it contradicts are dropped.
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

    /// Whether the wall clock shows this time too, so that it is the log that lies ahead, if it does, and not this device
    /// that is behind.
    package var agreesWithWall: Bool { agreesWithWall(offset) }

    private func agreesWithWall(_ offset: Duration) -> Bool {
        wall.map { (offset - $0).magnitude <= Limits.ahead } ?? false
    }

    /// Shared time when the steady clock shows `now`.
    package func shared(_ now: SteadyInstant) -> SharedReading { now.shared(offset) }
}
