package import FocusCore
package import FocusSync

/// What the device last learnt of shared time, as its database keeps it.
package struct ClockSample: Hashable, Sendable {
    /// The boot in which it was learnt; nil where the system doesn't name boots.
    package let boot: String?
    /// Shared time less the time since boot.
    package let offset: Duration
    /// Shared time less the wall clock when the sample was kept: all that outlives a boot.
    package let fromWall: Duration
    /// The first reading of that boot, by the time since it. Versions before 1.1 didn't keep it: nil.
    package let first: FirstReading?

    /// A sample to be kept.
    ///
    /// - Parameters:
    ///   - boot: nil where the system doesn't name boots.
    ///   - offset: shared time less the time since boot.
    ///   - fromWall: shared time less the wall clock.
    package init(boot: String?, offset: Duration, fromWall: Duration, first: FirstReading?) {
        self.boot = boot
        self.offset = offset
        self.fromWall = fromWall
        self.first = first
    }

    /// The sample as bytes.
    package func encoded() -> [UInt8] {
        var writer = ByteWriter()
        writer.string(boot ?? "")
        writer.signed(offset.inMicroseconds)
        writer.signed(fromWall)
        if let first {
            writer.signed(first.offset.inMicroseconds)
            writer.signed(first.instant.microseconds)
        }
        return writer.bytes
    }

    /// The sample that `bytes` hold; throws where they are none.
    package init(encoded bytes: [UInt8]) throws(ByteReader.Failure) {
        var reader = ByteReader(bytes)
        let boot = try reader.string()
        let offset = Duration.microseconds(try reader.signed())
        let fromWall = try reader.signedMilliseconds()
        var first: FirstReading?
        if reader.remaining > 0 {
            first = FirstReading(
                offset: .microseconds(try reader.signed()),
                instant: SteadyInstant(microseconds: try reader.signed()))
        }
        try reader.end()
        self.init(boot: boot.isEmpty ? nil : boot, offset: offset, fromWall: fromWall, first: first)
    }
}
