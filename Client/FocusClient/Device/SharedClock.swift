package import FocusSync

/// Shared time, the server's clock as this device knows it (docs/protocol.md, "Time").
///
/// Within the boot in which the server was last heard it goes by the clock that counts since boot, which
/// nobody sets. After a restart it goes by the wall clock, less what that was wrong by. Before the server was
/// ever heard it is the wall clock.
package struct SharedClock: Sendable {
    private let sample: ClockSample?
    private let clocks: MachineClocks
    private let isFromThisBoot: Bool

    package init(_ sample: ClockSample?, _ clocks: MachineClocks) {
        self.sample = sample
        self.clocks = clocks
        isFromThisBoot = sample?.boot != nil && sample?.boot == clocks.boot()
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
        if let sample, isFromThisBoot { return ClockEstimate(offset: sample.offset, isFromThisBoot: true) }
        let (microseconds, overflow) = now().multipliedReportingOverflow(by: 1000)
        let offset = overflow ? 0 : microseconds.addingOrStaying(-clocks.sinceBoot())
        return ClockEstimate(offset: offset, isFromThisBoot: false)
    }
}

extension Int64 {
    /// The sum; the value itself where an offset makes no sense. Offsets come from the database.
    fileprivate func addingOrStaying(_ offset: Int64) -> Int64 {
        let (sum, overflow) = addingReportingOverflow(offset)
        return overflow ? self : sum
    }
}
