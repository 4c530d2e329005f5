import FocusCore
package import FocusSync

/// Shared time, the server's clock as this device knows it (docs/protocol.md, "Time").
///
/// Within the boot in which the server was last heard it goes by the clock that counts since boot, which
/// nobody sets. After a restart it goes by the wall clock, less what that was wrong by. Before the server was
/// ever heard it is the wall clock, and also where what is kept makes no sense.
package struct SharedClock: Sendable {
    private let sample: ClockSample?
    private let clocks: MachineClocks
    private let isFromThisBoot: Bool

    /// The clock as a sample tells it.
    ///
    /// - Parameter sample: what was last learnt of shared time; nil where the server was never heard.
    package init(_ sample: ClockSample?, _ clocks: MachineClocks) {
        let isFromThisBoot = sample?.boot != nil && sample?.boot == clocks.boot()
        self.clocks = clocks
        let shared = sample.map {
            isFromThisBoot
                ? clocks.sinceBoot().plus($0.offset) : Duration.milliseconds(clocks.wall()) + $0.fromWall
        }
        let makesSense = shared?.isSensible == true
        self.sample = makesSense ? sample : nil
        self.isFromThisBoot = isFromThisBoot && makesSense
    }

    /// The present instant, in milliseconds since the Unix epoch.
    package func now() -> Int64 {
        guard let sample else { return clocks.wall() }
        if isFromThisBoot { return clocks.sinceBoot().plus(sample.offset).inMilliseconds }
        return (Duration.milliseconds(clocks.wall()) + sample.fromWall).inMilliseconds
    }

    /// Shared time less the wall clock.
    package var fromWall: Duration { .milliseconds(now()) - .milliseconds(clocks.wall()) }

    /// What a session with the server begins its own estimate with.
    package var estimate: ClockEstimate {
        if let first { return ClockEstimate(offset: sample?.offset ?? first.offset, first: first) }
        return ClockEstimate(offset: .milliseconds(now()) - clocks.sinceBoot().plus(.zero))
    }

    /// The first reading of this boot; nil before it. Of a sample that was kept without it, the offset that it has.
    private var first: FirstReading? {
        guard let sample, isFromThisBoot else { return nil }
        return sample.first ?? FirstReading(offset: sample.offset, instant: clocks.sinceBoot())
    }

    /// What is to be kept of an estimate; nil where it makes no sense. Of two that began in this boot, the first reading that is kept already stays.
    func sample(of estimate: ClockEstimate) -> ClockSample? {
        let shared = clocks.sinceBoot().plus(estimate.offset)
        guard shared.isSensible else { return nil }
        return ClockSample(
            boot: clocks.boot(), offset: estimate.offset,
            fromWall: .milliseconds(shared.inMilliseconds) - .milliseconds(clocks.wall()),
            first: first ?? estimate.first)
    }
}

extension SteadyInstant {
    /// Shared time since the Unix epoch, where it is this much more than the time since boot.
    fileprivate func plus(_ offset: Duration) -> Duration { .microseconds(microseconds) + offset }
}

extension Duration {
    /// Whether shared time can be this since the Unix epoch. Offsets come from the database.
    fileprivate var isSensible: Bool { self >= .zero && self <= .microseconds(Int64.max) }
}
