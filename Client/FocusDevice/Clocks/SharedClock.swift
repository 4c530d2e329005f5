package import FocusCore
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
        let shared = sample.map { clocks.shared($0, isFromThisBoot: isFromThisBoot) }
        let makesSense = shared?.isSensible == true
        self.sample = makesSense ? sample : nil
        self.isFromThisBoot = isFromThisBoot && makesSense
    }

    /// The present instant.
    package func now() -> SharedInstant {
        guard let sample else { return clocks.wall() }
        return clocks.shared(sample, isFromThisBoot: isFromThisBoot).instant
    }

    /// Shared time less the wall clock.
    package var fromWall: Duration { now() - clocks.wall() }

    /// What a session with the server begins its own estimate with.
    package var estimate: ClockEstimate {
        if let first { return ClockEstimate(offset: sample?.offset ?? first.offset, first: first) }
        return ClockEstimate(offset: SharedReading(now()).offset(from: clocks.sinceBoot()))
    }

    /// The first reading of this boot; nil before it. Of a sample that was kept without it, the offset that it has.
    private var first: FirstReading? {
        guard let sample, isFromThisBoot else { return nil }
        return sample.first ?? FirstReading(offset: sample.offset, instant: clocks.sinceBoot())
    }

    /// What is to be kept of an estimate; nil where it makes no sense. Of two that began in this boot, the first reading that is kept already stays.
    func sample(of estimate: ClockEstimate) -> ClockSample? {
        let shared = clocks.sinceBoot().shared(estimate.offset)
        guard shared.isSensible else { return nil }
        return ClockSample(
            boot: clocks.boot(), offset: estimate.offset,
            fromWall: shared.instant - clocks.wall(),
            first: first ?? estimate.first)
    }
}

extension MachineClocks {
    /// Shared time as a sample tells it, also where that makes no sense.
    fileprivate func shared(_ sample: ClockSample, isFromThisBoot: Bool) -> SharedReading {
        isFromThisBoot
            ? sinceBoot().shared(sample.offset) : SharedReading(wall()) + sample.fromWall
    }
}

extension SharedReading {
    /// Whether shared time can be this. Offsets come from the database.
    fileprivate var isSensible: Bool { self >= .zero && self < .distantFuture }
}
