package import FocusCore

/// When something happened, so that its age can be told although clocks are set: in shared time, and since
/// boot.
package struct Moment: Hashable, Sendable {
    /// The boot in which it happened; nil where the system doesn't name boots.
    package let boot: String?
    /// When, by the clock of that boot.
    package let sinceBoot: SteadyInstant
    /// When, in shared time.
    package let shared: SharedInstant

    /// A moment as it was kept.
    ///
    /// - Parameters:
    ///   - boot: nil where the system doesn't name boots.
    ///   - sinceBoot: when, by the clock of that boot.
    package init(boot: String?, sinceBoot: SteadyInstant, shared: SharedInstant) {
        self.boot = boot
        self.sinceBoot = sinceBoot
        self.shared = shared
    }

    /// The present moment.
    package init(_ clock: SharedClock, _ clocks: MachineClocks) {
        self.init(boot: clocks.boot(), sinceBoot: clocks.sinceBoot(), shared: clock.now())
    }

    /// How long ago it was at `now`; nil where it lies ahead, so that nothing is known.
    package func age(at now: Moment) -> Duration? {
        let isSameBoot = boot != nil && boot == now.boot
        let age = isSameBoot ? now.sinceBoot - sinceBoot : now.shared - shared
        return age >= .zero ? age : nil
    }
}

extension ByteWriter {
    /// Appends a moment.
    mutating func moment(_ moment: Moment) {
        string(moment.boot ?? "")
        signed(moment.sinceBoot.microseconds)
        signed(moment.shared)
    }
}

extension ByteReader {
    /// Reads what `ByteWriter.moment` wrote.
    mutating func moment() throws(Failure) -> Moment {
        let boot = try string()
        return Moment(
            boot: boot.isEmpty ? nil : boot, sinceBoot: SteadyInstant(microseconds: try signed()),
            shared: try signedInstant())
    }
}
