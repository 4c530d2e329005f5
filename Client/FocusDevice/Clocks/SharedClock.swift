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
        let shared = sample.flatMap {
            isFromThisBoot ? clocks.sinceBoot().shared($0.offset) : clocks.wall().shared($0.fromWall)
        }
        self.sample = shared == nil ? nil : sample
        self.isFromThisBoot = isFromThisBoot && shared != nil
        self.clocks = clocks
    }

    /// The present instant, in milliseconds since the Unix epoch.
    package func now() -> Int64 {
        guard let sample else { return clocks.wall() }
        if isFromThisBoot { return clocks.sinceBoot().addingOrStaying(sample.offset) / 1000 }
        return clocks.wall().addingOrStaying(sample.fromWall)
    }

    /// Shared time less the wall clock, in milliseconds.
    package var fromWall: Int64 { now().addingOrStaying(-clocks.wall()) }

    /// What a session with the server begins its own estimate with.
    package var estimate: ClockEstimate {
        if let first { return ClockEstimate(offset: sample?.offset ?? first.offset, first: first) }
        let (microseconds, overflow) = now().multipliedReportingOverflow(by: 1000)
        let offset = overflow ? 0 : microseconds.addingOrStaying(-clocks.sinceBoot())
        return ClockEstimate(offset: offset)
    }

    /// The first reading of this boot; nil before it. Of a sample that was kept without it, the offset that it has.
    private var first: FirstReading? {
        guard let sample, isFromThisBoot else { return nil }
        return sample.first ?? FirstReading(offset: sample.offset, instant: clocks.sinceBoot())
    }

    /// What is to be kept of an estimate; nil where it makes no sense. Of two that began in this boot, the first reading that is kept already stays.
    func sample(of estimate: ClockEstimate) -> ClockSample? {
        guard let shared = clocks.sinceBoot().shared(estimate.offset) else { return nil }
        return ClockSample(
            boot: clocks.boot(), offset: estimate.offset, fromWall: shared / 1000 - clocks.wall(),
            first: first ?? estimate.first)
    }
}

extension Int64 {
    /// Shared time, where it is this much more; nil where that can't be, or is before 1970.
    fileprivate func shared(_ offset: Int64) -> Int64? {
        let (sum, overflow) = addingReportingOverflow(offset)
        return overflow || sum < 0 ? nil : sum
    }

    /// The sum; the value itself where an offset makes no sense. Offsets come from the database.
    fileprivate func addingOrStaying(_ offset: Int64) -> Int64 {
        let (sum, overflow) = addingReportingOverflow(offset)
        return overflow ? self : sum
    }
}
