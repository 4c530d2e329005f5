/// Names an epoch, a span of the group's life under one key: the first 8 bytes of the key's SHA-256.
package struct EpochID: RawRepresentable, Hashable, Comparable, Sendable {
    /// The 8 bytes, big-endian.
    package let rawValue: UInt64

    /// The epoch of this name, whether its key is known or not.
    package init(rawValue: UInt64) { self.rawValue = rawValue }

    package static func < (left: EpochID, right: EpochID) -> Bool { left.rawValue < right.rawValue }
}
