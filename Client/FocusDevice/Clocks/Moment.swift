import FocusCore

/// When something happened, so that its age can be told although clocks are set: in shared time, and since
/// boot.
package struct Moment: Hashable, Sendable {
    /// The boot in which it happened; nil where the system doesn't name boots.
    package let boot: String?
    /// Microseconds since that boot.
    package let sinceBoot: Int64
    /// In shared time, milliseconds since the Unix epoch.
    package let shared: Int64

    /// A moment as it was kept.
    ///
    /// - Parameters:
    ///   - boot: nil where the system doesn't name boots.
    ///   - sinceBoot: microseconds since that boot.
    ///   - shared: milliseconds since the Unix epoch, in shared time.
    package init(boot: String?, sinceBoot: Int64, shared: Int64) {
        self.boot = boot
        self.sinceBoot = sinceBoot
        self.shared = shared
    }

    /// The present moment.
    package init(_ clock: SharedClock, _ clocks: MachineClocks) {
        self.init(boot: clocks.boot(), sinceBoot: clocks.sinceBoot(), shared: clock.now())
    }

    /// How long ago it was at `now`, in milliseconds; nil where it lies ahead, so that nothing is known.
    package func age(at now: Moment) -> Int64? {
        let isSameBoot = boot != nil && boot == now.boot
        let (age, overflow) =
            isSameBoot
            ? now.sinceBoot.subtractingReportingOverflow(sinceBoot)
            : now.shared.subtractingReportingOverflow(shared)
        guard !overflow, age >= 0 else { return nil }
        return isSameBoot ? age / 1000 : age
    }
}

extension ByteWriter {
    /// Appends a moment.
    mutating func moment(_ moment: Moment) {
        string(moment.boot ?? "")
        signed(moment.sinceBoot)
        signed(moment.shared)
    }
}

extension ByteReader {
    /// Reads what `ByteWriter.moment` wrote.
    mutating func moment() throws(Failure) -> Moment {
        let boot = try string()
        return Moment(boot: boot.isEmpty ? nil : boot, sinceBoot: try signed(), shared: try signed())
    }
}
