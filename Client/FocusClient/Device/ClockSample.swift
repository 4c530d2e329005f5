package import FocusCore

/// What the device last learnt of shared time, as its database keeps it.
package struct ClockSample: Hashable, Sendable {
    /// The boot in which it was learnt; nil where the system doesn't name boots.
    package let boot: String?
    /// Shared time less the time since boot, in microseconds.
    package let offset: Int64
    /// Shared time less the wall clock, in milliseconds, when the sample was kept: all that outlives a boot.
    package let fromWall: Int64

    package init(boot: String?, offset: Int64, fromWall: Int64) {
        self.boot = boot
        self.offset = offset
        self.fromWall = fromWall
    }

    /// The sample as bytes.
    package func encoded() -> [UInt8] {
        var writer = ByteWriter()
        writer.string(boot ?? "")
        writer.signed(offset)
        writer.signed(fromWall)
        return writer.bytes
    }

    /// The sample that `bytes` hold; throws where they are none.
    package init(encoded bytes: [UInt8]) throws(ByteReader.Failure) {
        var reader = ByteReader(bytes)
        let boot = try reader.string()
        self.init(
            boot: boot.isEmpty ? nil : boot, offset: try reader.signed(), fromWall: try reader.signed())
        try reader.end()
    }
}
